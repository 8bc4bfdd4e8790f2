/** Makes a data directory this process's own. Loads nothing heavy: of ten processes that try, nine go no further. */
import { type Lock, takeLock } from './lock.ts';
import { keepPrivate, prepareDirectory, removeState } from './place.ts';

/** The lock, or undefined while another process has it. From then on a state file in the directory was written by the lock's holder. */
export function claim(dataDir: string): Lock | undefined {
  keepPrivate();
  prepareDirectory(dataDir);
  const lock = takeLock(dataDir);
  if (lock) removeState(dataDir);
  return lock;
}
