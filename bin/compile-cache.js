import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * Keeps compiled code for the next start: in the user's own cache directory, because Node's default is a shared temporary one, where
 * others could plant code.
 */
export function keepCompiledCode() {
  enableCompileCache(join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'stockroom', 'compile'));
}
