/**
 * Daemons that still run although their data directory was deleted or replaced. Each records itself in the registry, because the path may
 * belong to another daemon by then.
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Env, getDaemonRegistryDirectory, hashPath } from '../../platform/local-paths.ts';
import { createPrivateDirectory } from '../../platform/create-directory.ts';
import { replaceJsonFile } from '../data-directory/replace-file.ts';
import { DaemonError } from '../errors.ts';
import { fetchInstanceId } from './health-check.ts';
import { hasProcessEnded } from '../../platform/process-ended.ts';
import { sendSignal } from './request-shutdown.ts';
import { type StopOptions, waitOrKill } from './stop.ts';

export interface LostDaemon {
  readonly dataDir: string;
  readonly pid: number;
  readonly processIdentity?: string | undefined;
  readonly url: string;
  readonly instanceId: string;
  /** What was deleted or replaced. */
  readonly reason: string;
}

const SUFFIX = '.lost';

const getPath = (env: Env, { dataDir, instanceId }: LostDaemon): string =>
  join(getDaemonRegistryDirectory(env), `${hashPath(dataDir)}-${instanceId}${SUFFIX}`);

export function recordLostDaemon(env: Env, daemon: LostDaemon): void {
  createPrivateDirectory(getDaemonRegistryDirectory(env));
  replaceJsonFile(getPath(env, daemon), daemon);
}

/** Those that answer. Records of daemons whose process has ended are removed. `dataDir`: undefined for all. */
export async function findLostDaemons(env: Env, dataDir: string | undefined): Promise<LostDaemon[]> {
  const checked = await Promise.all(
    readRecords(env).map(async (daemon) => {
      if (dataDir !== undefined && daemon.dataDir !== dataDir) return [];
      if ((await fetchInstanceId(daemon.url)) === daemon.instanceId) return [daemon];
      if (hasProcessEnded(daemon.pid)) removeRecord(env, daemon);
      return [];
    }),
  );
  return checked.flat();
}

/** Stops those that answer and returns them. By signal: the socket of the data directory may be that of another daemon. */
export async function stopLostDaemons(env: Env, dataDir: string | undefined, options: StopOptions): Promise<LostDaemon[]> {
  const daemons = await findLostDaemons(env, dataDir);
  await Promise.all(
    daemons.map(async (daemon) => {
      const { pid } = daemon;
      const name = `The daemon with pid ${String(pid)}, which has lost ${daemon.dataDir},`;
      if (!sendSignal(daemon, 'SIGTERM'))
        throw new DaemonError(
          'UNRESPONSIVE',
          `${name} cannot be stopped from here: process ${String(pid)} of this system is not the daemon`,
          {
            hint: 'It probably runs in a container: stop it there, for example with `docker stop`',
          },
        );
      const hint = 'Allow more time with --timeout, or kill it with --force';
      await waitOrKill({ name, process: daemon, dataDir: daemon.dataDir, hint }, () => hasProcessEnded(pid), options);
      removeRecord(env, daemon);
    }),
  );
  return daemons;
}

export const describeLostDaemon = ({ pid, url, reason }: LostDaemon): string =>
  `The daemon with pid ${String(pid)} on ${url} has lost its data directory: ${reason}`;

function readRecords(env: Env): LostDaemon[] {
  const directory = getDaemonRegistryDirectory(env);
  try {
    return readdirSync(directory)
      .filter((name) => name.endsWith(SUFFIX))
      .map((name) => JSON.parse(readFileSync(join(directory, name), 'utf8')) as LostDaemon);
  } catch {
    // No daemon has been registered yet, or another process is removing a record.
    return [];
  }
}

function removeRecord(env: Env, daemon: LostDaemon): void {
  rmSync(getPath(env, daemon), { force: true });
}
