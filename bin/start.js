// `npm start`: a running daemon with the demo data, from whatever state the checkout is in.
import { join } from 'node:path';
import { daemonFlags } from './daemon-flags.js';
import { root } from './inputs.js';
import { handOver, pinnedNode } from './pinned-node.js';
import { setUp } from './setup.js';

if (setUp()) {
  const run = [...daemonFlags, join(root, 'bin', 'run.js'), 'daemon', 'start', '--foreground', '--demo', ...process.argv.slice(2)];
  // Ctrl-C is how one stops it: npm should not report that as a failed script.
  handOver(pinnedNode() ?? process.execPath, run, { interruptIsSuccess: true });
} else {
  process.exitCode = 1;
}
