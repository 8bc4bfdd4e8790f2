/** The file store's interface: its options, its statistics, and what it offers beyond the Store port. */
import type { ReplayProgress } from '../../platform/daemon-state.ts';
import type { Clock, NewId, Store, TableSpec } from '../../domain/kernel/ports.ts';
import type { Disk, FileIdentity } from './disk/disk.ts';
import type { Notice } from './errors.ts';
import type { Formats } from './manifest.ts';
import type { SnapshotHeader } from './snapshot/snapshot-file.ts';

export type Tables = Readonly<Record<string, TableSpec>>;

export interface FileStoreOptions<S extends Tables> {
  /** Created if necessary. The caller ensures that no other process uses it. */
  readonly directory: string;
  readonly tables: S;
  /** Files in the directory, kept open by the caller, without which the directory counts as lost: the file of its lock. */
  readonly requiredFiles?: readonly FileIdentity[];
  /** The time and the ids of transactions. Default: the system time, and UUIDs of version 7. */
  readonly clock?: Clock;
  readonly newId?: NewId;
  readonly onNotice?: (notice: Notice) => void;
  /** Called while opening replays the journal for more than a second, about twice a second. */
  readonly onReplayProgress?: (progress: ReplayProgress) => void;
  /** Length of the journal from which on a checkpoint is written, or more if the rows are much larger. Default 160 MB. */
  readonly checkpointBytes?: number;
  /** Maximum number of parsed records to cache. Default 20,000. */
  readonly cachedRecords?: number;
  /** For tests: another disk. Default: that of the machine. */
  readonly disk?: Disk;
  /** For tests: start a new journal segment at this length. Default 512 MiB. */
  readonly segmentBytes?: number;
  /** For tests: the file formats that this release reads. */
  readonly formats?: Formats;
}

export interface FileStoreStats {
  readonly rows: number;
  /** Tables of tenants in memory, also those without rows. */
  readonly partitions: number;
  /** Tenants whose tables calls have used. */
  readonly tenants: number;
  /** Size of the rows as JSON. */
  readonly liveBytes: number;
  /** Memory allocated for rows, dead versions included. */
  readonly slabBytes: number;
  /** Journal that the next start would replay. */
  readonly journalBytes: number;
  readonly lastSequence: number;
  readonly isCheckpointRunning: boolean;
  /** Why the last write failed, or why all writes fail because files were deleted or replaced; undefined when the store accepts writes. */
  readonly unavailableReason: string | undefined;
}

export interface FileStore<S extends Tables> extends Store<S> {
  /**
   * Writes a checkpoint and removes the journal before it. Joins one that is already being written; while a snapshot is saved or restored, it
   * only waits for that.
   */
  checkpoint(): Promise<void>;
  /**
   * Compares the directory and its files with what was opened. Resolves with a sentence when one was deleted or replaced: from then on all
   * writes are rejected, nothing more is written to the directory, and `close` rejects.
   */
  verifyFiles(): Promise<string | undefined>;
  /** Resolves when all indexes are built. Queries are exact before that as well, only slower. */
  whenIndexed(): Promise<void>;
  getStats(): FileStoreStats;
  /**
   * Writes all durable data to one file while transactions continue. The file appears complete or not at all. `about` is stored with it.
   */
  saveSnapshot(path: string, about: SnapshotHeader['about']): Promise<SnapshotHeader>;
  /**
   * Replaces all data with a snapshot, or with nothing when `path` is undefined. The snapshot is unpacked and checked while transactions
   * continue; then `quiesce` is awaited, and writes wait for the exchange. After a crash the directory holds either the old data or the
   * new. Throws `SnapshotUnusable`, with the data unchanged.
   */
  restoreSnapshot(path: string | undefined, quiesce: () => Promise<void>): Promise<void>;
}
