// Prepares a fresh clone: installs packages and builds, each only if needed.
// Plain JavaScript without dependencies, because it runs before the installation, on any Node from version 20.
//   node bin/setup.js             install all packages and build if missing or outdated
//   node bin/setup.js --install   install all packages only
//   node bin/setup.js --build     install what a build needs, and always build
//   node bin/setup.js [OPTION] SCRIPT [ARG…]   then run a script with the pinned Node
// npm scripts pass their script this way instead of `&& node SCRIPT`: the shell may have cached the path of an older Node.
import { spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isBuildCurrent, root } from './inputs.js';
import { install, isInstalled } from './install.js';
import { restoreManifest } from './manifest.js';
import { findNode, runAsThisProcess } from './pinned-node.js';

/**
 * Installs and builds. Resolves with the Node to run, or null if it failed; errors are printed.
 *
 * @param {{ packages: import('./install.js').PackageSet, build: 'never' | 'if stale' | 'always' }} options
 */
export async function setUp({ packages, build }) {
  restoreManifest();
  const failure = isInstalled(packages) && findNode() !== null ? null : await install(packages);
  const node = findNode();
  if (failure !== null || node === null) {
    printMessage(failure ?? 'there is no Node package for this system. Install Node 24 and try again');
    return null;
  }
  if (build === 'never' || (build === 'if stale' && isBuildCurrent())) return node;
  if (spawnSync(node, [join(root, 'bin', 'build', 'main.ts')], { cwd: root, stdio: 'inherit' }).status === 0) return node;
  printMessage('the build failed; see the errors above');
  return null;
}

/** @param {string} text */
function printMessage(text) {
  process.stderr.write(`stockroom setup: ${text}\n`);
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const args = process.argv.slice(2);
  const option = args[0]?.startsWith('--') === true ? args.shift() : undefined;
  const node = await setUp({
    packages: option === '--build' ? 'start' : 'all',
    build: option === '--install' ? 'never' : option === '--build' ? 'always' : 'if stale',
  });
  if (node === null) process.exitCode = 1;
  else if (args.length > 0) runAsThisProcess(node, args);
}
