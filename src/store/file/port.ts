/** What the file store promises beyond the Store port, and what it can be told. */
import type { Store, TableSpec } from '../../domain/ports.ts';
import type { OnStep } from './disk.ts';
import type { Notice } from './errors.ts';
import type { Formats } from './manifest.ts';
import type { SnapshotHead } from './snapshot.ts';

export type Tables = Readonly<Record<string, TableSpec>>;

export interface FileStoreOptions<S extends Tables> {
  /** Made if it is not there. The caller sees to it that no other process uses it. */
  readonly directory: string;
  readonly tables: S;
  readonly onNotice?: (notice: Notice) => void;
  /** A checkpoint is due when the journal is longer than this and than all rows. Default 256 MiB. */
  readonly checkpointBytes?: number;
  /** Parsed records kept for the next reader. Default 20,000. */
  readonly cachedRecords?: number;
  /** Bytes of view results kept, roughly. Default 128 MiB. */
  readonly viewCacheBytes?: number;
  /** For tests: called before each step on disk. */
  readonly onStep?: OnStep;
  /** For tests: a segment of the journal that is as long gets no more. Default 512 MiB. */
  readonly segmentBytes?: number;
  /** For tests: what this release reads. */
  readonly formats?: Formats;
}

export interface FileStoreStats {
  readonly rows: number;
  /** Bytes of the rows as JSON. */
  readonly liveBytes: number;
  /** Memory they take, dead rows included. */
  readonly slabBytes: number;
  /** What the next start would have to replay. */
  readonly journalBytes: number;
  readonly sequence: number;
  readonly lastCheckpoint: string | undefined;
  readonly checkpointRunning: boolean;
  /** Why the last write failed; undefined when it went well. */
  readonly unavailable: string | undefined;
}

export interface FileStore<S extends Tables> extends Store<S> {
  /** Writes the state in its quickest-to-open form and drops the journal before it. */
  checkpoint(): Promise<void>;
  /** Resolves when the search indexes are complete. Nobody has to wait: without them a search just takes longer. */
  indexed(): Promise<void>;
  stats(): FileStoreStats;
  /** Writes everything that is durable now into one file, beside running transactions: whole, or not there. */
  save(path: string, about: SnapshotHead['about']): Promise<SnapshotHead>;
  /**
   * Lets the contents of a snapshot, or nothing at all, take the place of everything. The snapshot is unpacked and checked beside
   * running transactions; `quiet` is awaited before the exchange, which writes wait for. A crash leaves the one or the other.
   */
  restore(path: string | undefined, quiet: () => Promise<void>): Promise<void>;
}
