// Answers the Tab key. Like launch.js, without oclif; when nothing is built yet, there is nothing to suggest.
import { keepCompiledCode } from './compile-cache.js';

keepCompiledCode();

const complete = new URL('../dist/complete.js', import.meta.url);
if (process.getBuiltinModule('node:fs').existsSync(complete)) await import(complete.href);
