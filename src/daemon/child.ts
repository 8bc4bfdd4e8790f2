/**
 * The background process of a daemon. Its only argument is the data directory, which lists of processes show. The configuration is the
 * first message of its parent, because all users can read arguments. It sends the parent one message with the result of the start and
 * does not need it after that. Heavy modules are loaded only once it holds the lock.
 */
import type { StartObserver } from '../platform/daemon-state.ts';
import { getLogFile } from '../platform/local-paths.ts';
import { claimDataDirectory } from './data-directory/data-directory.ts';
import { explainDiskError, serializeError } from './errors.ts';
import type { StartMessage, StartRequest, StartResult } from './control/start-result.ts';

/** The replay blocks the event loop, so the message is written before it returns, or not at all. */
const onReplay: StartObserver['onReplay'] = (progress) => {
  if (process.connected) process.send?.({ kind: 'replaying', ...progress } satisfies StartMessage);
};

const request = await receiveRequest();
// The parent has ended, so no one waits for the daemon.
if (request === undefined) process.exit(1);
const { config, isNewDirectory } = request;
try {
  const lock = claimDataDirectory(config.dataDir, { isNew: isNewDirectory });
  if (lock) {
    const { runDaemon, logFatalErrors, exitProcess, waitForShutdown, createFileLog } = await import('./lifecycle/daemon-modules.ts');
    const logFile = getLogFile(config.dataDir);
    const daemonLog = createFileLog(logFile, config.logLevel);
    logFatalErrors(daemonLog);
    const daemon = await runDaemon(config, { lock, log: daemonLog.log, logFile, env: process.env, onReplay }).catch((error: unknown) => {
      daemonLog.log.error({ err: error }, 'start failed');
      throw error;
    });
    const exitCode = waitForShutdown(daemon, daemonLog);
    const { status, notices, firstKey, demo } = daemon;
    const isReported = await reportResult({ kind: 'ready', status, notices, firstKey, demo });
    if (firstKey && !isReported) {
      daemonLog.log.warn(
        `the first key was not saved; create another: stockroom keys create --tenant ${firstKey.tenant} --all-scopes --save`,
      );
    }
    exitProcess(await exitCode, daemonLog);
  } else {
    await reportResult({ kind: 'locked' });
  }
} catch (error) {
  await reportResult({ kind: 'failed', error: serializeError(explainDiskError(config.dataDir, error)) });
  process.exitCode = 1;
}

/** Undefined when the parent process has ended. */
function receiveRequest(): Promise<StartRequest | undefined> {
  return new Promise((resolve) => {
    process.once('message', (message) => resolve(message as StartRequest));
    process.once('disconnect', () => resolve(undefined));
    if (!process.connected) resolve(undefined);
  });
}

/** Returns false when the parent process has ended. */
function reportResult(result: StartResult): Promise<boolean> {
  return new Promise((resolve) => {
    if (!process.connected) return resolve(false);
    process.send?.(result, undefined, {}, (error) => {
      if (process.connected) process.disconnect();
      resolve(!error);
    });
  });
}
