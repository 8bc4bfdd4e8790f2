// Installs the packages of package-lock.json with `npm ci`, and shows progress on a terminal. For the first start, a second `npm ci` installs the
// programs of this system (Node and the bundler) at the same time: one takes a third of the time of both, and npm uses one core.
// Plain JavaScript without dependencies, because it runs before the installation, on any Node from version 20.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { root } from './inputs.js';

/** What `npm start` needs: the packages of the product, Node and the bundler. `all` adds the tools for checks and tests. */
/** @typedef {'start' | 'all'} PackageSet */

const HIDDEN_LOCK_FILE = 'node_modules/.package-lock.json';
/** Where the programs of this system are installed, on the same disk as node_modules. */
const programsDirectory = join(root, '.programs');

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
  const present = readLockedPackages(HIDDEN_LOCK_FILE);
  // While that directory exists, an installation has not ended.
  if (wanted.length === 0 || present === null || existsSync(programsDirectory)) return false;
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
  const failure = await (set === 'all' ? installAll(progress) : installForStart(progress));
  progress.stop();
  if (failure === null) return null;
  // Warnings are of interest only if it failed: the Node that installs may be too old for some packages, but the pinned Node runs them.
  process.stderr.write(failure.output);
  return NETWORK_ERROR.test(failure.output)
    ? 'the packages could not be downloaded. The first start needs the network, because npm provides Node and the other packages; later starts work offline'
    : `npm ci failed (${failure.reason}). Check the network and try again`;
}

/** @param {Progress} progress */
function installAll(progress) {
  rmSync(programsDirectory, { recursive: true, force: true });
  return runNpm(root, ['--include=dev'], progress);
}

/** @param {Progress} progress */
async function installForStart(progress) {
  const programs = listPrograms();
  writeProgramsProject(programs);
  const failures = await Promise.all([runNpm(root, ['--omit=dev', '--omit=optional'], progress), runNpm(programsDirectory, [], progress)]);
  const failure = failures.find((each) => each !== null);
  if (failure !== undefined) return failure;
  movePrograms(programs);
  rmSync(programsDirectory, { recursive: true });
  return null;
}

/** The optional packages of the first start that need no others. Most are programs, one for each system: npm installs that of this one. */
const listPrograms = () =>
  listWanted('start').filter(
    ([path, { optional, dependencies }]) => optional === true && dependencies === undefined && path.split('node_modules/').length === 2,
  );

/**
 * A project of its own with these packages, locked as in this one.
 *
 * @param {ReturnType<typeof listPrograms>} programs
 */
function writeProgramsProject(programs) {
  const optionalDependencies = Object.fromEntries(programs.map(([path, { version }]) => [path.slice('node_modules/'.length), version]));
  const manifest = { name: 'stockroom-programs', version: '0.0.0', private: true, optionalDependencies };
  const packages = { '': manifest, ...Object.fromEntries(programs) };
  rmSync(programsDirectory, { recursive: true, force: true });
  mkdirSync(programsDirectory);
  writeFileSync(join(programsDirectory, 'package.json'), JSON.stringify(manifest));
  writeFileSync(
    join(programsDirectory, 'package-lock.json'),
    JSON.stringify({ ...manifest, lockfileVersion: 3, requires: true, packages }),
  );
}

/**
 * Moves what was installed beside the other packages, and completes npm's record of them.
 *
 * @param {ReturnType<typeof listPrograms>} programs
 */
function movePrograms(programs) {
  const installed = programs.filter(([path]) => existsSync(join(programsDirectory, path)));
  const commands = join('node_modules', '.bin');
  const links = existsSync(join(programsDirectory, commands)) ? readdirSync(join(programsDirectory, commands)) : [];
  for (const path of [...installed.map(([name]) => name), ...links.map((name) => join(commands, name))]) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    renameSync(join(programsDirectory, path), join(root, path));
  }
  const record = join(root, HIDDEN_LOCK_FILE);
  const lock = JSON.parse(readFileSync(record, 'utf8'));
  writeFileSync(record, JSON.stringify({ ...lock, packages: { ...lock.packages, ...Object.fromEntries(installed) } }, null, 2));
}

/**
 * Runs `npm ci`.
 *
 * @param {string} directory
 * @param {readonly string[]} options
 * @param {Progress} progress
 * @returns {Promise<{ reason: string, output: string } | null>}
 */
async function runNpm(directory, options, progress) {
  const child = spawn('npm', ['ci', ...options, '--loglevel=http', '--prefer-offline', '--no-fund', '--no-audit'], {
    cwd: directory,
    env: { ...process.env, PATH: getPathWithoutCheckout() },
    stdio: ['ignore', 'ignore', 'pipe'],
    shell: process.platform === 'win32',
  });
  let output = '';
  let unfinishedLine = '';
  child.stderr.setEncoding('utf8').on('data', (/** @type {string} */ chunk) => {
    const lines = (unfinishedLine + chunk).split('\n');
    unfinishedLine = lines.pop() ?? '';
    for (const line of lines) {
      if (DOWNLOAD_LINE.test(line)) progress.countDownload();
      else if (!REQUEST_LINE.test(line)) output += `${line}\n`;
    }
  });
  const reason = await new Promise((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code, signal) => resolve(code === 0 ? null : String(code ?? signal)));
  });
  return reason === null ? null : { reason, output: output + unfinishedLine };
}

/** @typedef {ReturnType<typeof startProgress>} Progress */

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
 * @returns {Record<string, { version?: string, optional?: boolean, dependencies?: object, dev?: boolean, devOptional?: boolean }> | null}
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
