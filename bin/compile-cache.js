// Imported, they would get a facade first, for which a command waits some milliseconds.
const { enableCompileCache } = process.getBuiltinModule('node:module');
const { homedir } = process.getBuiltinModule('node:os');
const { join } = process.getBuiltinModule('node:path');

/**
 * Keeps compiled code for the next start: in the user's own cache directory, because Node's default is a shared temporary one, where
 * others could plant code.
 */
export function keepCompiledCode() {
  enableCompileCache(join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'stockroom', 'compile'));
}
