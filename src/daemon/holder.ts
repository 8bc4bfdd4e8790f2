/** Who has a port, as far as it can be known: a daemon of ours by its answer, another process through Linux's /proc. */
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import type { DaemonState, Env } from '../contract/places.ts';
import { askHealth } from './health.ts';
import { enlisted, readState } from './place.ts';

/** In words, to follow "in use by". */
export async function nameHolder(host: string, port: number, env: Env): Promise<string> {
  const instanceId = await askHealth(`http://${host.includes(':') ? `[${host}]` : host}:${String(port)}`);
  if (instanceId !== undefined) {
    const state = known(env).find((each) => each?.instanceId === instanceId);
    return state ? `the stockroom daemon of ${state.dataDir} (pid ${String(state.pid)})` : 'another stockroom daemon';
  }
  const owner = process.platform === 'linux' ? listenerOf(port) : undefined;
  return owner ? `${owner.name} (pid ${String(owner.pid)})` : 'another program';
}

/** None when the list cannot be read: the port is taken all the same. */
function known(env: Env): (DaemonState | undefined)[] {
  try {
    return enlisted(env).map(readState);
  } catch {
    return [];
  }
}

/** The process that listens on a TCP port, when it is one that this user may look into. */
export function listenerOf(port: number): { pid: number; name: string } | undefined {
  const sockets = new Set(
    ['tcp', 'tcp6'].flatMap((table) => listeningInodes(`/proc/net/${table}`, port)).map((inode) => `socket:[${inode}]`),
  );
  if (sockets.size === 0) return undefined;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/u.test(name))) {
    try {
      const holds = readdirSync(`/proc/${pid}/fd`).some((fd) => sockets.has(linkOf(`/proc/${pid}/fd/${fd}`)));
      if (holds) return { pid: Number(pid), name: readFileSync(`/proc/${pid}/comm`, 'utf8').trim() };
    } catch {
      // Ended meanwhile, or somebody else's.
    }
  }
  return undefined;
}

const LISTEN = '0A';

/** Rows of /proc/net/tcp: `sl local_address rem_address st … inode`, the address as `<hex ip>:<hex port>`. */
function listeningInodes(table: string, port: number): string[] {
  try {
    return readFileSync(table, 'utf8')
      .split('\n')
      .slice(1)
      .map((row) => row.trim().split(/\s+/u))
      .filter(([, local, , state]) => state === LISTEN && Number.parseInt(local?.split(':').at(-1) ?? '', 16) === port)
      .map((columns) => columns[9] ?? '');
  } catch {
    return [];
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
