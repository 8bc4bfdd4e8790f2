// `npm start`: sets up the checkout if needed and runs the daemon with the demo data.
import { join } from 'node:path';
import { daemonEnvironment, daemonNodeFlags } from '../src/daemon/control/process-settings.js';
import { root } from './inputs.js';
import { runAsThisProcess } from './pinned-node.js';
import { setUp } from './setup.js';

const node = await setUp({ packages: 'start', build: 'if stale' });
if (node === null) {
  process.exitCode = 1;
} else {
  const run = [...daemonNodeFlags, join(root, 'bin', 'run.js'), 'daemon', 'start', '--foreground', '--demo', ...process.argv.slice(2)];
  // Ctrl-C is the normal way to stop it: npm must not report that as a failed script.
  runAsThisProcess(node, run, {
    env: { ...daemonEnvironment, ...process.env },
    interruptIsSuccess: true,
  });
}
