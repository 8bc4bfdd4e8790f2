/** The process of a daemon: signals, uncaught errors, the exit code. */
import { constants } from 'node:os';
import { DirectoryLost } from '../../store/file/index.ts';
import type { Daemon } from './run-daemon.ts';
import type { DaemonLog } from '../log/daemon-log.ts';

const SHUTDOWN_SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Ignores the signal with which Node opens a debugger for every user of the machine. Node has a flag for it, too, which a command that runs
 * a daemon in its own process does not have.
 */
export function disableDebuggerSignal(): void {
  if (process.platform !== 'win32') process.on('SIGUSR1', () => undefined);
}

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
 * drains ends draining; any later one exits immediately with 128 + the number of the signal (130, 143). SIGHUP reopens the log of a daemon
 * in the background; for one in the foreground it means that its terminal was closed, and stops it.
 */
export async function waitForShutdown(daemon: Daemon, { log, reopen }: DaemonLog): Promise<number> {
  let isStopping = false;
  const isInBackground = reopen !== undefined;
  if (isInBackground) process.on('SIGHUP', reopen);
  for (const signal of isInBackground ? SHUTDOWN_SIGNALS : ([...SHUTDOWN_SIGNALS, 'SIGHUP'] as const)) {
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
