/** Stops and continues the dashboard as a job of the shell, as vim does. */
import type { Handover } from './handover.ts';

/** Leaves the screen, stops all processes of the job, and draws the screen again when the shell continues it. */
export const stopJob = (handover: Handover): Promise<void> => handover.take((lend) => lend(() => Promise.resolve(stop(0))));

/** Handles SIGTSTP and SIGCONT until the returned function is called. `onError`: the terminal could not be given away or taken back. */
export function watchJobControl(handover: Handover, onError: (error: unknown) => void): () => void {
  const onStop = (): void => {
    // The program that has the terminal has left it in the state that the shell needs.
    if (handover.isLent()) stop(process.pid);
    else void stopJob(handover).catch(onError);
  };
  // After SIGSTOP, which cannot be handled, the shell has changed the terminal: giving it away and taking it back restores everything.
  const onContinue = (): void => void handover.take((lend) => lend(() => Promise.resolve())).catch(onError);
  process.on('SIGTSTP', onStop);
  process.on('SIGCONT', onContinue);
  return () => {
    process.off('SIGTSTP', onStop);
    process.off('SIGCONT', onContinue);
  };
}

/**
 * Returns when the process continues. Of a job that no shell would continue, the system ignores the signal. `pid`: 0 is the process
 * group.
 */
function stop(pid: number): void {
  if (process.platform === 'win32') return;
  const listeners = process.listeners('SIGTSTP');
  process.removeAllListeners('SIGTSTP');
  process.kill(pid, 'SIGTSTP');
  for (const listener of listeners) process.on('SIGTSTP', listener);
}
