/** Snapshots and a store that is running: one made of it, and one that takes the place of its contents. Checkpoints must rest meanwhile. */
import type { JournalAdapter } from './adapter.ts';
import { dropFile, type OnStep } from './disk.ts';
import { SnapshotUnusable, StoreDamaged } from './errors.ts';
import type { Journal } from './journal.ts';
import { filesOf, type Formats, type Manifest } from './manifest.ts';
import { readSnapshotHead, type SnapshotHead, unpackSnapshot, writeSnapshot } from './snapshot.ts';
import type { State } from './state.ts';

/** The files that are a store. */
export interface StoreFiles {
  readonly directory: string;
  readonly adapter: JournalAdapter;
  readonly formats: Formats;
  /** Names of the tables. */
  readonly tables: readonly string[];
  readonly onStep: OnStep | undefined;
}

/** The store over them, which goes on until it has to be still. */
interface Running {
  /** Awaited before the exchange. */
  quiet(): Promise<void>;
  /** Runs `work` when everything is durable and nobody has the turn; new transactions wait until it is over. */
  still(work: () => Promise<void>): Promise<void>;
  /** Goes on with other contents. */
  adopt(state: State): void;
}

/** Writes everything that is durable now into one file. `rows` is asked when it is certain which files that is. */
export async function takeSnapshot(
  { directory, adapter, tables, onStep }: StoreFiles,
  path: string,
  rows: () => number,
  about: SnapshotHead['about'],
): Promise<SnapshotHead> {
  const { journal } = adapter;
  const before = filesOf(journal.manifest);
  const { older } = await journal.rotate();
  // A segment without a commit.
  for (const file of before) if (!filesOf(journal.manifest).includes(file)) await dropFile(`${directory}/${file}`, onStep);
  const head = { manifest: { ...journal.manifest, segments: older }, tables, rows: rows(), about };
  await writeSnapshot(directory, path, head, onStep);
  return readSnapshotHead(path);
}

/** Lets the contents of a snapshot, or nothing at all, take the place of everything. A crash leaves the one or the other. */
export async function exchange(files: StoreFiles, path: string | undefined, store: Running): Promise<void> {
  const { directory, adapter, formats, tables, onStep } = files;
  const { journal } = adapter;
  const manifest =
    path === undefined
      ? { format: formats.current, next: journal.takeNumber(), segments: [] }
      : await unpackSnapshot(path, directory, { formats, tables }, () => journal.takeNumber(), onStep);
  let unused = filesOf(manifest);
  try {
    const { state, segments } = await adapter.load(manifest);
    await store.quiet();
    await store.still(async () => {
      const before = filesOf(journal.manifest);
      await replace(journal, { ...manifest, segments }, () => (unused = []));
      adapter.goOn({ ...manifest, segments, next: journal.manifest.next }, state.sequence);
      store.adopt(state);
      unused = before;
    });
  } catch (error) {
    if (error instanceof StoreDamaged && path !== undefined) throw new SnapshotUnusable(path, 'what it holds is damaged', { cause: error });
    throw error;
  } finally {
    for (const file of unused) await dropFile(`${directory}/${file}`, onStep);
  }
}

async function replace(journal: Journal, manifest: Manifest, keepAll: () => void): Promise<void> {
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
}
