/**
 * Decides when to write a checkpoint, runs one at a time, and replaces the older journal with it.
 *
 * Steps: start a new journal segment; copy the state to a new file; wait until everything copied is durable; replace the manifest; remove
 * the previous checkpoint and the older segments. A crash before the manifest is replaced leaves the previous checkpoint and the whole
 * journal in use, a crash after it the new checkpoint and the new segment.
 */
import { CheckpointInterrupted, writeCheckpoint } from './write.ts';
import { removeFile, type BeforeDiskStep } from '../disk.ts';
import type { Notice } from '../errors.ts';
import type { Journal } from '../journal/journal.ts';
import type { State } from '../state.ts';

/** Default of the option `checkpointBytes`. */
export const DEFAULT_CHECKPOINT_BYTES = 256 * 1024 * 1024;

interface CheckpointOptions {
  readonly directory: string;
  readonly checkpointBytes?: number;
  readonly beforeDiskStep?: BeforeDiskStep;
}

/** The store, which keeps running during a checkpoint. */
interface CheckpointedStore {
  getJournal(): Journal;
  getState(): State;
  /** How often commits were rolled back because they could not be made durable. */
  getRollbackCount(): number;
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
  /** Journal length that makes a checkpoint due; longer after a failed one. */
  #nextBytes: number;

  constructor(options: CheckpointOptions, store: CheckpointedStore) {
    this.#options = options;
    this.#store = store;
    this.#nextBytes = options.checkpointBytes ?? DEFAULT_CHECKPOINT_BYTES;
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

  /** Starts a checkpoint when the journal is long enough. */
  writeIfDue(): void {
    const { bytes } = this.#store.getJournal();
    if (bytes <= this.#nextBytes || this.#running !== undefined) return;
    // Copying much data for few changes costs more than it saves: replaying takes about 32 ms of CPU per megabyte.
    if (bytes <= this.#store.getState().liveBytes) return;
    this.write().catch((cause: unknown) => {
      this.#nextBytes = bytes * 1.5;
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
    const { directory, beforeDiskStep } = this.#options;
    const journal = store.getJournal();
    const { olderSegments, sequence } = await journal.rotate();
    const rollbackCount = store.getRollbackCount();
    const check = (): void => {
      if (rollbackCount !== store.getRollbackCount())
        throw new CheckpointInterrupted('changes were rolled back while a checkpoint copied them');
    };
    const previous = journal.manifest.checkpoint?.file;
    const file = `checkpoint-${journal.takeFileNumber()}.data`;
    let bytes: number;
    try {
      bytes = await writeCheckpoint(store.getState(), `${directory}/${file}`, check, beforeDiskStep);
      // The copy contains commits that are not durable yet; it counts only once they are.
      await store.waitUntilDurable();
      check();
    } catch (error) {
      await removeFile(`${directory}/${file}`, beforeDiskStep);
      throw error;
    }
    const at = new Date().toISOString();
    // If this fails, the new manifest may be in place nevertheless, so the files of both stay.
    await journal.updateManifest((manifest) => ({
      ...manifest,
      checkpoint: { file, bytes, sequence, at },
      sequence: journal.sequence,
      segments: manifest.segments.filter((segment) => !olderSegments.some((older) => older.file === segment.file)),
    }));
    this.#nextBytes = this.#options.checkpointBytes ?? DEFAULT_CHECKPOINT_BYTES;
    for (const name of [previous, ...olderSegments.map((segment) => segment.file)])
      if (name !== undefined) await removeFile(`${directory}/${name}`, beforeDiskStep);
  }
}
