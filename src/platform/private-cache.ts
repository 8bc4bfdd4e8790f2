/** Whether code in a cache directory can be trusted. `bin/compile-cache.js` does the same for the command line, which starts without a build. */
import { statSync } from 'node:fs';
import { dirname } from 'node:path';

const ACCESSIBLE_TO_OTHERS = 0o077;
const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;

/** Whether no other user has access to `directory`, `stockroom/compile` of the user's cache directory, or can replace it. */
export function isPrivateCache(directory: string): boolean {
  const user = process.getuid?.();
  if (user === undefined) return true;
  const cache = statSync(directory);
  if (cache.uid !== user || (cache.mode & ACCESSIBLE_TO_OTHERS) !== 0) return false;
  const parent = statSync(dirname(directory));
  if (parent.uid !== user || (parent.mode & WRITABLE_BY_OTHERS) !== 0) return false;
  // In a sticky directory such as /tmp, other users can create entries, but not replace those of this user.
  const base = statSync(dirname(dirname(directory)));
  return (base.uid === user || base.uid === 0) && ((base.mode & WRITABLE_BY_OTHERS) === 0 || (base.mode & STICKY) !== 0);
}
