/** Disks for tests. */
import { type Disk, type DiskFile, type DiskStep, wrapDisk } from '../../../src/store/file/disk/disk.ts';
import { localDisk } from '../../../src/store/file/disk/local-disk.ts';

/** Calls `before` before each step that changes something or makes it durable. An error it throws counts as the step's own failure. */
export const observeDisk = (before: (kind: DiskStep['kind'], path: string) => unknown): Disk =>
  wrapDisk(localDisk, async (step, run) => {
    if (step.kind !== 'open') await before(step.kind, step.path);
    return run(step);
  });

const skipSync = (file: DiskFile): DiskFile => Object.assign(file, { sync: async () => {} });

/** Syncs nothing: what a sync makes durable is computed from a recording. */
export const unsyncedDisk: Disk = {
  ...localDisk,
  create: async (path) => skipSync(await localDisk.create(path)),
  open: async (path, mode) => skipSync(await localDisk.open(path, mode)),
  syncDirectory: async () => {},
};
