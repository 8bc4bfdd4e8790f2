// Starts the built command line. oclif's own `execute()` is not used: it waits ten seconds for stdout to drain,
// then exits 2 and loses what a slow reader (`| less`) has not taken yet.
import { keepCompiledCode } from './compile-cache.js';

keepCompiledCode();

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error) => {
    // The reader has seen enough (`| head -1`): that is success, and there is nobody left to tell.
    if ('code' in error && error.code === 'EPIPE') process.exit(0);
    if ('code' in error && (error.code === 'ENOSPC' || error.code === 'EFBIG' || error.code === 'EDQUOT')) {
      process.stderr.write('Error: the output cannot be written: there is no room left on the disk\n');
      process.exit(1);
    }
    throw error;
  });
}

const cli = new URL('../dist/cli.js', import.meta.url);

if (process.getBuiltinModule('node:fs').existsSync(cli)) {
  const { handle, run, settings } = await import(cli.href);
  // Otherwise NODE_ENV=test or development sends oclif looking for TypeScript sources.
  settings.enableAutoTranspile = false;
  try {
    await run(process.argv.slice(2), import.meta.url);
  } catch (error) {
    await handle(error);
  }
} else {
  process.stderr.write('stockroom is not built yet: run `npm run build` (or `npm start`) in its folder first.\n');
  process.exitCode = 1;
}
