/** Locks a data directory for this process. Imports nothing heavy, because of several processes that try only one continues. */
import type { FileLock } from '../../platform/file-lock.ts';
import { prepareDataDirectory, setPrivateUmask } from './data-directory.ts';
import { lockDataDirectory } from './lock.ts';
import { removeStateFile } from './state-file.ts';

/** Returns the lock, or undefined while another process holds it. After that, only the holder of the lock writes the state file. */
export function claimDataDirectory(dataDir: string): FileLock | undefined {
  setPrivateUmask();
  prepareDataDirectory(dataDir);
  const lock = lockDataDirectory(dataDir);
  if (lock) removeStateFile(dataDir);
  return lock;
}
