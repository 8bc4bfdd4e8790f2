/** A daemon in the process of the command that was typed. */
import type { Env } from '../contract/places.ts';
import { claim } from './claim.ts';
import type { DaemonConfig } from './config.ts';
import { runningState } from './control.ts';
import { DaemonError } from './errors.ts';
import { loadDaemon } from './load.ts';
import type { Daemon } from './main.ts';

/** Runs a daemon until it is stopped; `onReady` is told once it answers. Resolves when the process may end, its exit code being set. */
export async function runInForeground(config: DaemonConfig, env: Env, onReady: (daemon: Daemon) => Promise<void>): Promise<void> {
  const lock = claim(config.dataDir);
  if (!lock) throw await inUse(config.dataDir);
  const { runDaemon, dieLoudly, end, live, stderrLog } = await loadDaemon({ keeps: true });
  const daemonLog = stderrLog(config.logLevel);
  const daemon = await runDaemon(config, { lock, log: daemonLog.log, env });
  dieLoudly(daemonLog);
  const exit = live(daemon, daemonLog.log);
  await onReady(daemon);
  end(await exit, daemonLog);
}

async function inUse(dataDir: string): Promise<DaemonError> {
  const state = await runningState(dataDir);
  const where = state ? `runs already on ${state.url} (pid ${String(state.pid)})` : 'is held by another process';
  return new DaemonError('data_directory_locked', state ? `the daemon of ${dataDir} ${where}` : `${dataDir} ${where}`, {
    hint: 'use that one, stop it with `stockroom daemon stop`, or choose another data directory with --data-dir',
  });
}
