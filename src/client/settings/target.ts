/** Resolves the service and the key of a command, with the origin of each setting: flag, variable, project file, profile or default. */
import type { DaemonState } from '../../platform/daemon-state.ts';
import { DEFAULT_URL, type Env, resolveDataDirectory, getStateFile } from '../../platform/local-paths.ts';
import { findDaemonByUrl, isDaemonAt, readDaemonState, readOwnDaemonState } from './local-daemons.ts';
import {
  DEFAULT_PROFILE,
  type SavedConfig,
  getConfigFile,
  getCredentialsFile,
  listDataDirProfiles,
  readConfig,
  readKey,
} from './profiles.ts';
import { type AddressSource, type Destination, type KeySource, mayBeSent } from './key-rules.ts';
import { type IgnoredFile, findProjectFile } from './project-file.ts';

export interface TargetFlags {
  readonly profile?: string | undefined;
  /** The flag of `profile`. Default: `--profile`. */
  readonly profileFlag?: string | undefined;
  readonly url?: string | undefined;
  readonly dataDir?: string | undefined;
  /** The key of `--api-key-file`. */
  readonly key?: string | undefined;
}

/** Before the name of the profile that a setting comes from. */
export const PROFILE_ORIGIN = 'profile ';
const URL_SOURCES: Readonly<Record<string, AddressSource>> = { '--url': 'url-flag', STOCKROOM_URL: 'url-variable' };

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
  /** The daemon of `dataDir` according to its state file; also undefined if the URL of another service outranks the directory. */
  readonly daemon: DaemonState | undefined;
  /** Whether requests go to the daemon of `dataDir`, running or not: no URL was given, or that of one of the user's daemons. */
  readonly isLocal: boolean;
  /** The key that must not be sent to this service; undefined if there is none. */
  readonly withheldKey: WithheldKey | undefined;
  /** Whether a project file, which others may have written, names the URL. */
  readonly isFromProjectFile: boolean;
  /** The project file that was found. */
  readonly projectFile: string | undefined;
  /** Project files that another user could have written. */
  readonly ignoredFiles: readonly IgnoredFile[];
}

export interface WithheldKey {
  readonly source: KeySource;
  readonly reason: 'project-file' | 'other-url' | 'other-directory' | 'foreign-state-file';
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
  const fromProject = <K extends 'url' | 'profile' | 'tenant'>(name: K) => toSetting(project?.content[name], project?.path ?? '');
  const dataDirFlag = toSetting(flags.dataDir, '--data-dir');
  const givenDir = dataDirFlag ?? toSetting(env['STOCKROOM_DATA_DIR'], 'STOCKROOM_DATA_DIR');
  // A data directory selects a service, too: the more specific origin takes precedence.
  const typedUrl =
    toSetting(flags.url, '--url') ??
    (dataDirFlag ? undefined : toSetting(env['STOCKROOM_URL'], 'STOCKROOM_URL')) ??
    (givenDir ? undefined : fromProject('url'));
  const daemonOfTypedUrl = findDaemonOfUrl(env, typedUrl, dataDirFlag);

  const givenProfile =
    toSetting(flags.profile, flags.profileFlag ?? '--profile') ?? toSetting(env['STOCKROOM_PROFILE'], 'STOCKROOM_PROFILE');
  const selectedDir = daemonOfTypedUrl?.dataDir ?? givenDir;
  const selectedProfile =
    givenProfile ??
    fromProject('profile') ??
    (selectedDir && findProfile(config, env, selectedDir)) ??
    (givenDir ? undefined : toSetting(config.profile, getConfigFile(env)));
  const profile = selectedProfile ?? { value: DEFAULT_PROFILE, origin: 'default' };
  // A given data directory has its own profile or none: the active one may belong to another service.
  const savedProfile = selectedProfile || !givenDir ? config.profiles[profile.value] : undefined;
  if (!savedProfile && selectedProfile) throw new UnknownProfile(selectedProfile, Object.keys(config.profiles));
  const profileOrigin = `${PROFILE_ORIGIN}${profile.value}`;

  const givenUrl = typedUrl ?? (dataDirFlag || (givenDir && !givenProfile) ? undefined : toSetting(savedProfile?.url, profileOrigin));
  const daemonOfUrl = daemonOfTypedUrl ?? findDaemonOfUrl(env, givenUrl, dataDirFlag);
  const profileDir = toSetting(savedProfile?.dataDir, profileOrigin) ?? { value: resolveDataDirectory(env), origin: 'default' };
  const dataDir =
    daemonOfUrl?.dataDir ?? (givenDir ? { value: resolveDataDirectory(env, givenDir.value), origin: givenDir.origin } : profileDir);
  const daemon = daemonOfUrl?.daemon ?? readDaemonState(dataDir.value);
  const ownDaemon = readOwnDaemonState(dataDir.value);
  const url = givenUrl ?? (daemon ? { value: daemon.url, origin: getStateFile(dataDir.value) } : { value: DEFAULT_URL, origin: 'default' });
  const isLocal = givenUrl === undefined || isDaemonAt(ownDaemon, givenUrl.value);

  const destination: Destination = {
    source: getAddressSource(givenUrl, givenDir),
    isNamed: isLocal || Object.values(config.profiles).some((saved) => isSameOrigin(url.value, saved.url)),
    isOfProfile:
      savedProfile?.url === undefined
        ? isLocal && profileDir.value === dataDir.value && (daemon === undefined || ownDaemon !== undefined)
        : givenUrl !== undefined && isSameOrigin(givenUrl.value, savedProfile.url),
  };
  const [keySource, candidate] = findKey(flags, env, !savedProfile && givenDir ? undefined : profile.value);
  const isOwnDirectory = savedProfile?.url === undefined && profileDir.value === dataDir.value;
  const isSent = candidate !== undefined && mayBeSent(keySource, destination);
  // The tenant of a profile is one of its own service.
  const isProfileTarget = savedProfile?.url === undefined ? isLocal && isOwnDirectory : isSameOrigin(url.value, savedProfile.url);
  return {
    profile,
    isProfileSaved: savedProfile !== undefined,
    url,
    key: isSent ? candidate : undefined,
    tenant: fromProject('tenant') ?? (isProfileTarget ? toSetting(savedProfile?.tenant, profileOrigin) : undefined),
    dataDir,
    // A flag outranks a variable.
    daemon: isLocal || dataDirFlag || (givenDir && typedUrl?.origin !== '--url') ? daemon : undefined,
    isLocal,
    withheldKey: candidate && !isSent ? { source: keySource, reason: explainWithheld(keySource, givenUrl, isOwnDirectory) } : undefined,
    isFromProjectFile: destination.source === 'project-file',
    projectFile: project?.path,
    ignoredFiles: ignored,
  };
}

function explainWithheld(source: KeySource, url: Setting<string> | undefined, isOwnDirectory: boolean): WithheldKey['reason'] {
  if (source === 'variable') return 'project-file';
  if (url !== undefined) return 'other-url';
  return isOwnDirectory ? 'foreign-state-file' : 'other-directory';
}

function getAddressSource(url: Setting<string> | undefined, givenDir: Setting<string> | undefined): AddressSource {
  if (url === undefined)
    return givenDir === undefined ? 'profile' : givenDir.origin === '--data-dir' ? 'directory-flag' : 'directory-variable';
  return URL_SOURCES[url.origin] ?? (url.origin.startsWith(PROFILE_ORIGIN) ? 'profile' : 'project-file');
}

/** The key of the highest rank, wherever it may be sent. `profile`: whose saved key counts; undefined for none. */
function findKey(flags: TargetFlags, env: Env, profile: string | undefined): readonly [KeySource, Setting<string> | undefined] {
  const fromFlag = toSetting(flags.key, '--api-key-file');
  if (fromFlag) return ['file', fromFlag];
  const fromVariable = toSetting(env['STOCKROOM_API_KEY'], 'STOCKROOM_API_KEY');
  if (fromVariable) return ['variable', fromVariable];
  return [
    'saved',
    profile === undefined ? undefined : toSetting(readKey(env, profile), `${getCredentialsFile(env)}, ${PROFILE_ORIGIN}${profile}`),
  ];
}

/** The data directory and the daemon that a loopback URL means, if it is a daemon of this user. `--data-dir` allows only its own. */
function findDaemonOfUrl(env: Env, url: Setting<string> | undefined, dataDirFlag: Setting<string> | undefined) {
  if (!url || dataDirFlag) return undefined;
  const found = findDaemonByUrl(env, url.value);
  return found && { dataDir: { value: found.dataDir, origin: url.origin }, daemon: found.daemon };
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
  return toSetting(isInUse ? config.profile : listDataDirProfiles(config.profiles, dataDir)[0], origin);
}

const toSetting = (value: string | undefined, origin: string): Setting<string> | undefined =>
  value === undefined || value === '' ? undefined : { value, origin };

function isSameOrigin(url: string, other: string | undefined): boolean {
  return other !== undefined && URL.canParse(url) && URL.canParse(other) && new URL(url).origin === new URL(other).origin;
}
