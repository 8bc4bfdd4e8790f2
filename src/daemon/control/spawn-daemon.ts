import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import type { StartObserver } from '../../platform/daemon-state.ts';
import { type Env, getLogFile } from '../../platform/local-paths.ts';
import type { DaemonConfig } from '../config.ts';
import { prepareDataDirectory, setPrivateUmask } from '../data-directory/data-directory.ts';
import { DaemonError, explainDiskError } from '../errors.ts';
import { readLastLines } from '../log/tail.ts';
import { childEntry } from '../package-info.ts';
import { daemonEnvironment, daemonNodeFlags } from './process-settings.js';
import type { StartMessage, StartRequest, StartResult } from './start-result.ts';

/** Spawns one detached daemon process, and resolves with what it reports about its start. It inherits the environment, but no secret in its arguments. */
export async function spawnDaemon(config: DaemonConfig, env: Env, onReplay: StartObserver['onReplay']): Promise<StartResult> {
  setPrivateUmask();
  const isNewDirectory = prepareDataDirectory(config.dataDir);
  const logPath = getLogFile(config.dataDir);
  const output = openLog(config.dataDir, logPath);
  const { STOCKROOM_API_KEY: _, ...childEnv } = env;
  const child = spawn(process.execPath, [...daemonNodeFlags, childEntry, config.dataDir], {
    detached: true,
    // Not the caller's working directory, which the user may want to remove or unmount.
    cwd: config.dataDir,
    env: { ...daemonEnvironment, ...getCompileCacheEnv(), ...childEnv },
    stdio: ['ignore', output, output, 'ipc'],
    windowsHide: true,
  });
  closeSync(output);
  try {
    return await new Promise<StartResult>((resolve, reject) => {
      child.on('message', (message: StartMessage) => (message.kind === 'replaying' ? onReplay?.(message) : resolve(message)));
      child.once('error', reject);
      // An error here is followed by the exit of the child.
      child.send({ config, isNewDirectory } satisfies StartRequest, () => undefined);
      child.once('exit', (code, signal) => {
        reject(
          new DaemonError('START_FAILED', `The daemon exited before it was ready (${signal ?? `exit code ${String(code)}`})`, {
            hint: `Last lines of ${logPath}:\n${readLastLines(logPath, 5).join('\n')}`,
          }),
        );
      });
    });
  } finally {
    if (child.connected) child.disconnect();
    child.removeAllListeners();
    child.unref();
  }
}

/** Output that bypasses the logger, such as a crash of Node itself, goes to the same file. */
function openLog(dataDir: string, path: string): number {
  try {
    return openSync(path, 'a', 0o600);
  } catch (error) {
    throw explainDiskError(dataDir, error);
  }
}

/** Lets the daemon use the compile cache of this process: a start takes a fifth less CPU. Without a private directory there is no cache. */
function getCompileCacheEnv(): Env {
  const directory = getCompileCacheDir();
  // Node returns the subdirectory of its version.
  return directory === undefined ? {} : { NODE_COMPILE_CACHE: dirname(directory) };
}
