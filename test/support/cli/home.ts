/** The built command line in an empty home: commands, most of them in worker processes, and daemons that never outlive the test. */
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa, type ResultPromise } from 'execa';
import type { DaemonStatus } from '../../../src/platform/daemon-state.ts';
import { listDaemonStatuses } from '../../../src/daemon/control/status.ts';
import { stopDaemon } from '../../../src/daemon/control/stop.ts';
import { inject } from 'vitest';
import { canRunInWorker, runInWorker } from './command-workers.ts';
import { linkCompileCache } from './compile-cache.ts';

/** The command line of this checkout. */
export const RUN = fileURLToPath(new URL('../../../bin/run.js', import.meta.url));

const STOP_MS = 5_000;

export interface RunOptions extends SpawnOptions {
  /** Lets stdout and stderr claim to be a terminal of so many columns. `terminal` runs at a real one. */
  readonly columns?: number;
}

export interface SpawnOptions {
  /** For stdin, which is empty otherwise. */
  readonly input?: string | Uint8Array;
  readonly cwd?: string;
  /** Added to the home's variables. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface Ran {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Home extends AsyncDisposable {
  readonly directory: string;
  /** What every command of this home gets as its environment, and nothing else. */
  readonly env: Readonly<Record<string, string>>;
  /** A folder below the home, made when first used. */
  path(...names: string[]): string;
  run(args: readonly string[], options?: RunOptions): Promise<Ran>;
  /** Runs with `--json` and parses stdout. */
  // Tests look into bodies of every shape; the assertions are the types.
  // oxlint-disable-next-line typescript/no-explicit-any
  json(args: readonly string[], options?: RunOptions): Promise<Ran & { body: any }>;
  /** Runs at a real terminal of this many columns, where `input` is typed; stdout and stderr are one, as there. */
  terminal(args: readonly string[], options?: { readonly input?: string; readonly columns?: number }): Promise<Ran>;
  /** A command that keeps running; killed at the end of the test if it still runs. */
  spawn(args: readonly string[], options?: SpawnOptions): ResultPromise;
  /** Starts a background daemon on a free port. */
  start(args?: readonly string[]): Promise<DaemonStatus>;
}

/**
 * A command line in an empty home. Dispose of it to stop every daemon started in it and remove everything.
 * `hasXdgFolders`: whether variables name the folders for data, settings and cache, which lets all homes share a compile cache.
 */
export async function makeHome({ hasXdgFolders = true } = {}): Promise<Home> {
  const directory = await mkdtemp(join(tmpdir(), 'sr-'));
  const path = (...names: string[]) => join(directory, ...names);
  const env = createEnvironment(directory, hasXdgFolders);
  await mkdir(env.TMPDIR);
  if (hasXdgFolders) await linkCompileCache(path('cache'), inject('compileCache'));
  const running = new Set<ResultPromise>();
  const started = new Set<number>();
  const disposal = new AbortController();

  const spawn: Home['spawn'] = (args, { input = '', cwd = directory, env: more = {} } = {}) => {
    const options = { env: { ...env, ...more }, extendEnv: false, reject: false, input, cwd } as const;
    const child = execa(process.execPath, [RUN, ...args], options) as ResultPromise;
    running.add(child);
    void child.then(() => running.delete(child));
    return child;
  };
  const run: Home['run'] = async (args, options = {}) => {
    const { input = '', cwd = directory, env: more = {}, columns } = options;
    if (columns !== undefined || canRunInWorker(args, Object.keys(more))) {
      const ran = await runInWorker({ args, env: { ...env, ...more }, cwd, input, columns }, disposal.signal);
      return { ...ran, stdout: withoutFinalNewline(ran.stdout), stderr: withoutFinalNewline(ran.stderr) };
    }
    const { exitCode, signal, stdout, stderr } = await spawn(args, options);
    if (exitCode === undefined) throw new Error(`${args.join(' ')} ended by ${signal ?? 'nothing'}\n${String(stderr)}`);
    return { exit: exitCode, stdout: String(stdout), stderr: String(stderr) };
  };
  const json: Home['json'] = async (args, options) => {
    const ran = await run([...args, '--json'], options);
    try {
      return { ...ran, body: JSON.parse(ran.stdout) as unknown };
    } catch (cause) {
      throw new Error(`${args.join(' ')} --json printed no JSON (exit ${String(ran.exit)}):\n${ran.stdout}\n${ran.stderr}`, { cause });
    }
  };
  const terminal: Home['terminal'] = (args, options) => runAtTerminal(args, directory, env, options);
  return {
    directory,
    env,
    path,
    run,
    json,
    terminal,
    spawn,
    async start(args = []) {
      const { exit, body, stderr } = await json(['daemon', 'start', '--port', '0', ...args]);
      if (exit !== 0) throw new Error(`daemon start: exit ${String(exit)} ${JSON.stringify(body)} ${stderr}`);
      const { data } = body as { data: DaemonStatus };
      if (data.pid !== null) started.add(data.pid);
      return data;
    },
    async [Symbol.asyncDispose]() {
      disposal.abort();
      for (const child of running) child.kill('SIGKILL');
      await Promise.all(running);
      await stopDaemons(directory, env, started);
      await rm(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function createEnvironment(directory: string, hasXdgFolders: boolean) {
  const path = (name: string) => join(directory, name);
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: directory,
    ...(hasXdgFolders && { XDG_CONFIG_HOME: path('config'), XDG_DATA_HOME: path('data'), XDG_CACHE_HOME: path('cache') }),
    TMPDIR: path('tmp'),
    NO_COLOR: '1',
    // Longer than for people, because a busy machine may need it.
    STOCKROOM_COMPLETION_TIMEOUT: '60000',
  };
}

// oxlint-disable-next-line no-control-regex -- the escape character is what this looks for
const WAIT_LINE = /\r[^\r\n]*\u001B\[K/gu;

async function runAtTerminal(
  args: readonly string[],
  cwd: string,
  env: Home['env'],
  { input = '', columns = 80 }: { readonly input?: string; readonly columns?: number } = {},
): Promise<Ran> {
  const quoted = [process.execPath, RUN, ...args].map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(' ');
  // `script` of util-linux makes the terminal.
  const command = ['--quiet', '--return', '--command', `stty cols ${String(columns)} rows 24; ${quoted}`, '/dev/null'];
  const options = { env: { ...env, TERM: 'xterm' }, extendEnv: false, input, reject: false, cwd } as const;
  const { exitCode, stdout } = await execa('script', command, options);
  // On a busy machine a command draws how long it has waited, and removes it.
  return { exit: exitCode ?? -1, stdout: stdout.replace(WAIT_LINE, '').replaceAll('\r', ''), stderr: '' };
}

/** `started`: process ids of daemons. */
async function stopDaemons(directory: string, env: Home['env'], started: Iterable<number>): Promise<void> {
  // A test may have damaged the list.
  const listed = await listDaemonStatuses(env).catch(() => []);
  const daemons = listed.filter(({ status }) => status !== 'stopped');
  await Promise.allSettled(daemons.map(({ dataDir }) => stopDaemon(dataDir, { timeoutMs: STOP_MS, force: true })));
  // A daemon whose data directory was removed cannot be found any more.
  for (const pid of started) if (getCommand(pid).includes(directory)) process.kill(pid, 'SIGKILL');
}

/** As execa returns the output of a process. */
const withoutFinalNewline = (text: string): string => text.replace(/\r?\n$/u, '');

/** Empty when there is no such process any more. */
function getCommand(pid: number): string {
  try {
    return readFileSync(`/proc/${String(pid)}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
