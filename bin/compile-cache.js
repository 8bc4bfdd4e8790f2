// Not imported: for an import, Node creates a facade, which takes some milliseconds.
const { mkdirSync, statSync } = process.getBuiltinModule('node:fs');
const { enableCompileCache } = process.getBuiltinModule('node:module');
const { homedir, userInfo } = process.getBuiltinModule('node:os');
const { isAbsolute, join } = process.getBuiltinModule('node:path');

const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;

/**
 * Enables Node's compile cache in the user's cache directory. Node's default is a shared temporary directory, where other users could
 * plant code. Without a private directory no cache is used: Node checks neither owner nor mode, and creates its files with the umask.
 */
export function enableCache() {
  const set = process.env['XDG_CACHE_HOME'];
  // An empty or relative variable counts as unset, so that no code is stored in or loaded from the current directory.
  const base = set && isAbsolute(set) ? set : join(homedir() || userInfo().homedir, '.cache');
  const directory = join(base, 'stockroom', 'compile');
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    if (isPrivateCache(directory)) enableCompileCache(directory);
  } catch {
    // Without the cache the start is slower, nothing else.
  }
}

/**
 * Whether no other user has access to the directory or can replace it. `src/platform/private-cache.ts` does the same for the daemon; this
 * file has to work without a build.
 *
 * @param {string} directory
 */
function isPrivateCache(directory) {
  const user = process.getuid?.();
  if (user === undefined) return true;
  const [cache, parent, base] = [directory, join(directory, '..'), join(directory, '..', '..')].map((path) => statSync(path));
  if (!cache || !parent || !base) return false;
  if (cache.uid !== user || (cache.mode & 0o077) !== 0) return false;
  if (parent.uid !== user || (parent.mode & WRITABLE_BY_OTHERS) !== 0) return false;
  // In a sticky directory such as /tmp, other users can create entries, but not replace those of this user.
  return (base.uid === user || base.uid === 0) && ((base.mode & WRITABLE_BY_OTHERS) === 0 || (base.mode & STICKY) !== 0);
}
