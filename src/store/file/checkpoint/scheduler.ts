/**
 * Decides when to write a checkpoint, runs one at a time, and replaces the older journal with it.
 *
 * Steps: start a new journal segment; copy the state to a new file; wait until everything copied is durable; replace the manifest; remove
 * the previous checkpoint and the older segments. A crash before the manifest is replaced leaves the previous checkpoint and the whole
 * journal in use, a crash after it the new checkpoint and the new segment.
 */
import { CheckpointInterrupted, writeCheckpoint } from './write.ts';
import type { Disk } from '../disk/disk.ts';
import { removeFile } from '../disk/files.ts';
import type { Notice } from '../errors.ts';
import type { Journal } from '../journal/journal.ts';
import type { State } from '../state.ts';
import type { Mutex } from '../transaction/mutex.ts';

/**
 * Default of the option `checkpointBytes`: a replay of one to two seconds. Checkpoints are most of the cost of sustained writes: one after
 * every 64 MB took a quarter of the processor time of orders with ten lines.
 */
const DEFAULT_CHECKPOINT_BYTES = 160_000_000;
/** A checkpoint writes all rows, so it is not due before the journal has this share of their size. */
const MIN_JOURNAL_RATIO = 0.27;

/** Journal length at which a checkpoint is due. */
export function getJournalLimit(liveBytes: number, checkpointBytes: number = DEFAULT_CHECKPOINT_BYTES): number {
  return Math.max(checkpointBytes, liveBytes * MIN_JOURNAL_RATIO);
}

interface CheckpointOptions {
  readonly disk: Disk;
  readonly directory: string;
  readonly checkpointBytes?: number;
}

/** The store, which keeps running during a checkpoint. */
interface CheckpointedStore {
  getJournal(): Journal;
  getState(): State;
  /** How often commits were rolled back because they could not be made durable. */
  getRollbackCount(): number;
  readonly mutex: Mutex;
  /** Resolves when everything applied so far is durable or rolled back. */
  waitUntilDurable(): Promise<unknown>;
  /** Throws when the store is closed. */
  assertOpen(): void;
  onNotice(notice: Notice): void;
}

export class CheckpointScheduler {
  readonly #options: CheckpointOptions;
  readonly #store: CheckpointedStore;
  #running: Promise<void> | undefined;
  /** Journal length below which no checkpoint is due, after a failed one. */
  #retryBytes = 0;

  constructor(options: CheckpointOptions, store: CheckpointedStore) {
    this.#options = options;
    this.#store = store;
  }

  /** Settles when the current checkpoint or exclusive work has ended; undefined when nothing is running. */
  get running(): Promise<void> | undefined {
    return this.#running;
  }

  /** Writes a checkpoint, or joins the one that is being written. */
  write(): Promise<void> {
    this.#running ??= this.#write().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Starts a checkpoint when replaying the journal would take too long. */
  writeIfDue(): void {
    const { bytes } = this.#store.getJournal();
    if (this.#running !== undefined || bytes <= this.#retryBytes) return;
    if (bytes <= getJournalLimit(this.#store.getState().memory.slabs.liveBytes, this.#options.checkpointBytes)) return;
    this.write().catch((cause: unknown) => {
      this.#retryBytes = bytes * 1.5;
      this.#store.onNotice({
        kind: 'checkpoint-failed',
        message: 'a checkpoint could not be written; no data is lost, and another attempt follows when the journal has grown',
        cause,
      });
    });
  }

  /** Runs `work` while no checkpoint runs, and starts none meanwhile, so that the files of the store stay. */
  async runExclusively<T>(work: () => Promise<T>): Promise<T> {
    while (this.#running !== undefined) await this.#running.catch(() => {});
    this.#store.assertOpen();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#running = promise;
    try {
      return await work();
    } finally {
      this.#running = undefined;
      resolve();
    }
  }

  async #write(): Promise<void> {
    const store = this.#store;
    const { disk, directory } = this.#options;
    const journal = store.getJournal();
    const { olderSegments, sequence } = await journal.rotate();
    const rollbackCount = store.getRollbackCount();
    const check = (): void => {
      if (rollbackCount !== store.getRollbackCount())
        throw new CheckpointInterrupted('changes were rolled back while a checkpoint copied them');
    };
    const previous = journal.manifest.checkpoint?.file;
    const file = `checkpoint-${journal.takeFileNumber()}.data`;
    const path = `${directory}/${file}`;
    let bytes: number;
    try {
      bytes = await writeCheckpoint(disk, path, store.getState(), store.mutex, check);
      // The copy contains commits that are not durable yet; it counts only once they are.
      await store.waitUntilDurable();
      check();
    } catch (error) {
      await removeFile(disk, path);
      throw error;
    }
    const at = new Date().toISOString();
    const update = journal.updateManifest((manifest) => ({
      ...manifest,
      checkpoint: { file, bytes, sequence, at },
      sequence: journal.sequence,
      segments: manifest.segments.filter((segment) => !olderSegments.some((older) => older.file === segment.file)),
    }));
    await update.catch((error: unknown) => {
      // The new manifest may be in place nevertheless, so the files of both stay until the next one is.
      journal.removeLater(path);
      throw error;
    });
    this.#retryBytes = 0;
    for (const name of [previous, ...olderSegments.map((segment) => segment.file)])
      if (name !== undefined) await removeFile(disk, `${directory}/${name}`);
  }
}
