import type { Logger } from 'pino';

/** Runs work without which the daemon works, too. */
export function attempt(log: Pick<Logger, 'warn'>, failure: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    log.warn({ err: error }, failure);
  }
}
