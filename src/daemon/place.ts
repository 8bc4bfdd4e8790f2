/** The data directory and what the daemon leaves in it for others to find: state file, socket directory, entry in the list. */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { type DaemonState, type Env, daemonsDirectory, shortHash, stateFile } from '../contract/places.ts';
import { DaemonError } from './errors.ts';
import { isLocked, takeLock } from './lock.ts';

const PRIVATE_DIRECTORY = 0o700;
const PRIVATE_FILE = 0o600;

/** From now on everything this process makes is for its owner only. */
export function keepPrivate(): void {
  process.umask(0o077);
}

/** Makes the data directory if need be and closes it to everybody else. */
export function prepareDirectory(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: PRIVATE_DIRECTORY });
    if ((statSync(dataDir).mode & 0o777) !== PRIVATE_DIRECTORY) chmodSync(dataDir, PRIVATE_DIRECTORY);
  } catch (cause) {
    throw new DaemonError('data_directory', `the data directory ${dataDir} cannot be used: ${whyUnusable(cause)}`, {
      hint: 'choose another with --data-dir or STOCKROOM_DATA_DIR',
      cause,
    });
  }
}

const UNUSABLE: Readonly<Record<string, string>> = {
  EEXIST: 'it is a file',
  ENOTDIR: 'what should be a directory is a file',
  EACCES: 'this user may not write there',
  EPERM: 'it belongs to another user',
  EROFS: 'the disk is read-only',
  ENOSPC: 'there is no room left on the disk',
  EDQUOT: 'the quota of the disk is used up',
};
const whyUnusable = (cause: unknown): string => UNUSABLE[(cause as NodeJS.ErrnoException).code ?? ''] ?? (cause as Error).message;

/** The directory of a socket that does not lie in the data directory: in a place where others may write, so it must be ours alone. */
export function prepareSocketDirectory(socketPath: string, dataDir: string): void {
  const directory = dirname(socketPath);
  if (process.platform === 'win32' || directory === dataDir) return;
  mkdirSync(directory, { recursive: true, mode: PRIVATE_DIRECTORY });
  const stat = lstatSync(directory);
  if (!stat.isDirectory() || stat.uid !== process.getuid?.() || (stat.mode & 0o077) !== 0) {
    throw new DaemonError(
      'data_directory',
      `${directory} belongs to somebody else or is open to others, so the admin socket cannot go there`,
      {
        hint: 'remove it, or use a data directory with a shorter path',
      },
    );
  }
}

/** The socket of a daemon that was killed; whoever holds the lock may remove it. */
export function removeSocket(socketPath: string): void {
  if (process.platform !== 'win32') rmSync(socketPath, { force: true });
}

/** What the state file says, true or not; undefined when there is none or it is unreadable. */
export function readState(dataDir: string): DaemonState | undefined {
  try {
    const state = JSON.parse(readFileSync(stateFile(dataDir), 'utf8')) as Partial<DaemonState> | null;
    return typeof state?.pid === 'number' && typeof state.url === 'string' && typeof state.instanceId === 'string'
      ? (state as DaemonState)
      : undefined;
  } catch {
    return undefined;
  }
}

export function writeState(state: DaemonState): void {
  replaceFile(stateFile(state.dataDir), state);
}

export function removeState(dataDir: string): void {
  rmSync(stateFile(dataDir), { force: true });
}

/** Remembers that this data directory has a daemon, for `daemon list`. */
export function enlist(env: Env, dataDir: string): void {
  const directory = daemonsDirectory(env);
  mkdirSync(directory, { recursive: true, mode: PRIVATE_DIRECTORY });
  replaceFile(join(directory, `${shortHash(dataDir)}.json`), { dataDir });
}

export function delist(env: Env, dataDir: string): void {
  rmSync(join(daemonsDirectory(env), `${shortHash(dataDir)}.json`), { force: true });
}

/** Every data directory that has had a daemon and still exists, sorted. */
export function enlisted(env: Env): string[] {
  const directory = daemonsDirectory(env);
  const found: string[] = [];
  for (const name of namesIn(directory)) {
    if (!name.endsWith('.json')) continue;
    try {
      const { dataDir } = JSON.parse(readFileSync(join(directory, name), 'utf8')) as { dataDir: string };
      if (existsSync(dataDir)) found.push(dataDir);
      else rmSync(join(directory, name), { force: true });
    } catch {
      // Being replaced or removed at this moment, or spoilt: then it is not in the list.
    }
  }
  return found.toSorted();
}

const UNREADABLE: Readonly<Record<string, string>> = { ENOTDIR: 'it is a file', EACCES: 'this user may not read it' };

function namesIn(directory: string): string[] {
  try {
    return existsSync(directory) ? readdirSync(directory) : [];
  } catch (cause) {
    const reason = UNREADABLE[(cause as NodeJS.ErrnoException).code ?? ''] ?? (cause as Error).message;
    throw new DaemonError('data_directory', `the list of daemons, ${directory}, cannot be read: ${reason}`, {
      hint: 'make it a directory that this user may read',
      cause,
    });
  }
}

/** Removes the data directories of ephemeral daemons that were killed before they could do it themselves. */
export function removeLeftovers(env: Env): void {
  for (const dataDir of enlisted(env)) {
    // Its state file was left, which a stop removes; the lock tells whether somebody is there.
    if (readState(dataDir)?.options.ephemeral !== true || isLocked(dataDir)) continue;
    const lock = takeLock(dataDir);
    if (!lock) continue;
    lock.release();
    rmSync(dataDir, { recursive: true, force: true });
    delist(env, dataDir);
  }
}

function replaceFile(path: string, content: unknown): void {
  const draft = `${path}.${String(process.pid)}`;
  writeFileSync(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: PRIVATE_FILE });
  renameSync(draft, path);
}
