// Prepares a fresh clone: installs the dependencies and builds, each only if needed.
// Plain JavaScript without dependencies, because it runs before the installation, on any Node from version 20.
//   node bin/setup.js             install and build if missing or outdated
//   node bin/setup.js --install   install dependencies only
//   node bin/setup.js --build     always build
//   node bin/setup.js [OPTION] SCRIPT [ARG…]   then run a script with the pinned Node
// npm scripts pass their script this way instead of `&& node SCRIPT`: the shell may have cached the path of an older Node.
import { spawnSync } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isBuildCurrent, root } from './inputs.js';
import { findPinnedNode, runAsThisProcess } from './pinned-node.js';

/**
 * Installs and builds. Returns whether it succeeded; errors are printed.
 *
 * @param {{ build?: 'never' | 'if stale' | 'always' }} [options]
 */
export function setUp({ build = 'if stale' } = {}) {
  if (!isInstalled() && !install()) return false;
  if (build === 'never' || (build === 'if stale' && isBuildCurrent())) return true;
  return runBuild();
}

/** Whether the installed packages match package-lock.json. npm writes the hidden lock file last, so it describes a complete installation. */
function isInstalled() {
  const wanted = readLockedPackages('package-lock.json');
  const present = readLockedPackages('node_modules/.package-lock.json');
  if (wanted === null || present === null || findPinnedNode() === null) return false;
  return Object.entries(wanted).every(([path, { version, optional }]) => {
    if (path === '') return true;
    const installed = present[path];
    return installed === undefined ? optional === true : installed.version === version;
  });
}

/**
 * @param {string} file
 * @returns {Record<string, { version?: string, optional?: boolean }> | null}
 */
function readLockedPackages(file) {
  try {
    return JSON.parse(readFileSync(join(root, file), 'utf8')).packages;
  } catch {
    return null;
  }
}

function install() {
  printMessage('installing dependencies (takes about 30 seconds)');
  // Hides engine warnings: the Node that installs may be too old for some packages, but the pinned Node runs them.
  const windows = process.platform === 'win32';
  const npm = spawnSync('npm', ['ci', '--include=dev', '--loglevel=error', '--no-fund', '--no-audit'], {
    cwd: root,
    env: { ...process.env, PATH: getPathWithoutCheckout() },
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: windows,
  });
  if (npm.status === 0 && findPinnedNode() !== null) return true;
  printMessage(
    npm.status === 0
      ? 'the pinned Node is missing after installing the dependencies. Remove node_modules and try again'
      : `npm ci failed (${npm.status ?? npm.error?.message ?? npm.signal}). Check the network and try again`,
  );
  return false;
}

function runBuild() {
  const build = spawnSync(findPinnedNode() ?? process.execPath, [join(root, 'bin', 'build.ts')], { cwd: root, stdio: 'inherit' });
  if (build.status === 0) return true;
  printMessage('the build failed; see the errors above');
  return false;
}

/** PATH without the checkout's node_modules/.bin: npm must not run on the Node that it is about to replace. */
function getPathWithoutCheckout() {
  const inside = join(root, 'node_modules', '.bin');
  const entries = (process.env['PATH'] ?? '').split(delimiter);
  return entries.filter((entry) => entry !== inside).join(delimiter);
}

/** @param {string} text */
function printMessage(text) {
  process.stderr.write(`stockroom setup: ${text}\n`);
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const args = process.argv.slice(2);
  const option = args[0]?.startsWith('--') === true ? args.shift() : undefined;
  const build = option === '--install' ? 'never' : option === '--build' ? 'always' : 'if stale';
  if (!setUp({ build })) process.exitCode = 1;
  else if (args.length > 0) runAsThisProcess(findPinnedNode() ?? process.execPath, args);
}
