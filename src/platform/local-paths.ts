/**
 * Paths on the user's machine, shared by the daemon and its clients.
 * Pure functions of the environment and the platform: no file is read or created.
 */
import { homedir, tmpdir, userInfo } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';

export type Env = Readonly<Record<string, string | undefined>>;

export const DEFAULT_PORT = 8625;
export const DEFAULT_HOST = '127.0.0.1';
/** Default address of the daemon. */
export const DEFAULT_URL = `http://${DEFAULT_HOST}:${String(DEFAULT_PORT)}`;

const PRODUCT_NAME = 'stockroom';
/** `sun_path` holds 104 bytes on macOS, 108 on Linux. */
const SOCKET_PATH_MAX_BYTES = 100;

type DirectoryKind = 'data' | 'config' | 'cache';
const XDG_VARIABLES = { data: 'XDG_DATA_HOME', config: 'XDG_CONFIG_HOME', cache: 'XDG_CACHE_HOME' } as const;
const UNIX_DIRECTORIES = { data: ['.local', 'share'], config: ['.config'], cache: ['.cache'] } as const;

function getBaseDirectory(kind: DirectoryKind, env: Env): string {
  const set = env[XDG_VARIABLES[kind]];
  // The XDG specification: a relative path is invalid and counts as unset.
  if (set !== undefined && isAbsolute(set)) return join(set, PRODUCT_NAME);
  if (process.platform === 'win32') return join(env['LOCALAPPDATA'] ?? join(homedir(), 'AppData', 'Local'), PRODUCT_NAME, kind);
  // homedir() returns an empty string if HOME is empty.
  return join(env['HOME'] || homedir() || userInfo().homedir, ...UNIX_DIRECTORIES[kind], PRODUCT_NAME);
}

/** The absolute path of the data directory: the flag's value, else STOCKROOM_DATA_DIR, else the user's default. */
export function resolveDataDirectory(env: Env, flag?: string): string {
  return resolve(flag ?? (env['STOCKROOM_DATA_DIR'] || getBaseDirectory('data', env)));
}

/** Contains `config.json` and `credentials.json`. */
export const getConfigDirectory = (env: Env): string => getBaseDirectory('config', env);

/** Contains only files that may be deleted at any time. */
export const getCacheDirectory = (env: Env): string => getBaseDirectory('cache', env);

/** Contains one file per data directory that has had a daemon, named by `hashPath`. `daemon list` reads it. */
export const getDaemonRegistryDirectory = (env: Env): string => join(getCacheDirectory(env), 'daemons');

export const getStateFile = (dataDir: string): string => join(dataDir, 'daemon.json');
export const getLogFile = (dataDir: string): string => join(dataDir, 'daemon.log');
export const getControlTokenFile = (dataDir: string): string => join(dataDir, 'control-token');
export const getLockFile = (dataDir: string): string => join(dataDir, 'daemon.lock');

/** A short, stable hash of a path, for file names. Windows ignores the case of paths: all spellings of one have the same hash. */
export function hashPath(path: string, platform = process.platform): string {
  const spelling = platform === 'win32' ? path.toLowerCase() : path;
  // Loaded lazily: every command imports this file, and a static import of node:crypto takes 4 ms.
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(spelling).digest('hex').slice(0, 16);
}

/** The admin socket that a daemon creates. */
export function getAdminSocketPath(dataDir: string): string {
  if (process.platform === 'win32') return `\\\\.\\pipe\\${PRODUCT_NAME}-${hashPath(dataDir)}`;
  const near = join(dataDir, 'admin.sock');
  if (Buffer.byteLength(near) <= SOCKET_PATH_MAX_BYTES) return near;
  return join(tmpdir(), `${PRODUCT_NAME}-${String(process.getuid?.() ?? 0)}`, `${hashPath(dataDir)}.sock`);
}

/**
 * The admin socket of a data directory as clients reach it. The state file may have been written where the directory has another path, such
 * as in a container, so its path counts only for a socket outside the directory, whose place depends on the TMPDIR of the daemon.
 */
export function findAdminSocketPath(dataDir: string, state?: { readonly dataDir?: string; readonly adminSocket?: string }): string {
  const expected = getAdminSocketPath(dataDir);
  if (process.platform === 'win32' || dirname(expected) === dataDir || state?.adminSocket === undefined) return expected;
  return state.dataDir === dataDir && basename(state.adminSocket) === basename(expected) ? state.adminSocket : expected;
}
