/** Puts the service, a tenant, a key and clients together. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../client/client.ts';
import { stockroomClient, type StockroomClient } from '../client/index.ts';
import { type Methods, methodsOf } from '../client/methods.ts';
import { ADMIN_OPERATIONS, type AdminOperation } from '../contract/admin.ts';
import { CLOCK_FIRST, CLOCK_LAST, RETRY_DELAY_MAX_S, RETRY_SCHEDULE_MAX_ENTRIES, TIER_MAX_PER_MINUTE } from '../contract/limits.ts';
import { isDate } from '../contract/formats.ts';
import { bodyProblems } from '../contract/problems.ts';
import { t } from '../contract/schema.ts';
import { PLANS } from '../contract/scopes.ts';
import type { Tenant } from '../contract/admin/tenants.ts';
import type { Embedded } from '../daemon/embedded.ts';
import { loadDaemon } from '../daemon/load.ts';
import type { Access, Stockroom, StockroomOptions } from './index.ts';

const TIER = 'testing';
const LOOK_EVERY_MS = 5;
/** How long answers may take to what was asked before the stop: so many steps of so long. */
const GRACE_STEPS = 20;
const GRACE_STEP_MS = 50;

/** Bounds as in the configuration of a daemon. */
const bounded = t.object({
  plan: t.optional(t.enums(PLANS)),
  requestsPerMinute: t.optional(t.int({ min: 1, max: TIER_MAX_PER_MINUTE })),
  webhookRetries: t.optional(t.array(t.int({ min: 1, max: RETRY_DELAY_MAX_S }), { max: RETRY_SCHEDULE_MAX_ENTRIES })),
});

/**
 * Starts a whole service in this process: real HTTP on a free port, a real store in a temporary directory, a clock that tests can move.
 *
 *     await using stockroom = await startStockroom();
 *     const { data: item } = await stockroom.client.items.create({ name: 'Bolt' });
 */
export async function startStockroom(options: StockroomOptions = {}): Promise<Stockroom> {
  const { demo = false, plan = 'enterprise', requestsPerMinute = TIER_MAX_PER_MINUTE, now, webhookRetries } = options;
  check(options);
  // Nothing of a test stays, so neither does compiled code.
  const { embedService } = await loadDaemon({ keeps: false });
  const embedded = await embedService({
    tiers: { [TIER]: requestsPerMinute },
    ...(webhookRetries && { retryScheduleSeconds: webhookRetries }),
  });
  const clients: StockroomClient[] = [];
  const end = Promise.withResolvers<never>();
  // Not every test waits for deliveries.
  end.promise.catch(() => undefined);
  const stop = async (): Promise<void> => {
    end.reject(new Error('the service was stopped'));
    const closed = Promise.all(clients.map((client) => client.close()));
    // A request that hangs is cut off by the service, which everybody else's have no time left to reach then.
    await Promise.race([closed, grace()]);
    await embedded.stop();
    await closed;
  };
  try {
    if (now !== undefined) embedded.clock.set(instant(now));
    const { tenant, secret, demo: loaded } = await embedded.welcome({ plan, demo, tier: TIER });
    const accessWith = (apiKey: string): Access => {
      const client = stockroomClient({ url: embedded.url, apiKey, maxWaitMs: 0 });
      clients.push(client);
      return { apiKey, client };
    };
    return stockroomOf({ embedded, tenant, demo: loaded, access: accessWith(secret), accessWith, stop, end: end.promise });
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A process that stood still meanwhile, or whose machine did, has lost one step of it, not all. */
async function grace(): Promise<void> {
  for (let step = 0; step < GRACE_STEPS; step += 1) await sleep(GRACE_STEP_MS, undefined, { ref: false });
}

function check({ plan, requestsPerMinute, webhookRetries }: StockroomOptions): void {
  // Most tests leave them as they are, and need not wait for the validator.
  if (plan === undefined && requestsPerMinute === undefined && webhookRetries === undefined) return;
  const [problem] = bodyProblems(bounded, { plan, requestsPerMinute, webhookRetries });
  if (problem) throw new TypeError(problem.message);
}

interface Parts extends Pick<Stockroom, 'tenant' | 'demo' | 'stop'> {
  readonly embedded: Embedded;
  readonly access: Access;
  /** Rejects when the service stops. */
  readonly end: Promise<never>;
  readonly accessWith: (apiKey: string) => Access;
}

function stockroomOf({ embedded, tenant, demo, access, accessWith, stop, end }: Parts): Stockroom {
  const admin = adminOf(embedded);
  const addKey: Stockroom['addKey'] = async (draft = {}, slug = tenant.slug) => {
    const scopes = draft.scopes ? {} : { allScopes: true };
    const { secret } = await admin.keys.create({ rateLimitTier: TIER, ...scopes, ...draft }, { tenant: slug });
    return accessWith(secret);
  };
  return {
    ...access,
    url: embedded.url,
    tenant,
    demo,
    admin,
    addKey,
    async addTenant(draft) {
      const { data } = await admin.tenants.create(draft);
      return { tenant: data, ...(await addKey({}, data.slug)) };
    },
    seed: (amounts) => seed(admin, tenant, amounts),
    now: () => embedded.clock.now(),
    advance: async (by) => timeOf(await admin.clock.advance({ by: typeof by === 'number' ? `${String(by)}ms` : by })),
    setTime: async (at) => timeOf(await admin.clock.set({ at: instant(at).toISOString() })),
    events: () => embedded.events(tenant.id),
    settled: () => Promise.race([end, embedded.settled()]),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** The settings plane without a socket. What it refuses is thrown like every other refusal. */
function adminOf(embedded: Embedded): Methods<AdminOperation> {
  const retry = { maxWaitMs: 0, wait: () => Promise.resolve() };
  return methodsOf(createClient({ transport: (request) => embedded.plane(request), retry }), ADMIN_OPERATIONS);
}

async function seed(admin: Methods<AdminOperation>, { slug }: Tenant, amounts: Parameters<Stockroom['seed']>[0]): Promise<void> {
  await admin.seed.start(amounts, { tenant: slug });
  for (;;) {
    const { status, error } = (await admin.seed.get()).data;
    if (status === 'failed') throw new Error(`generating the rows failed: ${String(error)}`);
    if (status !== 'running') return;
    await sleep(LOOK_EVERY_MS);
  }
}

function instant(at: Date | string): Date {
  const date = new Date(at);
  // `Date` makes the second of March of the thirtieth of February.
  const isReal = typeof at !== 'string' || !/^\d{4}-\d\d-\d\d/u.test(at) || isDate(at.slice(0, 10));
  if (!isReal || Number.isNaN(date.getTime()))
    throw new TypeError(`${String(at)} is not a time: give a Date, or a text such as 2026-01-31T12:00:00Z`);
  if (date < new Date(CLOCK_FIRST) || date > new Date(CLOCK_LAST))
    throw new TypeError(`${date.toISOString()} is not between ${CLOCK_FIRST} and ${CLOCK_LAST}`);
  return date;
}

const timeOf = ({ data }: { readonly data: { readonly now: string } }): Date => new Date(data.now);
