/** The types of admin API handlers, and reads and transactions in the tenant of a call. */
import type { FeedRequest } from '../../contract/admin/feed.ts';
import type { LoadedDemoTenant, SeedProgress } from '../../contract/admin/demo.ts';
import type { RecordedRequest } from '../../contract/admin/requests.ts';
import type { FaultBody } from '../../contract/admin/faults.ts';
import type { FirstKey, Snapshot } from '../../contract/admin/snapshots.ts';
import type { BodyOf, Operation, ParamsOf, QueryOf, ResultOf } from '../../contract/operation.ts';
import { IDEMPOTENCY_VALIDITY_H } from '../../contract/limits.ts';
import type { Plan } from '../../contract/scopes.ts';
import type { ChangeOrigin, Context } from '../../domain/kernel/context.ts';
import { StockroomError, invalidField } from '../../domain/kernel/errors.ts';
import type { DeliveryRecord } from '../../domain/events/records.ts';
import type { AttemptOutcome } from '../../domain/events/delivery-state.ts';
import type { FaultRegistry } from '../../domain/faults/fault-registry.ts';
import type { Clock, NewId, TransactionTime } from '../../domain/kernel/ports.ts';
import type { Leases, MaybePromise, Members } from '../../domain/kernel/shared-state.ts';
import type { WebhookRecord } from '../../domain/webhooks/records.ts';
import type { TargetPolicy } from '../../domain/webhooks/target-policy.ts';
import type { ReadTx, StockroomStore, Tx } from '../../domain/tables.ts';
import { findTenant } from '../../domain/tenancy/tenants.ts';
import type { TenantStates } from './tenant-states/tenant-states.ts';
import type { Actor, TenantRecord } from '../../domain/kernel/tenant.ts';

/** The clock of the daemon, with those of tenants. */
export interface AdminClock extends Clock {
  getAheadMs(tenantId: string): number;
  /** Lets the clock of a tenant be ahead of that of the service, or behind it. */
  setAheadMs(tenantId: string, aheadMs: number): void;
}

/** The test clock of the daemon. */
export interface AdjustableClock extends AdminClock {
  readonly offsetSeconds: number;
  advance(seconds: number): void;
  /** Sets the time, also to an earlier one. */
  set(instant: Date): void;
  reset(): void;
}

/** What the start page shows of a demo tenant. */
export interface DemoTenantSummary {
  readonly slug: string;
  readonly plan: Plan;
  /** The public prefix of the key that was created with the tenant; null if that key is no longer valid. */
  readonly keyPrefix: string | null;
}

/** Demo tenants and generated rows. */
export interface DemoData {
  /** Creates the demo tenants that do not exist yet, each with an API key. */
  load(): Promise<LoadedDemoTenant[]>;
  /** The loaded demo tenants that still have their names. Shown to every visitor of the start page. */
  list(): Promise<DemoTenantSummary[]>;
  /** Starts generating rows in the background. The caller has checked that no seed is running. */
  startSeed(options: {
    tenant: TenantRecord;
    createContext: (time: TransactionTime) => Context;
    items: number;
    orders?: number;
    seed: number;
  }): void;
  getSeedProgress(): SeedProgress;
}

/** Named copies of all data of the daemon. */
export interface Snapshots {
  list(): Promise<Snapshot[]>;
  save(name: string, options: { readonly replace: boolean }): Promise<Snapshot>;
  load(name: string): Promise<Snapshot>;
  remove(name: string): Promise<Snapshot>;
  /** Replaces all data with the tenant and key of a first start. */
  reset(): Promise<FirstKey | undefined>;
}

/**
 * The history of a store: a PostgreSQL store can lose commits, and rejects changes of tenants with times in the future. Tenants by id, '' for
 * the service.
 */
export interface StoreHistory {
  /** Commits that the store has lost since this daemon was started, by number. */
  listLost(): readonly { readonly tenant: string; readonly first: number; readonly last: number }[];
  /** What a last change in the future means where changes continue: in files. */
  explainFutureChange(): Promise<string | undefined>;
  /** Tenants whose last change is dated too far in the future to continue from. */
  listAhead(): Promise<readonly { readonly tenant: string; readonly lastChangeAt: Date }[]>;
  /** Lets the tenant continue from now. */
  resetTime(tenant: string): Promise<void>;
}

/** What the delivery sender offers to the admin API. */
export interface DeliveryTools {
  /** Sends a test request to the endpoint. Undefined when the service is stopping. */
  sendCheck(webhook: WebhookRecord, tenantId: string): Promise<AttemptOutcome | undefined>;
  /** The request headers of an attempt made at `at`. */
  buildHeaders(delivery: DeliveryRecord, webhook: WebhookRecord, body: string, at: Date): Readonly<Record<string, string>>;
}

export interface RecentRequests {
  readonly requests: (FeedRequest & { readonly id: string })[];
  readonly perMinute: { readonly keyId: string; readonly perMinute: number[]; readonly rejectedPerMinute: number[] }[];
}

type RecordedFacts = Omit<RecordedRequest, 'request' | 'response' | 'path'>;

/** The parts of the running service that requests to /v1 do not use. */
export interface AdminParts {
  readonly clock: AdminClock;
  readonly newId: NewId;
  readonly version: string;
  /** New at every start; also in `/healthz` and in the state file. */
  readonly instanceId: string;
  readonly members: Members;
  readonly leases: Leases;
  readonly demo: DemoData;
  readonly deliveries: DeliveryTools;
  /** Faults that belong together, of fixtures. */
  readonly scenarios: Map<string, readonly FaultBody[]>;
  readonly snapshots: Snapshots;
  readonly history: StoreHistory;
  readonly tenantStates: TenantStates;
}

/** The parts of the running service that admin handlers use. */
export interface AdminServices extends AdminParts {
  readonly targets: TargetPolicy;
  readonly store: StockroomStore;
  readonly faults: FaultRegistry;
  /** Requests per minute by tier. A change applies to the next request. */
  readonly limiter: { listTiers(): ReadonlyMap<string, number>; setTier(name: string, requestsPerMinute: number): void };
  /** Undefined if requests are not recorded. */
  readonly recorder: { list(passes: (facts: RecordedFacts) => boolean): RecordedRequest[] } | undefined;
  /** Aborts when the service starts to stop. */
  readonly closing: AbortSignal;
  /** The latest requests of a tenant, and of no tenant, with the counts of its keys. */
  listRecentRequests(tenantId: string): RecentRequests;
  /** Stores the usage counters kept in memory. */
  flushCounters(): Promise<void>;
  /** The daemon that runs the service; null values without a daemon, as in a test. */
  readonly daemon: {
    readonly startedAt: Date;
    readonly url: string | null;
    /** Null if the daemon does not serve the console. */
    readonly consoleUrl: string | null;
    readonly dataDir: string | null;
    readonly logFile: string | null;
    getJournalBytes(): number | null;
    /** Why changes are rejected; undefined while the store accepts them. */
    findStoreProblem(): Promise<string | undefined>;
  };
  /** Starts a graceful stop; undefined for an embedded service. */
  readonly shutdown: (() => void) | undefined;
}

/** The actor of admin changes: only the owner of the daemon can open its socket. */
const LOCAL_ACTOR: Actor = { type: 'user', id: 'local' };

/** The stored replies to the idempotency key of a call. */
export interface StoredReplies {
  /** Under which the reply of the call may be stored. */
  readonly ids: readonly string[];
  /** Ends the call with the stored reply if there is one. Throws a 409 if it is of another request. */
  find(tx: ReadTx, now: Date): Promise<void>;
  /** Stores the result of the handler as the reply. */
  store(tx: Tx, result: unknown): Promise<void>;
}

/** The input of an admin handler. */
export interface AdminCall<O> {
  readonly services: AdminServices;
  readonly params: ParamsOf<O>;
  readonly query: QueryOf<O>;
  readonly body: BodyOf<O>;
  readonly requestId: string;
  /** Runs `work` after the response was sent. */
  afterReply(work: () => void): void;
  /** Keeps the response open after its body: `afterReply` then waits for the end of the connection. */
  keepOpen(): void;
  /** Undefined without an idempotency key. */
  readonly replies: StoredReplies | undefined;
}

export type AdminHandler<O> = (call: AdminCall<O>) => MaybePromise<ResultOf<O>>;
/** One handler per operation; a missing one is a compile error. */
export type AdminHandlers<Ops extends readonly Operation[]> = { readonly [O in Ops[number] as O['id']]: AdminHandler<O> };

/** A handler as the server calls it: without the types of its operation, whose schemas have validated the input. */
export type UntypedAdminHandler = (
  call: Omit<AdminCall<Operation>, 'params' | 'query' | 'body'> & Readonly<Record<'params' | 'query' | 'body', unknown>>,
) => unknown;

interface TenantCall {
  readonly services: AdminServices;
  readonly requestId: string;
  readonly query: { readonly tenant?: string };
}

/** Runs a read in the tenant of the call. */
export async function readTenant<T>(call: TenantCall, work: (tx: ReadTx, tenant: TenantRecord) => Promise<T>): Promise<T> {
  const tenant = await resolveTenant(call.services, call.query.tenant);
  return call.services.store.read(tenant.id, (tx) => work(tx, tenant));
}

type WriteCall = Pick<AdminCall<unknown>, 'services' | 'requestId' | 'replies'>;

/**
 * Runs a transaction in the tenant of the call, whose result is the reply of the call: stored in the same commit for a repetition with the
 * same idempotency key, which does not run `work`.
 */
export async function writeTenant<T>(call: WriteCall & TenantCall, work: (tx: Tx, context: Context) => Promise<T>): Promise<T> {
  return writeResolvedTenant(call, await resolveTenant(call.services, call.query.tenant), work);
}

/** `writeTenant` in this tenant. */
export const writeResolvedTenant = <T>(
  call: WriteCall,
  { id, slug }: Pick<TenantRecord, 'id' | 'slug'>,
  work: (tx: Tx, context: Context) => Promise<T>,
): Promise<T> =>
  writePartition(call, id, async (tx) => {
    const current = await tx.tenants.get(id);
    if (!current) throw new StockroomError('NOT_FOUND', `Tenant ${slug} no longer exists.`);
    return work(tx, { ...createContext(call, tx), tenant: current });
  });

/** `writeTenant` in the partition of a tenant that `work` may create. */
export const writePartition = <T>({ services, replies }: WriteCall, tenantId: string, work: (tx: Tx) => Promise<T>): Promise<T> =>
  services.store.transact(
    tenantId,
    async (tx) => {
      await replies?.find(tx, tx.now);
      const result = await work(tx);
      await replies?.store(tx, result);
      return result;
    },
    replies && { idempotency: replies.ids },
  );

/** Ends the call with the stored reply of any tenant updated while replies are valid. */
export async function findRecentReply({ services, replies }: WriteCall): Promise<void> {
  if (!replies) return;
  const now = services.clock.now();
  const from = new Date(now.getTime() - IDEMPOTENCY_VALIDITY_H * 3_600_000).toISOString();
  const { rows } = await services.store.read('', (tx) =>
    tx.tenants.listAfter({ where: [{ field: 'updatedAt', from }], orderBy: 'updated_at', limit: Number.MAX_SAFE_INTEGER }),
  );
  for (const { id } of rows) await services.store.read(id, (tx) => replies.find(tx, services.clock.now(id)));
}

/** A call for a change that is not its reply: a repetition with the same idempotency key makes it again. */
export const withoutReply = <C extends object>(call: C): C & { readonly replies: undefined } => ({ ...call, replies: undefined });

/** Who makes a change through the admin API. */
export const createOrigin = (requestId: string): ChangeOrigin => ({ actor: LOCAL_ACTOR, requestId, ipAddress: null });

/** The context of a change, without its tenant. */
export const createContext = ({ requestId }: Pick<TenantCall, 'requestId'>, { now, newId }: TransactionTime): Omit<Context, 'tenant'> => ({
  ...createOrigin(requestId),
  now,
  newId,
});

/** The tenant with this slug or id, or the only tenant when none is given. Otherwise throws an error that lists the slugs. */
export function resolveTenant({ store }: AdminServices, slug: string | undefined): Promise<TenantRecord> {
  return store.read('', async (tx) => {
    if (slug !== undefined) {
      const tenant = await findTenant(tx, slug);
      if (tenant) return tenant;
      throw new StockroomError('NOT_FOUND', `No tenant "${slug}". ${await listTenantSlugs(tx)}`);
    }
    const { rows, more } = await tx.tenants.listAfter({ limit: 1 });
    const [only] = rows;
    if (only && !more) return only;
    const message = only
      ? `tenant is required when there are several tenants. ${await listTenantSlugs(tx)}`
      : 'No tenants yet. Create one with `stockroom tenants create`.';
    throw invalidField('/tenant', message, 'required', 'query');
  });
}

const MAX_LISTED_TENANTS = 20;

async function listTenantSlugs(tx: ReadTx): Promise<string> {
  const { rows, more } = await tx.tenants.listAfter({ orderBy: 'name', limit: MAX_LISTED_TENANTS });
  if (rows.length === 0) return 'No tenants yet.';
  return `Tenants: ${rows.map(({ slug }) => slug).join(', ')}${more ? ', …' : ''}.`;
}
