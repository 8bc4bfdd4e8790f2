/** Creates and locks a data directory that only its owner can open. Imports nothing heavy: of several starts at once, only one continues. */
import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { DaemonError } from '../errors.ts';
import { type DataDirectoryLock, lockDataDirectory } from './lock.ts';
import { removeStateFile } from './state-file.ts';

export const PRIVATE_DIRECTORY_MODE = 0o700;

/** Makes every file that this process creates from now on accessible to its owner only. */
export function setPrivateUmask(): void {
  process.umask(0o077);
}

/** Creates the data directory if it does not exist, and removes the permissions of other users. */
export function prepareDataDirectory(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: PRIVATE_DIRECTORY_MODE });
    if ((statSync(dataDir).mode & 0o777) !== PRIVATE_DIRECTORY_MODE) chmodSync(dataDir, PRIVATE_DIRECTORY_MODE);
  } catch (cause) {
    throw new DaemonError('DATA_DIRECTORY', `Cannot use the data directory ${dataDir}: ${explainUnusable(cause)}`, {
      hint: 'Choose another with --data-dir or STOCKROOM_DATA_DIR',
      cause,
    });
  }
}

/** Locks the data directory for this process. Undefined while another process holds the lock; only its holder writes the state file. */
export function claimDataDirectory(dataDir: string): DataDirectoryLock | undefined {
  setPrivateUmask();
  prepareDataDirectory(dataDir);
  const lock = lockDataDirectory(dataDir);
  if (lock) removeStateFile(dataDir);
  return lock;
}

const UNUSABLE_REASONS: Readonly<Record<string, string>> = {
  EEXIST: 'it is a file',
  ENOTDIR: 'part of the path is a file',
  EACCES: 'permission denied',
  EPERM: 'it belongs to another user',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
};

const explainUnusable = (cause: unknown): string =>
  UNUSABLE_REASONS[(cause as NodeJS.ErrnoException).code ?? ''] ?? (cause as Error).message;
