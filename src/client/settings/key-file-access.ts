/** Whether other users can read a file with API keys. */
import { statSync } from 'node:fs';

const READABLE_BY_OTHERS = 0o044;

/**
 * False for what the user cannot change: files of others, such as mounted secrets, and pipes. On Windows, files have access control lists
 * instead of owners and modes.
 */
export function isReadableByOthers(path: string): boolean {
  const file = statSync(path, { throwIfNoEntry: false });
  return file?.isFile() === true && file.uid === process.getuid?.() && (file.mode & READABLE_BY_OTHERS) !== 0;
}
