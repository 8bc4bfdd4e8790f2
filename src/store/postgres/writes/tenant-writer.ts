/**
 * Runs the transactions of one tenant in groups: those that wait while a group commits form the next one. group-state.ts has the states of a
 * group and what its errors lead to, write-group.ts what it does.
 */
import { setImmediate } from 'node:timers/promises';
import type { Row, Table } from '../../../domain/kernel/ports.ts';
import { isCommitted } from './commit-outcome.ts';
import type { Connection, Database } from '../database.ts';
import { LockTimeout } from '../errors.ts';
import { type Attempt, type GroupEvent, type GroupState, type Running, startGroup, transition } from './group-state.ts';
import { type LockLane, QUICK_LOCK_TIMEOUT_MS } from './lock-lane.ts';
import { Transaction } from './transaction.ts';
import { type GroupOptions, type GroupResult, RestartTransaction, WriteGroup } from './write-group.ts';
import { createWriteTable } from './write-table.ts';

/** A group ends after this many transactions or milliseconds, so that the first of them does not wait for many. */
const MAX_GROUP_SIZE = 128;
const MAX_GROUP_MS = 20;

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

/** What the transactions of a group have returned or thrown; reported once the group is durable. */
type Outcome = { readonly transaction: QueuedTransaction } & ({ readonly value: unknown } | { readonly error: unknown });

export interface TenantWriterOptions extends Omit<GroupOptions, 'connection' | 'lockTimeoutMs'> {
  readonly database: Database;
  /** Where the writers of all tenants wait for locks. */
  readonly lockLane: LockLane;
  /** Called with the commits of a group once they are durable. */
  readonly onCommitted: (result: GroupResult) => void;
  /** Called when it is unknown for now whether a group was committed, before anything else of the tenant runs. */
  readonly onOutcomeUnknown: (result: GroupResult) => void;
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
    let state: GroupState = startGroup(this.#isBlocked ? 'patient' : 'quick');
    let taken: QueuedTransaction[] = [];
    while (state.name === 'running') {
      // Those of the attempt before, which has failed.
      queue.unshift(...taken);
      taken = [];
      state = await this.#runGroup(queue, taken, state);
    }
    this.#isBlocked = state.name === 'rejected' && state.error instanceof LockTimeout;
    if (state.name === 'rejected') {
      // Before the first one was taken, the error concerns all that wait.
      for (const { reject } of taken.length > 0 ? taken : queue.splice(0)) reject(state.error);
    } else if (state.name === 'separated') {
      for (const each of taken) await this.#runNext([each]);
    }
  }

  /** Runs a group once. Adds the transactions that it takes from the queue to `taken`. Returns the state in which it ends. */
  async #runGroup(queue: QueuedTransaction[], taken: QueuedTransaction[], running: Running): Promise<GroupState> {
    const run = (lockTimeoutMs: number) => this.#runAndCommit(queue, taken, running, lockTimeoutMs);
    try {
      return await (running.attempt.lock === 'patient' ? this.#options.lockLane.run(run) : run(QUICK_LOCK_TIMEOUT_MS));
    } catch (error) {
      // No place in the lane got free.
      return transition(running, { name: 'failed', error, size: taken.length });
    }
  }

  async #runAndCommit(
    queue: QueuedTransaction[],
    taken: QueuedTransaction[],
    running: Running,
    lockTimeoutMs: number,
  ): Promise<GroupState> {
    const { database, onCommitted, onOutcomeUnknown, ...options } = this.#options;
    const outcomes: Outcome[] = [];
    let group: WriteGroup | undefined;
    let state: GroupState = running;
    try {
      await database.use(async (connection: Connection) => {
        const loaded = new Set(queue.slice(0, MAX_GROUP_SIZE));
        group = await WriteGroup.begin({ ...options, connection, lockTimeoutMs }, mergeReads(loaded));
        await runTransactions({ group, queue, taken, loaded, outcomes, attempt: running.attempt });
        state = transition(state, { name: 'commit' });
        await group.commit();
      });
      group!.updateCaches();
      state = transition(state, { name: 'committed' });
    } catch (error) {
      state = transition(state, { name: 'failed', error, size: taken.length });
      if (state.name === 'unknown') {
        // Only what is read from now on is certain.
        onOutcomeUnknown(group!.getResult());
        state = transition(state, await findOutcome(database, group!, error, taken.length));
      }
    }
    if (state.name !== 'committed') return state;
    onCommitted(group!.getResult());
    for (const outcome of outcomes) {
      if ('error' in outcome) outcome.transaction.reject(outcome.error);
      else outcome.transaction.resolve(outcome.value);
    }
    return state;
  }
}

/** What has happened to a group whose COMMIT got no answer but `error`. */
async function findOutcome(database: Database, group: WriteGroup, error: unknown, size: number): Promise<GroupEvent> {
  try {
    return (await isCommitted(database, group.getResult().after, error)) ? { name: 'committed' } : { name: 'rolled back', size };
  } catch (unknown) {
    return { name: 'failed', error: unknown, size };
  }
}

interface GroupRun {
  readonly group: WriteGroup;
  readonly queue: QueuedTransaction[];
  /** Gets the transactions of the group. */
  readonly taken: QueuedTransaction[];
  /** Those whose rows are loaded. */
  readonly loaded: Set<QueuedTransaction>;
  /** Gets what they have returned or thrown. */
  readonly outcomes: Outcome[];
  readonly attempt: Attempt;
}

/** Takes transactions from the queue and runs them, until the group is large enough. Throws the first error of a statement. */
async function runTransactions({ group, queue, taken, loaded, outcomes, attempt }: GroupRun): Promise<void> {
  const deadline = performance.now() + MAX_GROUP_MS;
  while (outcomes.length < MAX_GROUP_SIZE && (outcomes.length === 0 || performance.now() < deadline)) {
    const transaction = queue.shift();
    if (transaction === undefined) return;
    taken.push(transaction);
    if (!loaded.has(transaction)) {
      const arrived = [transaction, ...queue];
      await group.load(mergeReads(arrived));
      for (const each of arrived) loaded.add(each);
    }
    outcomes.push({ transaction, ...(await runTransaction(group, transaction, attempt)) });
    if (group.failure !== undefined) throw group.failure;
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

/** Runs one transaction, and again when what it has read is out of date or its error may be another one. */
async function runTransaction(
  group: WriteGroup,
  { work }: QueuedTransaction,
  attempt: Attempt,
): Promise<{ value: unknown } | { error: unknown }> {
  let mayDeferChecks = attempt.uniqueChecks === 'deferred';
  for (;;) {
    const tx = new Transaction(group, mayDeferChecks);
    try {
      const value = await work(createTables(tx));
      tx.finish();
      return { value };
    } catch (error) {
      // After the error of a statement, the whole group is rolled back.
      if (group.failure === undefined) await tx.rollBack();
      if (group.failure !== undefined) return { error };
      // Without the deferred checks, it might have failed earlier, with another error.
      if (tx.hasDeferredChecks) mayDeferChecks = false;
      else if (!(error instanceof RestartTransaction)) return { error };
    }
  }
}

/** The tables of a transaction, each created on first access. */
function createTables(tx: Transaction): TransactionTables {
  const tables = new Map<string, Table<Row>>();
  return {
    now: tx.now,
    newId: tx.newId,
    getTable(name) {
      let table = tables.get(name);
      if (table === undefined) tables.set(name, (table = createWriteTable(tx, name)));
      return table;
    },
  };
}
