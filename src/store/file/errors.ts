/** What can be wrong with a data directory, said so that its owner can act. */
import { basename } from 'node:path';

/** The files contradict themselves: data that was once durable cannot be read. Nothing is skipped or reset. */
export class StoreDamaged extends Error {
  override readonly name = 'StoreDamaged';
  readonly file: string;
  readonly offset: number;
  /** `open`: the file is the end of the journal, which opens again when it is cut before the damage. */
  constructor(file: string, offset: number, problem: string, { open = false, ...options }: ErrorOptions & { open?: boolean } = {}) {
    const cut = `; or, to give up everything from that byte on, copy the directory and, in the copy: truncate -s ${offset} ${basename(file)}`;
    super(
      `${file} is damaged at byte ${offset}: ${problem}. Nothing was changed. Restore the data directory from a snapshot${open ? cut : '.'}`,
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
      `${file} has format ${format}; this release reads formats up to ${known}. Upgrade stockroom, or restore a snapshot made by this release.`,
    );
  }
}

/** A snapshot that cannot take the place of the data; those stay as they are. */
export class SnapshotUnusable extends Error {
  override readonly name = 'SnapshotUnusable';
  readonly file: string;
  /** In words, to follow the name of the snapshot. */
  readonly problem: string;
  constructor(file: string, problem: string, options?: ErrorOptions) {
    super(`${file} cannot be loaded: ${problem}`, options);
    this.file = file;
    this.problem = problem;
  }
}

/** Something the operator should know; the store goes on. */
export interface Notice {
  readonly kind: 'torn-tail' | 'upgraded' | 'unavailable' | 'recovered' | 'checkpoint-failed' | 'listener-failed' | 'close-incomplete';
  readonly message: string;
  readonly file?: string;
  readonly bytes?: number;
  readonly cause?: unknown;
}
