/** Finds out which program uses a port: a daemon by its health check, other processes through /proc on Linux. */
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import type { DaemonState } from '../../platform/daemon-state.ts';
import type { Env } from '../../platform/local-paths.ts';
import { fetchInstanceId } from '../control/health-check.ts';
import { listDataDirectories } from '../data-directory/registry.ts';
import { readStateFile } from '../data-directory/state-file.ts';
import { DaemonError } from '../errors.ts';

/** A phrase to follow "in use by". */
export async function describePortOwner(host: string, port: number, env: Env): Promise<string> {
  const instanceId = await fetchInstanceId(`http://${host.includes(':') ? `[${host}]` : host}:${String(port)}`);
  if (instanceId !== undefined) {
    const state = readRegisteredStates(env).find((candidate) => candidate?.instanceId === instanceId);
    return state ? `the stockroom daemon of ${state.dataDir} (pid ${String(state.pid)})` : 'another stockroom daemon';
  }
  const listener = process.platform === 'linux' ? findListener(port) : undefined;
  return listener ? `${listener.name} (pid ${String(listener.pid)})` : 'another program';
}

/** Why the port for metrics or control, which is binding, cannot be used. */
export async function toPortError(purpose: 'metrics' | 'control', host: string, port: number, env: Env, cause: unknown) {
  const { code, message } = cause as NodeJS.ErrnoException;
  const reason = code === 'EADDRINUSE' ? `it is in use by ${await describePortOwner(host, port, env)}` : message;
  return new DaemonError('PORT_TAKEN', `Cannot listen for ${purpose} on port ${String(port)} of ${host}: ${reason}`, {
    hint: `Choose another port with --${purpose}-port, or --${purpose}-port 0 for any`,
    cause,
  });
}

/** Empty when the registry cannot be read: it only helps to name the owner. */
function readRegisteredStates(env: Env): (DaemonState | undefined)[] {
  try {
    return listDataDirectories(env).map(readStateFile);
  } catch {
    return [];
  }
}

/** The process that listens on a TCP port; undefined when this user has no access to its information. */
export function findListener(port: number): { pid: number; name: string } | undefined {
  const sockets = new Set(
    ['tcp', 'tcp6'].flatMap((table) => listListeningInodes(`/proc/net/${table}`, port)).map((inode) => `socket:[${inode}]`),
  );
  if (sockets.size === 0) return undefined;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/u.test(name))) {
    try {
      const isListener = readdirSync(`/proc/${pid}/fd`).some((fd) => sockets.has(readLink(`/proc/${pid}/fd/${fd}`)));
      if (isListener) return { pid: Number(pid), name: readFileSync(`/proc/${pid}/comm`, 'utf8').trim() };
    } catch {
      // The process has ended, or belongs to another user.
    }
  }
  return undefined;
}

const LISTEN_STATE = '0A';

/** Reads /proc/net/tcp: rows of `sl local_address rem_address st … inode`, with addresses as `<hex ip>:<hex port>`. */
function listListeningInodes(table: string, port: number): string[] {
  try {
    return readFileSync(table, 'utf8')
      .split('\n')
      .slice(1)
      .map((row) => row.trim().split(/\s+/u))
      .filter(([, local, , state]) => state === LISTEN_STATE && Number.parseInt(local?.split(':').at(-1) ?? '', 16) === port)
      .map((columns) => columns[9] ?? '');
  } catch {
    return [];
  }
}

function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
