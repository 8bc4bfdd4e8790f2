/** The process of a daemon: signals, uncaught errors, the exit code. */
import { constants } from 'node:os';
import type { Logger } from 'pino';
import { DirectoryLost } from '../../store/file/index.ts';
import type { Daemon } from './run-daemon.ts';
import type { DaemonLog } from '../log/daemon-log.ts';

/** SIGHUP is sent when the terminal of a daemon in the foreground is closed. */
const SHUTDOWN_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Logs every uncaught error and then exits with 1. The store recovers from that as from kill -9. */
export function logFatalErrors({ log, close }: DaemonLog): void {
  const exit = (error: unknown): never => {
    log.fatal({ err: error }, 'uncaught error; the daemon exits');
    close();
    process.exit(1);
  };
  process.on('uncaughtException', exit);
  process.on('unhandledRejection', exit);
}

/**
 * Resolves with the exit code when the daemon has stopped. The first signal stops it gracefully, with exit code 0. A second one while it
 * drains ends draining; any later one exits immediately with 128 + the number of the signal (130, 143).
 */
export async function waitForShutdown(daemon: Daemon, log: Logger): Promise<number> {
  let isStopping = false;
  for (const signal of SHUTDOWN_SIGNALS) {
    process.on(signal, () => {
      if (isStopping && !daemon.isDraining()) process.exit(128 + constants.signals[signal]);
      isStopping = true;
      log.info({ signal }, 'signal');
      // `ended` reports the failure.
      daemon.stop().catch(() => undefined);
    });
  }
  try {
    await daemon.ended;
    return 0;
  } catch (error) {
    log.error(
      { err: error },
      error instanceof DirectoryLost
        ? 'stopped without writing to the data directory, which was deleted or replaced'
        : 'the shutdown was incomplete; the next start recovers',
    );
    return 1;
  }
}

const EXIT_TIMEOUT_MS = 1_000;

/** Lets the process end with this exit code, and forces it after a second if an open handle keeps it alive. */
export function exitProcess(exitCode: number, { log, close }: DaemonLog): void {
  process.exitCode = exitCode;
  const timer = setTimeout(() => {
    log.warn('open handles kept the process alive; exiting');
    process.exit();
  }, EXIT_TIMEOUT_MS);
  timer.unref();
  process.once('exit', close);
}
