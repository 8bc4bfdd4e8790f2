import { readFileSync } from 'node:fs';

/** Whether a process has ended. A zombie counts as ended: in a container, process 1 may never reap it. */
export function hasProcessEnded(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform === 'linux' && /\) [ZX] /u.test(readFileSync(`/proc/${String(pid)}/stat`, 'utf8'));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'EPERM';
  }
}
