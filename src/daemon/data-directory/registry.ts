/** The registry of data directories that have had a daemon: one file for each, read by `daemon list`. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Env, getDaemonRegistryDirectory, hashPath } from '../../platform/local-paths.ts';
import { createPrivateDirectory } from '../../platform/create-directory.ts';
import { readDataDirectoryRegistry } from '../../platform/data-directory-registry.ts';
import { DaemonError } from '../errors.ts';
import { isDataDirectoryLocked, lockDataDirectory } from './lock.ts';
import { replaceJsonFile } from './replace-file.ts';
import { readStateFile } from './state-file.ts';

export function registerDataDirectory(env: Env, dataDir: string): void {
  createPrivateDirectory(getDaemonRegistryDirectory(env));
  replaceJsonFile(getRegistryFile(env, dataDir), { dataDir });
}

export function unregisterDataDirectory(env: Env, dataDir: string): void {
  rmSync(getRegistryFile(env, dataDir), { force: true });
}

/** Every registered data directory that still exists, sorted. */
export function listDataDirectories(env: Env): string[] {
  const directory = getDaemonRegistryDirectory(env);
  try {
    return readDataDirectoryRegistry(directory);
  } catch (cause) {
    const reason = UNREADABLE_REASONS[(cause as NodeJS.ErrnoException).code ?? ''] ?? (cause as Error).message;
    throw new DaemonError('DATA_DIRECTORY', `Cannot read the list of daemons in ${directory}: ${reason}`, {
      hint: 'Make it a directory that this user can read',
      cause,
    });
  }
}

/** Removes the data directories of ephemeral daemons that were killed before they could remove them. */
export function removeAbandonedDirectories(env: Env): void {
  for (const dataDir of listDataDirectories(env)) {
    // A daemon that stops removes its state file, and a running one holds the lock.
    if (readStateFile(dataDir)?.options.ephemeral !== true || isDataDirectoryLocked(dataDir)) continue;
    const lock = lockDataDirectory(dataDir);
    if (!lock) continue;
    lock.release();
    rmSync(dataDir, { recursive: true, force: true });
    unregisterDataDirectory(env, dataDir);
  }
}

const getRegistryFile = (env: Env, dataDir: string): string => join(getDaemonRegistryDirectory(env), `${hashPath(dataDir)}.json`);

const UNREADABLE_REASONS: Readonly<Record<string, string>> = { ENOTDIR: 'it is a file', EACCES: 'permission denied' };
