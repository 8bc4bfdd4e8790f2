/**
 * The storage engine: all rows live in memory; a journal (write-ahead log) and checkpoints make them durable.
 *
 * Guarantees
 *   - Transactions run one at a time (serializable) and change the state in place. They are grouped in batches; the records of a
 *     batch are written and synced together (group commit).
 *   - No caller and no commit listener learns of a change before it is durable: `transact` and `read` wait for the sync of
 *     everything they saw. `readLatest` alone does not wait.
 *   - When the directory or a file in it was deleted or replaced, all later writes fail and nothing is written to it any more
 *     (disk/directory-guard.ts).
 *   - When a write or a sync fails, every commit that is not durable is rolled back, newest first. Its callers get
 *     `StoreUnavailable`; calls that only read run again. Reads continue, and the next write tries a new journal segment.
 *
 * Files in the data directory
 *   manifest.json        names all the others; replaced atomically (manifest.ts)
 *   checkpoint-<n>.data  all rows as of some commit, or later (checkpoint/)
 *   journal-<n>.log      the commits after it, in segments (journal/)
 *
 * After a crash the next start loads the checkpoint, replays the journal, cuts a torn tail (a write that was never acknowledged) and
 * removes files that the manifest does not name. Any other inconsistency stops the start with `StoreDamaged`.
 *
 * Folders: transaction (mutex, batches, undo log), rows (slabs, columns), values (ways to store the keys of a column), index (ordered, hash,
 * posting-list and trigram indexes), query (planning and running queries), disk, journal, checkpoint, snapshot.
 */
import { Low } from 'lowdb';
import { v7 } from 'uuid';
import { type Commit, type Query, type ReadTables, type Row, StoreUnavailable, type WriteTables } from '../../domain/kernel/ports.ts';
import { JournalAdapter } from './journal-adapter.ts';
import { RowAllocator } from './rows/allocator.ts';
import { CheckpointScheduler } from './checkpoint/scheduler.ts';
import { DirectoryGuard } from './disk/directory-guard.ts';
import { localDisk } from './disk/local-disk.ts';
import { DirectoryLost, type Notice } from './errors.ts';
import { restoreSnapshot, type RunningStore, saveSnapshot, type StoreFiles } from './snapshot/save-and-restore.ts';
import { FORMATS } from './formats.ts';
import type { FileStore, FileStoreOptions, FileStoreStats, Tables } from './file-store.ts';
import { TransactionBatches } from './transaction/batches.ts';
import type { SnapshotHeader } from './snapshot/snapshot-file.ts';
import { State } from './state.ts';
import { readFirstRows } from './query/first-rows.ts';
import { createTable } from './transaction/table.ts';
import { discardUndoLog, type PendingCommit, Transaction, rollBack } from './transaction/transaction.ts';
import { Mutex } from './transaction/mutex.ts';
import { BackgroundIndexing } from './index/background-indexing.ts';

/** How an error of Node's file system ends: `EROFS: read-only file system, open '/a'`. */
const NODE_ERROR_PATH = / '.*'$/u;
/** Tables of the service can be read as any tenant. */
const ANY_TENANT = '';
const DEFAULT_CACHED_RECORDS = 20_000;

/** Opens the store in a directory, creating it if necessary. Throws `StoreDamaged` or `StoreTooNew` when its files cannot be used. */
export async function openFileStore<S extends Tables>(options: FileStoreOptions<S>): Promise<FileStore<S>> {
  const { directory, requiredFiles = [], disk = localDisk } = options;
  await disk.createDirectory(directory);
  const guard = await DirectoryGuard.open(disk, directory, requiredFiles);
  try {
    const engine = new StorageEngine(options, guard);
    await engine.open();
    return engine;
  } catch (error) {
    await guard.close();
    throw error;
  }
}

interface TransactionResult<T> {
  /** How often commits had been rolled back when it ran. */
  readonly rollbackCount: number;
  readonly outcome: { readonly value: T } | { readonly error: unknown };
  /** Settles when the changes are durable; undefined when the transaction changed nothing. */
  readonly durable: Promise<void> | undefined;
}

class StorageEngine<S extends Tables> implements FileStore<S> {
  readonly #options: FileStoreOptions<S>;
  readonly #guard: DirectoryGuard;
  readonly #adapter: JournalAdapter;
  /** Owns the state. Its write hands the pending commits of the state to the journal (journal-adapter.ts). */
  readonly #lowdb: Low<State>;
  readonly #mutex = new Mutex();
  readonly #batches = new TransactionBatches(() => this.#flushBatch());
  /** Settled when the commits of the current batch are durable or rolled back. */
  #batchFlush: PromiseWithResolvers<void> | undefined;
  readonly #tablesByTenant = new Map<string, WriteTables<S>>();
  /** Tenants that may have no rows: those whose tables were created, or lost their last row, since they were looked at. */
  readonly #maybeEmpty = new Set<string>();
  readonly #checkpoints: CheckpointScheduler;
  readonly #listeners = new Set<(commit: Commit) => void>();
  #indexing = new BackgroundIndexing();
  #allocator: RowAllocator;
  #running: Transaction | undefined;
  /** Settles when everything applied is durable or rolled back; undefined when everything is durable. */
  #pendingFlush: Promise<void> | undefined;
  /** How often commits were rolled back because they could not be made durable. */
  #rollbackCount = 0;
  #unavailableReason: string | undefined;
  #closing: Promise<void> | undefined;
  /**
   * Set while a restore keeps new transactions waiting; resolves when they may continue. Not the mutex: a rollback needs it while the restore
   * waits for pending commits.
   */
  #paused: Promise<void> | undefined;
  pendingTransactions = 0;

  constructor(options: FileStoreOptions<S>, guard: DirectoryGuard) {
    this.#options = options;
    this.#guard = guard;
    guard.onLost = ({ message }) => {
      this.#unavailableReason = message;
      this.#report({ kind: 'directory-lost', message });
    };
    const { cachedRecords = DEFAULT_CACHED_RECORDS } = options;
    const createState = (): State => new State(Object.values(options.tables), { cachedRecords });
    this.#adapter = new JournalAdapter({
      ...options,
      guard,
      formats: options.formats ?? FORMATS,
      createState,
      events: {
        onDurable: (group) => this.#onDurable(group),
        onFailure: (takeUndurable, cause) => this.#onWriteFailure(takeUndurable, cause),
      },
      onNotice: (notice) => this.#report(notice),
    });
    this.#lowdb = new Low(this.#adapter, createState());
    this.#allocator = new RowAllocator(this.#lowdb.data.memory.slabs);
    this.#checkpoints = new CheckpointScheduler(
      { ...options, disk: guard.disk },
      {
        getJournal: () => this.#adapter.journal,
        getState: () => this.#state,
        mutex: this.#mutex,
        getRollbackCount: () => this.#rollbackCount,
        waitUntilDurable: () => this.#waitUntilDurable(),
        assertOpen: () => this.#assertOpen(),
        onNotice: (notice) => this.#report(notice),
      },
    );
  }

  async open(): Promise<void> {
    await this.#lowdb.read();
    this.#replaceState(this.#state);
    this.#checkpoints.writeIfDue();
  }

  async transact<T>(tenant: string, work: (tx: WriteTables<S>) => Promise<T>): Promise<T> {
    this.pendingTransactions++;
    try {
      for (;;) {
        if (this.#paused) await this.#paused;
        this.#assertOpen();
        const { outcome, durable, rollbackCount } = await this.#batches.run(() => this.#runTransaction(tenant, work));
        if (durable) await durable;
        // A transaction without changes, or one that failed, depends on what it read: if that was rolled back, run it again.
        else if (!(await this.#waitUntilDurable(rollbackCount))) continue;
        if ('error' in outcome) throw outcome.error;
        return outcome.value;
      }
    } finally {
      this.pendingTransactions--;
    }
  }

  async readLatest<T>(tenant: string, work: (tx: ReadTables<S>) => Promise<T>): Promise<T> {
    this.#assertOpen();
    const locked = this.#mutex.acquire();
    if (locked) await locked;
    try {
      this.#dropEmptyTenants();
      return await work(this.#getTables(tenant));
    } finally {
      this.#mutex.release();
    }
  }

  async read<T>(tenant: string, work: (tx: ReadTables<S>) => Promise<T>): Promise<T> {
    for (;;) {
      let rollbackCount = this.#rollbackCount;
      const run = (tx: ReadTables<S>): Promise<T> => {
        rollbackCount = this.#rollbackCount;
        return work(tx);
      };
      const outcome = await this.readLatest(tenant, run).then(
        (value) => ({ value }),
        (error: unknown) => ({ error }),
      );
      if (!(await this.#waitUntilDurable(rollbackCount))) continue;
      if ('error' in outcome) throw outcome.error;
      return outcome.value;
    }
  }

  async readFirstRows<K extends keyof S & string, R extends Row>(table: K, query: Query = {}): Promise<{ tenant: string; row: R }[]> {
    const spec = this.#options.tables[table];
    if (spec?.scope !== 'tenant') throw new Error(`table ${table} has no rows of tenants`);
    const read = <T>(work: () => Promise<T>): Promise<T> => this.read(ANY_TENANT, work);
    return readFirstRows<R>(read, () => this.#state, spec.name, query);
  }

  onCommit(listener: (commit: Commit) => void): () => void {
    // A wrapper, so that a function registered twice is removed once.
    const registered = (commit: Commit): void => listener(commit);
    this.#listeners.add(registered);
    return () => this.#listeners.delete(registered);
  }

  whenIndexed(): Promise<void> {
    return this.#indexing.whenIdle();
  }

  getStats(): FileStoreStats {
    const { bytes } = this.#adapter.journal;
    return {
      rows: this.#state.rowCount,
      partitions: this.#state.partitionCount,
      tenants: this.#tablesByTenant.size,
      liveBytes: this.#state.memory.slabs.liveBytes,
      slabBytes: this.#state.memory.slabs.totalBytes,
      journalBytes: bytes,
      lastSequence: this.#state.sequence,
      isCheckpointRunning: this.#checkpoints.running !== undefined,
      unavailableReason: this.#unavailableReason,
    };
  }

  async verifyFiles(): Promise<string | undefined> {
    // Files that cannot be compared now are not known to be lost; writes fail until they can be.
    await this.#guard.verify().catch(() => {});
    return this.#guard.lost?.message;
  }

  checkpoint(): Promise<void> {
    return this.#checkpoints.write();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  saveSnapshot(path: string, about: SnapshotHeader['about']): Promise<SnapshotHeader> {
    return this.#checkpoints.runExclusively(() => saveSnapshot(this.#getFiles(), path, () => this.#state.rowCount, about));
  }

  restoreSnapshot(path: string | undefined, quiesce: () => Promise<void>): Promise<void> {
    const store: RunningStore = {
      quiesce,
      runExclusively: (work) => this.#runExclusively(work),
      replaceState: (state) => this.#replaceState(state),
    };
    return this.#checkpoints.runExclusively(() => restoreSnapshot(this.#getFiles(), path, store));
  }

  get #state(): State {
    return this.#lowdb.data;
  }

  async #close(): Promise<void> {
    this.#indexing.stop();
    // Batches run in order, so that every transaction accepted so far runs first.
    await this.#batches.run(async () => {});
    // Reads hold the mutex, some for several turns of the event loop.
    const locked = this.#mutex.acquire();
    if (locked) await locked;
    this.#mutex.release();
    await this.#waitUntilDurable();
    await this.#checkpoints.running?.catch(() => {});
    await this.verifyFiles();
    try {
      if (this.#guard.lost === undefined && this.#adapter.journal.bytes > 0) await this.checkpoint();
    } catch (cause) {
      this.#report({
        kind: 'close-incomplete',
        message: 'the final checkpoint could not be written; no data is lost, but the next start replays the journal and takes longer',
        cause,
      });
    }
    await this.#adapter.journal.close();
    await this.#guard.close();
    if (this.#guard.lost) throw this.#guard.lost;
  }

  /** Runs `work` once everything is durable and no transaction is running; new transactions wait until it has ended. */
  async #runExclusively(work: () => Promise<void>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#paused = promise;
    try {
      for (;;) {
        const locked = this.#mutex.acquire();
        if (locked) await locked;
        if (this.#pendingFlush === undefined) break;
        // Rolling back failed commits needs the mutex.
        this.#mutex.release();
        await this.#waitUntilDurable();
      }
      try {
        await work();
      } finally {
        this.#mutex.release();
      }
    } finally {
      this.#paused = undefined;
      resolve();
    }
  }

  #replaceState(state: State): void {
    this.#lowdb.data = state;
    this.#allocator = new RowAllocator(state.memory.slabs);
    this.#tablesByTenant.clear();
    this.#maybeEmpty.clear();
    this.#indexing.stop();
    this.#indexing = new BackgroundIndexing();
    for (const partition of state.listPartitions()) {
      this.#indexing.schedule(partition);
      // The journal has removed its rows.
      if (partition.size === 0) this.#maybeEmpty.add(partition.tenant);
    }
  }

  /**
   * Drops tables and partitions of tenants without rows, such as those of a removed tenant: thousands may come and go while a daemon runs.
   * Called with the mutex, before any tables are used. Waits until everything is durable, because a rollback needs the partitions.
   */
  #dropEmptyTenants(): void {
    if (this.#maybeEmpty.size === 0 || this.#pendingFlush !== undefined) return;
    for (const tenant of this.#maybeEmpty) if (this.#state.dropEmptyTenant(tenant)) this.#tablesByTenant.delete(tenant);
    this.#maybeEmpty.clear();
  }

  #getFiles(): StoreFiles {
    const { directory, tables, formats = FORMATS } = this.#options;
    return {
      disk: this.#guard.disk,
      directory,
      adapter: this.#adapter,
      formats,
      tables: Object.values(tables).map(({ name }) => name),
    };
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw new StoreUnavailable('The store is closed');
  }

  #report(notice: Notice): void {
    this.#options.onNotice?.(notice);
  }

  /** The tenant's tables, each created on first access. */
  #getTables(tenant: string): WriteTables<S> {
    const existing = this.#tablesByTenant.get(tenant);
    if (existing !== undefined) return existing;
    const tables: Record<string, unknown> = {};
    for (const [name, spec] of Object.entries(this.#options.tables)) {
      Object.defineProperty(tables, name, {
        configurable: true,
        enumerable: true,
        get: () => {
          const findPartition = (other: string, owner?: string) =>
            owner === undefined ? this.#state.getPartition(tenant, other) : this.#state.getPartitions(other).get(owner);
          const table = createTable(findPartition(spec.name)!, () => this.#getRunningTransaction(tenant), findPartition);
          Object.defineProperty(tables, name, { value: table });
          return table;
        },
      });
    }
    Object.defineProperties(tables, {
      now: { get: () => this.#getRunningTransaction(tenant).now },
      newId: { value: this.#options.newId ?? v7 },
    });
    this.#tablesByTenant.set(tenant, tables as WriteTables<S>);
    this.#maybeEmpty.add(tenant);
    return tables as WriteTables<S>;
  }

  async #runTransaction<T>(tenant: string, work: (tx: WriteTables<S>) => Promise<T>): Promise<TransactionResult<T>> {
    const locked = this.#mutex.acquire();
    if (locked) await locked;
    const rollbackCount = this.#rollbackCount;
    const tx = new Transaction(tenant, this.#options.clock?.now(tenant) ?? new Date(), this.#allocator);
    try {
      this.#dropEmptyTenants();
      this.#running = tx;
      const value = await work(this.#getTables(tenant));
      return { outcome: { value }, durable: this.#commit(tx), rollbackCount };
    } catch (error) {
      tx.abort();
      return { outcome: { error }, durable: undefined, rollbackCount };
    } finally {
      this.#running = undefined;
      this.#mutex.release();
    }
  }

  #getRunningTransaction(tenant: string): Transaction {
    if (this.#running?.tenant !== tenant) throw new Error('a table was written outside its transaction');
    return this.#running;
  }

  /** Adds the transaction's record to its batch. Undefined when it changed nothing. */
  #commit(tx: Transaction): Promise<void> | undefined {
    const pending = tx.finish(this.#state.sequence + 1);
    if (pending === undefined) return undefined;
    this.#state.sequence++;
    this.#state.pendingCommits.push(pending);
    this.#batchFlush ??= Promise.withResolvers<void>();
    this.#pendingFlush = this.#batchFlush.promise;
    return this.#pendingFlush;
  }

  /** Hands the records of the batch to the journal. */
  #flushBatch(): void {
    const flush = this.#batchFlush;
    if (flush === undefined) return;
    this.#batchFlush = undefined;
    this.#lowdb.write().then(flush.resolve, flush.reject);
  }

  /**
   * Waits for everything applied so far. False when a rollback has happened since `rollbackCount` was taken, which callers do while they
   * hold the mutex: a rollback may follow immediately.
   */
  async #waitUntilDurable(rollbackCount = this.#rollbackCount): Promise<boolean> {
    if (this.#pendingFlush !== undefined) await this.#pendingFlush.catch(() => {});
    return rollbackCount === this.#rollbackCount;
  }

  #onDurable(group: readonly PendingCommit[]): void {
    if (group.at(-1)!.commit.sequence === this.#state.sequence) this.#pendingFlush = undefined;
    if (this.#unavailableReason !== undefined) {
      this.#unavailableReason = undefined;
      this.#report({ kind: 'recovered', message: 'the store accepts changes again' });
    }
    for (const { commit, undoLog } of group) {
      // Releases the previous versions of rows; the entries stay.
      discardUndoLog(undoLog);
      for (const { partition } of undoLog) {
        this.#indexing.schedule(partition);
        if (partition.size === 0) this.#maybeEmpty.add(partition.tenant);
      }
      for (const listener of this.#listeners) {
        try {
          listener(commit);
        } catch (cause) {
          this.#report({ kind: 'listener-failed', message: `a listener failed at commit ${commit.sequence}`, cause });
        }
      }
    }
    if (this.#closing === undefined) this.#checkpoints.writeIfDue();
  }

  async #onWriteFailure(takeUndurable: () => readonly PendingCommit[], cause: Error): Promise<Error> {
    // Goes ahead of waiting transactions: they would build on commits that are about to be rolled back. Never wait for the journal while
    // holding the mutex; it would deadlock here.
    const locked = this.#mutex.acquireNext();
    if (locked) await locked;
    // The current batch builds on the failed commits, so it is rolled back as well. `#flushBatch` puts it in the journal's queue
    // synchronously.
    this.#flushBatch();
    const commits = takeUndurable();
    for (const { undoLog } of commits.toReversed()) rollBack(undoLog);
    this.#state.sequence -= commits.length;
    this.#pendingFlush = undefined;
    this.#rollbackCount++;
    this.#mutex.release();
    // Callers of the API need not know a path; notices have the cause.
    if (cause instanceof DirectoryLost) {
      // Reported when it was detected.
      return new StoreUnavailable('The data directory of the service was deleted or replaced; restart the daemon', { cause });
    }
    const message = `The store cannot save changes: ${cause.message.replace(NODE_ERROR_PATH, '')}`;
    if (this.#unavailableReason === undefined) this.#report({ kind: 'unavailable', message, cause });
    this.#unavailableReason = message;
    return new StoreUnavailable(message, { cause });
  }
}
