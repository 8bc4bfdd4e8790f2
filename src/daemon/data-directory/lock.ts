/** The lock of a data directory: one daemon at a time. A daemon holds it from its start until its process ends. */
import type { DaemonState } from '../../platform/daemon-state.ts';
import { statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { getLockFile } from '../../platform/local-paths.ts';
import { type FileLock, acquireFileLock, isCannotOpenError, isNotLockFileError } from '../../platform/file-lock.ts';
import type { FileIdentity } from '../../store/file/index.ts';
import { DaemonError } from '../errors.ts';

/** Longer than `isDataDirectoryLocked` holds the lock, so that a status check never makes a start fail. */
const ACQUIRE_TIMEOUT_MS = 250;
const MAX_PROBES = 5;

export interface DataDirectoryLock extends FileLock {
  /** The locked file. A process that replaces it can take the lock a second time. */
  readonly file: FileIdentity;
  /** The daemon that has left its state file, because it was killed. */
  readonly killed?: DaemonState | undefined;
  /** Whether this start has created the directory, so that it is removed if the start fails. */
  readonly isNewDirectory?: boolean;
}

/** Acquires the lock of a data directory; undefined while another process holds it. */
export function lockDataDirectory(dataDir: string): DataDirectoryLock | undefined {
  const path = getLockFile(dataDir);
  try {
    const lock = acquireFileLock(path, { timeoutMs: ACQUIRE_TIMEOUT_MS });
    if (lock === undefined) return undefined;
    const { dev, ino } = statSync(path, { bigint: true });
    return { release: () => lock.release(), file: { path, device: dev, inode: ino } };
  } catch (error) {
    throw createLockError(path, error);
  }
}

/** Whether the path of the lock still names the locked file. If not, the data directory may belong to another daemon. */
export function isLockFileInPlace({ file: { path, device, inode } }: DataDirectoryLock): boolean {
  const named = statSync(path, { bigint: true, throwIfNoEntry: false });
  return named?.dev === device && named.ino === inode;
}

/** Whether a daemon uses the data directory: starting, running or stopping. */
export function isDataDirectoryLocked(dataDir: string): boolean {
  const path = getLockFile(dataDir);
  // Never created here: a new file would break the removal of an ephemeral directory.
  const existingFile = pathToFileURL(path);
  existingFile.searchParams.set('mode', 'rw');
  for (let probe = 1; ; probe += 1) {
    try {
      const lock = acquireFileLock(existingFile, { timeoutMs: 0 });
      lock?.release();
      return lock === undefined;
    } catch (error) {
      if (!isCannotOpenError(error)) throw createLockError(path, error);
      if (isMissing(path)) return false;
      // It may have been created between the two checks. If it still cannot be opened, this user has no access to it.
      if (probe === MAX_PROBES) throw createLockError(path, error);
    }
  }
}

/** False also if another user's directory hides whether the file exists. */
function isMissing(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'EACCES';
  }
}

function createLockError(path: string, cause: unknown): DaemonError {
  if (isNotLockFileError(cause))
    return new DaemonError('DATA_DIRECTORY', `${path} is not a lock file: another program has overwritten it`, {
      hint: 'If no daemon uses this directory, delete the file and try again',
      cause,
    });
  return new DaemonError('DATA_DIRECTORY', `Cannot lock ${path}: ${(cause as Error).message}`, {
    hint: 'The data directory must be writable and its file system must support file locks',
    cause,
  });
}
