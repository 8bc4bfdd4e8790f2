import { closeSync, openSync } from 'node:fs';
import { type FileLock, acquireFileLock } from '../../platform/file-lock.ts';

/** Other processes hold the lock for a few milliseconds. */
const TIMEOUT_MS = 5_000;

const heldPaths = new Set<string>();

/**
 * Runs `work` while no other process holds the lock file at `path`, so that a file which is read, changed and written back loses no
 * change of another command. Can be nested. When the file cannot be locked, `work` runs all the same: a lost change is less likely
 * than a file system without locks.
 */
export function withFileLock<T>(path: string, work: () => T): T {
  if (heldPaths.has(path)) return work();
  const lock = tryLock(path);
  heldPaths.add(path);
  try {
    return work();
  } finally {
    heldPaths.delete(path);
    lock?.release();
  }
}

function tryLock(path: string): FileLock | undefined {
  try {
    // SQLite would create it with the permissions of the umask.
    closeSync(openSync(path, 'a', 0o600));
    return acquireFileLock(path, { timeoutMs: TIMEOUT_MS });
  } catch {
    // When the directory is missing or read-only, the write that follows reports it.
    return undefined;
  }
}
