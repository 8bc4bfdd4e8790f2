/**
 * Leases in the database: a lease belongs to its owner until it expires by the clock of the database. An owner renews its leases every
 * third of their lifetime, and stops to use one on its own clock before others can take it, whatever happens to its connection.
 *
 * A daemon that takes part in a group has a row there that expires in the same way, so all know how many share the leases: each takes
 * at most its share, and gives back what it has in addition, for example to a daemon that has just started, as soon as no work is in
 * progress under the lease. `fence` counts the changes of the owner, for people.
 */
import type { LeaseGroup, LeaseHolder, Leases } from '../../../domain/kernel/shared-state.ts';
import { type Queryable, defineStatement } from '../database.ts';
import { SCHEMA } from '../table-columns.ts';
import { OwnedLeases } from './owned-leases.ts';

export const LEASES_DDL: readonly string[] = [
  `CREATE TABLE ${SCHEMA}.leases (
    name text COLLATE "C" PRIMARY KEY,
    owner text COLLATE "C" NOT NULL DEFAULT '',
    expires_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    fence bigint NOT NULL DEFAULT 0
  ) WITH (fillfactor = 50)`,
];

export const LEASE_LIFETIME_MS = 10_000;
/** Test suites create and remove thousands of tenants with endpoints while a daemon runs. */
const PURGE_INTERVAL_MS = 3_600_000;
/** How often to check whether leases that are to be given back are still in use. */
const HANDOVER_POLL_MS = 250;

const EXPIRY = 'clock_timestamp() + pg_catalog.make_interval(secs => $3)';
/** Renews the leases of a daemon in a group and its own row. Returns the leases, and the number of daemons that take part. */
const RENEW = defineStatement(
  `WITH renewed AS (
     UPDATE ${SCHEMA}.leases SET expires_at = ${EXPIRY} WHERE owner = $1 AND starts_with(name, $2 || '/') RETURNING name
   ), present AS (
     INSERT INTO ${SCHEMA}.leases (name, owner, expires_at) VALUES ($2 || '@' || $1, $1, ${EXPIRY})
     ON CONFLICT (name) DO UPDATE SET expires_at = excluded.expires_at
   )
   SELECT ARRAY(SELECT name FROM renewed),
          1 + (SELECT count(*) FROM ${SCHEMA}.leases
               WHERE starts_with(name, $2 || '@') AND owner <> $1
               AND expires_at BETWEEN clock_timestamp() AND ${EXPIRY} + pg_catalog.make_interval(secs => $3))`,
);
const CREATE = defineStatement(
  `INSERT INTO ${SCHEMA}.leases (name) SELECT name FROM pg_catalog.unnest($1::text[]) AS name ORDER BY name ON CONFLICT DO NOTHING`,
);
/** Leases from before the clock of the server was set back would not end for as long: they end as if renewed now, unless the owner renews them. */
const SHORTEN = defineStatement(
  `UPDATE ${SCHEMA}.leases SET expires_at = ${EXPIRY}
   WHERE name = ANY($2::text[]) AND owner <> $1 AND expires_at > ${EXPIRY} + pg_catalog.make_interval(secs => $3)`,
);
const TAKE = defineStatement(
  `WITH free AS (
     SELECT name FROM ${SCHEMA}.leases WHERE name = ANY($2::text[]) AND expires_at <= clock_timestamp()
     ORDER BY name LIMIT $4 FOR UPDATE SKIP LOCKED
   )
   UPDATE ${SCHEMA}.leases AS l SET owner = $1, expires_at = ${EXPIRY}, fence = l.fence + 1
   FROM free WHERE l.name = free.name RETURNING l.name`,
);
const RELEASE = defineStatement(
  `UPDATE ${SCHEMA}.leases SET owner = '', expires_at = clock_timestamp() WHERE owner = $1 AND name = ANY($2::text[])`,
);
const LEAVE = defineStatement(
  `UPDATE ${SCHEMA}.leases SET owner = '', expires_at = clock_timestamp()
   WHERE owner = $1 AND (starts_with(name, $2 || '/') OR name = $2 || '@' || $1)`,
);
/** Of deleted endpoints, and of daemons that have ended. */
const PURGE = defineStatement(`DELETE FROM ${SCHEMA}.leases WHERE expires_at < clock_timestamp() - interval '1 day'`);

export interface LeasesOptions {
  readonly database: Queryable;
  readonly instanceId: string;
  /** Called when leases could not be renewed; the next attempt follows in any case. */
  readonly onError: (error: unknown) => void;
  readonly lifetimeMs?: number;
  /** For tests: how often to delete rows that nobody uses. */
  readonly purgeIntervalMs?: number;
}

export function createDatabaseLeases(options: LeasesOptions): Leases {
  return { openGroup: (group, holder) => new DatabaseLeaseGroup(options, group, holder) };
}

class DatabaseLeaseGroup implements LeaseGroup {
  readonly #options: LeasesOptions;
  readonly #group: string;
  readonly #holder: LeaseHolder;
  readonly #lifetimeMs: number;
  readonly #owned: OwnedLeases;
  #names = new Set<string>();
  /** Names without a row, as far as this daemon knows. */
  #newNames = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #runAgain = false;
  #isClosed = false;
  #purgeAt = 0;

  constructor(options: LeasesOptions, group: string, holder: LeaseHolder) {
    this.#options = options;
    this.#group = group;
    this.#holder = holder;
    this.#lifetimeMs = options.lifetimeMs ?? LEASE_LIFETIME_MS;
    this.#owned = new OwnedLeases(this.#lifetimeMs);
    this.#run();
  }

  setNames(names: readonly string[]): void {
    for (const name of names) if (!this.#names.has(name)) this.#newNames.add(name);
    this.#names = new Set(names);
    this.#run();
  }

  isOwned(name: string): boolean {
    return this.#owned.isUsable(name);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#owned.clear();
    await this.#running;
    // Otherwise they expire.
    await this.#options.database.query(LEAVE, [this.#options.instanceId, this.#group]).catch(this.#options.onError);
  }

  /** Renews, gives back and takes leases now, or once more after the run in progress. */
  #run(): void {
    if (this.#isClosed) return;
    this.#runAgain = this.#running !== undefined;
    this.#running ??= this.#update()
      .catch(this.#options.onError)
      .finally(() => {
        this.#running = undefined;
        clearTimeout(this.#timer);
        if (this.#isClosed) return;
        if (this.#runAgain) return this.#run();
        const delay = this.#owned.isGivingBack ? Math.min(HANDOVER_POLL_MS, this.#lifetimeMs / 3) : this.#lifetimeMs / 3;
        this.#timer = setTimeout(() => this.#run(), delay).unref();
      });
  }

  async #update(): Promise<void> {
    const participants = await this.#renew();
    const share = Math.ceil(this.#names.size / participants);
    const { released, resumed } = this.#owned.giveBack({ names: this.#names, share, isBusy: (name) => this.#holder.isBusy(name) });
    this.#report(resumed);
    if (released.length > 0)
      await this.#query(
        RELEASE,
        released.map((name) => this.#toRowName(name)),
      );
    await this.#createRows();
    await this.#take(share - this.#owned.size);
    this.#purge();
  }

  #purge(): void {
    const { database, onError, purgeIntervalMs = PURGE_INTERVAL_MS } = this.#options;
    const now = performance.now();
    if (now < this.#purgeAt) return;
    this.#purgeAt = now + purgeIntervalMs;
    database.query(PURGE, []).catch(onError);
  }

  /** Returns the number of daemons that take part. */
  async #renew(): Promise<number> {
    const { database, instanceId } = this.#options;
    const sentAt = performance.now();
    const [[names, participants] = []] = await database.query(RENEW, [instanceId, this.#group, this.#lifetimeMs / 1_000]);
    const renewed = (names as readonly string[]).map((name) => this.#toName(name));
    if (!this.#isClosed) this.#report(this.#owned.renew(renewed, sentAt));
    return Number(participants);
  }

  async #createRows(): Promise<void> {
    const names = [...this.#newNames];
    if (names.length === 0) return;
    await this.#options.database.query(CREATE, [names.map((name) => this.#toRowName(name))]);
    for (const name of names) this.#newNames.delete(name);
  }

  async #take(count: number): Promise<void> {
    const missing = [...this.#names].filter((name) => !this.#owned.has(name)).map((name) => this.#toRowName(name));
    if (count <= 0 || missing.length === 0 || this.#isClosed) return;
    await this.#query(SHORTEN, missing, this.#lifetimeMs / 1_000);
    const sentAt = performance.now();
    const rows = await this.#query(TAKE, missing, this.#lifetimeMs / 1_000, count);
    const taken = rows.map(([name]) => this.#toName(String(name)));
    if (!this.#isClosed) this.#report(this.#owned.add(taken, sentAt));
  }

  #query(statement: ReturnType<typeof defineStatement>, names: readonly string[], ...more: readonly unknown[]) {
    return this.#options.database.query(statement, [this.#options.instanceId, names, ...more]);
  }

  #report(acquired: readonly string[]): void {
    for (const name of acquired) if (this.#names.has(name)) this.#holder.onAcquired(name);
  }

  #toRowName(name: string): string {
    return `${this.#group}/${name}`;
  }

  #toName(rowName: string): string {
    return rowName.slice(this.#group.length + 1);
  }
}
