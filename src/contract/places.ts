/**
 * Where things are on the user's machine: the daemon and everything that talks to it agree here.
 * Pure functions of the environment and the platform; nothing is read or made.
 */
import { homedir, tmpdir, userInfo } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';

export type Env = Readonly<Record<string, string | undefined>>;

export const DEFAULT_PORT = 8625;
export const DEFAULT_HOST = '127.0.0.1';
/** Where the daemon listens unless it was told otherwise. */
export const DEFAULT_URL = `http://${DEFAULT_HOST}:${String(DEFAULT_PORT)}`;

const NAME = 'stockroom';
/** `sun_path` holds 104 bytes on macOS, 108 on Linux. */
const SOCKET_PATH_MAX_BYTES = 100;

type Kind = 'data' | 'config' | 'cache';
const VARIABLES = { data: 'XDG_DATA_HOME', config: 'XDG_CONFIG_HOME', cache: 'XDG_CACHE_HOME' } as const;
const UNIX = { data: ['.local', 'share'], config: ['.config'], cache: ['.cache'] } as const;

function home(kind: Kind, env: Env): string {
  const set = env[VARIABLES[kind]];
  // The XDG specification: a relative path is invalid and counts as unset.
  if (set !== undefined && isAbsolute(set)) return join(set, NAME);
  if (process.platform === 'win32') return join(env['LOCALAPPDATA'] ?? join(homedir(), 'AppData', 'Local'), NAME, kind);
  // HOME may be empty, and is what homedir() tells.
  return join(env['HOME'] || homedir() || userInfo().homedir, ...UNIX[kind], NAME);
}

/** The data directory in force: the flag's value, else STOCKROOM_DATA_DIR, else the user's own. Absolute. */
export function dataDirectory(env: Env, flag?: string): string {
  return resolve(flag ?? (env['STOCKROOM_DATA_DIR'] || home('data', env)));
}

/** Holds `config.json` and `credentials.json`. */
export const configDirectory = (env: Env): string => home('config', env);

/** What may be deleted at any time. */
export const cacheDirectory = (env: Env): string => home('cache', env);

/** One small file per data directory that has had a daemon, named by `shortHash`; how `daemon list` finds them. */
export const daemonsDirectory = (env: Env): string => join(cacheDirectory(env), 'daemons');

export const stateFile = (dataDir: string): string => join(dataDir, 'daemon.json');
export const logFile = (dataDir: string): string => join(dataDir, 'daemon.log');
export const lockFile = (dataDir: string): string => join(dataDir, 'daemon.lock');

/** Short and stable, for names made from a path. */
export function shortHash(path: string): string {
  // Loaded here: every command of the terminal imports this file, and a static import of node:crypto costs it 4 ms.
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(path).digest('hex').slice(0, 16);
}

/** Where the daemon of a data directory puts its admin socket. Clients read it from the state file: TMPDIR may differ between them. */
export function adminSocketPath(dataDir: string): string {
  if (process.platform === 'win32') return `\\\\.\\pipe\\${NAME}-${shortHash(dataDir)}`;
  const near = join(dataDir, 'admin.sock');
  if (Buffer.byteLength(near) <= SOCKET_PATH_MAX_BYTES) return near;
  return join(tmpdir(), `${NAME}-${String(process.getuid?.() ?? 0)}`, `${shortHash(dataDir)}.sock`);
}

/** The state file of a running daemon: trusted only when `GET /healthz` at `url` answers with the same instanceId. */
export interface DaemonState {
  readonly pid: number;
  /** Timestamp of the start. */
  readonly startTime: string;
  readonly instanceId: string;
  readonly url: string;
  readonly version: string;
  readonly dataDir: string;
  readonly adminSocket: string;
  /** What it was started with, so that a restart can repeat it. */
  readonly options: DaemonOptions;
}

/** How a daemon was asked to be; absent means the default. */
export interface DaemonOptions {
  readonly host?: string;
  readonly port?: number;
  /** Listen on an address that others can reach, without TLS. */
  readonly insecure?: boolean;
  /** The data directory goes when the daemon stops. */
  readonly ephemeral?: boolean;
  readonly testClock?: boolean;
  /** How far the test clock has been moved. */
  readonly clockOffsetSeconds?: number;
  /** Requests per minute by tier, beside the built-in tiers. */
  readonly tiers?: Readonly<Record<string, number>>;
  readonly logLevel?: LogLevel;
  /** Schedule of delivery retries: a name, or seconds joined by commas. */
  readonly webhookRetries?: string;
}

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** What `daemon start` and `daemon status` say about one daemon. */
export interface DaemonStatus {
  /** `unresponsive`: a process holds the data directory but does not answer, as it does while starting or stopping. */
  readonly status: 'running' | 'stopped' | 'unresponsive';
  readonly url: string | null;
  readonly pid: number | null;
  readonly dataDir: string;
  readonly version: string | null;
  readonly instanceId: string | null;
}
