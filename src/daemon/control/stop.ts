/** Stops the daemon of a data directory. */
import { existsSync } from 'node:fs';
import { getAdminSocketPath, getLockFile, getLogFile, getStateFile } from '../../platform/local-paths.ts';
import { isDataDirectoryLocked } from '../data-directory/lock.ts';
import { readStateFile } from '../data-directory/state-file.ts';
import { DaemonError } from '../errors.ts';
import { pollUntil } from './poll-until.ts';
import { type RecordedProcess, isRecordedProcess } from './process-identity.ts';
import { hasProcessEnded } from '../../platform/process-ended.ts';
import { requestShutdown, requestShutdownOverSocket, sendSignal } from './request-shutdown.ts';

export interface StopOptions {
  /** How long it may take after its drain time. */
  readonly timeoutMs: number;
  /** Kill it when it has not stopped in time; the store recovers from that. */
  readonly force: boolean;
}

/** Stops the daemon and waits until it has released the data directory. Returns false when there was none. */
export async function stopDaemon(dataDir: string, { timeoutMs, force }: StopOptions): Promise<boolean> {
  if (!isDataDirectoryLocked(dataDir)) return false;
  // While the directory is locked, its state file was written by the holder of the lock, which may run in another container.
  let wasAsked = false;
  let hasAnswered = false;
  const state = await pollUntil(async () => {
    const current = readStateFile(dataDir) ?? !isDataDirectoryLocked(dataDir);
    // No state file yet, or a damaged one: the socket is probably at its default place.
    if (current === false && !hasAnswered) {
      wasAsked = true;
      hasAnswered = await requestShutdownOverSocket(getAdminSocketPath(dataDir));
    }
    return current;
  }, timeoutMs);
  const hint = existsSync(getLogFile(dataDir))
    ? 'Allow more time with --timeout, or kill it with --force; check `stockroom daemon logs` for the reason'
    : 'Kill it with --force';
  const daemon = { name: `The daemon of ${dataDir}`, dataDir, hint };
  // Its process is unknown.
  if (state === undefined) throw createTimeoutError({ ...daemon, hint: getUnknownProcessHint(dataDir) }, timeoutMs);
  // A daemon that stops may not get to answer.
  if (state === true) return wasAsked;
  const hasStopped = (): boolean => {
    const current = readStateFile(dataDir);
    const isReplaced = current !== undefined && current.instanceId !== state.instanceId;
    if (isReplaced) return true;
    // The lock is free when the process has ended; on the same machine it may take a moment longer.
    return !isDataDirectoryLocked(dataDir) && (!isRecordedProcess(state) || hasProcessEnded(state.pid));
  };
  const limitMs = timeoutMs + (state.options.drainSeconds ?? 0) * 1_000;
  await requestShutdown(state);
  await waitOrKill({ ...daemon, process: state }, hasStopped, { timeoutMs: limitMs, force });
  return true;
}

/** A daemon as the error describes it that is thrown when it does not stop. */
interface StoppingDaemon {
  readonly name: string;
  readonly dataDir: string;
  readonly hint: string;
}

/** Waits until a daemon has stopped that was asked to. */
export async function waitOrKill(
  daemon: StoppingDaemon & { readonly process: RecordedProcess },
  hasStopped: () => boolean,
  { timeoutMs, force }: StopOptions,
): Promise<void> {
  if (await pollUntil(hasStopped, timeoutMs)) return;
  if (!isRecordedProcess(daemon.process)) throw createElsewhereError(daemon, timeoutMs);
  if (!force) throw createTimeoutError(daemon, timeoutMs);
  sendSignal(daemon.process, 'SIGKILL');
  await pollUntil(hasStopped, timeoutMs);
}

/** The process of the daemon may be one of another container or machine, where its id means something else. */
const createElsewhereError = (
  { name, dataDir, process: { pid } }: StoppingDaemon & { readonly process: RecordedProcess },
  timeoutMs: number,
) =>
  new DaemonError(
    'UNRESPONSIVE',
    `${name} did not stop within ${String(timeoutMs / 1000)} s and cannot be killed from here: process ${String(pid)} of this system is not the daemon`,
    { hint: 'It probably runs in a container or on another machine: stop it there, for example with `docker stop`', dataDir },
  );

const getUnknownProcessHint = (dataDir: string): string =>
  `Its state file ${getStateFile(dataDir)} is missing or damaged. Allow more time with --timeout, or kill the process that has ${getLockFile(dataDir)} open`;

const createTimeoutError = ({ name, dataDir, hint }: StoppingDaemon, timeoutMs: number): DaemonError =>
  new DaemonError('UNRESPONSIVE', `${name} did not stop within ${String(timeoutMs / 1000)} s`, { hint, dataDir });
