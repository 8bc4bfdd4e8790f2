/** Keeps two processes from writing the same output file at the same time. */
import { closeSync, constants, openSync, rmSync, statSync } from 'node:fs';
import { type FileLock, acquireFileLock } from '../../../platform/file-lock.ts';

/** While another process removes its lock file, a new one has to be created. */
const MAX_ATTEMPTS = 5;
const { O_CREAT, O_RDWR } = constants;
// Windows does not have it.
const O_NOFOLLOW = (constants as Partial<typeof constants>).O_NOFOLLOW ?? 0;

/**
 * Returns undefined while another process writes the file. Where files cannot be locked, no lock is held: the writer compares the file with
 * the one that it opened before it reports success. To release the lock removes its file, too.
 */
export function lockOutput(path: string): FileLock | undefined {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    let lock: FileLock | undefined;
    try {
      // SQLite would create it with the permissions of the umask, and follow a link.
      closeSync(openSync(path, O_CREAT | O_RDWR | O_NOFOLLOW, 0o600));
      const before = statSync(path, { bigint: true });
      lock = acquireFileLock(path, { timeoutMs: 0 });
      if (lock === undefined) return undefined;
      const after = statSync(path, { bigint: true, throwIfNoEntry: false });
      if (before.dev === after?.dev && before.ino === after.ino) return createOutputLock(path, lock);
    } catch {
      lock?.release();
      return { release: () => undefined };
    }
    // The previous holder has removed the file that was locked.
    lock.release();
  }
  return undefined;
}

function createOutputLock(path: string, lock: FileLock): FileLock {
  return {
    release() {
      // While it is held, so that a file of another process is never removed.
      rmSync(path, { force: true });
      lock.release();
    },
  };
}
