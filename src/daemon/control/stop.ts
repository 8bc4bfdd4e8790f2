/** Stops the daemon of a data directory. */
import { existsSync } from 'node:fs';
import { getAdminSocketPath, getLogFile } from '../../contract/local-paths.ts';
import { isDataDirectoryLocked } from '../data-directory/lock.ts';
import { readStateFile } from '../data-directory/state-file.ts';
import { DaemonError } from '../errors.ts';
import { pollUntil } from './poll-until.ts';
import { hasProcessEnded, requestShutdown, requestShutdownOverSocket, sendSignal } from './request-shutdown.ts';

export interface StopOptions {
  /** How long it may take after its drain time. */
  readonly timeoutMs: number;
  /** Kill it when it has not stopped in time; the store recovers from that. */
  readonly force: boolean;
}

/** Stops the daemon and waits until it has released the data directory. Returns false when there was none. */
export async function stopDaemon(dataDir: string, { timeoutMs, force }: StopOptions): Promise<boolean> {
  if (!isDataDirectoryLocked(dataDir)) return false;
  // While the directory is locked, its state file was written by the holder of the lock, so the pid is never that of another process.
  let isShutdownRequested = false;
  const state = await pollUntil(async () => {
    const current = readStateFile(dataDir) ?? !isDataDirectoryLocked(dataDir);
    // No state file yet, or a damaged one: the socket is probably at its default place.
    if (current === false && !isShutdownRequested) isShutdownRequested = await requestShutdownOverSocket(getAdminSocketPath(dataDir));
    return current;
  }, timeoutMs);
  if (state === undefined) throw createStopTimeoutError(dataDir, timeoutMs);
  if (state === true) return isShutdownRequested;
  const isStopped = (): Promise<boolean> => {
    const current = readStateFile(dataDir);
    const isReplaced = current !== undefined && current.instanceId !== state.instanceId;
    return Promise.resolve(isReplaced || (hasProcessEnded(state.pid) && !isDataDirectoryLocked(dataDir)));
  };
  const limitMs = timeoutMs + (state.options.drainSeconds ?? 0) * 1_000;
  await requestShutdown(state);
  if (await pollUntil(isStopped, limitMs)) return true;
  if (!force) throw createStopTimeoutError(dataDir, limitMs);
  sendSignal(state.pid, 'SIGKILL');
  await pollUntil(isStopped, timeoutMs);
  return true;
}

function createStopTimeoutError(dataDir: string, timeoutMs: number): DaemonError {
  return new DaemonError('UNRESPONSIVE', `The daemon of ${dataDir} did not stop within ${String(timeoutMs / 1000)} s`, {
    hint: existsSync(getLogFile(dataDir))
      ? 'Allow more time with --timeout, or kill it with --force; check `stockroom daemon logs` for the reason'
      : 'Kill it with --force',
    dataDir,
  });
}
