/** Asks a daemon to stop, over its admin socket or with a signal. */
import type { DaemonState } from '../../platform/daemon-state.ts';
import { shutDown } from '../../contract/admin/daemon.ts';
import { DaemonError } from '../errors.ts';
import { type RecordedProcess, isRecordedProcess } from './process-identity.ts';
import { sendRequest } from './send-request.ts';

const RESPONSE_TIMEOUT_MS = 1_000;

/**
 * Over the admin socket, because Windows has no graceful signals and a signal reaches only processes of the same container; with SIGTERM
 * when the socket does not answer.
 */
export async function requestShutdown(daemon: DaemonState): Promise<void> {
  if (!(await requestShutdownOverSocket(daemon.adminSocket))) sendSignal(daemon, 'SIGTERM');
}

/** Sends a signal to the process that was recorded; does nothing and returns false unless its id is proven to name it. */
export function sendSignal(recorded: RecordedProcess, name: NodeJS.Signals): boolean {
  if (!isRecordedProcess(recorded)) return false;
  const { pid } = recorded;
  try {
    return process.kill(pid, name);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EPERM')
      throw new DaemonError('UNRESPONSIVE', `Permission denied to stop the process ${String(pid)}, which belongs to another user`, {
        hint: 'Stop it as that user',
        cause: error,
      });
    if (code !== 'ESRCH') throw error;
    return true;
  }
}

/** Returns whether a daemon answered that it stops. */
export async function requestShutdownOverSocket(socketPath: string): Promise<boolean> {
  const { method, path } = shutDown;
  const headers = { 'content-type': 'application/json' };
  const reply = await sendRequest({ socketPath, method, path, headers }, RESPONSE_TIMEOUT_MS, '{}');
  // 503: it is already stopping.
  return reply?.status === shutDown.status || reply?.status === 503;
}
