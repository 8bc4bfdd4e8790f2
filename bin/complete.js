// Shell completion. Like launch.js, but without oclif; suggests nothing if there is no build yet.
import { enableCache } from './compile-cache.js';

enableCache();

const complete = new URL('../dist/complete.js', import.meta.url);
if (process.getBuiltinModule('node:fs').existsSync(complete)) await import(complete.href);
