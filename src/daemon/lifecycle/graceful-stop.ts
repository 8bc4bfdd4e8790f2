/**
 * Stops a daemon in two phases. First it drains: it still serves requests, so that a load balancer notices that it is not ready and sends
 * requests elsewhere. Then it refuses requests and shuts down. A second request to stop ends the first phase.
 */
import type { Logger } from 'pino';

export interface GracefulStop {
  /** Settles when the daemon has stopped; rejects when stopping failed. */
  readonly ended: Promise<void>;
  readonly isDraining: boolean;
  /** A second call ends draining and returns the promise of the first. */
  stop(): Promise<void>;
}

interface StopPhases {
  /** Called with the first request to stop. Zero: no draining. */
  readonly getDrainSeconds: () => number;
  readonly beginDraining: () => void;
  readonly shutDown: () => Promise<void>;
  readonly log: Pick<Logger, 'info'>;
}

export function createGracefulStop({ getDrainSeconds, beginDraining, shutDown, log }: StopPhases): GracefulStop {
  const ended = Promise.withResolvers<void>();
  let endDraining: (() => void) | undefined;
  let stopping: Promise<void> | undefined;

  const drain = (seconds: number): Promise<void> =>
    new Promise((resolve) => {
      log.info({ seconds }, 'draining: not ready, but still serving requests');
      beginDraining();
      endDraining = () => {
        clearTimeout(timer);
        endDraining = undefined;
        resolve();
      };
      const timer = setTimeout(endDraining, seconds * 1_000);
    });
  const run = async (): Promise<void> => {
    const seconds = getDrainSeconds();
    if (seconds > 0) await drain(seconds);
    log.info('stopping');
    await shutDown().finally(() => log.info('stopped'));
  };
  return {
    ended: ended.promise,
    get isDraining() {
      return endDraining !== undefined;
    },
    stop() {
      endDraining?.();
      if (!stopping) {
        stopping = run();
        stopping.then(ended.resolve, ended.reject);
      }
      return stopping;
    },
  };
}
