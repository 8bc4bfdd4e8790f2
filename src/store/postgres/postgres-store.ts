/**
 * The store on PostgreSQL: any number of daemons share one database.
 *
 * Guarantees
 *   - Transactions of a tenant run one after another, whichever daemons run them, because each first locks the head of the tenant
 *     (heads.ts). Transactions of different tenants run side by side.
 *   - `transact` resolves when PostgreSQL has committed. Reads see committed rows of one snapshot (read-groups.ts).
 *   - Listeners hear of the commits of this daemon directly, and of those of others within a second after this daemon can read the database
 *     (notifications.ts).
 *   - While the database cannot be used, calls are rejected with `StoreUnavailable`; the next call tries again.
 *
 * What is stored where: schema.ts. How keys are stored so that PostgreSQL orders them as the file store does: sort-keys.ts.
 */
import { randomUUID } from 'node:crypto';
import { v7 } from 'uuid';
import {
  type Clock,
  type Commit,
  type NewId,
  type Query,
  type ReadTables,
  type Row,
  type RowIds,
  type Store,
  StoreUnavailable,
  type TableSpec,
  type WriteTables,
} from '../../domain/kernel/ports.ts';
import { deepFreeze } from '../deep-freeze.ts';
import { Availability } from './availability.ts';
import { Database, defineStatement } from './database.ts';
import { explainOpenError, toConnectError } from './errors.ts';
import { type Head, SERVICE, formatRevision, getTableHead, hasRows, limitTime, readHeadsAhead } from './heads.ts';
import type { LostCommits } from './history.ts';
import { LockLane } from './writes/lock-lane.ts';
import { Notifications } from './notifications/notifications.ts';
import { StoreCache } from './reads/partition-cache.ts';
import { PartitionReader, type StoredTable } from './reads/partition-reader.ts';
import { selectFirstRows } from './reads/query-sql.ts';
import { ReadGroups, type Snapshot } from './reads/read-groups.ts';
import { createReadTable } from './reads/read-table.ts';
import { prepareSchema } from './schema.ts';
import { createTableStatements } from './reads/statements.ts';
import { type TableColumns, createTableColumns } from './table-columns.ts';
import { TableStatistics } from './table-statistics.ts';
import { type CreateTables, defineTableProperties } from './table-properties.ts';
import { TenantWriter, type TransactionTables } from './writes/tenant-writer.ts';

export type Tables = Readonly<Record<string, TableSpec>>;

const DEFAULT_CACHED_ROWS = 20_000;
const DEFAULT_CACHED_BYTES = 16 * 1024 * 1024;
const DEFAULT_POLL_MS = 1_000;
const READ_TIME = defineStatement('SELECT extract(epoch FROM clock_timestamp()) * 1000');

export interface Notice {
  readonly kind: 'database' | 'listener-failed' | 'unavailable' | 'recovered';
  readonly message: string;
  readonly cause?: unknown;
}

export interface PostgresStoreOptions<S extends Tables> {
  readonly url: string;
  readonly tables: S;
  /** The time and the ids of transactions. Default: the system time, and UUIDs of version 7. */
  readonly clock?: Clock;
  readonly newId?: NewId;
  /** Identifies this daemon among those that share the database. */
  readonly instanceId?: string;
  /** Address for LISTEN, when `url` leads to a pooler that shares connections between transactions. */
  readonly listenUrl?: string;
  /** Called when the connection for notifications is lost or back, and with errors that no caller waits for. */
  readonly onNotice?: (notice: Notice) => void;
  /** How often to look for commits of other daemons of which no notification came. */
  readonly pollMs?: number;
  /** Maximum number of rows to cache. */
  readonly cachedRows?: number;
  /** Approximate maximum size of cached results of queries, in bytes. */
  readonly cachedBytes?: number;
  /** How far the time of a tenant's last transaction may be ahead of the clock. Default: any time, for clocks that are set back on purpose. */
  readonly maxAheadMs?: number;
  /** Why transactions cannot get a time now; undefined when they can. */
  readonly findClockProblem?: () => string | undefined;
}

export interface PostgresStore<S extends Tables> extends Store<S> {
  readonly database: Database;
  /** Why the database cannot be used; undefined while it can. */
  readonly unavailableReason: string | undefined;
  /** Commits that this daemon knew, and that the database has lost since the daemon was started. */
  readonly lostCommits: readonly LostCommits[];
  /** Notifications that were ignored because no daemon had sent them. */
  readonly ignoredNotifications: number;
  /** Tenants for which there are caches. */
  readonly cachedTenants: number;
  /** The time of the database server, in milliseconds since the epoch. */
  readTime(): Promise<number>;
  /** Tenants whose last transaction is too far ahead of the clock to continue from: `maxAheadMs`. '' for the tables of the service. */
  listAhead(): Promise<{ readonly tenant: string; readonly lastChangeAt: Date }[]>;
  /** Lets transactions of a tenant continue from the time of the clock. */
  resetTime(tenant: string): Promise<void>;
  /** From so many milliseconds on, calls that wait for the database are rejected, so that closing ends although no server answers. */
  limitClosing(milliseconds: number): void;
}

/** Opens the store, creating or migrating its schema. Throws `DatabaseUnusable` or `StoreUnavailable`. */
export async function openPostgresStore<S extends Tables>(options: PostgresStoreOptions<S>): Promise<PostgresStore<S>> {
  const { url, tables, onNotice } = options;
  const onConnectionError = (cause: Error): void =>
    onNotice?.({ kind: 'database', message: 'a connection to the database was lost', cause: toConnectError(cause) });
  const database = new Database({ url, onConnectionError });
  try {
    const columns = Object.values(tables).map((spec) => createTableColumns(spec));
    await prepareSchema(database, columns);
    const stored = new Map(columns.map((each) => [each.spec.name, { columns: each, statements: createTableStatements(each) }]));
    const store = new DatabaseStore(options, database, stored);
    await store.start();
    return store;
  } catch (error) {
    await database.close();
    throw explainOpenError(error);
  }
}

class DatabaseStore<S extends Tables> implements PostgresStore<S> {
  readonly database: Database;
  readonly #options: PostgresStoreOptions<S>;
  readonly #tables: ReadonlyMap<string, StoredTable>;
  readonly #createTables: CreateTables;
  readonly #cache: StoreCache;
  readonly #reads: ReadGroups;
  readonly #writers = new Map<string, TenantWriter>();
  readonly #listeners = new Set<(commit: Commit) => void>();
  readonly #instanceId: string;
  readonly #clock: Clock;
  readonly #notifications: Notifications;
  readonly #running = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;
  #closingTimer: NodeJS.Timeout | undefined;
  readonly #availability: Availability;
  readonly #lockLane = new LockLane();
  readonly #statistics: TableStatistics;
  lostCommits: readonly LostCommits[] = [];
  pendingTransactions = 0;

  constructor(options: PostgresStoreOptions<S>, database: Database, tables: ReadonlyMap<string, StoredTable>) {
    this.#options = options;
    this.database = database;
    this.#tables = tables;
    this.#createTables = defineTableProperties(options.tables);
    this.#instanceId = options.instanceId ?? randomUUID();
    this.#clock = options.clock ?? { now: () => new Date() };
    const { cachedRows = DEFAULT_CACHED_ROWS, cachedBytes = DEFAULT_CACHED_BYTES } = options;
    this.#cache = new StoreCache({ cachedRows, cachedBytes });
    this.#reads = new ReadGroups(database);
    this.#statistics = new TableStatistics(database, tables);
    this.#availability = new Availability((reason) =>
      options.onNotice?.(
        reason === undefined ? { kind: 'recovered', message: 'the store accepts changes again' } : { kind: 'unavailable', message: reason },
      ),
    );
    this.#notifications = new Notifications({
      database,
      listenUrl: options.listenUrl ?? options.url,
      writer: this.#instanceId,
      pollMs: options.pollMs ?? DEFAULT_POLL_MS,
      onCommit: (commit) => this.#publish([commit]),
      onNotice: (message, cause) => options.onNotice?.({ kind: 'database', message, cause }),
      onChecked: (state, error) => (state === undefined ? this.#availability.onFailed(error) : this.#availability.onChecked(state)),
      onHistoryChanged: (lost) => {
        this.#cache.forgetAll();
        this.lostCommits = [...this.lostCommits, ...lost];
      },
    });
  }

  get unavailableReason(): string | undefined {
    return this.#availability.reason;
  }

  get ignoredNotifications(): number {
    return this.#notifications.ignoredCount;
  }

  get cachedTenants(): number {
    return this.#cache.tenantCount;
  }

  start(): Promise<void> {
    return this.#notifications.start();
  }

  async transact<T>(tenant: string, work: (tx: WriteTables<S>) => Promise<T>, reads: RowIds<S> = {}): Promise<T> {
    this.#assertOpen();
    const clockProblem = this.#options.findClockProblem?.();
    if (clockProblem !== undefined) throw new StoreUnavailable(`The store is unavailable: ${clockProblem}`);
    const named = Object.entries(reads).map(([key, ids = []]) => ({ table: this.#options.tables[key]!.name, ids }));
    this.pendingTransactions += 1;
    try {
      return (await this.#track(this.#getWriter(tenant).run((tables) => work(this.#createWriteTables(tables)), named))) as T;
    } finally {
      this.pendingTransactions -= 1;
    }
  }

  async read<T>(tenant: string, work: (tx: ReadTables<S>) => Promise<T>): Promise<T> {
    this.#assertOpen();
    const run = async (snapshot: Snapshot): Promise<T> => {
      try {
        return await work(this.#createReadTables(tenant, snapshot));
      } finally {
        this.#forgetUnlessRows(snapshot.heads.get(tenant)!);
      }
    };
    return this.#track(this.#reads.run(tenant, run));
  }

  /** Everything committed is durable. */
  readLatest<T>(tenant: string, work: (tx: ReadTables<S>) => Promise<T>): Promise<T> {
    return this.read(tenant, work);
  }

  async readFirstRows<K extends keyof S & string, R extends Row>(table: K, query: Query = {}): Promise<{ tenant: string; row: R }[]> {
    this.#assertOpen();
    const spec = this.#options.tables[table];
    if (spec?.scope !== 'tenant') throw new Error(`table ${table} has no rows of tenants`);
    const findTable = (name: string) => {
      const { columns, owner } = this.#findTable('', name);
      return columns.spec.scope === 'service' ? { columns, owner } : { columns };
    };
    const { statement, values } = selectFirstRows({ table: this.#tables.get(spec.name)!.columns, findTable }, query);
    const rows = await this.#track(this.database.query(statement, values));
    return rows.map(([tenant, row]) => ({ tenant: String(tenant), row: deepFreeze(row as R) }));
  }

  async readTime(): Promise<number> {
    const [[milliseconds] = []] = await this.database.query(READ_TIME, []);
    return Number(milliseconds);
  }

  onCommit(listener: (commit: Commit) => void): () => void {
    // A wrapper, so that a function registered twice is removed once.
    const registered = (commit: Commit): void => listener(commit);
    this.#listeners.add(registered);
    return () => this.#listeners.delete(registered);
  }

  async listAhead() {
    const { maxAheadMs } = this.#options;
    if (maxAheadMs === undefined) return [];
    const heads = await readHeadsAhead(this.database, this.#clock.now().getTime() + maxAheadMs);
    const isAhead = ({ tenant, lastAt }: { tenant: string; lastAt: number }): boolean =>
      lastAt > this.#clock.now(tenant).getTime() + maxAheadMs;
    return heads.filter(isAhead).map(({ tenant, lastAt }) => ({ tenant, lastChangeAt: new Date(lastAt) }));
  }

  async resetTime(tenant: string): Promise<void> {
    await limitTime(this.database, tenant, this.#clock.now(tenant).getTime());
  }

  limitClosing(milliseconds: number): void {
    this.#closingTimer ??= setTimeout(() => this.database.destroy(), milliseconds).unref();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
    await this.#notifications.close();
    await this.database.close();
    clearTimeout(this.#closingTimer);
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw new StoreUnavailable('The store is closed');
  }

  /** Waits for a call, and notices when the database does not answer. */
  async #track<T>(call: Promise<T>): Promise<T> {
    this.#running.add(call);
    try {
      return await call;
    } catch (error) {
      this.#availability.onFailed(error);
      throw error;
    } finally {
      this.#running.delete(call);
    }
  }

  #publish(commits: readonly Commit[]): void {
    for (const commit of commits) {
      for (const listener of this.#listeners) {
        // What has been committed cannot fail any more.
        try {
          listener(commit);
        } catch (cause) {
          this.#options.onNotice?.({ kind: 'listener-failed', message: `a listener failed at commit ${String(commit.sequence)}`, cause });
        }
      }
    }
  }

  #getWriter(tenant: string): TenantWriter {
    let writer = this.#writers.get(tenant);
    if (writer === undefined) {
      const { newId = v7, maxAheadMs } = this.#options;
      writer = new TenantWriter({
        database: this.database,
        tenant,
        tables: this.#tables,
        cache: this.#cache,
        clock: this.#clock,
        newId,
        writer: this.#instanceId,
        maxAheadMs,
        lockLane: this.#lockLane,
        onOutcomeUnknown: (result) => {
          for (const owner of [tenant, SERVICE]) this.#cache.forget(owner);
          this.#notifications.onOutcomeUnknown(result);
        },
        onCommitted: (result) => {
          this.#notifications.publish(result);
          this.#publish(result.commits);
          this.#statistics.onCommitted(result.after);
          this.#forgetUnlessRows(result.after);
        },
        onIdle: () => this.#writers.delete(tenant),
      });
      this.#writers.set(tenant, writer);
    }
    return writer;
  }

  #createReadTables(tenant: string, { connection, heads }: Snapshot): ReadTables<S> {
    const findTable = (name: string) => {
      const { columns, owner } = this.#findTable(tenant, name);
      return { columns, owner, revision: formatRevision(getTableHead(heads.get(owner)!, name)) };
    };
    return this.#createTables((name) => {
      const table = this.#tables.get(name)!;
      const { owner } = this.#findTable(tenant, name);
      const cache = this.#cache.getPartition(owner, name);
      const head = getTableHead(heads.get(owner)!, name);
      return createReadTable(new PartitionReader({ table, owner, connection, head, cache, mayCache: true, findTable }));
    }) as ReadTables<S>;
  }

  /** Thousands of tenants may come and go while a daemon runs: nothing is cached of one that has no rows any more. */
  #forgetUnlessRows(head: Head): void {
    if (!hasRows(head)) this.#cache.forget(head.tenant);
  }

  #findTable(tenant: string, name: string): { readonly columns: TableColumns; readonly owner: string } {
    const columns = this.#tables.get(name)?.columns;
    if (columns === undefined) throw new Error(`there is no table ${name}`);
    return { columns, owner: columns.spec.scope === 'service' ? SERVICE : tenant };
  }

  #createWriteTables({ now, newId, getTable }: TransactionTables): WriteTables<S> {
    return Object.assign(this.#createTables(getTable), { now, newId }) as WriteTables<S>;
  }
}
