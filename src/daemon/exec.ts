/** A command with a daemon of its own: an ephemeral one in this process, which ends with the command and leaves nothing. */
import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { type Env, logFile } from '../contract/places.ts';
import { claim } from './claim.ts';
import type { DaemonConfig } from './config.ts';
import { DaemonError } from './errors.ts';
import { loadDaemon } from './load.ts';
import type { Daemon } from './main.ts';

/** SIGHUP: the terminal was closed. */
const PASSED_ON = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
type Passed = (typeof PASSED_ON)[number];

/**
 * Runs the command with the daemon's address and key in its environment; resolves with its exit code, or 128 and the number of the
 * signal that ended it, when the daemon has stopped and its directory is gone. `loud`: its log goes to stderr.
 */
export async function runWith(config: DaemonConfig, command: readonly string[], env: Env, loud: boolean): Promise<number> {
  const signals = catchSignals();
  try {
    const lock = claim(config.dataDir);
    if (!lock) throw new DaemonError('data_directory_locked', `${config.dataDir} is held by another process`);
    const { runDaemon, dieLoudly, fileLog, stderrLog } = await loadDaemon({ keeps: true });
    const daemonLog = loud ? stderrLog(config.logLevel) : fileLog(logFile(config.dataDir), config.logLevel);
    const daemon = await runDaemon(config, { lock, log: daemonLog.log, env });
    dieLoudly(daemonLog);
    try {
      return await run(command, environmentOf(daemon, env), signals);
    } finally {
      await daemon.stop();
      daemonLog.close();
    }
  } finally {
    signals.end();
  }
}

function environmentOf({ status, demo, firstKey }: Daemon, env: Env): Env {
  // A profile is another service's.
  const { STOCKROOM_PROFILE: _, ...rest } = env;
  const key = demo[0]?.secret ?? firstKey?.secret;
  return {
    ...rest,
    STOCKROOM_URL: status.url ?? undefined,
    STOCKROOM_DATA_DIR: status.dataDir,
    ...(key === undefined ? {} : { STOCKROOM_API_KEY: key }),
  };
}

interface Signals {
  /** Who gets them from now on; those that came before are told at once. */
  passTo(listener: (signal: Passed) => void): void;
  readonly first: Passed | undefined;
  end(): void;
}

function catchSignals(): Signals {
  let first: Passed | undefined;
  let listener: ((signal: Passed) => void) | undefined;
  const handlers = PASSED_ON.map((signal) => {
    const handler = (): void => {
      first ??= signal;
      listener?.(signal);
    };
    process.on(signal, handler);
    return [signal, handler] as const;
  });
  return {
    passTo: (next) => void (listener = next),
    get first() {
      return first;
    },
    end() {
      for (const [signal, handler] of handlers) process.off(signal, handler);
    },
  };
}

async function run([file = '', ...args]: readonly string[], env: Env, signals: Signals): Promise<number> {
  if (signals.first) return 128 + constants.signals[signals.first];
  // Windows finds npm and its like, which are scripts, only through a shell.
  const child = spawn(file, args, { stdio: 'inherit', env: { ...env }, shell: process.platform === 'win32' });
  const killed = (): void => void child.kill('SIGKILL');
  process.once('exit', killed);
  signals.passTo((signal) => passOn(child, signal));
  try {
    return await new Promise<number>((resolve, reject) => {
      child.once('error', (cause: NodeJS.ErrnoException) => reject(unstartable(file, cause)));
      child.once('exit', (code, by) => resolve(code ?? 128 + constants.signals[by ?? 'SIGKILL']));
    });
  } finally {
    process.off('exit', killed);
  }
}

/** The terminal sends Ctrl-C to the command itself; a second signal of any other kind ends it. */
function passOn(child: ChildProcess, signal: Passed): void {
  if (signal === 'SIGINT' && process.stdin.isTTY) return;
  child.kill(child.killed ? 'SIGKILL' : signal);
}

function unstartable(file: string, cause: NodeJS.ErrnoException): DaemonError {
  const why = cause.code === 'ENOENT' ? `there is no command ${file}` : `${file} cannot be run: ${cause.message}`;
  return new DaemonError('usage', why, { cause });
}
