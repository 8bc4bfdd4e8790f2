/** What a handler of the settings plane gets, and how it opens reads and transactions in the chosen tenant. */
import type { LoadedDemoTenant, SeedProgress } from '../../contract/admin/demo.ts';
import type { FirstKey, Snapshot } from '../../contract/admin/snapshots.ts';
import type { BodyOf, Operation, ParamsOf, QueryOf, ResultOf } from '../../contract/operation.ts';
import type { Context } from '../../domain/context.ts';
import { StockroomError, invalidField } from '../../domain/errors.ts';
import type { DeliveryRecord, Outcome } from '../../domain/deliveries.ts';
import type { Faults } from '../../domain/faults.ts';
import type { Clock, NewId } from '../../domain/ports.ts';
import type { ConsentDesk } from '../consents.ts';
import type { WebhookRecord } from '../../domain/webhooks.ts';
import type { ReadTx, StockroomStore, Tx } from '../../domain/tables.ts';
import { type Actor, type TenantRecord, findTenant } from '../../domain/tenants.ts';

/** A clock that can be moved: the test clock of the daemon. */
export interface MovableClock extends Clock {
  readonly offsetSeconds: number;
  advance(seconds: number): void;
  set(instant: Date): void;
  reset(): void;
}

/** Demo tenants and generated rows: what the daemon offers on top of the domain. */
export interface DemoData {
  /** Loads what is missing; a new tenant comes with a key. */
  load(): Promise<LoadedDemoTenant[]>;
  /** Begins in the background; the caller has made sure that nothing is running. */
  startSeed(order: { contextOf: () => Context; items: number; orders?: number; seed: number }): void;
  seedProgress(): SeedProgress;
}

/** Copies of everything that the daemon holds, by name. */
export interface Snapshots {
  list(): Promise<Snapshot[]>;
  save(name: string, options: { readonly replace: boolean }): Promise<Snapshot>;
  load(name: string): Promise<Snapshot>;
  remove(name: string): Promise<Snapshot>;
  /** Leaves nothing but the tenant and the key of a first start. */
  reset(): Promise<FirstKey | undefined>;
}

/** What only the part that sends can tell. */
export interface DeliveryTools {
  /** Sends the connectivity check; undefined when the service is stopping. */
  check(webhook: WebhookRecord): Promise<Outcome | undefined>;
  /** The headers of the last attempt at `at`, or of the next one. */
  headersOf(delivery: DeliveryRecord, webhook: WebhookRecord, body: string, at: Date): Readonly<Record<string, string>>;
}

/** What the settings plane reaches of the running service. */
export interface Plane {
  readonly store: StockroomStore;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly version: string;
  readonly instanceId: string;
  /** Requests per minute by tier: read them, change one for the requests from now on. */
  readonly limiter: { tiers(): ReadonlyMap<string, number>; setTier(name: string, requestsPerMinute: number): void };
  readonly demo: DemoData;
  readonly deliveries: DeliveryTools;
  readonly consents: ConsentDesk;
  readonly faults: Faults;
  readonly snapshots: Snapshots;
  /** Stores the counters that are only in memory so far. */
  saveCounters(): Promise<void>;
  /** Facts of the daemon around the service; null where there is none, as in a test. */
  readonly about: { readonly startedAt: Date; readonly url: string | null; readonly dataDir: string | null; journalBytes(): number | null };
  /** Begins the graceful stop; undefined when nobody can. */
  readonly shutdown: (() => void) | undefined;
}

/** Who changes settings: whoever may open the socket, that is the owner of the daemon. */
const LOCAL: Actor = { type: 'user', id: 'local' };

export interface AdminCall<O> {
  readonly plane: Plane;
  readonly params: ParamsOf<O>;
  readonly query: QueryOf<O>;
  readonly body: BodyOf<O>;
  readonly requestId: string;
  /** Runs once the reply has left. */
  afterReply(work: () => void): void;
}

export type AdminHandler<O> = (call: AdminCall<O>) => Promise<ResultOf<O>>;
/** One handler per operation: a missing one does not compile. */
export type AdminHandlers<Ops extends readonly Operation[]> = { readonly [O in Ops[number] as O['id']]: AdminHandler<O> };

/** What the server calls: the types of one operation forgotten, because its schemas have checked the parts. */
export type AnyAdminHandler = (call: {
  readonly plane: Plane;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly requestId: string;
  afterReply(work: () => void): void;
}) => Promise<unknown>;

interface Asked {
  readonly plane: Plane;
  readonly requestId: string;
  readonly query: { readonly tenant?: string };
}

/** One read of the chosen tenant. */
export async function read<T>(call: Asked, work: (tx: ReadTx, tenant: TenantRecord) => Promise<T>): Promise<T> {
  const tenant = await chosenTenant(call.plane, call.query.tenant);
  return call.plane.store.read(tenant.id, (tx) => work(tx, tenant));
}

/** One transaction in the chosen tenant. */
export async function change<T>(call: Asked, work: (tx: Tx, context: Context) => Promise<T>): Promise<T> {
  return changeIn(call, await chosenTenant(call.plane, call.query.tenant), work);
}

/** One transaction in this tenant. */
export function changeIn<T>(call: Omit<Asked, 'query'>, tenant: TenantRecord, work: (tx: Tx, context: Context) => Promise<T>): Promise<T> {
  return call.plane.store.transact(tenant.id, async (tx) => {
    const now = await tx.tenants.get(tenant.id);
    if (!now) throw new StockroomError('NOT_FOUND', `There is no tenant ${tenant.slug} any more.`);
    return work(tx, { ...contextOf(call), tenant: now });
  });
}

/** The context of a change but for its tenant, at this moment. */
export const contextOf = ({ plane, requestId }: Omit<Asked, 'query'>): Omit<Context, 'tenant'> => ({
  actor: LOCAL,
  requestId,
  ipAddress: null,
  now: plane.clock.now(),
  newId: plane.newId,
});

/** The tenant with this slug or id, the only one when there is no slug; else an error that lists the slugs. */
export function chosenTenant({ store }: Plane, slug: string | undefined): Promise<TenantRecord> {
  return store.read('', async (tx) => {
    if (slug !== undefined) {
      const tenant = await findTenant(tx, slug);
      if (tenant) return tenant;
      throw new StockroomError('NOT_FOUND', `There is no tenant ${slug}; ${await knownTenants(tx)}.`);
    }
    const { rows, more } = await tx.tenants.after({ limit: 1 });
    const [only] = rows;
    if (only && !more) return only;
    const message = only
      ? `Several tenants are here, so choose one with tenant; ${await knownTenants(tx)}.`
      : "There is no tenant yet; 'stockroom tenants create' makes one.";
    throw invalidField('/tenant', message, 'required', 'query');
  });
}

const LISTED = 20;

async function knownTenants(tx: ReadTx): Promise<string> {
  const { rows, more } = await tx.tenants.after({ orderBy: 'name', limit: LISTED });
  if (rows.length === 0) return 'there is none yet';
  return `there are ${rows.map(({ slug }) => slug).join(', ')}${more ? ' and more' : ''}`;
}
