/** Errors and notices of the file store. Their messages explain what the owner of the data directory can do. */
import { basename } from 'node:path';

/** The files are inconsistent: data that was once durable cannot be read. The store neither skips nor resets anything. */
export class StoreDamaged extends Error {
  override readonly name = 'StoreDamaged';
  readonly file: string;
  readonly offset: number;
  /** `isLastSegment`: the file is the end of the journal, so the store opens again once the file is cut before the damage. */
  constructor(
    file: string,
    offset: number,
    problem: string,
    { isLastSegment = false, ...options }: ErrorOptions & { isLastSegment?: boolean } = {},
  ) {
    const truncation = `, or discard everything from that byte on: copy the directory and, in the copy, run: truncate -s ${offset} ${basename(file)}`;
    super(
      `${file} is damaged at byte ${offset}: ${problem}. No file was changed. Restore the data directory from a snapshot${isLastSegment ? truncation : '.'}`,
      options,
    );
    this.file = file;
    this.offset = offset;
  }
}

/** The data directory was written by a newer release. */
export class StoreTooNew extends Error {
  override readonly name = 'StoreTooNew';
  constructor(file: string, format: number, known: number) {
    super(
      `${file} has format ${format}; this release reads formats up to ${known}. Upgrade stockroom, or restore a snapshot created by this release.`,
    );
  }
}

/** A snapshot that cannot be restored. The data is unchanged. */
export class SnapshotUnusable extends Error {
  override readonly name = 'SnapshotUnusable';
  readonly file: string;
  /** A clause to put after the name of the snapshot and a colon. */
  readonly problem: string;
  constructor(file: string, problem: string, options?: ErrorOptions) {
    super(`${file} cannot be loaded: ${problem}`, options);
    this.file = file;
    this.problem = problem;
  }
}

/** The data directory, or a file in it, was deleted or replaced while it was in use. The store stays open for reads. */
export class DirectoryLost extends Error {
  override readonly name = 'DirectoryLost';
  constructor(directory: string, path: string, problem: 'deleted' | 'replaced') {
    super(`${path} was ${problem} while in use. Changes are rejected and nothing more is written to ${directory}. Restart the daemon.`);
  }
}

/** Something the operator should know. The store keeps running. */
export interface Notice {
  readonly kind:
    | 'torn-tail'
    | 'upgraded'
    | 'unavailable'
    | 'recovered'
    | 'directory-lost'
    | 'checkpoint-failed'
    | 'listener-failed'
    | 'close-incomplete';
  readonly message: string;
  readonly file?: string;
  readonly bytes?: number;
  readonly cause?: unknown;
}
