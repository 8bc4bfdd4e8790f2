/**
 * One transaction of the database in which transactions of a tenant run one after another (group commit).
 *
 * The group first locks the head of the tenant, so that no one else can change the tenant meanwhile. Each transaction keeps its changes in
 * memory, where its own reads find them. Its error discards them, and nothing else. Changes are sent when a query needs to see them, when a
 * transaction has made many, and with the commit. A transaction whose changes have been sent gets a savepoint before, to which its error returns.
 *
 * The head of the service is locked by the first change of one of its tables, always after that of the tenant, to avoid deadlocks. If
 * another daemon has changed a table of the service that the transaction has read, the transaction starts again.
 *
 * Whether the unique values of a changed row are free is looked up, or left to the constraints of the database, which are checked by the
 * commit: that saves a round trip for almost every transaction. group-state.ts has what happens when they are not.
 *
 * Changes of a row pass through three places: those of the running transaction (transaction.ts), `changed` once it has ended, and the
 * database. `unsent` are those that have not reached the last one.
 */
import { type Clock, type Commit, type NewId, StoreUnavailable } from '../../../domain/kernel/ports.ts';
import { type ChangedRow, ChangedRows, sendChanges } from './changed-rows.ts';
import { TenantUnavailable } from '../errors.ts';
import { type LoggedCommit, logCommits } from '../commit-log.ts';
import { type Connection, SHORT_TIMEOUT_MS } from '../database.ts';
import {
  type Head,
  SERVICE,
  type TableHead,
  createToken,
  formatRevision,
  getTableHead,
  isSameRevision,
  lockHead,
  readHeads,
  updateHead,
} from '../heads.ts';
import type { StoreCache } from '../reads/partition-cache.ts';
import { PartitionReader, type StoredTable, selectMany } from '../reads/partition-reader.ts';

// Not REPEATABLE READ: its snapshot would be of the time before the lock of the head, and show rows from before another daemon's commit.
// The idle timeout frees the tenant's lock if this daemon hangs.
const formatBegin = (lockTimeoutMs: number): string =>
  `BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = ${String(lockTimeoutMs)}; SET LOCAL idle_in_transaction_session_timeout = '5s'`;

/** A commit of so many changed rows takes the server far less than `SHORT_TIMEOUT_MS`. */
const SHORT_COMMIT_ROWS = 1_000;

/** The heads before and after a group. The service's are the same when the group changed none of its tables. */
export interface GroupResult {
  readonly commits: readonly Commit[];
  readonly before: Head;
  readonly after: Head;
  readonly serviceBefore: Head;
  readonly serviceAfter: Head;
  /** The commits of the tenant as others find them. */
  readonly logged: Pick<LoggedCommit, 'tenant' | 'first' | 'sequence' | 'token'>;
}

export interface GroupOptions {
  readonly connection: Connection;
  readonly tenant: string;
  readonly tables: ReadonlyMap<string, StoredTable>;
  readonly cache: StoreCache;
  readonly clock: Clock;
  readonly newId: NewId;
  /** Identifies this daemon. */
  readonly writer: string;
  /** How long to wait for a lock. */
  readonly lockTimeoutMs: number;
  /** How far the time of the last transaction may be ahead of the clock. Undefined for a clock that is set back on purpose. */
  readonly maxAheadMs?: number | undefined;
}

/** A head when the group read or locked it, and as the group is going to leave it. */
interface HeadChange {
  readonly before: Head;
  readonly after: Head;
}

/** The state of one table within the group. Tables of the service that the group does not change are read as of each statement. */
export class GroupPartition {
  readonly name: string;
  readonly table: StoredTable;
  readonly owner: string;
  reader: PartitionReader;
  /** Whether the rows in the database may differ from those of the head's revision, because changes were sent, possibly rolled back since. */
  isSent = false;
  /** Changes of the transactions that have ended. */
  readonly changed = new ChangedRows();
  /** Those that have not been sent. */
  unsent = new ChangedRows();
  rows: number;

  constructor(name: string, table: StoredTable, owner: string, reader: PartitionReader) {
    this.name = name;
    this.table = table;
    this.owner = owner;
    this.reader = reader;
    this.rows = reader.head.rows;
  }
}

const findOwner = ({ columns }: StoredTable, tenant: string): string => (columns.spec.scope === 'service' ? SERVICE : tenant);

/** Thrown inside a transaction that has to start again. */
export class RestartTransaction extends Error {}

export class WriteGroup {
  readonly options: GroupOptions;
  readonly #partitions = new Map<string, GroupPartition>();
  #tenant: HeadChange;
  #service: HeadChange;
  /** `read`: another daemon may change the head of the service meanwhile. */
  #serviceLock: 'read' | 'locked';
  /** Random token that only the commit of this group stores. */
  readonly token = createToken();
  /** The first error of a statement: after it, the transaction of the database can only be rolled back. */
  failure: Error | undefined;
  readonly #commits: Commit[] = [];
  readonly #connection: Connection;

  private constructor(options: GroupOptions, head: Head, serviceHead: Head) {
    this.options = options;
    this.#tenant = { before: head, after: head };
    this.#service = { before: serviceHead, after: serviceHead };
    this.#serviceLock = options.tenant === SERVICE ? 'locked' : 'read';
    const { connection } = options;
    const guard = async <T>(work: Promise<T>): Promise<T> => {
      try {
        return await work;
      } catch (error) {
        this.failure ??= error as Error;
        throw error;
      }
    };
    this.#connection = {
      query: (statement, values) => guard(connection.query(statement, values)),
      execute: (text, timeoutMs) => guard(connection.execute(text, timeoutMs)),
    };
  }

  /**
   * Begins the transaction of the database, locks the head of the tenant and reads rows that transactions of the group are going to need: one
   * round trip. `ids` by table.
   */
  static async begin(options: GroupOptions, ids: ReadonlyMap<string, readonly string[]>): Promise<WriteGroup> {
    const { connection, tenant, tables, lockTimeoutMs } = options;
    const select = async ([name, wanted]: readonly [name: string, wanted: readonly string[]]) => {
      const table = tables.get(name)!;
      return { name, wanted, rows: await selectMany(connection, table, findOwner(table, tenant), wanted) };
    };
    // Sent in this order, so that the rows are read after the lock was obtained.
    const [, { head, isNew }, heads, ...selected] = await Promise.all([
      connection.execute(formatBegin(lockTimeoutMs), SHORT_TIMEOUT_MS),
      lockHead(connection, tenant),
      readHeads(connection, [SERVICE]),
      ...[...ids].map(select),
    ]);
    const group = new WriteGroup(options, head, tenant === SERVICE ? head : heads.get(SERVICE)!);
    group.#assertTimeIsPlausible();
    // A new head was locked later, and rows may have been added before.
    if (!isNew) for (const { name, wanted, rows } of selected) group.getPartition(name).reader.adopt(wanted, rows);
    return group;
  }

  get connection(): Connection {
    return this.#connection;
  }

  /** After a clock was wrong, transactions must not continue from the time that it has left: everything would be dated so until then. */
  #assertTimeIsPlausible(): void {
    const { clock, tenant, maxAheadMs = Number.POSITIVE_INFINITY } = this.options;
    const { lastAt } = this.#tenant.before;
    if (lastAt - clock.now(tenant).getTime() > maxAheadMs)
      throw new TenantUnavailable(
        `The store is unavailable: this tenant's last change is dated ${new Date(lastAt).toISOString()}, in the future. Check the clocks, then run \`stockroom doctor --repair\``,
      );
  }

  /**
   * The time of the next transaction. A millisecond later than a transaction of another daemon, whose ids may be greater: rows are in the order
   * of their commits by time and id.
   */
  takeNow(): Date {
    const { clock, tenant, writer } = this.options;
    const { lastAt, writer: lastWriter } = this.#tenant.after;
    const now = clock.now(tenant);
    const earliest = lastWriter === writer || lastWriter === '' ? lastAt : lastAt + 1;
    const taken = now.getTime() >= earliest ? now : new Date(earliest);
    this.#changeHead({ lastAt: taken.getTime(), writer });
    return taken;
  }

  getPartition(name: string): GroupPartition {
    let partition = this.#partitions.get(name);
    if (partition === undefined) {
      const table = this.options.tables.get(name);
      if (table === undefined) throw new Error(`there is no table ${name}`);
      const owner = findOwner(table, this.options.tenant);
      partition = new GroupPartition(name, table, owner, this.#createReader(table, owner, false));
      this.#partitions.set(name, partition);
    }
    return partition;
  }

  /** Reads rows that transactions are going to need. `ids` by table. */
  async load(ids: ReadonlyMap<string, readonly string[]>): Promise<void> {
    await Promise.all([...ids].map(([name, wanted]) => this.getPartition(name).reader.getMany(wanted)));
  }

  get isServiceLocked(): boolean {
    return this.#serviceLock === 'locked';
  }

  /** Locks the head of the service. `used`: the tables of the service that the transaction has read. */
  async lockService(used: Iterable<GroupPartition>): Promise<void> {
    if (this.isServiceLocked) return;
    const { head } = await lockHead(this.#connection, SERVICE);
    const read = this.#service.after;
    this.#service = { before: head, after: head };
    this.#serviceLock = 'locked';
    const isChanged = (name: string): boolean => !isSameRevision(getTableHead(read, name), getTableHead(head, name));
    const isStale = [...used].some(({ owner, name }) => owner === SERVICE && isChanged(name));
    this.#renewServiceReaders();
    if (isStale) throw new RestartTransaction('another daemon changed what was read');
  }

  /** After a rollback to a savepoint, which releases the locks that were taken after it. */
  releaseServiceLock(): void {
    this.#serviceLock = 'read';
    this.#renewServiceReaders();
  }

  /** The head of the service, or whether it is locked, has changed. */
  #renewServiceReaders(): void {
    for (const partition of this.#partitions.values()) {
      if (partition.owner !== SERVICE) continue;
      // Changes of transactions of the group stay; the number of rows before them may be another.
      const added = partition.rows - partition.reader.head.rows;
      partition.reader = this.#createReader(partition.table, SERVICE, partition.isSent);
      partition.rows = partition.reader.head.rows + added;
    }
  }

  /** Sends all changes of transactions that have ended. */
  sendUnsent(): Promise<unknown>[] {
    return [...this.#partitions.values()].flatMap((partition) => this.#send(partition));
  }

  /** Sends changes of the running transaction. */
  sendRunning({ table, owner }: GroupPartition, changed: Iterable<ChangedRow>): Promise<unknown>[] {
    return sendChanges(this.#connection, table, owner, changed);
  }

  markSent(partition: GroupPartition): void {
    const committed = partition.isSent ? partition.reader.committedReader : partition.reader;
    partition.isSent = true;
    partition.reader = this.#createReader(partition.table, partition.owner, true, committed);
  }

  /** Adds the changes of a transaction that has ended to those of the group. */
  addCommit(changes: Commit['changes']): void {
    const { tenant } = this.options;
    const sequence = this.#tenant.after.sequence + 1;
    this.#changeHead({ sequence });
    this.#commits.push({ tenant, sequence, changes });
  }

  /**
   * Sends what is left and commits: one round trip. All statements are sent before the first result arrives, in this order. Throws the first
   * error. After an answer of the server nothing is committed; without an answer, commit-outcome.ts finds out.
   */
  async commit(): Promise<void> {
    if (this.#commits.length === 0) {
      await this.#connection.execute('COMMIT', SHORT_TIMEOUT_MS);
      return;
    }
    const sent = this.sendUnsent();
    const head = this.#advance(this.#tenant.after, this.options.tenant);
    this.#changeHead(head);
    sent.push(updateHead(this.#connection, head));
    if (this.options.tenant === SERVICE) this.#service = { ...this.#service, after: head };
    else if (this.#hasServiceChanges) {
      const { clock, tenant, writer } = this.options;
      const lastAt = Math.max(this.#service.after.lastAt, head.lastAt - (clock.getAheadMs?.(tenant) ?? 0));
      const sequence = this.#service.after.sequence + 1;
      const after = { ...this.#advance(this.#service.after, SERVICE), sequence, lastAt, writer };
      this.#service = { ...this.#service, after };
      sent.push(updateHead(this.#connection, after));
    }
    sent.push(logCommits(this.#connection, this.#listLoggedCommits()));
    const [outcome] = await Promise.all([this.#connection.execute('COMMIT', this.#commitTimeoutMs), ...sent]);
    if (outcome !== 'COMMIT') throw new StoreUnavailable('The store is unavailable: the database rolled the transaction back');
  }

  /** How long the answer of a commit may take: with many rows, the server is still busy with these. */
  get #commitTimeoutMs(): number | undefined {
    const rows = [...this.#partitions.values()].reduce((sum, { changed }) => sum + changed.size, 0);
    return rows > SHORT_COMMIT_ROWS ? undefined : SHORT_TIMEOUT_MS;
  }

  /** The commits of the group as one entry. Their changes of tables of the service make an empty one there. */
  #listLoggedCommits(): LoggedCommit[] {
    const { token } = this;
    const { tenant, sequence, writer } = this.#tenant.after;
    const changes = this.#commits.map((commit) => commit.changes);
    const logged = { tenant, sequence, first: this.#tenant.before.sequence + 1, token, writer, changes };
    if (this.#service.after.token !== token || tenant === SERVICE) return [logged];
    const { sequence: serviceSequence } = this.#service.after;
    return [logged, { tenant: SERVICE, sequence: serviceSequence, first: serviceSequence, token, writer, changes: [[]] }];
  }

  get #hasServiceChanges(): boolean {
    return [...this.#partitions.values()].some(({ owner, changed }) => owner === SERVICE && changed.size > 0);
  }

  /** The commits of the group, in order. */
  getResult(): GroupResult {
    const { before, after } = this.#tenant;
    const service = { serviceBefore: this.#service.before, serviceAfter: this.#service.after };
    const logged = { tenant: after.tenant, first: before.sequence + 1, sequence: after.sequence, token: this.token };
    return { commits: this.#commits, before, after, ...service, logged };
  }

  /** Brings the caches up to date after the commit. */
  updateCaches(): void {
    for (const { name, owner, changed, reader } of this.#partitions.values()) {
      if (changed.size === 0) continue;
      const after = getTableHead((owner === this.options.tenant ? this.#tenant : this.#service).after, name);
      this.options.cache.getPartition(owner, name).advance(reader.head, after, changed);
    }
  }

  #changeHead(change: Partial<Head>): void {
    this.#tenant = { ...this.#tenant, after: { ...this.#tenant.after, ...change } };
  }

  #send(partition: GroupPartition): Promise<unknown>[] {
    if (partition.unsent.size === 0) return [];
    const { unsent, table, owner } = partition;
    partition.unsent = new ChangedRows();
    this.markSent(partition);
    return sendChanges(this.#connection, table, owner, unsent.values());
  }

  /** The head after the changes of the group, which lead to one new revision of each changed table. */
  #advance(head: Head, owner: string): Head {
    const tables = new Map<string, TableHead>(head.tables);
    for (const { name, owner: other, changed, rows, reader } of this.#partitions.values())
      if (other === owner && changed.size > 0) tables.set(name, { revision: reader.head.revision + 1, token: this.token, rows });
    return { ...head, token: this.token, tables };
  }

  #createReader(table: StoredTable, owner: string, isSent: boolean, committedReader?: PartitionReader): PartitionReader {
    const { name } = table.columns.spec;
    const head = getTableHead((owner === SERVICE ? this.#service : this.#tenant).after, name);
    const mayCache = !isSent && (owner !== SERVICE || this.isServiceLocked);
    const cache = this.options.cache.getPartition(owner, name);
    return new PartitionReader({
      table,
      owner,
      connection: this.#connection,
      head,
      cache,
      mayCache,
      committedReader,
      findTable: (other) => {
        const partition = this.getPartition(other);
        const isCurrent = !partition.isSent && (partition.owner !== SERVICE || this.isServiceLocked);
        return {
          columns: partition.table.columns,
          owner: partition.owner,
          revision: isCurrent ? formatRevision(partition.reader.head) : undefined,
        };
      },
    });
  }
}
