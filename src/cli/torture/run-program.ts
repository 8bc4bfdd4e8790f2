/** Runs a program as a group of processes, of which none is left when it ends. */
import spawn from 'cross-spawn';
import type { Env } from '../../platform/local-paths.ts';
import { Failure } from '../errors/failure.ts';

const OUTPUT_MAX_CHARS = 4_000;
/** How long a program may take to end after SIGTERM. */
const GRACE_MS = 2_000;

export type RunningProgram = ReturnType<typeof startProgram>;

export function startProgram([file = '', ...args]: readonly string[], env: Env, isShown: boolean) {
  const isWindows = process.platform === 'win32';
  // A group of its own: also the children of a script end with it.
  const child = spawn(file, args, { env: { ...env }, stdio: ['ignore', 'pipe', 'pipe'], detached: !isWindows });
  let output = '';
  const collect = (chunk: Buffer): void => {
    output = (output + chunk.toString('utf8')).slice(-OUTPUT_MAX_CHARS);
    if (isShown) process.stderr.write(chunk);
  };
  child.stdout?.on('data', collect);
  child.stderr?.on('data', collect);
  let isEnded = false;
  const kill = (signal: NodeJS.Signals): void => {
    try {
      if (isWindows || child.pid === undefined) child.kill(signal);
      else process.kill(-child.pid, signal);
    } catch {
      // The group has ended.
    }
  };
  const killAll = (): void => kill('SIGKILL');
  process.once('exit', killAll);
  const ended = new Promise<string | undefined>((resolve, reject) => {
    child.once('error', (cause: NodeJS.ErrnoException) => reject(toStartFailure(file, cause)));
    child.once('exit', (code, signal) => {
      // What it started in the background.
      killAll();
      process.off('exit', killAll);
      const reason = code === null ? `ended by ${String(signal)}` : `exit code ${String(code)}`;
      // The output may come after the end.
      child.once('close', () => resolve(isEnded || code === 0 ? undefined : reason));
    });
  });
  return {
    /** What went wrong; undefined if it ended with 0, or was ended with `end`. Rejects if it cannot be started. */
    ended,
    /** The end of what it printed. */
    get output() {
      return output;
    },
    async end(): Promise<void> {
      isEnded = true;
      kill('SIGTERM');
      const timer = setTimeout(killAll, GRACE_MS);
      await ended.catch(() => undefined);
      clearTimeout(timer);
    },
  };
}

function toStartFailure(file: string, cause: NodeJS.ErrnoException): Failure {
  if (cause.code === 'ENOENT') return new Failure('COMMAND_NOT_FOUND', `Command not found: ${file}`, { cause });
  const reason = cause.code === 'EACCES' ? 'permission denied' : cause.message;
  return new Failure('COMMAND_NOT_EXECUTABLE', `Cannot run ${file}: ${reason}`, { cause });
}
