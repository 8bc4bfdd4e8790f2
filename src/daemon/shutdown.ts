/** Asks a daemon to stop. */
import { readFileSync } from 'node:fs';
import type { DaemonState } from '../contract/places.ts';
import { shutDown } from '../contract/admin/daemon.ts';

const PATIENCE_MS = 1_000;

/** Over its admin socket, because Windows has no signals that a process could answer; by SIGTERM when the socket does not answer. */
export async function askToStop({ adminSocket, pid }: DaemonState): Promise<void> {
  if (!(await askOverSocket(adminSocket))) sendSignal(pid, 'SIGTERM');
}

/** Does nothing when there is no such process any more. */
export function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Whether a process has ended; one that only waits to be reaped counts as ended, as in a container whose first process reaps nobody. */
export function hasEnded(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform === 'linux' && /\) [ZX] /u.test(readFileSync(`/proc/${String(pid)}/stat`, 'utf8'));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'EPERM';
  }
}

/** Whether somebody answers there who will stop now. */
export function askOverSocket(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const body = '{}';
    const { request } = process.getBuiltinModule('node:http');
    const headers = { 'content-type': 'application/json', 'content-length': body.length };
    const outgoing = request(
      { socketPath, method: shutDown.method, path: shutDown.path, headers, agent: false, signal: AbortSignal.timeout(PATIENCE_MS) },
      (response) => {
        response.resume();
        // 503: it is stopping already.
        resolve(response.statusCode === shutDown.status || response.statusCode === 503);
      },
    );
    outgoing.on('error', () => resolve(false));
    outgoing.end(body);
  });
}
