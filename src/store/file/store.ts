/**
 * The file store: transactions over a state in memory, made durable by the journal.
 *
 * Works run one at a time and change the state in place. A commit's record then waits for its sync while the next works go on
 * and see it; nobody hears of anything before it is durable. If a sync fails, everything that is not durable is taken back,
 * last first, its callers get `StoreUnavailable`, and whoever had only looked looks again.
 */
import { Low } from 'lowdb';
import { mkdir } from 'node:fs/promises';
import { type Commit, type ReadTables, type Store, StoreUnavailable, type TableSpec, type WriteTables } from '../../domain/ports.ts';
import { JournalAdapter } from './adapter.ts';
import { Arena } from './arena.ts';
import { Interrupted, writeCheckpoint } from './checkpoint.ts';
import { dropFile, type OnStep } from './disk.ts';
import { type Notice, SnapshotUnusable, StoreDamaged } from './errors.ts';
import { filesOf, type Formats, FORMATS, type Manifest } from './manifest.ts';
import { Rounds } from './rounds.ts';
import { readSnapshotHead, type SnapshotHead, unpackSnapshot, writeSnapshot } from './snapshot.ts';
import { State } from './state.ts';
import { tableOf } from './tables.ts';
import { forget, type Pending, Transaction, undo } from './transaction.ts';
import { Turns } from './turns.ts';
import { Upkeep } from './upkeep.ts';

type Tables = Readonly<Record<string, TableSpec>>;

export interface FileStoreOptions<S extends Tables> {
  /** Made if it is not there. The caller sees to it that no other process uses it. */
  readonly directory: string;
  readonly tables: S;
  readonly onNotice?: (notice: Notice) => void;
  /** A checkpoint is due when the journal is longer than this and than all rows. Default 256 MiB. */
  readonly checkpointBytes?: number;
  /** Parsed records kept for the next reader. Default 20,000. */
  readonly cachedRecords?: number;
  /** Bytes of view results kept, roughly. Default 128 MiB. */
  readonly viewCacheBytes?: number;
  /** For tests: called before each step on disk. */
  readonly onStep?: OnStep;
  /** For tests: a segment of the journal that is as long gets no more. Default 512 MiB. */
  readonly segmentBytes?: number;
  /** For tests: what this release reads. */
  readonly formats?: Formats;
}

export interface FileStoreStats {
  readonly rows: number;
  /** Bytes of the rows as JSON. */
  readonly liveBytes: number;
  /** Memory they take, dead rows included. */
  readonly slabBytes: number;
  /** What the next start would have to replay. */
  readonly journalBytes: number;
  readonly sequence: number;
  readonly lastCheckpoint: string | undefined;
  readonly checkpointRunning: boolean;
  /** Why the last write failed; undefined when it went well. */
  readonly unavailable: string | undefined;
}

export interface FileStore<S extends Tables> extends Store<S> {
  /** Writes the state in its quickest-to-open form and drops the journal before it. */
  checkpoint(): Promise<void>;
  /** Resolves when the search indexes are complete. Nobody has to wait: without them a search just takes longer. */
  indexed(): Promise<void>;
  stats(): FileStoreStats;
  /** Writes everything that is durable now into one file, beside running transactions: whole, or not there. */
  save(path: string, about: SnapshotHead['about']): Promise<SnapshotHead>;
  /**
   * Lets the contents of a snapshot, or nothing at all, take the place of everything. The snapshot is unpacked and checked beside
   * running transactions; `quiet` is awaited before the exchange, which writes wait for. A crash leaves the one or the other.
   */
  restore(path: string | undefined, quiet: () => Promise<void>): Promise<void>;
}

/** See `checkpointBytes`. */
export const DEFAULT_CHECKPOINT_BYTES = 256 * 1024 * 1024;
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
  readonly #listeners = new Set<(commit: Commit) => void>();
  #upkeep = new Upkeep();
  #arena: Arena;
  #current: Transaction | undefined;
  /** Resolves when all that was applied is durable; undefined when it is. */
  #settling: Promise<void> | undefined;
  #checkpoint: Promise<void> | undefined;
  /** Counts the times commits were taken back. */
  #undone = 0;
  #unavailable: string | undefined;
  /** After a failed checkpoint, the next one waits for a longer journal. */
  #nextCheckpointBytes: number;
  #closing: Promise<void> | undefined;
  /** Resolves when other data have taken the place of these. */
  #gate: Promise<void> | undefined;

  constructor(options: FileStoreOptions<S>) {
    this.#options = options;
    this.#nextCheckpointBytes = options.checkpointBytes ?? DEFAULT_CHECKPOINT_BYTES;
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
  }

  async open(): Promise<void> {
    await this.#low.read();
    this.#arena = new Arena(this.#state.memory.slabs);
    for (const partition of this.#state.partitions()) this.#upkeep.look(partition, true);
    this.#checkpointIfDue();
  }

  async transact<T>(tenant: string, work: (tx: WriteTables<S>) => Promise<T>): Promise<T> {
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
      checkpointRunning: this.#checkpoint !== undefined,
      unavailable: this.#unavailable,
    };
  }

  checkpoint(): Promise<void> {
    this.#checkpoint ??= this.#writeCheckpoint().finally(() => {
      this.#checkpoint = undefined;
    });
    return this.#checkpoint;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  save(path: string, about: SnapshotHead['about']): Promise<SnapshotHead> {
    return this.#alone(async () => {
      const { directory, onStep } = this.#options;
      const { journal } = this.#adapter;
      const before = filesOf(journal.manifest);
      const { older } = await journal.rotate();
      // A segment without a commit.
      for (const file of before) if (!filesOf(journal.manifest).includes(file)) await dropFile(`${directory}/${file}`, onStep);
      const head = { manifest: { ...journal.manifest, segments: older }, tables: this.#tableNames(), rows: this.#state.rows, about };
      await writeSnapshot(directory, path, head, onStep);
      return readSnapshotHead(path);
    });
  }

  restore(path: string | undefined, quiet: () => Promise<void>): Promise<void> {
    return this.#alone(async () => {
      const { directory, onStep, formats = FORMATS } = this.#options;
      const { journal } = this.#adapter;
      const known = { formats, tables: this.#tableNames() };
      const manifest =
        path === undefined
          ? { format: formats.current, next: journal.takeNumber(), segments: [] }
          : await unpackSnapshot(path, directory, known, () => journal.takeNumber(), onStep);
      let unused = filesOf(manifest);
      try {
        const { state, segments } = await this.#adapter.load(manifest);
        await quiet();
        await this.#still(async () => {
          const before = filesOf(journal.manifest);
          await this.#replace(state, { ...manifest, segments }, () => (unused = []));
          unused = before;
        });
      } catch (error) {
        if (error instanceof StoreDamaged && path !== undefined)
          throw new SnapshotUnusable(path, 'what it holds is damaged', { cause: error });
        throw error;
      } finally {
        for (const file of unused) await dropFile(`${directory}/${file}`, onStep);
      }
    });
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
    await this.#checkpoint?.catch(() => {});
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

  /** Runs `work` while no checkpoint does, and lets none begin meanwhile: the files that are the store stay. */
  async #alone<T>(work: () => Promise<T>): Promise<T> {
    while (this.#checkpoint !== undefined) await this.#checkpoint.catch(() => {});
    this.#checkOpen();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#checkpoint = promise;
    try {
      return await work();
    } finally {
      this.#checkpoint = undefined;
      resolve();
    }
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

  async #replace(state: State, manifest: Manifest, keepAll: () => void): Promise<void> {
    const { journal } = this.#adapter;
    try {
      await journal.change(({ next }) => ({ ...manifest, next }));
    } catch (error) {
      // It may be in place nevertheless. What goes on is what was before, and until that is certain every file of both stays,
      // and nothing is written to a segment that the other does not name.
      await journal
        .change((now) => now)
        .catch(() => {
          keepAll();
          return journal.leaveSegment();
        });
      throw error;
    }
    await journal.close();
    this.#adapter.goOn({ ...manifest, next: journal.manifest.next }, state.sequence);
    this.#low.data = state;
    this.#arena = new Arena(state.memory.slabs);
    this.#handles.clear();
    this.#upkeep.end();
    this.#upkeep = new Upkeep();
    for (const partition of state.partitions()) this.#upkeep.look(partition, true);
  }

  #tableNames(): string[] {
    return Object.values(this.#options.tables).map(({ name }) => name);
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
    this.#checkpointIfDue();
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

  #checkpointIfDue(): void {
    const { bytes } = this.#adapter.journal;
    if (bytes <= this.#nextCheckpointBytes || this.#checkpoint !== undefined || this.#closing !== undefined) return;
    // A copy of much for little that is new costs more than it saves a start: replaying takes about 7 ms a megabyte.
    if (bytes <= this.#state.liveBytes) return;
    this.checkpoint().catch((cause: unknown) => {
      this.#nextCheckpointBytes = bytes * 1.5;
      this.#notice({ kind: 'checkpoint-failed', message: 'a checkpoint could not be written; the journal goes on', cause });
    });
  }

  async #writeCheckpoint(): Promise<void> {
    const { directory, onStep } = this.#options;
    const { journal } = this.#adapter;
    const { older, sequence } = await journal.rotate();
    const undone = this.#undone;
    const check = (): void => {
      if (undone !== this.#undone) throw new Interrupted('changes were taken back while a checkpoint copied them');
    };
    const previous = journal.manifest.checkpoint?.file;
    const file = `checkpoint-${journal.takeNumber()}.data`;
    let bytes: number;
    try {
      bytes = await writeCheckpoint(this.#state, `${directory}/${file}`, check, onStep);
      // The copy saw commits on their way: they must have arrived before it counts.
      await this.#settled();
      check();
    } catch (error) {
      await dropFile(`${directory}/${file}`, onStep);
      throw error;
    }
    const at = new Date().toISOString();
    // If this fails, the new manifest may be in place nevertheless: every file of both stays.
    await journal.change((manifest) => ({
      ...manifest,
      checkpoint: { file, bytes, sequence, at },
      segments: manifest.segments.filter((segment) => !older.some((old) => old.file === segment.file)),
    }));
    this.#nextCheckpointBytes = this.#options.checkpointBytes ?? DEFAULT_CHECKPOINT_BYTES;
    for (const name of [previous, ...older.map((segment) => segment.file)])
      if (name !== undefined) await dropFile(`${directory}/${name}`, onStep);
  }
}
