/**
 * Runs the transactions of one tenant in groups: those that wait while a group commits form the next one.
 *
 * A group that fails is rolled back as a whole. Its transactions are rejected when the database is unavailable, and run again otherwise:
 * together after a conflict with another transaction of the database, and, looking up each unique value, after the commit has found one that
 * another row has; one by one after an error that one of them has caused. What happens to a group whose COMMIT got no answer: see
 * commit-outcome.ts.
 */
import { setImmediate } from 'node:timers/promises';
import { type Row, StoreUnavailable, type Table } from '../../domain/kernel/ports.ts';
import { isCommitted, isOutcomeOpen } from './commit-outcome.ts';
import type { Connection, Database } from './database.ts';
import { LockTimeout, TransactionConflict, UniqueViolation } from './errors.ts';
import { type LockLane, QUICK_LOCK_TIMEOUT_MS } from './lock-lane.ts';
import { Transaction } from './transaction.ts';
import { type GroupOptions, type GroupResult, RestartTransaction, WriteGroup } from './write-group.ts';
import { createWriteTable } from './write-table.ts';

/** A group ends after this many transactions or milliseconds, so that the first of them does not wait for many. */
const MAX_GROUP_SIZE = 128;
const MAX_GROUP_MS = 20;
const MAX_CONFLICTS = 5;

export interface TransactionTables {
  readonly now: Date;
  readonly newId: () => string;
  getTable(name: string): Table<Row>;
}

/** Rows that a transaction is going to read. */
type Reads = readonly { readonly table: string; readonly ids: readonly string[] }[];

interface QueuedTransaction {
  readonly reads: Reads;
  readonly work: (tables: TransactionTables) => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

interface GroupRun {
  readonly queue: QueuedTransaction[];
  /** Gets the transactions of the group. */
  readonly taken: QueuedTransaction[];
  /** Whether the commit may check unique values, instead of a look-up for each. */
  readonly mayDeferChecks: boolean;
  readonly lockTimeoutMs: number;
}

/** What the transactions of a group have returned or thrown; reported once the group is durable. */
type Outcome = { readonly transaction: QueuedTransaction } & ({ readonly value: unknown } | { readonly error: unknown });

export interface TenantWriterOptions extends Omit<GroupOptions, 'connection' | 'lockTimeoutMs'> {
  readonly database: Database;
  /** Where the writers of all tenants wait for locks. */
  readonly lockLane: LockLane;
  /** Called with the commits of a group once they are durable. */
  readonly onCommitted: (result: GroupResult) => void;
  /** Called when it is unknown for now whether a group was committed, before anything else of the tenant runs. */
  readonly onOutcomeUnknown: () => void;
  /** Called when no transaction waits any more. */
  readonly onIdle: () => void;
}

export class TenantWriter {
  readonly #options: TenantWriterOptions;
  #queue: QueuedTransaction[] = [];
  #isRunning = false;
  /** Whether the last group could not get a lock in time. */
  #isBlocked = false;

  constructor(options: TenantWriterOptions) {
    this.#options = options;
  }

  run(work: (tables: TransactionTables) => Promise<unknown>, reads: Reads): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ work, reads, resolve, reject });
      if (!this.#isRunning) void this.#runAll();
    });
  }

  /** Never rejects. */
  async #runAll(): Promise<void> {
    this.#isRunning = true;
    // Transactions that are requested in this turn join the first group.
    await setImmediate();
    while (this.#queue.length > 0) await this.#runNext(this.#queue);
    this.#isRunning = false;
    this.#options.onIdle();
  }

  /** Runs the first transactions of a queue, which may grow meanwhile. */
  async #runNext(queue: QueuedTransaction[]): Promise<void> {
    let mayDeferChecks = true;
    let isPatient = this.#isBlocked;
    for (let conflicts = 0; ;) {
      const taken: QueuedTransaction[] = [];
      try {
        const run = (lockTimeoutMs: number) => this.#runGroup({ queue, taken, mayDeferChecks, lockTimeoutMs });
        await (isPatient ? this.#options.lockLane.run(run) : run(QUICK_LOCK_TIMEOUT_MS));
        this.#isBlocked = false;
        return;
      } catch (error) {
        this.#isBlocked = isPatient && error instanceof LockTimeout;
        if (error instanceof LockTimeout && !isPatient) {
          isPatient = true;
          queue.unshift(...taken);
        } else if (error instanceof TransactionConflict && conflicts < MAX_CONFLICTS) {
          conflicts += 1;
          queue.unshift(...taken);
        } else if (error instanceof UniqueViolation && mayDeferChecks) {
          mayDeferChecks = false;
          queue.unshift(...taken);
        } else if (taken.length <= 1 || error instanceof StoreUnavailable) {
          // Before the first one was taken, the error concerns all that wait.
          for (const { reject } of taken.length > 0 ? taken : queue.splice(0)) reject(error);
          return;
        } else {
          for (const each of taken) await this.#runNext([each]);
          return;
        }
      }
    }
  }

  /** Throws when the group has failed; then nothing of it is committed. */
  async #runGroup({ queue, taken, mayDeferChecks, lockTimeoutMs }: GroupRun): Promise<void> {
    const { database, onCommitted, onOutcomeUnknown, ...options } = this.#options;
    const outcomes: Outcome[] = [];
    let group: WriteGroup | undefined;
    let isCommitting = false;
    try {
      await database.use(async (connection: Connection) => {
        const loaded = new Set(queue.slice(0, MAX_GROUP_SIZE));
        group = await WriteGroup.begin({ ...options, connection, lockTimeoutMs }, mergeReads(loaded));
        const deadline = performance.now() + MAX_GROUP_MS;
        while (outcomes.length < MAX_GROUP_SIZE && (outcomes.length === 0 || performance.now() < deadline)) {
          const transaction = queue.shift();
          if (transaction === undefined) break;
          taken.push(transaction);
          if (!loaded.has(transaction)) {
            const arrived = [transaction, ...queue];
            await group.load(mergeReads(arrived));
            for (const each of arrived) loaded.add(each);
          }
          outcomes.push({ transaction, ...(await runTransaction(group, transaction, mayDeferChecks)) });
          if (group.failure !== undefined) throw group.failure;
        }
        isCommitting = true;
        await group.commit();
      });
      group!.updateCaches();
    } catch (error) {
      if (group === undefined || !isCommitting || !isOutcomeOpen(error)) throw error;
      // Only what is read from now on is certain.
      onOutcomeUnknown();
      if (!(await isCommitted(database, group.getResult().after, error))) throw error;
    }
    onCommitted(group!.getResult());
    for (const outcome of outcomes) {
      if ('error' in outcome) outcome.transaction.reject(outcome.error);
      else outcome.transaction.resolve(outcome.value);
    }
  }
}

/** The ids by table. */
function mergeReads(transactions: Iterable<QueuedTransaction>): ReadonlyMap<string, readonly string[]> {
  const byTable = Map.groupBy(
    [...transactions].flatMap(({ reads }) => reads),
    ({ table }) => table,
  );
  return new Map([...byTable].map(([table, reads]) => [table, reads.flatMap(({ ids }) => ids)]));
}

async function runTransaction(
  group: WriteGroup,
  { work }: QueuedTransaction,
  mayDeferChecks: boolean,
): Promise<{ value: unknown } | { error: unknown }> {
  for (let mayDefer = mayDeferChecks; ;) {
    const tx = new Transaction(group, mayDefer);
    const tables = new Map<string, Table<Row>>();
    try {
      const value = await work({
        now: tx.now,
        newId: tx.newId,
        getTable(name) {
          let table = tables.get(name);
          if (table === undefined) tables.set(name, (table = createWriteTable(tx, name)));
          return table;
        },
      });
      tx.finish();
      return { value };
    } catch (error) {
      // After the error of a statement, the whole group is rolled back.
      if (group.failure === undefined) await tx.rollBack();
      if (group.failure !== undefined) return { error };
      // Without the deferred checks, it might have failed earlier, with another error.
      if (tx.hasDeferredChecks) mayDefer = false;
      else if (!(error instanceof RestartTransaction)) return { error };
    }
  }
}
