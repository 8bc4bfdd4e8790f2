// Not imported: for an import, Node creates a facade, which takes some milliseconds.
const { enableCompileCache } = process.getBuiltinModule('node:module');
const { homedir, userInfo } = process.getBuiltinModule('node:os');
const { isAbsolute, join } = process.getBuiltinModule('node:path');

/**
 * Enables Node's compile cache in the user's cache directory. Node's default is a shared temporary directory, where other users could
 * plant code.
 */
export function enableCache() {
  const set = process.env['XDG_CACHE_HOME'];
  // An empty or relative variable counts as unset, so that no code is stored in or loaded from the current directory.
  const cache = set && isAbsolute(set) ? set : join(homedir() || userInfo().homedir, '.cache');
  enableCompileCache(join(cache, 'stockroom', 'compile'));
}
