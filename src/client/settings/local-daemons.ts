/** Finds the daemons of this user on this machine: by data directory, or by the address they listen on. */
import { readFileSync, statSync } from 'node:fs';
import type { DaemonState } from '../../platform/daemon-state.ts';
import { DEFAULT_HOST, type Env, findAdminSocketPath, getDaemonRegistryDirectory, getStateFile } from '../../platform/local-paths.ts';
import { isLoopbackHost } from '../../platform/loopback.ts';
import { readDataDirectoryRegistry } from '../../platform/data-directory-registry.ts';

/** A daemon and its data directory. */
export interface LocalDaemon {
  readonly dataDir: string;
  readonly daemon: DaemonState;
}

/** Reads the state file of a data directory, which may be stale. In a container the daemon may know its directory by another path. */
export function readDaemonState(dataDir: string): DaemonState | undefined {
  try {
    const state = JSON.parse(readFileSync(getStateFile(dataDir), 'utf8')) as Partial<DaemonState> | null;
    if (typeof state?.url !== 'string' || typeof state.adminSocket !== 'string') return undefined;
    return { ...(state as DaemonState), dataDir, adminSocket: findAdminSocketPath(dataDir, state) };
  } catch {
    return undefined;
  }
}

/** Finds this user's daemon that listens on a loopback URL. The transports verify that it still does. */
export function findDaemonByUrl(env: Env, url: string): LocalDaemon | undefined {
  if (!URL.canParse(url) || !isLoopbackHost(new URL(url).hostname)) return undefined;
  return listRegisteredDataDirectories(env)
    .map((dataDir) => ({ dataDir, daemon: readOwnDaemonState(dataDir) }))
    .filter((found): found is LocalDaemon => isDaemonAt(found.daemon, url))
    .toSorted((a, b) => b.daemon.startTime.localeCompare(a.daemon.startTime))[0];
}

/** Reads the state file of a data directory if this user owns it: another user could have recreated a removed directory. */
export const readOwnDaemonState = (dataDir: string): DaemonState | undefined =>
  isOwnFile(getStateFile(dataDir)) ? readDaemonState(dataDir) : undefined;

/** Whether the process of a daemon exists and a URL is its address, for which `localhost` is also valid. */
export function isDaemonAt(daemon: DaemonState | undefined, url: string): boolean {
  if (!daemon || !URL.canParse(url) || !isAlive(daemon.pid)) return false;
  const [address, given] = [new URL(daemon.url), new URL(url)];
  if (given.hostname === 'localhost' && address.hostname === DEFAULT_HOST) given.hostname = DEFAULT_HOST;
  return given.href === address.href;
}

const isOwnFile = (path: string): boolean =>
  process.getuid === undefined || statSync(path, { throwIfNoEntry: false })?.uid === process.getuid();

function listRegisteredDataDirectories(env: Env): string[] {
  try {
    return readDataDirectoryRegistry(getDaemonRegistryDirectory(env));
  } catch {
    // Unreadable: only the data directory that a command names is known.
    return [];
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
