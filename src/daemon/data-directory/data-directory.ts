/** Creates and locks a data directory that only its owner can open. Imports nothing heavy: of several starts at once, only one continues. */
import { statSync } from 'node:fs';
import { createPrivateDirectory } from '../../platform/create-directory.ts';
import { DaemonError, explainDiskError } from '../errors.ts';
import { findForeignFile } from './foreign-files.ts';
import { type DataDirectoryLock, lockDataDirectory } from './lock.ts';
import { readStateFile, removeStateFile } from './state-file.ts';

/** The permissions of everyone but the owner. */
const OTHERS = 0o077;

/** Makes every file that this process creates from now on accessible to its owner only. */
export function setPrivateUmask(): void {
  process.umask(0o077);
}

/**
 * Creates the data directory if it does not exist; returns whether it did. One that exists is never changed: it must be empty or have data
 * of stockroom, so that a mistyped path takes nothing over, and belong to its owner alone.
 */
export function prepareDataDirectory(dataDir: string): boolean {
  try {
    if (createPrivateDirectory(dataDir)) return true;
    const foreign = findForeignFile(dataDir);
    if (foreign !== undefined)
      throw new DaemonError('DATA_DIRECTORY', `${dataDir} is not a data directory: it contains ${foreign}`, {
        hint: 'Use an empty directory or one that does not exist, such as a folder in it',
      });
    assertPrivate(dataDir);
    return false;
  } catch (cause) {
    throw explainDiskError(dataDir, cause);
  }
}

function assertPrivate(dataDir: string): void {
  // Windows has no such modes.
  if (process.platform === 'win32') return;
  const mode = statSync(dataDir).mode & 0o7777;
  if ((mode & OTHERS) === 0) return;
  throw new DaemonError(
    'DATA_DIRECTORY',
    `Cannot use the data directory ${dataDir}: other users have access to it (mode ${mode.toString(8).padStart(4, '0')})`,
    { hint: `Restrict it to its owner with \`chmod 700\`, or use a directory that does not exist` },
  );
}

/**
 * Locks the data directory for this process. Undefined while another process holds the lock; only its holder writes the state file.
 * `isNew`: the command that started this process has created the directory.
 */
export function claimDataDirectory(dataDir: string, { isNew = false } = {}): DataDirectoryLock | undefined {
  setPrivateUmask();
  const isCreated = prepareDataDirectory(dataDir);
  const lock = lockDataDirectory(dataDir);
  if (!lock) return undefined;
  // A daemon that stops removes it.
  const killed = readStateFile(dataDir);
  removeStateFile(dataDir);
  return { ...lock, killed, isNewDirectory: isNew || isCreated };
}
