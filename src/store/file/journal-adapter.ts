/** The lowdb adapter: `read` loads the checkpoint and replays the journal, `write` appends the new commits to the journal. */
import type { Adapter } from 'lowdb';
import type { ReplayProgress } from '../../platform/daemon-state.ts';
import type { Notice } from './errors.ts';
import { Journal, type JournalOptions } from './journal/journal.ts';
import { loadCheckpoint } from './checkpoint/load.ts';
import { removeOrphanedFiles, type Formats, type Manifest, readManifest, type Segment } from './manifest.ts';
import { replayJournal } from './journal/replay.ts';
import type { State } from './state.ts';

export interface JournalAdapterOptions extends JournalOptions {
  readonly formats: Formats;
  readonly createState: () => State;
  readonly onNotice: (notice: Notice) => void;
  readonly onReplayProgress?: ((progress: ReplayProgress) => void) | undefined;
}

export class JournalAdapter implements Adapter<State> {
  readonly #options: JournalAdapterOptions;
  #journal: Journal | undefined;

  constructor(options: JournalAdapterOptions) {
    this.#options = options;
  }

  get journal(): Journal {
    if (this.#journal === undefined) throw new Error('the store is not open yet');
    return this.#journal;
  }

  async read(): Promise<State> {
    const { directory, formats, onNotice, guard } = this.#options;
    const manifest = await readManifest(guard.disk, directory, formats, onNotice);
    const { state, segments } = await this.loadState(manifest);
    await removeOrphanedFiles(guard.disk, directory, manifest);
    this.startJournal({ ...manifest, segments }, state.sequence);
    return state;
  }

  /** Loads the state from a manifest's files. Throws `StoreDamaged`. */
  async loadState(manifest: Manifest): Promise<{ state: State; segments: Segment[] }> {
    const { directory, guard, createState, onNotice, onReplayProgress } = this.#options;
    const state = createState();
    if (manifest.checkpoint) {
      await loadCheckpoint(guard.disk, state, `${directory}/${manifest.checkpoint.file}`, manifest.checkpoint.bytes);
      state.sequence = manifest.checkpoint.sequence;
    }
    return { state, segments: await replayJournal(guard.disk, directory, manifest, state, onNotice, onReplayProgress) };
  }

  /** Starts a journal that appends after the commits of this manifest. */
  startJournal(manifest: Manifest, sequence: number): void {
    this.#journal = new Journal(this.#options, manifest, sequence);
  }

  /** Resolves when the pending commits are durable. */
  async write(state: State): Promise<void> {
    const commits = state.pendingCommits;
    state.pendingCommits = [];
    if (commits.length > 0) await this.journal.append(commits);
  }
}
