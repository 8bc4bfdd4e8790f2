// Imported, they would get a facade first, for which a command waits some milliseconds.
const { enableCompileCache } = process.getBuiltinModule('node:module');
const { homedir, userInfo } = process.getBuiltinModule('node:os');
const { isAbsolute, join } = process.getBuiltinModule('node:path');

/**
 * Keeps compiled code for the next start: in the user's own cache directory, because Node's default is a shared temporary one, where
 * others could plant code.
 */
export function keepCompiledCode() {
  const set = process.env['XDG_CACHE_HOME'];
  // A variable that is empty or relative counts as unset, so that nothing is kept in, or run from, whatever directory this one is.
  const cache = set && isAbsolute(set) ? set : join(homedir() || userInfo().homedir, '.cache');
  enableCompileCache(join(cache, 'stockroom', 'compile'));
}
