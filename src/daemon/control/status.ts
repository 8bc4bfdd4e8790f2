/** Finds out what the daemon of a data directory does, from its lock, its state file and its answers to `GET /healthz` and `GET /readyz`. */
import type { DaemonHealth, DaemonState, DaemonStatus } from '../../platform/daemon-state.ts';
import type { Env } from '../../platform/local-paths.ts';
import { isDataDirectoryLocked } from '../data-directory/lock.ts';
import { listDataDirectories } from '../data-directory/registry.ts';
import { readStateFile } from '../data-directory/state-file.ts';
import { DaemonError } from '../errors.ts';
import { version as ownVersion } from '../package-info.ts';
import { HEALTH_CHECK_TIMEOUT_MS, fetchInstanceId, fetchReadiness } from './health-check.ts';
import { pollUntil } from './poll-until.ts';

/** How long a daemon that holds its lock gets for a second health check before it counts as unresponsive. */
const SECOND_CHECK_TIMEOUT_MS = 4_000;

export interface StatusTimeouts {
  readonly healthCheckMs?: number;
  readonly secondCheckMs?: number;
}

/** The state of the daemon of a data directory, when the instance that wrote the state file answers. */
export async function findRunningDaemon(dataDir: string, timeoutMs?: number): Promise<DaemonState | undefined> {
  const state = readStateFile(dataDir);
  return state && (await fetchInstanceId(state.url, timeoutMs)) === state.instanceId ? state : undefined;
}

export async function getDaemonStatus(
  dataDir: string,
  { healthCheckMs = HEALTH_CHECK_TIMEOUT_MS, secondCheckMs = SECOND_CHECK_TIMEOUT_MS }: StatusTimeouts = {},
): Promise<DaemonHealth> {
  const toHealth = async (running: DaemonState) => ({ ...toStatus(running), ...(await fetchReadiness(running.url, healthCheckMs)) });
  const state = await findRunningDaemon(dataDir, healthCheckMs);
  if (state) return toHealth(state);
  const unknown = { url: null, dataDir, version: null, instanceId: null, ready: false, reason: null };
  if (!isDataDirectoryLocked(dataDir)) return { status: 'stopped', pid: null, ...unknown };
  // The machine may be busy, or have been suspended.
  const lateState = await findRunningDaemon(dataDir, secondCheckMs);
  if (lateState) return toHealth(lateState);
  return { status: 'unresponsive', pid: readStateFile(dataDir)?.pid ?? null, ...unknown };
}

/** The status of every registered data directory. */
export async function listDaemonStatuses(env: Env): Promise<DaemonHealth[]> {
  return Promise.all(listDataDirectories(env).map((dataDir) => getDaemonStatus(dataDir)));
}

/** Waits until the daemon of the data directory answers. */
export async function waitForDaemon(dataDir: string, timeoutMs: number): Promise<DaemonStatus> {
  const state = await pollUntil(() => findRunningDaemon(dataDir), timeoutMs);
  if (state) return toStatus(state);
  throw new DaemonError('NOT_READY', `The daemon of ${dataDir} was not ready within ${String(timeoutMs / 1000)} s`, {
    hint: 'See `stockroom daemon status` and `stockroom daemon logs`',
  });
}

export function toStatus({ url, pid, dataDir, version, instanceId, controlUrl }: DaemonState): DaemonStatus {
  return { status: 'running', url, pid, dataDir, version, instanceId, ...(controlUrl && { controlUrl }) };
}

/** One sentence when the daemon is of another release than this program. */
export function describeVersionSkew(daemon: Pick<DaemonState, 'version'>): string | undefined {
  if (daemon.version === ownVersion) return undefined;
  return `Version mismatch: the daemon is stockroom ${daemon.version}, this command is ${ownVersion}. Run \`stockroom daemon restart\`.`;
}
