/** Finds and stops daemons that still run although their data directory was deleted or replaced. */
import type { Env } from '../../contract/local-paths.ts';
import { type LostDaemon, listLostDaemons, removeLostDaemon } from '../data-directory/lost-daemons.ts';
import { DaemonError } from '../errors.ts';
import { fetchInstanceId } from './health-check.ts';
import { pollUntil } from './poll-until.ts';
import { hasProcessEnded, sendSignal } from './request-shutdown.ts';
import type { StopOptions } from './stop.ts';

/** Those that answer. Records of daemons whose process has ended are removed. `dataDir`: undefined for all. */
export async function findLostDaemons(env: Env, dataDir: string | undefined): Promise<LostDaemon[]> {
  const checked = await Promise.all(
    listLostDaemons(env, dataDir).map(async (daemon) => {
      if ((await fetchInstanceId(daemon.url)) === daemon.instanceId) return [daemon];
      if (hasProcessEnded(daemon.pid)) removeLostDaemon(env, daemon);
      return [];
    }),
  );
  return checked.flat();
}

/** Stops those that answer and returns them. By signal: the socket of the data directory may be that of another daemon. */
export async function stopLostDaemons(env: Env, dataDir: string | undefined, { timeoutMs, force }: StopOptions): Promise<LostDaemon[]> {
  const daemons = await findLostDaemons(env, dataDir);
  await Promise.all(
    daemons.map(async (daemon) => {
      const hasEnded = () => Promise.resolve(hasProcessEnded(daemon.pid));
      sendSignal(daemon.pid, 'SIGTERM');
      if (!(await pollUntil(hasEnded, timeoutMs))) {
        if (!force)
          throw new DaemonError(
            'UNRESPONSIVE',
            `The daemon with pid ${String(daemon.pid)}, which has lost ${daemon.dataDir}, did not stop within ${String(timeoutMs / 1000)} s`,
            { hint: 'Allow more time with --timeout, or kill it with --force', dataDir: daemon.dataDir },
          );
        sendSignal(daemon.pid, 'SIGKILL');
        await pollUntil(hasEnded, timeoutMs);
      }
      removeLostDaemon(env, daemon);
    }),
  );
  return daemons;
}

export const describeLostDaemon = ({ pid, url, reason }: LostDaemon): string =>
  `The daemon with pid ${String(pid)} on ${url} has lost its data directory: ${reason}`;
