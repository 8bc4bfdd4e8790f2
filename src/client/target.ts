/** Resolves the service and the key of a command, with the origin of each setting: flag, variable, project file, profile or default. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DaemonState } from '../contract/daemon-state.ts';
import { DEFAULT_URL, type Env, resolveDataDirectory, getStateFile } from '../contract/local-paths.ts';
import { explainJsonError } from './file-errors.ts';
import {
  DEFAULT_PROFILE,
  UnreadableFile,
  type SavedConfig,
  getConfigFile,
  getCredentialsFile,
  findDataDirProfile,
  readConfig,
  readKey,
} from './profiles.ts';

export interface TargetFlags {
  readonly profile?: string | undefined;
  readonly url?: string | undefined;
  readonly dataDir?: string | undefined;
  /** The key of `--api-key-file`. */
  readonly key?: string | undefined;
}

/** A value and its origin for messages: `--url`, `STOCKROOM_URL`, a file, or `default`. */
export interface Setting<T> {
  readonly value: T;
  readonly origin: string;
}

export interface Target {
  readonly profile: Setting<string>;
  /** False if the profile does not exist or belongs to another data directory than the given one. */
  readonly isProfileSaved: boolean;
  readonly url: Setting<string>;
  /** Undefined if there is none, or if it must not be sent to this URL. */
  readonly key: Setting<string> | undefined;
  readonly tenant: Setting<string> | undefined;
  readonly dataDir: Setting<string>;
  /** The daemon of `dataDir` according to its state file; also undefined if a URL but no data directory was given. */
  readonly daemon: DaemonState | undefined;
  /** Whether requests go to the daemon of `dataDir`, running or not. */
  readonly isLocal: boolean;
  /** Whether there is a saved key that must not be sent to this URL. */
  readonly isKeyWithheld: boolean;
  /** The project file that was found. */
  readonly projectFile: string | undefined;
}

/** Settings of a project, in the working directory or above. Never a key, because such files are shared. */
interface ProjectFile {
  readonly url?: string;
  readonly profile?: string;
  readonly tenant?: string;
}

export const PROJECT_FILE = '.stockroom.json';

/** Thrown if a profile is selected that does not exist. */
export class UnknownProfile extends Error {
  override readonly name = 'UnknownProfile';
  readonly profile: string;
  readonly knownProfiles: readonly string[];
  constructor(profile: Setting<string>, known: readonly string[]) {
    super(`No profile "${profile.value}" (from ${profile.origin})`);
    this.profile = profile.value;
    this.knownProfiles = known;
  }
}

export function resolveTarget(flags: TargetFlags, env: Env, cwd: string): Target {
  const project = findProjectFile(cwd);
  const config = readConfig(env);
  const fromProject = <K extends keyof ProjectFile>(name: K) => toSetting(project?.content[name], project?.path ?? '');
  const dataDirFlag = toSetting(flags.dataDir, '--data-dir');
  const givenDir = dataDirFlag ?? toSetting(env['STOCKROOM_DATA_DIR'], 'STOCKROOM_DATA_DIR');
  const givenProfile = toSetting(flags.profile, '--profile') ?? toSetting(env['STOCKROOM_PROFILE'], 'STOCKROOM_PROFILE');
  const selectedProfile =
    givenProfile ??
    fromProject('profile') ??
    (givenDir ? findProfile(config, env, givenDir) : toSetting(config.profile, getConfigFile(env)));
  const profile = selectedProfile ?? { value: DEFAULT_PROFILE, origin: 'default' };
  // A given data directory has its own profile or none: the active one may belong to another service.
  const savedProfile = selectedProfile || !givenDir ? config.profiles[profile.value] : undefined;
  if (!savedProfile && selectedProfile) throw new UnknownProfile(selectedProfile, Object.keys(config.profiles));
  const profileOrigin = `profile ${profile.value}`;

  const dataDir = givenDir
    ? { value: resolveDataDirectory(env, givenDir.value), origin: givenDir.origin }
    : (toSetting(savedProfile?.dataDir, profileOrigin) ?? { value: resolveDataDirectory(env), origin: 'default' });
  // A data directory selects a service, too: the more specific origin takes precedence.
  const givenUrl =
    toSetting(flags.url, '--url') ??
    (dataDirFlag ? undefined : toSetting(env['STOCKROOM_URL'], 'STOCKROOM_URL')) ??
    (givenDir ? undefined : fromProject('url')) ??
    (dataDirFlag || (givenDir && !givenProfile) ? undefined : toSetting(savedProfile?.url, profileOrigin));
  const daemon = readDaemonState(dataDir.value);
  const url = givenUrl ?? (daemon ? { value: daemon.url, origin: getStateFile(dataDir.value) } : { value: DEFAULT_URL, origin: 'default' });

  const givenKey = toSetting(flags.key, '--api-key-file') ?? toSetting(env['STOCKROOM_API_KEY'], 'STOCKROOM_API_KEY');
  const savedKey =
    givenKey || (!savedProfile && givenDir)
      ? undefined
      : toSetting(readKey(env, profile.value), `${getCredentialsFile(env)}, ${profileOrigin}`);
  // A saved key is sent only to the URL it was saved for or to this machine: a project file must not redirect it.
  const isKeyWithheld =
    savedKey !== undefined && givenUrl !== undefined && !isSameOrigin(givenUrl.value, savedProfile?.url) && !isLoopback(givenUrl.value);
  return {
    profile,
    isProfileSaved: savedProfile !== undefined,
    url,
    key: givenKey ?? (isKeyWithheld ? undefined : savedKey),
    tenant: fromProject('tenant') ?? toSetting(savedProfile?.tenant, profileOrigin),
    dataDir,
    daemon: givenUrl && !givenDir ? undefined : daemon,
    isLocal: givenUrl === undefined,
    isKeyWithheld,
    projectFile: project?.path,
  };
}

/** Returns the name of the profile that commands use by default; undefined if they use no saved one. */
export function getActiveProfile(env: Env, cwd: string): string | undefined {
  try {
    const { profile, isProfileSaved } = resolveTarget({}, env, cwd);
    return isProfileSaved ? profile.value : undefined;
  } catch (error) {
    if (error instanceof UnknownProfile) return undefined;
    throw error;
  }
}

/** Finds the profile of a data directory: the active one if it belongs to it, else the first. */
function findProfile(config: SavedConfig, env: Env, { value, origin }: Setting<string>): Setting<string> | undefined {
  const dataDir = resolveDataDirectory(env, value);
  const isInUse = config.profile !== undefined && config.profiles[config.profile]?.dataDir === dataDir;
  return toSetting(isInUse ? config.profile : findDataDirProfile(config.profiles, dataDir), origin);
}

const toSetting = (value: string | undefined, origin: string): Setting<string> | undefined =>
  value === undefined || value === '' ? undefined : { value, origin };

/** Reads the state file of a data directory, which may be stale. */
export function readDaemonState(dataDir: string): DaemonState | undefined {
  try {
    const state = JSON.parse(readFileSync(getStateFile(dataDir), 'utf8')) as Partial<DaemonState> | null;
    return typeof state?.url === 'string' && typeof state.adminSocket === 'string' ? (state as DaemonState) : undefined;
  } catch {
    return undefined;
  }
}

function findProjectFile(cwd: string): { path: string; content: ProjectFile } | undefined {
  for (let directory = cwd; ; directory = dirname(directory)) {
    const path = join(directory, PROJECT_FILE);
    let text: string | undefined;
    try {
      text = readFileSync(path, 'utf8');
    } catch {
      // Missing or unreadable.
    }
    if (text !== undefined) return { path, content: parseProjectFile(path, text) };
    if (dirname(directory) === directory) return undefined;
  }
}

const PROJECT_SETTINGS = ['url', 'profile', 'tenant'] as const satisfies readonly (keyof ProjectFile)[];

/** Throws UnreadableFile if the file is invalid. */
function parseProjectFile(path: string, text: string): ProjectFile {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw new UnreadableFile(path, explainJsonError(error), error);
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content)) throw new UnreadableFile(path, 'it is not a JSON object');
  for (const [name, value] of Object.entries(content)) {
    if (/key|secret|token/iu.test(name))
      throw new UnreadableFile(path, `"${name}" is not allowed, because project files are shared; save keys in a profile`);
    if (!(PROJECT_SETTINGS as readonly string[]).includes(name))
      throw new UnreadableFile(path, `unknown setting "${name}"; valid settings: ${PROJECT_SETTINGS.join(', ')}`);
    if (typeof value !== 'string') throw new UnreadableFile(path, `"${name}" must be a string`);
  }
  return content;
}

function isSameOrigin(url: string, other: string | undefined): boolean {
  return other !== undefined && URL.canParse(url) && URL.canParse(other) && new URL(url).origin === new URL(other).origin;
}

export function isLoopback(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/u.test(hostname);
}
