/** Public interface of the file store. Other folders import only from here. */
export { compareRecords, compareText, compareValues, foldsInOrders, getKey, createRangeComparator } from '../compare.ts';
export type { FileIdentity } from './disk/disk.ts';
export { DirectoryLost, type Notice, SnapshotUnusable, StoreDamaged, StoreTooNew } from './errors.ts';
export { hasStoreFiles } from './manifest.ts';
export { foldCase } from '../case-folding.ts';
export type { FileStore, FileStoreOptions } from './file-store.ts';
export { installSnapshotFiles, isUnfinishedSnapshot, readSnapshotHeader, type SnapshotHeader } from './snapshot/snapshot-file.ts';
export { openFileStore } from './storage-engine.ts';
