// Starts the built command line. Does not use oclif's `execute()`: it waits ten seconds for stdout to drain,
// then exits with 2 and loses output that a slow reader (`| less`) has not read yet.
import { enableCache } from './compile-cache.js';

enableCache();

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error) => {
    if ('code' in error && error.code === 'EPIPE') {
      // Without a reader of its messages (`2>&1 | head -1`), a command still does what it was asked to.
      if (stream === process.stderr) return;
      // The reader closed the pipe (`| head -1`): no error, but a command that has failed before is no success.
      process.exit();
    }
    if ('code' in error && (error.code === 'ENOSPC' || error.code === 'EFBIG' || error.code === 'EDQUOT')) {
      process.stderr.write('Error: Cannot write output: no space left on the disk\n');
      process.exit(1);
    }
    throw error;
  });
}

const cli = new URL('../dist/cli.js', import.meta.url);

if (process.getBuiltinModule('node:fs').existsSync(cli)) {
  const { handle, moveLeadingFlags, run, settings } = await import(cli.href);
  // Otherwise oclif looks for TypeScript sources if NODE_ENV is test or development.
  settings.enableAutoTranspile = false;
  // Without it, a command that waits for something that never comes would end without a word and with 0, as if it were done.
  const reportStop = () => {
    process.stderr.write('Error: The command ended before it was done\nHint:  This is a bug in stockroom\n');
    process.exitCode = 1;
  };
  process.once('beforeExit', reportStop);
  try {
    await run(moveLeadingFlags(process.argv.slice(2)), import.meta.url);
  } catch (error) {
    await handle(error);
  }
  process.off('beforeExit', reportStop);
} else {
  process.stderr.write('Error: stockroom is not built yet. Run `npm run build` or `npm start` in its directory.\n');
  process.exitCode = 1;
}
