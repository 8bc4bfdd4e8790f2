/** Runs a daemon in the process of the command. */
import type { StartObserver } from '../../platform/daemon-state.ts';
import type { Env } from '../../platform/local-paths.ts';
import { claimDataDirectory } from '../data-directory/data-directory.ts';
import type { DaemonConfig } from '../config.ts';
import { findRunningDaemon } from '../control/status.ts';
import { DaemonError } from '../errors.ts';
import type { Daemon } from './run-daemon.ts';

/** Runs a daemon until it is stopped; `onReady` is called once it answers. On return, the exit code is set and the process may end. */
export async function runInForeground(
  config: DaemonConfig,
  env: Env,
  onReady: (daemon: Daemon) => Promise<void>,
  onReplay?: StartObserver['onReplay'],
): Promise<void> {
  const lock = claimDataDirectory(config.dataDir);
  if (!lock) throw await createLockedError(config.dataDir);
  const { runDaemon, disableDebuggerSignal, logFatalErrors, exitProcess, waitForShutdown, createStderrLog } =
    await import('./daemon-modules.ts');
  disableDebuggerSignal();
  const daemonLog = createStderrLog(config.logLevel);
  const daemon = await runDaemon(config, { lock, log: daemonLog.log, env, onReplay });
  logFatalErrors(daemonLog);
  const exitCode = waitForShutdown(daemon, daemonLog);
  await onReady(daemon);
  exitProcess(await exitCode, daemonLog);
}

async function createLockedError(dataDir: string): Promise<DaemonError> {
  const state = await findRunningDaemon(dataDir);
  const message = state
    ? `The daemon of ${dataDir} is already running on ${state.url} (pid ${String(state.pid)})`
    : `Another process has locked ${dataDir}`;
  return new DaemonError('DATA_DIRECTORY_LOCKED', message, {
    hint: 'Use that daemon, stop it with `stockroom daemon stop`, or choose another data directory with --data-dir',
  });
}
