/** Starts an embedded service and creates its tenant, API key and clients. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../client/errors.ts';
import { createClient } from '../client/client.ts';
import { stockroomClient, type StockroomClient } from '../client/index.ts';
import { type Methods, createMethods } from '../client/methods.ts';
import { ADMIN_OPERATIONS, type AdminOperation } from '../contract/admin/index.ts';
import { CLOCK_FIRST, CLOCK_LAST, RETRY_DELAY_MAX_S, RETRY_SCHEDULE_MAX_ENTRIES, TIER_MAX_PER_MINUTE } from '../contract/limits.ts';
import { isDate } from '../contract/schema/formats.ts';
import { validateBody } from '../contract/schema/field-problems.ts';
import { t } from '../contract/schema/builder.ts';
import { PLANS } from '../contract/scopes.ts';
import type { Tenant } from '../contract/admin/tenants.ts';
import type { EmbeddedService } from '../daemon/embedded/embedded-service.ts';
import type { Access, Stockroom, StockroomOptions } from './stockroom.ts';

const TIER = 'testing';
const SEED_POLL_INTERVAL_MS = 5;
/** How long requests in progress may take when the service stops. */
const STOP_GRACE_MS = 1_000;
const GRACE_STEP_MS = 50;

/** The same bounds as in the configuration of a daemon. */
const optionsSchema = t.object({
  plan: t.optional(t.enums(PLANS)),
  requestsPerMinute: t.optional(t.int({ min: 1, max: TIER_MAX_PER_MINUTE })),
  contract: t.optional(t.enums(['extended', 'strict'])),
  webhookRetries: t.optional(t.array(t.int({ min: 1, max: RETRY_DELAY_MAX_S }), { max: RETRY_SCHEDULE_MAX_ENTRIES })),
});

/**
 * Starts a complete service in this process: real HTTP on a free port, a real store in a temporary directory, a clock that tests can move.
 *
 *     await using stockroom = await startStockroom();
 *     const { data: item } = await stockroom.client.items.create({ name: 'Bolt' });
 */
export function startStockroom(options: StockroomOptions = {}): Promise<Stockroom> {
  return startWithStopGrace(options, STOP_GRACE_MS);
}

/** Not part of the package: our own tests use a shorter grace period. */
export async function startWithStopGrace(options: StockroomOptions, stopGraceMs: number): Promise<Stockroom> {
  const { demo = false, plan = 'enterprise', requestsPerMinute = TIER_MAX_PER_MINUTE, now, contract, webhookRetries } = options;
  checkOptions(options);
  const { startEmbeddedService } = await import('../daemon/lifecycle/daemon-modules.ts');
  const embedded = await startEmbeddedService({
    tiers: { [TIER]: requestsPerMinute },
    stopGraceMs,
    contract,
    webhooks: webhookRetries ? { scheduleSeconds: webhookRetries } : {},
  });
  const clients: StockroomClient[] = [];
  const stopped = Promise.withResolvers<never>();
  // Prevents an unhandled rejection in tests that never call `settled`.
  stopped.promise.catch(() => undefined);
  const stop = async (): Promise<void> => {
    stopped.reject(new Error('the service was stopped'));
    const closed = Promise.all(clients.map((client) => client.close()));
    // The service destroys connections that are still open after its own grace period; requests that are only slow finish before.
    await Promise.race([closed, waitInSteps(stopGraceMs)]);
    await embedded.stop();
    await closed;
  };
  try {
    if (now !== undefined) embedded.clock.set(parseInstant(now));
    const tenantId = options.fixtures === undefined ? undefined : await applyFixtures(embedded, options.fixtures);
    const { tenant, secret, demo: demoTenants } = await embedded.createFirstTenant({ plan, demo, tier: TIER, tenantId });
    const createAccess = (apiKey: string): Access => {
      const client = stockroomClient({ url: embedded.url, apiKey, maxWaitMs: 0 });
      clients.push(client);
      return { apiKey, client };
    };
    const access = createAccess(secret);
    return createStockroom({ embedded, tenant, demo: demoTenants, access, createAccess, stop, stopped: stopped.promise });
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Waits in short steps: when the process or the machine is suspended meanwhile, only one step is lost. */
async function waitInSteps(totalMs: number): Promise<void> {
  for (let waitedMs = 0; waitedMs < totalMs; waitedMs += GRACE_STEP_MS) await sleep(GRACE_STEP_MS, undefined, { ref: false });
}

function checkOptions({ plan, requestsPerMinute, contract, webhookRetries }: StockroomOptions): void {
  // Does not load the validator when there is nothing to validate.
  if (plan === undefined && requestsPerMinute === undefined && contract === undefined && webhookRetries === undefined) return;
  const [problem] = validateBody(optionsSchema, { plan, requestsPerMinute, contract, webhookRetries });
  if (problem) throw new TypeError(problem.message);
}

interface StockroomParts extends Pick<Stockroom, 'tenant' | 'demo' | 'stop'> {
  readonly embedded: EmbeddedService;
  readonly access: Access;
  /** Rejects when the service stops. */
  readonly stopped: Promise<never>;
  readonly createAccess: (apiKey: string) => Access;
}

function createStockroom({ embedded, tenant, demo, access, createAccess, stop, stopped }: StockroomParts): Stockroom {
  const admin = createAdminMethods(embedded);
  const addKey: Stockroom['addKey'] = async (draft = {}, slug = tenant.slug) => {
    const scopes = draft.scopes ? {} : { allScopes: true };
    const { secret } = await admin.keys.create({ rateLimitTier: TIER, ...scopes, ...draft }, { query: { tenant: slug } });
    if (secret === undefined) throw new Error('The reply to creating the API key was lost; try again.');
    return createAccess(secret);
  };
  return {
    ...access,
    url: embedded.url,
    tenant,
    demo,
    admin,
    control: () => embedded.openControl(),
    addKey,
    async addTenant(draft) {
      const { data } = await admin.tenants.create(draft);
      return { tenant: data, ...(await addKey({}, data.slug)) };
    },
    seed: (amounts) => seed(admin, tenant, amounts),
    now: (tenantId) => embedded.clock.now(tenantId),
    async advance(given, slug) {
      const by = typeof given === 'number' ? `${String(given)}ms` : given;
      return toTime(await (slug === undefined ? admin.clock.advance({ by }) : admin.tenants.clock.move(slug, { by })));
    },
    async setTime(given, slug) {
      const at = parseInstant(given).toISOString();
      return toTime(await (slug === undefined ? admin.clock.set({ at }) : admin.tenants.clock.move(slug, { at })));
    },
    events: () => embedded.listEvents(tenant.id),
    settled: () => Promise.race([stopped, embedded.waitForDeliveries()]),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** The admin API without a socket. Error responses are thrown like those of the public API. */
function createAdminMethods(embedded: EmbeddedService): Methods<AdminOperation> {
  return createMethods(createClient({ transport: (request) => embedded.requestAdmin(request) }), ADMIN_OPERATIONS);
}

/** Returns the id of the first tenant. */
async function applyFixtures(embedded: EmbeddedService, given: NonNullable<StockroomOptions['fixtures']>): Promise<string | undefined> {
  const { findFixtureFile, parseFixtures, readFixtureFile } = await import('../fixtures/read-fixtures.ts');
  const path = given === true ? findFixtureFile(process.cwd()) : given;
  if (path === undefined) throw new TypeError(`No file of fixtures in ${process.cwd()}`);
  const file = typeof path === 'string' ? readFixtureFile(path) : parseFixtures(JSON.stringify(path, null, 2), 'fixtures');
  try {
    return (await createAdminMethods(embedded).fixtures.apply(file.document)).data.tenants[0]?.id;
  } catch (error) {
    throw error instanceof ApiError && error.fields ? file.locate(error.fields) : error;
  }
}

async function seed(admin: Methods<AdminOperation>, { slug }: Tenant, amounts: Parameters<Stockroom['seed']>[0]): Promise<void> {
  await admin.seed.start(amounts, { query: { tenant: slug } });
  for (;;) {
    const { status, error } = (await admin.seed.get()).data;
    if (status === 'failed') throw new Error(`Generating the data failed: ${String(error)}`);
    if (status !== 'running') return;
    await sleep(SEED_POLL_INTERVAL_MS);
  }
}

function parseInstant(at: Date | string): Date {
  const date = new Date(at);
  // `Date` turns February 30 into March 2.
  const isCalendarDate = typeof at !== 'string' || !/^\d{4}-\d\d-\d\d/u.test(at) || isDate(at.slice(0, 10));
  if (!isCalendarDate || Number.isNaN(date.getTime()))
    throw new TypeError(`Invalid time "${String(at)}". Use a Date, or a string such as 2026-01-31T12:00:00Z`);
  if (date < new Date(CLOCK_FIRST) || date > new Date(CLOCK_LAST))
    throw new TypeError(`Invalid time ${date.toISOString()}. Use a time between ${CLOCK_FIRST} and ${CLOCK_LAST}`);
  return date;
}

const toTime = ({ data }: { readonly data: { readonly now: string } }): Date => new Date(data.now);
