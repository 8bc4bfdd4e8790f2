/**
 * Marks a data directory into which all data of another store is being copied, until the copy is complete: daemons do not start on part
 * of the data.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DaemonError } from '../errors.ts';
import { replaceJsonFile } from './replace-file.ts';

interface Mark {
  /** Identifies the data that is being copied. */
  readonly source: string;
}

const getPath = (dataDir: string): string => join(dataDir, 'unfinished-copy.json');

/** Identifies the data that is being copied; undefined without a mark. */
export function readUnfinishedCopy(dataDir: string): string | undefined {
  const path = getPath(dataDir);
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Mark).source : undefined;
}

export function markUnfinishedCopy(dataDir: string, source: string): void {
  replaceJsonFile(getPath(dataDir), { source } satisfies Mark);
}

export function removeUnfinishedCopyMark(dataDir: string): void {
  rmSync(getPath(dataDir));
}

export function assertCopyIsComplete(dataDir: string): void {
  if (existsSync(getPath(dataDir)))
    throw new DaemonError('DATA_DIRECTORY', `The copy into ${dataDir} is not complete`, {
      hint: 'Run the same `stockroom migrate` again, or delete the directory',
    });
}
