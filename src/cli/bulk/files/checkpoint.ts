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

export function openCheckpoint(path: string) {
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
    /** Saves immediately. */
    saveNow,
    /** Saves if some time has passed since the last save. */
    save(state: () => ImportState): void {
      if (problem === null && performance.now() - savedAt >= SAVE_INTERVAL_MS) saveNow(state());
    },
    remove(): void {
      try {
        rmSync(path, { force: true });
      } catch {
        // The file of another user is kept.
      }
    },
    /** Why it could not be saved; null if it could. */
    get problem() {
      return problem;
    },
  };
}

/** Reads the state of an import; undefined if there is none. If it is `needed`, an unreadable file throws a usage error; otherwise it is ignored. */
export function readCheckpoint(path: string, needed: boolean): ImportState | undefined {
  const isState = ({ job, rows, digest }: Partial<ImportState>): boolean =>
    typeof job === 'string' && typeof rows === 'number' && typeof digest === 'string';
  try {
    return readSavedState<ImportState>(path, isState, {
      unreadable: 'Remove it, or import again without --resume',
      damaged: 'remove it and import again without --resume: rows that were sent within a day are not sent twice',
    });
  } catch (error) {
    if (needed) throw error;
    return undefined;
  }
}

/** Reads what an earlier run has saved; undefined if there is no such file. Throws a usage error if it cannot be read, or is something else. */
export function readSavedState<T>(
  path: string,
  isState: (value: Partial<T>) => boolean,
  hints: { readonly unreadable: string; readonly damaged: string },
): T | undefined {
  let text: string;
  try {
    // It names a file to write to.
    text = readOwnFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw usageError(`Cannot read ${path}: ${explainReadError(error)}`, hints.unreadable);
  }
  try {
    const value = JSON.parse(text) as Partial<T> | null;
    if (value && isState(value)) return value as T;
  } catch {
    // Reported below.
  }
  throw usageError(`${path} is damaged`, hints.damaged);
}
