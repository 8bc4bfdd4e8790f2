/** Locks a data directory for this process. Imports nothing heavy, because of several processes that try only one continues. */
import { prepareDataDirectory, setPrivateUmask } from './data-directory.ts';
import { type DataDirectoryLock, lockDataDirectory } from './lock.ts';
import { removeStateFile } from './state-file.ts';

/** Returns the lock, or undefined while another process holds it. After that, only the holder of the lock writes the state file. */
export function claimDataDirectory(dataDir: string): DataDirectoryLock | undefined {
  setPrivateUmask();
  prepareDataDirectory(dataDir);
  const lock = lockDataDirectory(dataDir);
  if (lock) removeStateFile(dataDir);
  return lock;
}
