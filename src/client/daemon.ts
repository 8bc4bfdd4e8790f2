/** Whether the daemon that a state file tells of is there: a key must not go to a stranger that took its port. */
import type { DaemonState } from '../contract/places.ts';
import { Unreachable } from './errors.ts';
import { builtInTransport } from './transport.ts';

/** Resolves when the daemon is there. The living process is proof enough; where it cannot be seen, `/healthz` has to know the instance. */
export async function confirmDaemon(daemon: DaemonState | undefined, dataDir: string): Promise<DaemonState> {
  if (!daemon) throw new Unreachable(dataDir, `no daemon is running for ${dataDir}`);
  if (isAlive(daemon.pid) || (await instanceAt(daemon.url)) === daemon.instanceId) return daemon;
  throw new Unreachable(dataDir, `the daemon of ${dataDir} is not running any more`);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function instanceAt(url: string): Promise<string | undefined> {
  try {
    const { text } = await builtInTransport({ url })({ method: 'GET', path: '/healthz', headers: {} });
    return (JSON.parse(text) as { instanceId?: string }).instanceId;
  } catch {
    return undefined;
  }
}
