/** Starts and restarts the daemon of a data directory. */
import type { StartObserver } from '../../platform/daemon-state.ts';
import type { Env } from '../../platform/local-paths.ts';
import { type DaemonConfig, resolveConfig } from '../config.ts';
import { isDataDirectoryLocked } from '../data-directory/lock.ts';
import { readStateFile } from '../data-directory/state-file.ts';
import { DaemonError, deserializeError } from '../errors.ts';
import { requireSameOptions } from './required-options.ts';
import { stopLostDaemons } from './lost-daemons.ts';
import { pollUntil } from './poll-until.ts';
import { spawnDaemon } from './spawn-daemon.ts';
import type { StartedDaemon } from './start-result.ts';
import { describeVersionSkew, findRunningDaemon, toStatus } from './status.ts';
import { type StopOptions, stopDaemon } from './stop.ts';

/** How long another process may hold the data directory without answering before a start fails. */
const LOCKED_TIMEOUT_MS = 30_000;
/** Another process that holds the lock may be stopping: spawn again when it has not answered after this time. */
const RETRY_AFTER_MS = 1_000;

/** Returns the running daemon of the data directory if it has the options asked for, or starts one. */
export async function startDaemon(config: DaemonConfig, env: Env, { onWait, onReplay }: StartObserver = {}): Promise<StartedDaemon> {
  const deadline = Date.now() + LOCKED_TIMEOUT_MS;
  for (let attempt = 1; ; attempt += 1) {
    const state = await findRunningDaemon(config.dataDir);
    if (state) {
      requireSameOptions(config, state);
      const skew = describeVersionSkew(state);
      return { status: toStatus(state), wasRunning: true, notices: skew === undefined ? [] : [skew], firstKey: undefined, demo: [] };
    }
    const result = await spawnDaemon(config, env, onReplay);
    if (result.kind === 'ready') return { ...result, wasRunning: false };
    if (result.kind === 'failed') throw deserializeError(result.error);
    if (Date.now() > deadline) {
      throw new DaemonError('DATA_DIRECTORY_LOCKED', `Another process has locked ${config.dataDir} but does not answer`, {
        hint: 'Check `stockroom daemon logs`, then run `stockroom daemon stop --force`',
      });
    }
    if (attempt === 2) {
      const pid = readStateFile(config.dataDir)?.pid;
      const holder = `another process${pid === undefined ? '' : ` (pid ${String(pid)})`}`;
      onWait?.(`Waiting up to ${String(LOCKED_TIMEOUT_MS / 1000)} s for ${holder} that has locked ${config.dataDir} but does not answer`);
    }
    await pollUntil(() => findRunningDaemon(config.dataDir), RETRY_AFTER_MS);
  }
}

/** Stops the daemon if it runs and starts it with the same options, on the same port if that is still free. */
export async function restartDaemon(dataDir: string, env: Env, stop: StopOptions, observer?: StartObserver): Promise<StartedDaemon> {
  // Also when it does not answer: while the directory is locked, its state file was written by the holder of the lock.
  const options = isDataDirectoryLocked(dataDir) ? readStateFile(dataDir)?.options : undefined;
  if (options?.ephemeral)
    throw new DaemonError('USAGE', `Cannot restart the ephemeral daemon of ${dataDir}: stopping it removes its data`, {
      hint: 'Start another with `stockroom daemon start --ephemeral`',
    });
  // Before the stop: an invalid setting must not leave the daemon down.
  const config = await resolveConfig({ ...options, dataDir, exactPort: false }, env);
  await stopLostDaemons(env, dataDir, stop);
  await stopDaemon(dataDir, stop);
  return startDaemon(config, env, observer);
}
