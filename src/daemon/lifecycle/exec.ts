/** Runs a command against a temporary service: an ephemeral daemon in this process that ends with the command and leaves no files. */
import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import spawn from 'cross-spawn';
import { CONTROL_TOKEN_VARIABLE, CONTROL_URL_VARIABLE } from '../../contract/admin/control.ts';
import { type Env, getLogFile } from '../../platform/local-paths.ts';
import { claimDataDirectory } from '../data-directory/data-directory.ts';
import type { DaemonConfig } from '../config.ts';
import { DaemonError } from '../errors.ts';
import type { Daemon } from './run-daemon.ts';

/** SIGHUP is sent when the terminal is closed. */
const FORWARDED_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
type ForwardedSignal = (typeof FORWARDED_SIGNALS)[number];

interface ExecOptions {
  readonly logToStderr: boolean;
  /** Runs before the command; returns the key for it, if it is not that of the first tenant. */
  readonly prepare?: ((daemon: Daemon) => Promise<string | undefined>) | undefined;
}

/**
 * Runs the command with the address and a key of the daemon in its environment. Resolves, when the daemon has stopped and its directory
 * is removed, with the exit code of the command, or 128 + the number of the signal that ended it.
 */
export async function runCommandWithDaemon(
  config: DaemonConfig,
  command: readonly string[],
  env: Env,
  { logToStderr, prepare }: ExecOptions,
): Promise<number> {
  const signals = captureSignals();
  try {
    const lock = claimDataDirectory(config.dataDir);
    if (!lock) throw new DaemonError('DATA_DIRECTORY_LOCKED', `Another process has locked ${config.dataDir}`);
    const { runDaemon, disableDebuggerSignal, logFatalErrors, createFileLog, createStderrLog } = await import('./daemon-modules.ts');
    disableDebuggerSignal();
    const logFile = logToStderr ? undefined : getLogFile(config.dataDir);
    const daemonLog = logFile === undefined ? createStderrLog(config.logLevel) : createFileLog(logFile, config.logLevel);
    const daemon = await runDaemon(config, { lock, log: daemonLog.log, logFile, env });
    logFatalErrors(daemonLog);
    try {
      const key = await prepare?.(daemon);
      return await runCommand(command, createEnvironment(daemon, env, key), signals);
    } finally {
      await daemon.stop();
      daemonLog.close();
    }
  } finally {
    signals.release();
  }
}

function createEnvironment({ status, demo, firstKey, control }: Daemon, env: Env, givenKey: string | undefined): Env {
  // A profile would point at another service.
  const { STOCKROOM_PROFILE: _, ...rest } = env;
  const key = givenKey ?? demo[0]?.secret ?? firstKey?.secret;
  return {
    ...rest,
    STOCKROOM_URL: status.url ?? undefined,
    STOCKROOM_DATA_DIR: status.dataDir,
    ...(key === undefined ? {} : { STOCKROOM_API_KEY: key }),
    [CONTROL_URL_VARIABLE]: control?.url,
    [CONTROL_TOKEN_VARIABLE]: control?.token,
  };
}

interface CapturedSignals {
  /** The first signal so far: the command is not started after one. */
  readonly first: ForwardedSignal | undefined;
  /** Calls `listener` for every later signal. */
  forwardTo(listener: (signal: ForwardedSignal) => void): void;
  /** Removes the handlers. */
  release(): void;
}

function captureSignals(): CapturedSignals {
  let first: ForwardedSignal | undefined;
  let listener: ((signal: ForwardedSignal) => void) | undefined;
  const handlers = FORWARDED_SIGNALS.map((signal) => {
    const handler = (): void => {
      first ??= signal;
      listener?.(signal);
    };
    process.on(signal, handler);
    return [signal, handler] as const;
  });
  return {
    get first() {
      return first;
    },
    forwardTo: (next) => void (listener = next),
    release() {
      for (const [signal, handler] of handlers) process.off(signal, handler);
    },
  };
}

async function runCommand([file = '', ...args]: readonly string[], env: Env, signals: CapturedSignals): Promise<number> {
  if (signals.first) return 128 + constants.signals[signals.first];
  // Windows runs scripts such as npm only through a shell, for which this quotes the arguments.
  const child = spawn(file, args, { stdio: 'inherit', env: { ...env } });
  const killChild = (): void => void child.kill('SIGKILL');
  process.once('exit', killChild);
  signals.forwardTo((signal) => forwardSignal(child, signal));
  try {
    return await new Promise<number>((resolve, reject) => {
      child.once('error', (cause: NodeJS.ErrnoException) => reject(toSpawnError(file, cause)));
      child.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal ?? 'SIGKILL']));
    });
  } finally {
    process.off('exit', killChild);
  }
}

/** A terminal sends Ctrl-C to the command itself. A second signal of any other kind kills the command. */
function forwardSignal(child: ChildProcess, signal: ForwardedSignal): void {
  if (signal === 'SIGINT' && process.stdin.isTTY) return;
  child.kill(child.killed ? 'SIGKILL' : signal);
}

function toSpawnError(file: string, cause: NodeJS.ErrnoException): DaemonError {
  if (cause.code === 'ENOENT') return new DaemonError('COMMAND_NOT_FOUND', `Command not found: ${file}`, { cause });
  const reason = cause.code === 'EACCES' ? 'permission denied' : cause.message;
  return new DaemonError('COMMAND_NOT_EXECUTABLE', `Cannot run ${file}: ${reason}`, { cause });
}
