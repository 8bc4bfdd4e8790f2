/**
 * The file store: transactions over a state in memory, made durable by the journal.
 *
 * Works run one at a time and change the state in place. A commit's record then waits for its sync while the next works go on
 * and see it; nobody hears of anything before it is durable. If a sync fails, everything that is not durable is taken back,
 * last first, its callers get `StoreUnavailable`, and whoever had only looked looks again.
 */
import { Low } from 'lowdb';
import { mkdir } from 'node:fs/promises';
import { type Commit, type ReadTables, StoreUnavailable, type WriteTables } from '../../domain/ports.ts';
import { JournalAdapter } from './adapter.ts';
import { Arena } from './arena.ts';
import { Checkpoints } from './checkpoints.ts';
import type { Notice } from './errors.ts';
import { exchange, type StoreFiles, takeSnapshot } from './exchange.ts';
import { FORMATS } from './manifest.ts';
import type { FileStore, FileStoreOptions, FileStoreStats, Tables } from './port.ts';
import { Rounds } from './rounds.ts';
import type { SnapshotHead } from './snapshot.ts';
import { State } from './state.ts';
import { tableOf } from './tables.ts';
import { forget, type Pending, Transaction, undo } from './transaction.ts';
import { Turns } from './turns.ts';
import { Upkeep } from './upkeep.ts';

const DEFAULT_CACHED_RECORDS = 20_000;
const DEFAULT_VIEW_CACHE_BYTES = 128 * 1024 * 1024;

/** Opens the store in a directory: loads it, cuts a torn tail, refuses what is damaged. */
export async function openFileStore<S extends Tables>(options: FileStoreOptions<S>): Promise<FileStore<S>> {
  await mkdir(options.directory, { recursive: true, mode: 0o700 });
  const engine = new Engine(options);
  await engine.open();
  return engine;
}

interface Attempt<T> {
  readonly outcome: { readonly value: T } | { readonly error: unknown };
  /** Undefined when nothing was changed. */
  readonly durable: Promise<void> | undefined;
}

class Engine<S extends Tables> implements FileStore<S> {
  readonly #options: FileStoreOptions<S>;
  readonly #adapter: JournalAdapter;
  readonly #low: Low<State>;
  readonly #turns = new Turns();
  readonly #rounds = new Rounds(() => this.#send());
  /** What the commits of the running round wait for. */
  #round: PromiseWithResolvers<void> | undefined;
  readonly #handles = new Map<string, WriteTables<S>>();
  readonly #checkpoints: Checkpoints;
  readonly #listeners = new Set<(commit: Commit) => void>();
  #upkeep = new Upkeep();
  #arena: Arena;
  #current: Transaction | undefined;
  /** Resolves when all that was applied is durable; undefined when it is. */
  #settling: Promise<void> | undefined;
  /** Counts the times commits were taken back. */
  #undone = 0;
  #unavailable: string | undefined;
  #closing: Promise<void> | undefined;
  /** Resolves when other data have taken the place of these. */
  #gate: Promise<void> | undefined;
  transacting = 0;

  constructor(options: FileStoreOptions<S>) {
    this.#options = options;
    const { cachedRecords = DEFAULT_CACHED_RECORDS, viewCacheBytes = DEFAULT_VIEW_CACHE_BYTES } = options;
    const empty = (seed?: number): State => new State(Object.values(options.tables), { cachedRecords, viewCacheBytes }, seed);
    this.#adapter = new JournalAdapter({
      ...options,
      formats: options.formats ?? FORMATS,
      empty,
      events: { durable: (group) => this.#durable(group), failed: (undurable, cause) => this.#failed(undurable, cause) },
      notice: (notice) => this.#notice(notice),
    });
    this.#low = new Low(this.#adapter, empty());
    this.#arena = new Arena(this.#low.data.memory.slabs);
    this.#checkpoints = new Checkpoints(options, {
      journal: () => this.#adapter.journal,
      state: () => this.#state,
      undone: () => this.#undone,
      settled: () => this.#settled(),
      checkOpen: () => this.#checkOpen(),
      notice: (notice) => this.#notice(notice),
    });
  }

  async open(): Promise<void> {
    await this.#low.read();
    this.#arena = new Arena(this.#state.memory.slabs);
    for (const partition of this.#state.partitions()) this.#upkeep.look(partition, true);
    this.#checkpoints.writeIfDue();
  }

  async transact<T>(tenant: string, work: (tx: WriteTables<S>) => Promise<T>): Promise<T> {
    this.transacting++;
    try {
      for (;;) {
        if (this.#gate) await this.#gate;
        this.#checkOpen();
        const { outcome, durable } = await this.#rounds.run(() => this.#attempt(tenant, work));
        if (durable) await durable;
        // What it saw and went by must not be taken back either.
        else if (!(await this.#settled())) continue;
        if ('error' in outcome) throw outcome.error;
        return outcome.value;
      }
    } finally {
      this.transacting--;
    }
  }

  async glance<T>(tenant: string, work: (tx: ReadTables<S>) => Promise<T>): Promise<T> {
    this.#checkOpen();
    const turn = this.#turns.enter();
    if (turn) await turn;
    try {
      return await work(this.#tables(tenant));
    } finally {
      this.#turns.leave();
    }
  }

  async read<T>(tenant: string, work: (tx: ReadTables<S>) => Promise<T>): Promise<T> {
    for (;;) {
      const outcome = await this.glance(tenant, work).then(
        (value) => ({ value }),
        (error: unknown) => ({ error }),
      );
      if (!(await this.#settled())) continue;
      if ('error' in outcome) throw outcome.error;
      return outcome.value;
    }
  }

  onCommit(listener: (commit: Commit) => void): () => void {
    const own = (commit: Commit): void => listener(commit);
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  indexed(): Promise<void> {
    return this.#upkeep.done();
  }

  stats(): FileStoreStats {
    const { manifest, bytes } = this.#adapter.journal;
    return {
      rows: this.#state.rows,
      liveBytes: this.#state.liveBytes,
      slabBytes: this.#state.memory.slabs.bytes,
      journalBytes: bytes,
      sequence: this.#state.sequence,
      lastCheckpoint: manifest.checkpoint?.at,
      checkpointRunning: this.#checkpoints.running !== undefined,
      unavailable: this.#unavailable,
    };
  }

  checkpoint(): Promise<void> {
    return this.#checkpoints.write();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  save(path: string, about: SnapshotHead['about']): Promise<SnapshotHead> {
    return this.#checkpoints.alone(() => takeSnapshot(this.#files(), path, () => this.#state.rows, about));
  }

  restore(path: string | undefined, quiet: () => Promise<void>): Promise<void> {
    const running = { quiet, still: (work: () => Promise<void>) => this.#still(work), adopt: (state: State) => this.#adopt(state) };
    return this.#checkpoints.alone(() => exchange(this.#files(), path, running));
  }

  get #state(): State {
    return this.#low.data;
  }

  async #close(): Promise<void> {
    this.#upkeep.end();
    // Behind all that were let in.
    await this.#rounds.run(async () => {});
    const turn = this.#turns.enter();
    if (turn) await turn;
    this.#turns.leave();
    await this.#settled();
    await this.#checkpoints.running?.catch(() => {});
    try {
      if (this.#adapter.journal.bytes > 0) await this.checkpoint();
    } catch (cause) {
      this.#notice({
        kind: 'close-incomplete',
        message: 'the last checkpoint could not be written; the journal has everything, the next start takes longer',
        cause,
      });
    }
    await this.#adapter.journal.close();
  }

  /** Runs `work` when everything is durable and nobody has the turn; new transactions wait until it is over. */
  async #still(work: () => Promise<void>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#gate = promise;
    try {
      for (;;) {
        const turn = this.#turns.enter();
        if (turn) await turn;
        if (this.#settling === undefined) break;
        // Commits that fail have to be taken back, and need the turn for it.
        this.#turns.leave();
        await this.#settled();
      }
      try {
        await work();
      } finally {
        this.#turns.leave();
      }
    } finally {
      this.#gate = undefined;
      resolve();
    }
  }

  #adopt(state: State): void {
    this.#state.memory.slabs.end();
    this.#low.data = state;
    this.#arena = new Arena(state.memory.slabs);
    this.#handles.clear();
    this.#upkeep.end();
    this.#upkeep = new Upkeep();
    for (const partition of state.partitions()) this.#upkeep.look(partition, true);
  }

  #files(): StoreFiles {
    const { directory, tables, formats = FORMATS, onStep } = this.#options;
    return { directory, adapter: this.#adapter, formats, tables: Object.values(tables).map(({ name }) => name), onStep };
  }

  #checkOpen(): void {
    if (this.#closing !== undefined) throw new StoreUnavailable('the store is closed');
  }

  #notice(notice: Notice): void {
    this.#options.onNotice?.(notice);
  }

  /** The tenant's tables, each made when it is first asked for. */
  #tables(tenant: string): WriteTables<S> {
    const known = this.#handles.get(tenant);
    if (known !== undefined) return known;
    const handle: Record<string, unknown> = {};
    for (const [name, spec] of Object.entries(this.#options.tables)) {
      Object.defineProperty(handle, name, {
        configurable: true,
        enumerable: true,
        get: () => {
          const table = tableOf(this.#state.partition(tenant, spec.name)!, () => this.#transaction(tenant));
          Object.defineProperty(handle, name, { value: table });
          return table;
        },
      });
    }
    this.#handles.set(tenant, handle as WriteTables<S>);
    return handle as WriteTables<S>;
  }

  async #attempt<T>(tenant: string, work: (tx: WriteTables<S>) => Promise<T>): Promise<Attempt<T>> {
    const turn = this.#turns.enter();
    if (turn) await turn;
    const tx = new Transaction(tenant, this.#arena);
    try {
      this.#current = tx;
      const value = await work(this.#tables(tenant));
      return { outcome: { value }, durable: this.#commit(tx) };
    } catch (error) {
      tx.abort();
      return { outcome: { error }, durable: undefined };
    } finally {
      this.#current = undefined;
      this.#turns.leave();
    }
  }

  #transaction(tenant: string): Transaction {
    if (this.#current?.tenant !== tenant) throw new Error('a table was written outside of its transaction');
    return this.#current;
  }

  /** Adds the transaction's record to those of its round. Undefined when it changed nothing. */
  #commit(tx: Transaction): Promise<void> | undefined {
    const pending = tx.end(this.#state.sequence + 1);
    if (pending === undefined) return undefined;
    this.#state.sequence++;
    this.#state.outgoing.push(pending);
    this.#round ??= Promise.withResolvers<void>();
    this.#settling = this.#round.promise;
    return this.#settling;
  }

  /** Hands the records of a round to the journal. */
  #send(): void {
    const round = this.#round;
    if (round === undefined) return;
    this.#round = undefined;
    this.#low.write().then(round.resolve, round.reject);
  }

  /** True when all that is applied now has become durable, false when some of it was taken back. */
  async #settled(): Promise<boolean> {
    const undone = this.#undone;
    const settling = this.#settling;
    if (settling === undefined) return true;
    await settling.catch(() => {});
    return undone === this.#undone;
  }

  #durable(group: readonly Pending[]): void {
    if (group.at(-1)!.commit.sequence === this.#state.sequence) this.#settling = undefined;
    if (this.#unavailable !== undefined) {
      this.#unavailable = undefined;
      this.#notice({ kind: 'recovered', message: 'changes can be saved again' });
    }
    for (const { commit, undo: changes } of group) {
      forget(changes);
      for (const { partition } of changes) this.#upkeep.look(partition);
      for (const listener of this.#listeners) {
        try {
          listener(commit);
        } catch (cause) {
          this.#notice({ kind: 'listener-failed', message: `a listener failed at commit ${commit.sequence}`, cause });
        }
      }
    }
    if (this.#closing === undefined) this.#checkpoints.writeIfDue();
  }

  async #failed(undurable: () => readonly Pending[], cause: Error): Promise<Error> {
    const turn = this.#turns.enter(true);
    if (turn) await turn;
    // Those of a round that has begun stand on what is taken back.
    this.#send();
    const commits = undurable();
    for (const { undo: changes } of commits.toReversed()) undo(changes);
    this.#state.sequence -= commits.length;
    this.#settling = undefined;
    this.#undone++;
    this.#turns.leave();
    const message = `changes cannot be saved now: ${cause.message}`;
    if (this.#unavailable === undefined) this.#notice({ kind: 'unavailable', message, cause });
    this.#unavailable = message;
    return new StoreUnavailable(message, { cause });
  }
}
