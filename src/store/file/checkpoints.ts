/** When a checkpoint is written, one at a time, and how it takes the place of the journal before it. */
import { Interrupted, writeCheckpoint } from './checkpoint.ts';
import { dropFile, type OnStep } from './disk.ts';
import type { Notice } from './errors.ts';
import type { Journal } from './journal.ts';
import type { State } from './state.ts';

/** See `checkpointBytes` of the store's options. */
export const DEFAULT_CHECKPOINT_BYTES = 256 * 1024 * 1024;

interface CheckpointOptions {
  readonly directory: string;
  readonly checkpointBytes?: number;
  readonly onStep?: OnStep;
}

/** The store that goes on beside a checkpoint. */
interface Running {
  journal(): Journal;
  state(): State;
  /** How many times commits were taken back. */
  undone(): number;
  /** Resolves when all that is applied now has become durable, or was taken back. */
  settled(): Promise<unknown>;
  /** Throws when the store is closed. */
  checkOpen(): void;
  notice(notice: Notice): void;
}

export class Checkpoints {
  readonly #options: CheckpointOptions;
  readonly #store: Running;
  #running: Promise<void> | undefined;
  /** After a failed checkpoint, the next one waits for a longer journal. */
  #nextBytes: number;

  constructor(options: CheckpointOptions, store: Running) {
    this.#options = options;
    this.#store = store;
    this.#nextBytes = options.checkpointBytes ?? DEFAULT_CHECKPOINT_BYTES;
  }

  /** The one that is being written, or whatever runs alone. */
  get running(): Promise<void> | undefined {
    return this.#running;
  }

  /** Writes one, or joins the one that is being written. */
  write(): Promise<void> {
    this.#running ??= this.#write().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Begins one when the journal has become long enough. */
  writeIfDue(): void {
    const { bytes } = this.#store.journal();
    if (bytes <= this.#nextBytes || this.#running !== undefined) return;
    // A copy of much for little that is new costs more than it saves a start: replaying takes about 7 ms a megabyte.
    if (bytes <= this.#store.state().liveBytes) return;
    this.write().catch((cause: unknown) => {
      this.#nextBytes = bytes * 1.5;
      this.#store.notice({ kind: 'checkpoint-failed', message: 'a checkpoint could not be written; the journal goes on', cause });
    });
  }

  /** Runs `work` while no checkpoint does, and lets none begin meanwhile: the files that are the store stay. */
  async alone<T>(work: () => Promise<T>): Promise<T> {
    while (this.#running !== undefined) await this.#running.catch(() => {});
    this.#store.checkOpen();
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
    const { directory, onStep } = this.#options;
    const journal = store.journal();
    const { older, sequence } = await journal.rotate();
    const undone = store.undone();
    const check = (): void => {
      if (undone !== store.undone()) throw new Interrupted('changes were taken back while a checkpoint copied them');
    };
    const previous = journal.manifest.checkpoint?.file;
    const file = `checkpoint-${journal.takeNumber()}.data`;
    let bytes: number;
    try {
      bytes = await writeCheckpoint(store.state(), `${directory}/${file}`, check, onStep);
      // The copy saw commits on their way: they must have arrived before it counts.
      await store.settled();
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
    this.#nextBytes = this.#options.checkpointBytes ?? DEFAULT_CHECKPOINT_BYTES;
    for (const name of [previous, ...older.map((segment) => segment.file)])
      if (name !== undefined) await dropFile(`${directory}/${name}`, onStep);
  }
}
