// Installs the packages of package-lock.json with `npm ci`, and shows progress on a terminal.
// Plain JavaScript without dependencies, because it runs before the installation, on any Node from version 20.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { root } from './inputs.js';

/** What `npm start` needs: the packages of the product, Node and the bundler. `all` adds the tools for checks and tests. */
/** @typedef {'start' | 'all'} PackageSet */

const PROGRESS_INTERVAL_MS = 200;
/** Codes of npm for a registry that cannot be reached, and for packages that are not in its cache while it is offline. */
const NETWORK_ERROR = /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED|ERR_SOCKET_TIMEOUT)\b/u;
/** npm logs each request at the level `http`, one line each, the rest are warnings and errors. */
const REQUEST_LINE = /^npm http /u;
const DOWNLOAD_LINE = /^npm http fetch GET 200 \S+\.tgz /u;

/**
 * Whether the installed packages match package-lock.json. npm writes the hidden lock file last, so it describes a complete installation.
 *
 * @param {PackageSet} set
 */
export function isInstalled(set) {
  const wanted = listWanted(set);
  const present = readLockedPackages('node_modules/.package-lock.json');
  if (wanted.length === 0 || present === null) return false;
  return wanted.every(([path, { version, optional }]) => {
    const installed = present[path];
    // Optional packages are for other systems; one that is present may still be of an earlier version.
    return installed === undefined ? optional === true : installed.version === version;
  });
}

/**
 * Runs npm and resolves with an error message, or null if it succeeded.
 *
 * @param {PackageSet} set
 * @returns {Promise<string | null>}
 */
export async function install(set) {
  const progress = startProgress('stockroom setup: installing packages');
  const windows = process.platform === 'win32';
  const dev = set === 'all' ? '--include=dev' : '--omit=dev';
  const child = spawn('npm', ['ci', dev, '--loglevel=http', '--prefer-offline', '--no-fund', '--no-audit'], {
    cwd: root,
    env: { ...process.env, PATH: getPathWithoutCheckout() },
    stdio: ['ignore', 'ignore', 'pipe'],
    shell: windows,
  });
  let problems = '';
  let unfinishedLine = '';
  child.stderr.setEncoding('utf8').on('data', (/** @type {string} */ chunk) => {
    const lines = (unfinishedLine + chunk).split('\n');
    unfinishedLine = lines.pop() ?? '';
    for (const line of lines) {
      if (DOWNLOAD_LINE.test(line)) progress.countDownload();
      else if (!REQUEST_LINE.test(line)) problems += `${line}\n`;
    }
  });
  const failure = await new Promise((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code, signal) => resolve(code === 0 ? null : String(code ?? signal)));
  });
  progress.stop();
  if (failure === null) return null;
  // Warnings are of interest only if it failed: the Node that installs may be too old for some packages, but the pinned Node runs them.
  process.stderr.write(problems + unfinishedLine);
  return NETWORK_ERROR.test(problems)
    ? 'the packages could not be downloaded. The first start needs the network, because npm provides Node and the other packages; later starts work offline'
    : `npm ci failed (${failure}). Check the network and try again`;
}

/**
 * Prints a line, which on a terminal is updated until `stop` is called.
 *
 * @param {string} text
 */
function startProgress(text) {
  if (!process.stderr.isTTY) {
    process.stderr.write(`${text}\n`);
    return { countDownload() {}, stop() {} };
  }
  const startedAt = Date.now();
  let downloads = 0;
  const print = () => {
    const downloaded = downloads === 0 ? '' : `: ${downloads} downloaded`;
    process.stderr.write(`\r${text}${downloaded}, ${Math.round((Date.now() - startedAt) / 1000)} s`);
  };
  print();
  const timer = setInterval(print, PROGRESS_INTERVAL_MS);
  return {
    countDownload() {
      downloads += 1;
    },
    stop() {
      clearInterval(timer);
      print();
      process.stderr.write('\n');
    },
  };
}

/**
 * The packages of a set. Those of tools only are marked `dev` in the lock file, or `devOptional` if an optional package uses them, too.
 *
 * @param {PackageSet} set
 */
function listWanted(set) {
  const locked = Object.entries(readLockedPackages('package-lock.json') ?? {});
  return locked.filter(([path, { dev, devOptional }]) => path !== '' && (set === 'all' || (dev !== true && devOptional !== true)));
}

/**
 * @param {string} file
 * @returns {Record<string, { version?: string, optional?: boolean, dev?: boolean, devOptional?: boolean }> | null}
 */
function readLockedPackages(file) {
  try {
    return JSON.parse(readFileSync(join(root, file), 'utf8')).packages;
  } catch {
    return null;
  }
}

/** PATH without the checkout's node_modules/.bin: npm must not run on the Node that it is about to replace. */
function getPathWithoutCheckout() {
  const inside = join(root, 'node_modules', '.bin');
  const entries = (process.env['PATH'] ?? '').split(delimiter);
  return entries.filter((entry) => entry !== inside).join(delimiter);
}
