/** How far an import is, in `FILE.checkpoint`, replaced whole as rows are settled: `--resume` goes on behind the last one. */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { whyUnreadable, whyUnwritable } from '../../client/reasons.ts';
import { usage } from '../failure.ts';

const EVERY_MS = 250;

export interface Counts {
  created: number;
  updated: number;
  /** The service had carried them out before, under the same key. */
  repeated: number;
  refused: number;
}

export interface ImportState {
  /** What is imported into what and how, in one text: a checkpoint of another import does not fit. */
  readonly question: string;
  /** Begins every idempotency key. */
  readonly job: string;
  /** Bytes and SHA-256 of the file when it was checked. */
  readonly size: number;
  readonly digest: string;
  /** Rows from the start that need not be sent again. */
  readonly rows: number;
  readonly counts: Counts;
  /** The file of refused rows, and its length up to here. */
  readonly errors: string;
  readonly errorsBytes: number;
  readonly at: string;
}

export interface Checkpoint {
  /** Saves now and then. */
  save(state: () => ImportState): void;
  /** Saves now. */
  saveNow(state: ImportState): void;
  remove(): void;
  /** Why it cannot be kept; null: it can. */
  readonly problem: string | null;
}

export function openCheckpoint(path: string): Checkpoint {
  let savedAt = 0;
  let problem: string | null = null;
  const saveNow = (state: ImportState): void => {
    savedAt = performance.now();
    const draft = `${path}.${String(process.pid)}`;
    try {
      writeFileSync(draft, JSON.stringify(state), { mode: 0o600 });
      renameSync(draft, path);
    } catch (error) {
      rmSync(draft, { force: true });
      problem = `${path} cannot be written: ${whyUnwritable(error)}`;
    }
  };
  return {
    saveNow,
    save(state) {
      if (problem === null && performance.now() - savedAt >= EVERY_MS) saveNow(state());
    },
    remove() {
      try {
        rmSync(path, { force: true });
      } catch {
        // What is not ours stays.
      }
    },
    get problem() {
      return problem;
    },
  };
}

/** The saved state, or undefined when there is none; also when it cannot be read and is not `needed`. */
export async function readCheckpoint(path: string, needed: boolean): Promise<ImportState | undefined> {
  let text: string;
  try {
    text = await process.getBuiltinModule('node:fs/promises').readFile(path, 'utf8');
  } catch (error) {
    if (!needed || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw usage(`${path} cannot be read: ${whyUnreadable(error)}`, 'remove it, or import again without --resume');
  }
  try {
    const value = JSON.parse(text) as Partial<ImportState> | null;
    if (typeof value?.job === 'string' && typeof value.rows === 'number' && typeof value.digest === 'string') return value as ImportState;
  } catch {
    // Said below.
  }
  if (!needed) return undefined;
  throw usage(`${path} is damaged`, 'remove it and import again without --resume: rows that were sent within a day are not sent twice');
}
