/**
 * Saves a snapshot of a running store, and replaces a running store's data with one. No checkpoint runs meanwhile.
 *
 * Saving starts a new journal segment and copies the checkpoint and all older segments into one file, which gets its name only when it is
 * complete and durable. Restoring unpacks and loads the files next to the current ones, and then replaces the manifest: a crash before that
 * leaves the old data, a crash after it the new data, and the next start removes the files of the other.
 */
import type { JournalAdapter } from '../journal-adapter.ts';
import type { Disk } from '../disk/disk.ts';
import { removeFile } from '../disk/files.ts';
import { SnapshotUnusable, StoreDamaged } from '../errors.ts';
import type { Journal } from '../journal/journal.ts';
import { listFiles, type Formats, type Manifest } from '../manifest.ts';
import { readSnapshotHeader, type SnapshotHeader, unpackSnapshot, writeSnapshot } from './snapshot-file.ts';
import type { State } from '../state.ts';

/** The files of a store. */
export interface StoreFiles {
  readonly disk: Disk;
  readonly directory: string;
  readonly adapter: JournalAdapter;
  readonly formats: Formats;
  /** Names of the tables. */
  readonly tables: readonly string[];
}

/** The running store over these files. */
export interface RunningStore {
  /** Awaited before the data is replaced. */
  quiesce(): Promise<void>;
  /** Runs `work` once everything is durable and no transaction is running; new transactions wait until it has ended. */
  runExclusively(work: () => Promise<void>): Promise<void>;
  /** Continues with another state. */
  replaceState(state: State): void;
}

/** Writes all durable data to one file. `countRows` is called once it is certain which commits that includes. */
export async function saveSnapshot(
  { disk, directory, adapter, tables }: StoreFiles,
  path: string,
  countRows: () => number,
  about: SnapshotHeader['about'],
): Promise<SnapshotHeader> {
  const { journal } = adapter;
  const before = listFiles(journal.manifest);
  const { olderSegments } = await journal.rotate();
  // The previous segment is no longer in the manifest when it had no commit.
  for (const file of before) if (!listFiles(journal.manifest).includes(file)) await removeFile(disk, `${directory}/${file}`);
  const header = { manifest: { ...journal.manifest, segments: olderSegments }, tables, rows: countRows(), about };
  await writeSnapshot(disk, directory, path, header);
  return readSnapshotHeader(path);
}

/**
 * Replaces all data with a snapshot, or with nothing when `path` is undefined. After a crash the directory holds the old data or the new.
 */
export async function restoreSnapshot(files: StoreFiles, path: string | undefined, store: RunningStore): Promise<void> {
  const { disk, directory, adapter, formats, tables } = files;
  const { journal } = adapter;
  const manifest =
    path === undefined
      ? { format: formats.current, next: journal.takeFileNumber(), segments: [] }
      : await unpackSnapshot(disk, path, directory, { formats, tables }, () => journal.takeFileNumber());
  let unused = listFiles(manifest);
  try {
    const { state, segments } = await adapter.loadState(manifest);
    await store.quiesce();
    await store.runExclusively(async () => {
      const before = listFiles(journal.manifest);
      await swapManifest(journal, { ...manifest, segments }, () => (unused = []));
      adapter.startJournal({ ...manifest, segments, next: journal.manifest.next }, state.sequence);
      store.replaceState(state);
      unused = before;
    });
  } catch (error) {
    if (error instanceof StoreDamaged && path !== undefined) throw new SnapshotUnusable(path, 'its contents are damaged', { cause: error });
    throw error;
  } finally {
    for (const file of unused) await removeFile(disk, `${directory}/${file}`);
  }
}

async function swapManifest(journal: Journal, manifest: Manifest, keepAllFiles: () => void): Promise<void> {
  try {
    await journal.updateManifest(({ next }) => ({ ...manifest, next }));
  } catch (error) {
    // The new manifest may be in place nevertheless. The store continues with the old data; until the old manifest is known to be in place,
    // the files of both stay, and nothing is written to a segment that the new manifest does not name.
    await journal
      .updateManifest((current) => current)
      .catch(() => {
        keepAllFiles();
        return journal.abandonSegment();
      });
    throw error;
  }
  // The new manifest is in place: an error here must not leave the store with the old data.
  await journal.close().catch(() => undefined);
}
