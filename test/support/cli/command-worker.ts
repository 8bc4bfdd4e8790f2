/**
 * A process that runs commands of the built command line one after another, each as if it had the process to itself: its own arguments,
 * environment, working directory and streams. A command is over when its process would be, that is, when nothing keeps the event loop alive.
 */
import { Console } from 'node:console';
import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { Readable, Writable } from 'node:stream';

export interface CommandRequest {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly input: string | Uint8Array;
  /** The width of the terminal that the streams claim to be; absent: they are pipes. */
  readonly columns?: number | undefined;
}

export interface CommandResult {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface Run {
  readonly stdin: Readable;
  readonly stdout: CapturedStream;
  readonly stderr: CapturedStream;
  /** Sockets that the command has opened. */
  readonly sockets: Set<Socket>;
  /** Taken when the command called `process.exit`. */
  result?: CommandResult;
  timer?: NodeJS.Timeout;
}

/** How long a command may take to unwind after `process.exit`. */
const LAST_STEPS_MS = 200;

class CapturedStream extends Writable {
  readonly #chunks: Buffer[] = [];

  get text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: () => void): void {
    this.#chunks.push(chunk);
    callback();
  }
}

class CapturedTerminal extends CapturedStream {
  readonly isTTY = true;
  readonly rows = 24;
  readonly columns: number;

  constructor(columns: number) {
    super();
    this.columns = columns;
  }

  getWindowSize(): [number, number] {
    return [this.columns, this.rows];
  }

  /** As of a terminal with NO_COLOR. */
  getColorDepth(): number {
    return 1;
  }

  hasColors(): boolean {
    return false;
  }
}

const RUN = new URL('../../../bin/run.js', import.meta.url);
const LAUNCHER = new URL('../../../bin/launch.js', import.meta.url);
const eventNames = ['exit', 'SIGINT', 'SIGTERM', 'SIGHUP', 'SIGWINCH', 'uncaughtException', 'unhandledRejection', 'warning'] as const;
const ownListeners = new Map(eventNames.map((name) => [name, getListeners(name)]));
const exitProcess = process.exit.bind(process);
const umask = process.umask();
let count = 0;
let run: Run | undefined;

for (const name of ['stdin', 'stdout', 'stderr'] as const) {
  const original = Object.getOwnPropertyDescriptor(process, name)!;
  Object.defineProperty(process, name, { ...original, get: () => run?.[name] ?? (original.get?.call(process) as unknown) });
}
subscribe('net.client.socket', (message) => run?.sockets.add((message as { socket: Socket }).socket));
process
  .removeAllListeners('warning')
  .on('warning', ({ name, message }) => process.stderr.write(`(node:${String(process.pid)}) ${name}: ${message}\n`));
process.exit = endEarly;
process.on('beforeExit', finish);
process.on('disconnect', () => exitProcess());
process.on('message', (request) => start(request as CommandRequest));

function start({ args, env, cwd, input, columns }: CommandRequest): void {
  const stdin = Object.assign(Readable.from(input.length === 0 ? [] : [Buffer.from(input)]), {
    isTTY: columns === undefined ? undefined : true,
    ref: () => undefined,
    unref: () => undefined,
  });
  const openStream = () => (columns === undefined ? new CapturedStream() : new CapturedTerminal(columns));
  run = { stdin, stdout: openStream(), stderr: openStream(), sockets: new Set() };
  globalThis.console = new Console(run.stdout, run.stderr);
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.chdir(cwd);
  process.argv = [process.execPath, RUN.pathname, ...args];
  process.exitCode = undefined;
  // The next 'beforeExit' means that the command has ended, unless the channel to the test keeps the event loop alive.
  process.channel?.unref();
  count += 1;
  import(`${LAUNCHER.href}?run=${String(count)}`).catch((error: unknown) => {
    if (run?.result === undefined) throw error;
  });
}

function finish(): void {
  if (run === undefined) return;
  const { result = takeResult(run) } = run;
  clearTimeout(run.timer);
  process.channel?.ref();
  reset(run);
  run = undefined;
  process.send?.(result);
}

/** `process.exit` of a command. Throws, because the command expects that none of its code runs any more. */
function endEarly(code?: number | string | null): never {
  if (code !== undefined) process.exitCode = code;
  if (run !== undefined && run.result === undefined) {
    const result = takeResult(run);
    run.result = result;
    // Only where something keeps the event loop alive: this process has to end then, too.
    run.timer = setTimeout(() => process.send?.(result, () => exitProcess()), LAST_STEPS_MS).unref();
  }
  throw new Error('The command has called process.exit.');
}

function takeResult({ stdout, stderr }: Run): CommandResult {
  for (const listener of addedListeners('exit')) listener(process.exitCode ?? 0);
  return { exit: Number(process.exitCode ?? 0), stdout: stdout.text, stderr: stderr.text };
}

/** Undoes what the end of a process would undo. */
function reset({ sockets }: Run): void {
  for (const socket of sockets) socket.destroy();
  for (const name of eventNames) for (const listener of addedListeners(name)) process.off(name, listener);
  process.umask(umask);
  process.chdir('/');
  process.exitCode = undefined;
}

type Listener = (...args: unknown[]) => void;

function getListeners(name: string): readonly Listener[] {
  return process.rawListeners(name) as Listener[];
}

function addedListeners(name: (typeof eventNames)[number]): readonly Listener[] {
  return getListeners(name).filter((listener) => !ownListeners.get(name)?.includes(listener));
}
