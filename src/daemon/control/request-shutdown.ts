/** Asks a daemon to stop, over its admin socket or with a signal. */
import { readFileSync } from 'node:fs';
import type { DaemonState } from '../../contract/daemon-state.ts';
import { shutDown } from '../../contract/admin/daemon.ts';
import { sendRequest } from './send-request.ts';

const RESPONSE_TIMEOUT_MS = 1_000;

/** Over the admin socket, because Windows has no graceful signals; with SIGTERM when the socket does not answer. */
export async function requestShutdown({ adminSocket, pid }: DaemonState): Promise<void> {
  if (!(await requestShutdownOverSocket(adminSocket))) sendSignal(pid, 'SIGTERM');
}

/** Does nothing when the process no longer exists. */
export function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Whether a process has ended. A zombie counts as ended: in a container, process 1 may never reap it. */
export function hasProcessEnded(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform === 'linux' && /\) [ZX] /u.test(readFileSync(`/proc/${String(pid)}/stat`, 'utf8'));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'EPERM';
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
