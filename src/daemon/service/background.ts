import type { Logger } from 'pino';
import { StoreUnavailable } from '../../domain/kernel/ports.ts';

export type RunInBackground = (work: () => Promise<unknown>) => void;

/** Runs work that no one waits for, and logs its errors. Work that the stop of the service interrupts continues after the next start. */
export function createBackgroundRunner(log: Pick<Logger, 'error'>, isClosing: () => boolean): RunInBackground {
  return (work) => {
    work().catch((error: unknown) => {
      if (!(isClosing() && error instanceof StoreUnavailable)) log.error({ err: error }, 'background work failed');
    });
  };
}
