/** Where a command sends its request and with which key, and from where each of them was taken: flag, variable, project file, profile, default. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type DaemonState, DEFAULT_URL, type Env, dataDirectory, stateFile } from '../contract/places.ts';
import { whyNoJson } from './reasons.ts';
import {
  DEFAULT_PROFILE,
  SavedFileBroken,
  type SavedConfig,
  configFile,
  credentialsFile,
  profileOfDataDir,
  readConfig,
  readKey,
} from './saved.ts';

export interface TargetFlags {
  readonly profile?: string | undefined;
  readonly url?: string | undefined;
  readonly dataDir?: string | undefined;
  /** A key that was read for this command alone. */
  readonly key?: string | undefined;
}

/** A value and who said so, in words: `--url`, `STOCKROOM_URL`, a file, or `default`. */
export interface Setting<T> {
  readonly value: T;
  readonly origin: string;
}

export interface Target {
  readonly profile: Setting<string>;
  /** False: there is no such profile, or it belongs to another data directory than the one that was named. */
  readonly profileSaved: boolean;
  readonly url: Setting<string>;
  /** Undefined: there is none, or it must not be sent to this address. */
  readonly key: Setting<string> | undefined;
  readonly tenant: Setting<string> | undefined;
  readonly dataDir: Setting<string>;
  /** The daemon of `dataDir` as its state file tells it; undefined also when another service was named and no data directory. */
  readonly daemon: DaemonState | undefined;
  /** The request goes to the daemon of this machine's data directory, running or not. */
  readonly local: boolean;
  /** Why a saved key is kept back. */
  readonly keyWithheld: boolean;
  /** The project file that was found. */
  readonly projectFile: string | undefined;
}

/** The settings of a project, found from the working directory upward. Never a key: such files are shared. */
interface ProjectFile {
  readonly url?: string;
  readonly profile?: string;
  readonly tenant?: string;
}

export const PROJECT_FILE = '.stockroom.json';

/** A profile was named that is not saved. */
export class UnknownProfile extends Error {
  override readonly name = 'UnknownProfile';
  readonly profile: string;
  readonly known: readonly string[];
  constructor(profile: Setting<string>, known: readonly string[]) {
    super(`there is no profile "${profile.value}" (from ${profile.origin})`);
    this.profile = profile.value;
    this.known = known;
  }
}

export function findTarget(flags: TargetFlags, env: Env, cwd: string): Target {
  const project = findProjectFile(cwd);
  const config = readConfig(env);
  const fromProject = <K extends keyof ProjectFile>(name: K) => setting(project?.content[name], project?.path ?? '');
  const dirFlag = setting(flags.dataDir, '--data-dir');
  const wantedDir = dirFlag ?? setting(env['STOCKROOM_DATA_DIR'], 'STOCKROOM_DATA_DIR');
  const asked = setting(flags.profile, '--profile') ?? setting(env['STOCKROOM_PROFILE'], 'STOCKROOM_PROFILE');
  const named =
    asked ?? fromProject('profile') ?? (wantedDir ? profileOf(config, env, wantedDir) : setting(config.profile, configFile(env)));
  const profile = named ?? { value: DEFAULT_PROFILE, origin: 'default' };
  // A data directory that was named has a profile of its own or none: the one in use belongs to another service.
  const saved = named || !wantedDir ? config.profiles[profile.value] : undefined;
  if (!saved && named) throw new UnknownProfile(named, Object.keys(config.profiles));
  const ofProfile = `profile ${profile.value}`;

  const dataDir = wantedDir
    ? { value: dataDirectory(env, wantedDir.value), origin: wantedDir.origin }
    : (setting(saved?.dataDir, ofProfile) ?? { value: dataDirectory(env), origin: 'default' });
  // A data directory is an address, too: what was said nearer to the command counts.
  const given =
    setting(flags.url, '--url') ??
    (dirFlag ? undefined : setting(env['STOCKROOM_URL'], 'STOCKROOM_URL')) ??
    (wantedDir ? undefined : fromProject('url')) ??
    (dirFlag || (wantedDir && !asked) ? undefined : setting(saved?.url, ofProfile));
  const daemon = readDaemon(dataDir.value);
  const url = given ?? (daemon ? { value: daemon.url, origin: stateFile(dataDir.value) } : { value: DEFAULT_URL, origin: 'default' });

  const chosenKey = setting(flags.key, '--api-key-file') ?? setting(env['STOCKROOM_API_KEY'], 'STOCKROOM_API_KEY');
  const fromProfile =
    chosenKey || (!saved && wantedDir) ? undefined : setting(readKey(env, profile.value), `${credentialsFile(env)}, ${ofProfile}`);
  // ours: a saved key goes to the address it was saved for, or stays on this machine: a project file must not be able to send it elsewhere.
  const keyWithheld = fromProfile !== undefined && given !== undefined && !sameOrigin(given.value, saved?.url) && !isLoopback(given.value);
  return {
    profile,
    profileSaved: saved !== undefined,
    url,
    key: chosenKey ?? (keyWithheld ? undefined : fromProfile),
    tenant: fromProject('tenant') ?? setting(saved?.tenant, ofProfile),
    dataDir,
    daemon: given && !wantedDir ? undefined : daemon,
    local: given === undefined,
    keyWithheld,
    projectFile: project?.path,
  };
}

/** The name of the profile that commands use when they are told none; undefined when they use none that is saved. */
export function profileInUse(env: Env, cwd: string): string | undefined {
  try {
    const { profile, profileSaved } = findTarget({}, env, cwd);
    return profileSaved ? profile.value : undefined;
  } catch (error) {
    if (error instanceof UnknownProfile) return undefined;
    throw error;
  }
}

/** The profile of a data directory: the one in use when it is, else the first that was saved for it. */
function profileOf(config: SavedConfig, env: Env, { value, origin }: Setting<string>): Setting<string> | undefined {
  const dataDir = dataDirectory(env, value);
  const isInUse = config.profile !== undefined && config.profiles[config.profile]?.dataDir === dataDir;
  return setting(isInUse ? config.profile : profileOfDataDir(config.profiles, dataDir), origin);
}

const setting = (value: string | undefined, origin: string): Setting<string> | undefined =>
  value === undefined || value === '' ? undefined : { value, origin };

/** What the state file of a data directory says, true or not. */
export function readDaemon(dataDir: string): DaemonState | undefined {
  try {
    const state = JSON.parse(readFileSync(stateFile(dataDir), 'utf8')) as Partial<DaemonState> | null;
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
      // Not here, or not for us.
    }
    if (text !== undefined) return { path, content: checkedProject(path, text) };
    if (dirname(directory) === directory) return undefined;
  }
}

const PROJECT_SETTINGS = ['url', 'profile', 'tenant'] as const satisfies readonly (keyof ProjectFile)[];

/** What the file says, or what is wrong with it. */
function checkedProject(path: string, text: string): ProjectFile {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw new SavedFileBroken(path, whyNoJson(error), error);
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content)) throw new SavedFileBroken(path, 'it holds no JSON object');
  for (const [name, value] of Object.entries(content)) {
    if (/key|secret|token/iu.test(name))
      throw new SavedFileBroken(path, `"${name}" does not belong there, because such files are shared; keys belong into a profile`);
    if (!(PROJECT_SETTINGS as readonly string[]).includes(name))
      throw new SavedFileBroken(path, `it knows no "${name}", only ${PROJECT_SETTINGS.join(', ')}`);
    if (typeof value !== 'string') throw new SavedFileBroken(path, `"${name}" has to be a text`);
  }
  return content;
}

function sameOrigin(url: string, other: string | undefined): boolean {
  return other !== undefined && URL.canParse(url) && URL.canParse(other) && new URL(url).origin === new URL(other).origin;
}

export function isLoopback(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/u.test(hostname);
}
