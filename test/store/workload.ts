/** Everything that a store does on disk: commits in groups, new segments, checkpoints, snapshots, restores, closing, opening again. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Disk } from '../../src/store/file/disk/disk.ts';
import type { FileStore } from '../../src/store/file/index.ts';
import type { Things } from './fixtures.ts';
import { openStore } from './file-store.ts';
import { type History, readContents, succeeds } from './history.ts';

/** Small, so that the workload fills several segments. */
export const SEGMENT_BYTES = 2048;
/** The directory of the store, relative to the one that is recorded. */
export const STORE = 'data';
const SNAPSHOTS = 'snapshots';
export const SNAPSHOT = `${SNAPSHOTS}/one.snapshot`;

/** Runs the workload below a directory of the disk. Steps that the disk makes fail are skipped. */
export async function runWorkload(root: string, disk: Disk, history: History): Promise<void> {
  await mkdir(join(root, SNAPSHOTS), { recursive: true });
  await mkdir(join(root, STORE), { recursive: true });
  const open = () => openPatiently(join(root, STORE), disk);
  let store = await open();
  await history.write(store);
  await history.writeGroup(store, 3);
  await Promise.all([history.writeGroup(store, 4), succeeds(store.checkpoint())]);
  for (let count = 0; count < 4; count++) await history.write(store);
  const snapshot = await history.saveSnapshot(store, join(root, SNAPSHOT));
  await history.writeGroup(store, 2);
  await snapshot?.restore(store);
  await history.write(store);
  await history.writeGroup(store, 2);
  await store.close();
  store = await open();
  history.resolveRefusals(await readContents(store));
  await history.write(store);
  await succeeds(store.checkpoint());
  await history.writeGroup(store, 3);
  await store.close();
}

/** Opens the store again and again until the disk lets it. */
async function openPatiently(directory: string, disk: Disk): Promise<FileStore<Things>> {
  for (;;) {
    const opening = openStore(directory, { disk, segmentBytes: SEGMENT_BYTES });
    if (await succeeds(opening)) return opening;
  }
}
