/** Starts what is compared: the built daemon over a data directory, and the baseline. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type * as processSettings from '../../src/daemon/control/process-settings.js';
import { TIER_MAX_PER_MINUTE } from '../../src/contract/limits.ts';
import { type Cores, spawnServer } from './machine.ts';

/** The tier of the bench's keys, in requests per minute: the largest there is. Sixteen keys together may send 250,000 requests a second. */
export const BENCH_TIER = 'bench';
export const BENCH_LIMIT = TIER_MAX_PER_MINUTE;
export const BENCH_KEYS = 16;

export interface Arm {
  readonly name: string;
  readonly pid: number;
  readonly port: number;
  readonly url: string;
  /** Milliseconds from starting the process until it said it was ready. */
  readonly readyMs: number;
  /** Keeps it from using the core while another arm is measured: a checkpoint begun under our own load must not slow the baseline. */
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}

/** Nothing outlives the bench, however it ends; SIGKILL reaches paused processes as well. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const READY_WITHIN_MS = 120_000;

export interface DaemonOptions {
  readonly directory: string;
  /** The built checkout to run; this one by default. */
  readonly checkout?: string | undefined;
  /** Further flags of `daemon start`. */
  readonly flags?: readonly string[];
  /** Flags of Node itself, for example `--cpu-prof`. */
  readonly nodeFlags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * The daemon as `npm start` and `daemon start` of its checkout run it, but with a home of its own: no profile of the user is read or
 * written.
 */
export async function startDaemon(
  cores: Cores | undefined,
  home: string,
  { directory, checkout = path('../../'), flags: ownFlags = [], nodeFlags = [], env = {} }: DaemonOptions,
): Promise<Arm> {
  const { daemonEnvironment, daemonNodeFlags } = (await import(
    join(checkout, 'src/daemon/control/process-settings.js')
  )) as typeof processSettings;
  const flags = [
    '--foreground',
    '--json',
    '--port',
    '0',
    '--data-dir',
    directory,
    '--tier',
    `${BENCH_TIER}=${String(BENCH_LIMIT)}`,
    ...ownFlags,
  ];
  return start('stockroom', cores, [...daemonNodeFlags, ...nodeFlags, join(checkout, 'bin', 'run.js'), 'daemon', 'start', ...flags], {
    ...daemonEnvironment,
    ...isolated(home),
    ...env,
  });
}

export function startBaseline(cores: Cores | undefined, rows: number, keys: readonly string[]): Promise<Arm> {
  return start('baseline', cores, [path('baseline.ts'), String(rows), ...keys], {});
}

/** An environment in which the command line finds no configuration but its own, under `home`. */
export function isolated(home: string): Record<string, string> {
  return { HOME: home, XDG_CONFIG_HOME: `${home}/config`, XDG_CACHE_HOME: `${home}/cache`, XDG_DATA_HOME: `${home}/share`, NO_COLOR: '1' };
}

/** Starts a server that prints one line of JSON with its `url` when it is ready. */
export async function start(
  name: string,
  cores: Cores | undefined,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Arm> {
  const startedAt = performance.now();
  const child = spawnServer(cores, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, NODE_ENV: 'production', ...env } });
  running.add(child);
  child.once('exit', () => running.delete(child));
  const log = lastLines(child);
  try {
    const url = await readyUrl(child);
    const readyMs = performance.now() - startedAt;
    const { pid = 0 } = child;
    return {
      name,
      pid,
      url,
      readyMs,
      port: Number(new URL(url).port),
      pause: () => void child.kill('SIGSTOP'),
      resume: () => void child.kill('SIGCONT'),
      async stop() {
        if (child.exitCode !== null || child.signalCode !== null) return;
        child.kill('SIGCONT');
        child.kill('SIGTERM');
        await once(child, 'exit');
      },
    };
  } catch (cause) {
    child.kill('SIGKILL');
    throw new Error(`${name} did not start: ${(cause as Error).message}\n${log()}`, { cause });
  }
}

async function readyUrl(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('no stdout');
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`it ended with ${String(code)}`);
  });
  const late = AbortSignal.timeout(READY_WITHIN_MS);
  const [line] = (await Promise.race([once(createInterface({ input: child.stdout }), 'line', { signal: late }), ended])) as [string];
  ended.catch(() => undefined);
  const ready = JSON.parse(line) as { readonly url?: string; readonly data?: { readonly url: string } };
  const url = ready.data?.url ?? ready.url;
  if (url === undefined) throw new Error(`it said ${line}`);
  return url;
}

const KEPT_LINES = 20;

function lastLines(child: ChildProcess): () => string {
  const lines: string[] = [];
  if (child.stderr) {
    createInterface({ input: child.stderr }).on('line', (line) => {
      lines.push(line);
      if (lines.length > KEPT_LINES) lines.shift();
    });
  }
  return () => lines.join('\n');
}
