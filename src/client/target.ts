/** Resolves the service and the key of a command, with the origin of each setting: flag, variable, project file, profile or default. */
import { readFileSync, statSync } from 'node:fs';
import type { DaemonState } from '../contract/daemon-state.ts';
import { DEFAULT_HOST, DEFAULT_URL, type Env, resolveDataDirectory, getStateFile } from '../contract/local-paths.ts';
import {
  DEFAULT_PROFILE,
  type SavedConfig,
  getConfigFile,
  getCredentialsFile,
  findDataDirProfile,
  readConfig,
  readKey,
} from './profiles.ts';
import { type IgnoredFile, type ProjectSettings, findProjectFile } from './project-file.ts';

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
  /** The daemon that `url` selects, if requests must not reach another process on its port. */
  readonly selectedDaemon: DaemonState | undefined;
  /** Whether there is a saved key that must not be sent to this URL. */
  readonly isKeyWithheld: boolean;
  /** The project file that was found. */
  readonly projectFile: string | undefined;
  /** Project files that another user could have written. */
  readonly ignoredFiles: readonly IgnoredFile[];
}

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
  const { file: project, ignored } = findProjectFile(env, cwd);
  const config = readConfig(env);
  const fromProject = <K extends keyof ProjectSettings>(name: K) => toSetting(project?.content[name], project?.path ?? '');
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
  const ownDaemon = daemon && isOwnFile(getStateFile(dataDir.value)) ? daemon : undefined;
  const isDaemonUrl = givenUrl === undefined || (savedProfile?.url === undefined && isDaemonAddress(ownDaemon, givenUrl.value));
  // T-1: a project file, for example, must not redirect a saved key. Without a daemon there is nothing to send the key to.
  const isKeyWithheld =
    savedKey !== undefined && (isDaemonUrl ? daemon !== undefined && !ownDaemon : !isSameOrigin(givenUrl.value, savedProfile?.url));
  return {
    profile,
    isProfileSaved: savedProfile !== undefined,
    url,
    key: givenKey ?? (isKeyWithheld ? undefined : savedKey),
    tenant: fromProject('tenant') ?? toSetting(savedProfile?.tenant, profileOrigin),
    dataDir,
    daemon: givenUrl && !givenDir ? undefined : daemon,
    isLocal: givenUrl === undefined,
    selectedDaemon: savedKey && isDaemonUrl ? ownDaemon : givenUrl ? undefined : daemon,
    isKeyWithheld,
    projectFile: project?.path,
    ignoredFiles: ignored,
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

function isSameOrigin(url: string, other: string | undefined): boolean {
  return other !== undefined && URL.canParse(url) && URL.canParse(other) && new URL(url).origin === new URL(other).origin;
}

/** Whether a URL is the address of a daemon, for which `localhost` is also valid. */
function isDaemonAddress(daemon: DaemonState | undefined, url: string): boolean {
  if (!daemon || !URL.canParse(url)) return false;
  const [address, given] = [new URL(daemon.url), new URL(url)];
  if (given.hostname === 'localhost' && address.hostname === DEFAULT_HOST) given.hostname = DEFAULT_HOST;
  return given.href === address.href;
}

/** Whether this user owns a file. Another user could have recreated a removed data directory and written the state file. */
function isOwnFile(path: string): boolean {
  return process.getuid === undefined || statSync(path, { throwIfNoEntry: false })?.uid === process.getuid();
}
