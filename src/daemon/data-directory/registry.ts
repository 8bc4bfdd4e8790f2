/** The registry of data directories that have had a daemon: one file for each, read by `daemon list`. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Env, getDaemonRegistryDirectory, hashPath } from '../../platform/local-paths.ts';
import { createPrivateDirectory } from '../../platform/create-directory.ts';
import { readDataDirectoryRegistry } from '../../platform/data-directory-registry.ts';
import { DaemonError } from '../errors.ts';
import { replaceJsonFile } from './replace-file.ts';

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

const getRegistryFile = (env: Env, dataDir: string): string => join(getDaemonRegistryDirectory(env), `${hashPath(dataDir)}.json`);

const UNREADABLE_REASONS: Readonly<Record<string, string>> = { ENOTDIR: 'it is a file', EACCES: 'permission denied' };
