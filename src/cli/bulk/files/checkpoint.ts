/** The progress of an import in `FILE.checkpoint`: `--resume` continues after the last row that was completed. */
import { rmSync } from 'node:fs';
import { explainReadError, explainWriteError } from '../../../client/settings/file-errors.ts';
import { readOwnFile, replaceFile } from '../../../platform/own-files.ts';
import { usageError } from '../../errors/failure.ts';

const SAVE_INTERVAL_MS = 250;

export interface Counts {
  created: number;
  updated: number;
  /** Rows that are equal to their record, so that nothing was sent. */
  unchanged: number;
  /** Rows that the service had executed before with the same idempotency key. */
  repeated: number;
  refused: number;
}

export const NO_COUNTS: Counts = { created: 0, updated: 0, unchanged: 0, repeated: 0, refused: 0 };

export interface ImportState {
  /** The fingerprint of the import; a checkpoint with another one belongs to another import. */
  readonly question: string;
  /** Prefix of every idempotency key. */
  readonly job: string;
  /** Size in bytes and SHA-256 of the file when it was checked. */
  readonly size: number;
  readonly digest: string;
  /** Number of completed rows from the start. */
  readonly rows: number;
  readonly counts: Counts;
  /** Path and size of the file of rejected rows. */
  readonly errors: string;
  readonly errorsBytes: number;
  readonly at: string;
}

export interface Checkpoint {
  /** Saves if some time has passed since the last save. */
  save(state: () => ImportState): void;
  /** Saves immediately. */
  saveNow(state: ImportState): void;
  remove(): void;
  /** Why it could not be saved; null if it could. */
  readonly problem: string | null;
}

export function openCheckpoint(path: string): Checkpoint {
  let savedAt = 0;
  let problem: string | null = null;
  const saveNow = (state: ImportState): void => {
    savedAt = performance.now();
    try {
      replaceFile(path, JSON.stringify(state));
    } catch (error) {
      problem = `cannot write ${path}: ${explainWriteError(error)}`;
    }
  };
  return {
    saveNow,
    save(state) {
      if (problem === null && performance.now() - savedAt >= SAVE_INTERVAL_MS) saveNow(state());
    },
    remove() {
      try {
        rmSync(path, { force: true });
      } catch {
        // The file of another user is kept.
      }
    },
    get problem() {
      return problem;
    },
  };
}

/** Reads the saved state; undefined if there is none. If it is `required`, an unreadable file throws a usage error; otherwise it is ignored. */
export function readCheckpoint(path: string, needed: boolean): ImportState | undefined {
  let text: string;
  try {
    // It names a file to write to.
    text = readOwnFile(path);
  } catch (error) {
    if (!needed || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw usageError(`Cannot read ${path}: ${explainReadError(error)}`, 'Remove it, or import again without --resume');
  }
  try {
    const value = JSON.parse(text) as Partial<ImportState> | null;
    if (typeof value?.job === 'string' && typeof value.rows === 'number' && typeof value.digest === 'string') return value as ImportState;
  } catch {
    // Reported below.
  }
  if (!needed) return undefined;
  throw usageError(
    `${path} is damaged`,
    'remove it and import again without --resume: rows that were sent within a day are not sent twice',
  );
}
