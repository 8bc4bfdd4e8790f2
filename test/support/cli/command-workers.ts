/** Runs commands of the built command line in worker processes that are used again, which takes a tenth of what a process for each takes. */
import { type ChildProcess, fork } from 'node:child_process';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { CommandRequest, CommandResult } from './command-worker.ts';

const WORKER = fileURLToPath(new URL('command-worker.ts', import.meta.url));

/** Commands that run until a signal or the end of stdin, start a program, or end by `process.exit`. */
const NEEDS_PROCESS =
  /^(?:exec|mcp|dashboard|webhooks listen|webhooks deliveries tail|requests tail|events tail|__complete|--version)(?: |$)/u;
const LONG_RUNNING_FLAGS = new Set(['--foreground', '--watch', '--follow', '-f']);
/** A flag whose value `-` is read from file descriptor 0. */
const READS_DESCRIPTOR = '--from-key-file';
/** Node and libraries read other variables only once, when they start. */
const READ_BY_COMMANDS = /^(?:STOCKROOM_\w+|XDG_\w+|HOME|TMPDIR|PATH)$/u;

/** Whether a command can run in a worker. The others need a process of their own. */
export function canRunInWorker(args: readonly string[], addedVariables: readonly string[]): boolean {
  return (
    !NEEDS_PROCESS.test(args.join(' ')) &&
    !args.some((arg, at) => LONG_RUNNING_FLAGS.has(arg) || (arg === '-' && args[at - 1] === READS_DESCRIPTOR)) &&
    addedVariables.every((name) => READ_BY_COMMANDS.test(name))
  );
}

/** Workers without a command, by what they have read when they started. */
const idle = new Map<string, ChildProcess[]>();

/** Runs a command in an idle worker, or in a new one when there is none: commands may run at the same time. `signal` kills the worker. */
export async function runInWorker(request: CommandRequest, signal?: AbortSignal): Promise<CommandResult> {
  const kind = String(request.columns);
  const worker = takeIdle(kind) ?? startWorker(request.env);
  const kill = () => void worker.kill('SIGKILL');
  signal?.addEventListener('abort', kill);
  const result = await sendCommand(worker, request);
  signal?.removeEventListener('abort', kill);
  if (worker.connected) idle.set(kind, [...(idle.get(kind) ?? []), worker]);
  return result;
}

function takeIdle(kind: string): ChildProcess | undefined {
  const workers = idle.get(kind) ?? [];
  for (let worker = workers.pop(); worker !== undefined; worker = workers.pop()) if (worker.connected) return worker;
  return undefined;
}

function startWorker(env: CommandRequest['env']): ChildProcess {
  const worker = fork(WORKER, [], { env: { ...env }, execArgv: [], serialization: 'advanced', stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  // Ends with the process of the test, which does not wait for it.
  worker.unref();
  worker.channel?.unref();
  (worker.stderr as Socket).unref();
  return worker;
}

function sendCommand(worker: ChildProcess, request: CommandRequest): Promise<CommandResult> {
  return new Promise((resolve) => {
    let written = '';
    const collect = (chunk: Buffer) => (written += chunk.toString());
    const end = (result: CommandResult) => {
      worker.off('message', receive).off('close', crash);
      worker.stderr?.off('data', collect);
      worker.channel?.unref();
      resolve(result);
    };
    const receive = (result: unknown) => end(result as CommandResult);
    const crash = (exit: number | null) => end({ exit: exit ?? -1, stdout: '', stderr: written });
    worker.on('message', receive).on('close', crash);
    worker.stderr?.on('data', collect);
    worker.channel?.ref();
    worker.send(request);
  });
}
