/** A daemon as a process: signals, errors nobody caught, the exit code. */
import { constants } from 'node:os';
import type { Logger } from 'pino';
import type { Daemon } from './main.ts';
import type { DaemonLog } from './log.ts';

/** SIGHUP: the terminal of a daemon in the foreground was closed. */
const STOPPING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** From now on an error that nobody caught is logged before the process ends; the store recovers from it as from kill -9. */
export function dieLoudly({ log, close }: DaemonLog): void {
  const die = (error: unknown): never => {
    log.fatal({ err: error }, 'the daemon fails');
    close();
    process.exit(1);
  };
  process.on('uncaughtException', die);
  process.on('unhandledRejection', die);
}

/**
 * Resolves with the exit code when the daemon has stopped. The first signal stops it gracefully, which is a success;
 * a second one ends the process at once with 128 + its number (130, 143).
 */
export async function live(daemon: Daemon, log: Logger): Promise<number> {
  let asked = false;
  for (const signal of STOPPING) {
    process.on(signal, () => {
      if (asked) process.exit(128 + constants.signals[signal]);
      asked = true;
      log.info({ signal }, 'signal');
      daemon.stop().catch(() => undefined); // `ended` tells.
    });
  }
  try {
    await daemon.ended;
    return 0;
  } catch (error) {
    log.error({ err: error }, 'the stop was not clean; the next start recovers');
    return 1;
  }
}

const LAST_BREATH_MS = 1_000;

/** Ends the process with an exit code, also if something forgotten would keep it alive. */
export function end(exit: number, { log, close }: DaemonLog): void {
  process.exitCode = exit;
  const timer = setTimeout(() => {
    log.warn('something was still open');
    process.exit();
  }, LAST_BREATH_MS);
  timer.unref();
  process.once('exit', close);
}
