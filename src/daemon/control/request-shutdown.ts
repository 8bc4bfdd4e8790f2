/** Asks a daemon to stop, over its admin socket or with a signal. */
import { readFileSync } from 'node:fs';
import type { DaemonState } from '../../contract/daemon-state.ts';
import { shutDown } from '../../contract/admin/daemon.ts';

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
export function requestShutdownOverSocket(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const body = '{}';
    const { request } = process.getBuiltinModule('node:http');
    const headers = { 'content-type': 'application/json', 'content-length': body.length };
    const outgoing = request(
      { socketPath, method: shutDown.method, path: shutDown.path, headers, agent: false, signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS) },
      (response) => {
        response.resume();
        // 503: it is already stopping.
        resolve(response.statusCode === shutDown.status || response.statusCode === 503);
      },
    );
    outgoing.on('error', () => resolve(false));
    outgoing.end(body);
  });
}
