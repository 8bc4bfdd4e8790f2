/** The file store's door: everything other folders may use. */
export { compareRecords, compareText, compareValues, foldsInOrders, keyOf, spanOf } from './compare.ts';
export { type Notice, SnapshotUnusable, StoreDamaged, StoreTooNew } from './errors.ts';
export { fold } from './fold.ts';
export type { FileStore, FileStoreOptions } from './port.ts';
export { installFiles, isDraft, readSnapshotHead, type SnapshotHead } from './snapshot.ts';
export { openFileStore } from './store.ts';
