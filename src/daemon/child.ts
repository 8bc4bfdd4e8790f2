/**
 * The background process. Its one argument is the configuration as JSON; it tells its parent once what came of the start (`Outcome`)
 * and then needs nobody. Everything heavy is loaded only after the lock is ours.
 */
import { logFile } from '../contract/places.ts';
import { claim } from './claim.ts';
import type { DaemonConfig } from './config.ts';
import { plainError } from './errors.ts';
import { loadDaemon } from './load.ts';
import type { Outcome } from './outcome.ts';

const config = JSON.parse(process.argv[2] ?? '') as DaemonConfig;
try {
  const lock = claim(config.dataDir);
  if (lock) {
    const { runDaemon, dieLoudly, end, live, fileLog } = await loadDaemon({ keeps: true });
    const daemonLog = fileLog(logFile(config.dataDir), config.logLevel);
    dieLoudly(daemonLog);
    const daemon = await runDaemon(config, { lock, log: daemonLog.log, env: process.env }).catch((error: unknown) => {
      daemonLog.log.error({ err: error }, 'the start failed');
      throw error;
    });
    const exit = live(daemon, daemonLog.log);
    const { status, notices, firstKey, demo } = daemon;
    const told = await tell({ kind: 'ready', status, notices, firstKey, demo });
    if (firstKey && !told) {
      daemonLog.log.warn(
        `nobody is left to save the first key; make another: stockroom keys create --tenant ${firstKey.tenant} --all-scopes --save`,
      );
    }
    end(await exit, daemonLog);
  } else {
    await tell({ kind: 'locked' });
  }
} catch (error) {
  await tell({ kind: 'failed', error: plainError(error) });
  process.exitCode = 1;
}

/** False when the parent has gone. */
function tell(outcome: Outcome): Promise<boolean> {
  return new Promise((resolve) => {
    if (!process.connected) return resolve(false);
    process.send?.(outcome, undefined, {}, (error) => {
      if (process.connected) process.disconnect();
      resolve(!error);
    });
  });
}
