/** lowdb's way to the disk: `read` loads the last checkpoint and the journal after it, `write` appends the commits that are new. */
import type { Adapter } from 'lowdb';
import type { Notice } from './errors.ts';
import { Journal, type JournalOptions } from './journal.ts';
import { loadCheckpoint } from './load.ts';
import { dropOrphans, type Formats, type Manifest, readManifest, type Segment } from './manifest.ts';
import { replay } from './replay.ts';
import type { State } from './state.ts';

export interface JournalAdapterOptions extends JournalOptions {
  readonly formats: Formats;
  readonly empty: (seed?: number) => State;
  readonly notice: (notice: Notice) => void;
}

export class JournalAdapter implements Adapter<State> {
  readonly #options: JournalAdapterOptions;
  #journal: Journal | undefined;

  constructor(options: JournalAdapterOptions) {
    this.#options = options;
  }

  get journal(): Journal {
    if (this.#journal === undefined) throw new Error('the store has not been read yet');
    return this.#journal;
  }

  async read(): Promise<State> {
    const { directory, formats, notice, onStep } = this.#options;
    const manifest = await readManifest(directory, formats, notice, onStep);
    const { state, segments } = await this.load(manifest);
    await dropOrphans(directory, manifest, onStep);
    this.goOn({ ...manifest, segments }, state.sequence);
    return state;
  }

  /** The state that a manifest's files hold. */
  async load(manifest: Manifest): Promise<{ state: State; segments: Segment[] }> {
    const { directory, empty, notice } = this.#options;
    let state = empty();
    if (manifest.checkpoint) {
      state = await loadCheckpoint(empty, `${directory}/${manifest.checkpoint.file}`, manifest.checkpoint.bytes);
      state.sequence = manifest.checkpoint.sequence;
    }
    return { state, segments: await replay(directory, manifest, state, notice) };
  }

  /** From now on commits are written behind those of this manifest. */
  goOn(manifest: Manifest, sequence: number): void {
    this.#journal = new Journal(this.#options, manifest, sequence);
  }

  /** Resolves when every commit handed over is durable. */
  async write(state: State): Promise<void> {
    const commits = state.outgoing;
    state.outgoing = [];
    if (commits.length > 0) await this.journal.append(commits);
  }
}
