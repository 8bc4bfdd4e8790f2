/** Starting, finding and stopping daemons, for commands and tests: plain functions over files, the lock, signals and `GET /healthz`. */
import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { DEFAULT_HOST, type DaemonState, type DaemonStatus, type Env, adminSocketPath, logFile } from '../contract/places.ts';
import { type DaemonConfig, resolveConfig } from './config.ts';
import { DaemonError, fromPlain } from './errors.ts';
import { askHealth } from './health.ts';
import { isLocked } from './lock.ts';
import type { Outcome, Started } from './outcome.ts';
import { enlisted, keepPrivate, prepareDirectory, readState } from './place.ts';
import { askOverSocket, askToStop, hasEnded, sendSignal } from './shutdown.ts';
import { lastLines } from './tail.ts';
import { daemonFlags } from '../../bin/daemon-flags.js';
import { childEntry, version as ownVersion } from './version.ts';

const LOOK_EVERY_MS = 50;
/** How long one that holds its directory has for a second answer, before somebody is told that it does not answer. */
const LATE_PATIENCE_MS = 4_000;
/** How long another process may hold a data directory without answering before a start gives up. */
const OTHERS_PATIENCE_MS = 30_000;
/** A process that lost the race for the lock is worth another try when the winner has not answered by then: it may have been stopping. */
const TRY_AGAIN_MS = 1_000;

/** The state of the daemon of a data directory if it answers as the instance that wrote it. */
export async function runningState(dataDir: string, patienceMs?: number): Promise<DaemonState | undefined> {
  const state = readState(dataDir);
  return state && (await askHealth(state.url, patienceMs)) === state.instanceId ? state : undefined;
}

export async function daemonStatus(dataDir: string): Promise<DaemonStatus> {
  const state = await runningState(dataDir);
  if (state) return statusOf(state);
  const rest = { url: null, dataDir, version: null, instanceId: null };
  if (!isLocked(dataDir)) return { status: 'stopped', pid: null, ...rest };
  // The machine may be busy, or have slept in between.
  const late = await runningState(dataDir, LATE_PATIENCE_MS);
  if (late) return statusOf(late);
  return { status: 'unresponsive', pid: readState(dataDir)?.pid ?? null, ...rest };
}

/** Every data directory that has had a daemon, with what it does now. */
export async function daemonStatuses(env: Env): Promise<DaemonStatus[]> {
  return Promise.all(enlisted(env).map(daemonStatus));
}

/** The running daemon of the data directory, started if there is none; resolves when it answers. `note` hears once why that takes long. */
export async function startDaemon(config: DaemonConfig, env: Env, note: (text: string) => void = () => undefined): Promise<Started> {
  const deadline = Date.now() + OTHERS_PATIENCE_MS;
  for (let tries = 1; ; tries += 1) {
    const state = await runningState(config.dataDir);
    if (state) return { status: statusOf(state), already: true, notices: remarks(config, state), firstKey: undefined, demo: [] };
    const outcome = await launch(config, env);
    if (outcome.kind === 'ready') return { ...outcome, already: false };
    if (outcome.kind === 'failed') throw fromPlain(outcome.error);
    if (Date.now() > deadline) {
      throw new DaemonError('data_directory_locked', `another process holds ${config.dataDir} but does not answer`, {
        hint: 'see `stockroom daemon logs`, then `stockroom daemon stop --force`',
      });
    }
    if (tries === 2) {
      const pid = readState(config.dataDir)?.pid;
      const who = `another process${pid === undefined ? '' : ` (pid ${String(pid)})`}`;
      note(`${who} holds ${config.dataDir} and does not answer: waiting for it, ${String(OTHERS_PATIENCE_MS / 1000)} s at most`);
    }
    await until(() => runningState(config.dataDir), TRY_AGAIN_MS);
  }
}

/** Stops the daemon if it runs and starts it again as it was, on the same port if that is still free. */
export async function restartDaemon(dataDir: string, env: Env, stop: StopOptions, note?: (text: string) => void): Promise<Started> {
  // Of one that does not answer as well: while the directory is locked, its state file was written by the holder.
  const options = isLocked(dataDir) ? readState(dataDir)?.options : undefined;
  if (options?.ephemeral)
    throw new DaemonError('usage', `${dataDir} is ephemeral: a stop removes its data`, {
      hint: 'start another with `stockroom daemon start --ephemeral`',
    });
  await stopDaemon(dataDir, stop);
  return startDaemon(await resolveConfig({ ...options, dataDir, exactPort: false }, env), env, note);
}

/** Waits until the daemon of the data directory answers. */
export async function waitForDaemon(dataDir: string, timeoutMs: number): Promise<DaemonStatus> {
  const state = await until(() => runningState(dataDir), timeoutMs);
  if (state) return statusOf(state);
  throw new DaemonError('not_ready', `the daemon of ${dataDir} was not ready within ${String(timeoutMs / 1000)} s`, {
    hint: 'see `stockroom daemon status` and `stockroom daemon logs`',
  });
}

export interface StopOptions {
  readonly timeoutMs: number;
  /** Kill it when it has not stopped in time; the store survives that. */
  readonly force: boolean;
}

/** Stops the daemon of a data directory and waits until it has let go of it. False when there was none. */
export async function stopDaemon(dataDir: string, { timeoutMs, force }: StopOptions): Promise<boolean> {
  if (!isLocked(dataDir)) return false;
  // While the directory is locked its state file was written by the holder: the pid is the daemon's, never that of a later process.
  let asked = false;
  const state = await until(async () => {
    const found = readState(dataDir) ?? !isLocked(dataDir);
    // No state yet, or a damaged one: then the socket may be where this process would put its own.
    if (found === false && !asked) asked = await askOverSocket(adminSocketPath(dataDir));
    return found;
  }, timeoutMs);
  if (state === undefined) throw unstoppable(dataDir, timeoutMs);
  if (state === true) return asked;
  const gone = (): Promise<boolean> => {
    const now = readState(dataDir);
    const isReplaced = now !== undefined && now.instanceId !== state.instanceId;
    // The process first: a look at the lock of a directory that is just being removed would put the file there again.
    return Promise.resolve(isReplaced || (hasEnded(state.pid) && !isLocked(dataDir)));
  };
  await askToStop(state);
  if (await until(gone, timeoutMs)) return true;
  if (!force) throw unstoppable(dataDir, timeoutMs);
  sendSignal(state.pid, 'SIGKILL');
  await until(gone, timeoutMs);
  return true;
}

/** One background process: what came of it. */
async function launch(config: DaemonConfig, env: Env): Promise<Outcome> {
  keepPrivate();
  prepareDirectory(config.dataDir);
  const log = logFile(config.dataDir);
  // What escapes the logger (a crash of Node itself) lands in the same file.
  const output = openSync(log, 'a', 0o600);
  const { STOCKROOM_API_KEY: _, ...childEnv } = env;
  const child = spawn(process.execPath, [...daemonFlags, childEntry, JSON.stringify(config)], {
    detached: true,
    // Not the caller's folder, which somebody may want to remove or unmount.
    cwd: config.dataDir,
    env: childEnv,
    stdio: ['ignore', output, output, 'ipc'],
    windowsHide: true,
  });
  closeSync(output);
  try {
    return await new Promise<Outcome>((resolve, reject) => {
      child.once('message', (message) => resolve(message as Outcome));
      child.once('error', reject);
      child.once('exit', (code, by) => {
        reject(
          new DaemonError('start_failed', `the daemon ended before it was ready (${by ?? `exit ${String(code)}`})`, {
            hint: `the end of ${log}:\n${lastLines(log, 5).join('\n')}`,
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

/** What the caller should know about a daemon that had been running before. */
function remarks(config: DaemonConfig, state: DaemonState): string[] {
  const found: string[] = [];
  if (config.exactPort && config.port !== 0 && config.port !== state.options.port) {
    found.push(`It was running already, on ${state.url}; port ${String(config.port)} was not used. Stop it first to change the port.`);
  }
  if (config.hostAsked && config.host !== state.options.host)
    found.push(
      `It was running already, on ${state.options.host ?? DEFAULT_HOST}; --host ${config.host} was not used. Stop it first to change the address.`,
    );
  for (const [name, limit] of Object.entries(config.tiers))
    if (state.options.tiers?.[name] !== limit)
      found.push(
        `It was running already, and the tier ${name}=${String(limit)} was not made; \`stockroom tiers set ${name} ${String(limit)}\` makes it.`,
      );
  if (config.webhookRetries !== undefined && config.webhookRetries !== state.options.webhookRetries)
    found.push(
      `It was running already, with other retries of webhooks. Stop it first to start it with --webhook-retries ${config.webhookRetries}.`,
    );
  if (config.logLevelAsked && config.logLevel !== state.options.logLevel)
    found.push(
      `It was running already, at the log level ${state.options.logLevel ?? 'info'}. Stop it first to start it with --log-level ${config.logLevel}.`,
    );
  if (config.testClock && state.options.testClock !== true)
    found.push('It was running already, on the real time. Stop it first to start it with a test clock.');
  if (config.snapshot !== undefined)
    found.push(`It was running already; \`stockroom snapshot load ${config.snapshot}\` loads the snapshot.`);
  const skew = versionSkew(state);
  return skew === undefined ? found : [...found, skew];
}

/** One sentence when the daemon is of another release than this program. */
export function versionSkew(daemon: Pick<DaemonState, 'version'>): string | undefined {
  if (daemon.version === ownVersion) return undefined;
  return `The daemon is stockroom ${daemon.version}, this command is ${ownVersion}: run \`stockroom daemon restart\`.`;
}

function statusOf({ url, pid, dataDir, version, instanceId }: DaemonState): DaemonStatus {
  return { status: 'running', url, pid, dataDir, version, instanceId };
}

function unstoppable(dataDir: string, timeoutMs: number): DaemonError {
  return new DaemonError('unresponsive', `the daemon of ${dataDir} did not stop within ${String(timeoutMs / 1000)} s`, {
    hint: existsSync(logFile(dataDir))
      ? 'give it longer with --timeout, or kill it with --force; `stockroom daemon logs` may say why'
      : 'kill it with --force',
    dataDir,
  });
}

/** The first value that `look` finds, or undefined when there was none in time. */
async function until<T>(look: () => Promise<T | undefined | false>, timeoutMs: number): Promise<T | undefined> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() >= deadline) return undefined;
    await sleep(LOOK_EVERY_MS);
  }
}
