import { rmSync } from 'node:fs';
import type { Env } from '../../platform/local-paths.ts';
import { isDataDirectoryLocked, lockDataDirectory } from './lock.ts';
import { listDataDirectories, unregisterDataDirectory } from './registry.ts';
import { readStateFile } from './state-file.ts';

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
