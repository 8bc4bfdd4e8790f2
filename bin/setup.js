// Makes a fresh clone ready to run: installs the dependencies and builds, each only when needed.
// Plain JavaScript without dependencies, because it runs first, on whatever Node the machine has (20 and up).
//   node bin/setup.js             install and build what is missing or out of date
//   node bin/setup.js --install   only the dependencies
//   node bin/setup.js --build     build in any case
import { spawnSync } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isBuilt, root } from './inputs.js';
import { pinnedNode } from './pinned-node.js';

/**
 * True when everything is in place; otherwise the reason has been printed.
 *
 * @param {{ build?: 'never' | 'if stale' | 'always' }} [options]
 */
export function setUp({ build = 'if stale' } = {}) {
  if (!isInstalled() && !install()) return false;
  if (build === 'never' || (build === 'if stale' && isBuilt())) return true;
  return runBuild();
}

/** npm writes the hidden lock file last, so it says what a finished install has put there. */
function isInstalled() {
  const wanted = lockedPackages('package-lock.json');
  const present = lockedPackages('node_modules/.package-lock.json');
  if (wanted === null || present === null || pinnedNode() === null) return false;
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
function lockedPackages(file) {
  try {
    return JSON.parse(readFileSync(join(root, file), 'utf8')).packages;
  } catch {
    return null;
  }
}

function install() {
  say('installing dependencies (about half a minute, only when they changed)');
  // Not `npm ci`: it refuses a lock file without the optional binaries of other platforms, and some registries hold only some of them.
  // With --no-save the locked versions are installed and the lock file stays as it is.
  // Quiet about engines: the Node that installs may be too old for some packages, the Node that runs them is installed here.
  const windows = process.platform === 'win32';
  const npm = spawnSync('npm', ['install', '--no-save', '--loglevel=error', '--no-fund', '--no-audit'], {
    cwd: root,
    env: { ...process.env, PATH: pathOutsideCheckout() },
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: windows,
  });
  if (npm.status === 0 && pinnedNode() !== null) return true;
  say(
    npm.status === 0
      ? 'the dependencies were installed but the pinned Node is missing: remove node_modules and try again'
      : `installing the dependencies failed (npm install ended with ${npm.status ?? npm.error?.message ?? npm.signal}): check the network and try again`,
  );
  return false;
}

function runBuild() {
  const build = spawnSync(pinnedNode() ?? process.execPath, [join(root, 'bin', 'build.ts')], { cwd: root, stdio: 'inherit' });
  if (build.status === 0) return true;
  say('the build failed, see above');
  return false;
}

/** npm must not run on the Node that it is about to replace. */
function pathOutsideCheckout() {
  const inside = join(root, 'node_modules', '.bin');
  const entries = (process.env['PATH'] ?? '').split(delimiter);
  return entries.filter((entry) => entry !== inside).join(delimiter);
}

/** @param {string} text */
function say(text) {
  process.stderr.write(`stockroom setup: ${text}\n`);
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const build = process.argv.includes('--install') ? 'never' : process.argv.includes('--build') ? 'always' : 'if stale';
  process.exitCode = setUp({ build }) ? 0 : 1;
}
