/**
 * What the user's own configuration directory holds: profiles in `config.json`, their keys in `credentials.json`.
 * Both are read whole and replaced whole, with whatever else stands in them; the keys are for the owner's eyes only, again at every save.
 */
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Env, configDirectory } from '../contract/places.ts';
import { alone } from './alone.ts';
import { whyNoJson, whyUnreadable, whyUnwritable } from './reasons.ts';

export interface Profile {
  /** The address of a service; absent: the daemon of `dataDir`. */
  readonly url?: string;
  /** The data directory of a local daemon; absent with no `url`: the default one. */
  readonly dataDir?: string;
  /** The tenant that settings commands mean. */
  readonly tenant?: string;
}

export interface SavedConfig {
  /** The profile in use. */
  readonly profile?: string;
  readonly profiles: Readonly<Record<string, Profile>>;
}

interface SavedKeys {
  readonly profiles: Readonly<Record<string, { readonly apiKey: string }>>;
}

/** The saved configuration cannot be read; the user has to mend or remove the file. */
export class SavedFileBroken extends Error {
  override readonly name = 'SavedFileBroken';
  readonly path: string;
  constructor(path: string, reason: string, cause?: unknown) {
    super(`${path} cannot be read: ${reason}`, { cause });
    this.path = path;
  }
}

/** The saved configuration cannot be written. */
export class NotSaved extends Error {
  override readonly name = 'NotSaved';
  constructor(path: string, cause: unknown) {
    super(`${path} cannot be written: ${whyUnwritable(cause)}`, { cause });
  }
}

export const DEFAULT_PROFILE = 'local';
/** What a profile may be called: it becomes a word of the command line. */
export const PROFILE_NAME = /^[A-Za-z0-9][\w.-]{0,63}$/u;

export const configFile = (env: Env): string => join(configDirectory(env), 'config.json');
export const credentialsFile = (env: Env): string => join(configDirectory(env), 'credentials.json');

export function readConfig(env: Env): SavedConfig {
  const path = configFile(env);
  const saved = readJson<Partial<SavedConfig>>(path);
  if (saved?.profile !== undefined && typeof saved.profile !== 'string') throw new SavedFileBroken(path, '"profile" has to be a text');
  return { ...saved, profiles: byName<Profile>(path, saved?.profiles, ['url', 'dataDir', 'tenant']) };
}

/** The key of a profile, or undefined. */
export function readKey(env: Env, profile: string): string | undefined {
  return readKeys(env).profiles[profile]?.apiKey;
}

/** Names of the profiles that have a key. */
export const profilesWithKeys = (env: Env): readonly string[] => Object.keys(readKeys(env).profiles);

/** Saves a profile, and its key when one is given. The first profile becomes the one in use. */
export function saveProfile(env: Env, name: string, profile: Profile, apiKey?: string): void {
  change(env, () => {
    const config = readConfig(env);
    // The key first: a profile without its key misleads, a key without a profile does nothing.
    if (apiKey !== undefined) {
      const keys = readKeys(env);
      writeKeys(env, { ...keys, profiles: { ...keys.profiles, [name]: { apiKey } } });
    }
    writeConfig(env, { ...config, profile: config.profile ?? name, profiles: { ...config.profiles, [name]: profile } });
  });
}

/** Makes a profile the one in use. */
export function chooseProfile(env: Env, name: string): void {
  change(env, () => {
    writeConfig(env, { ...readConfig(env), profile: name });
  });
}

export function removeProfile(env: Env, name: string): void {
  change(env, () => {
    const { profile, ...config } = readConfig(env);
    const { [name]: _gone, ...profiles } = config.profiles;
    writeConfig(env, { ...config, ...(profile === undefined || profile === name ? {} : { profile }), profiles });
    const saved = readKeys(env);
    const { [name]: _key, ...keys } = saved.profiles;
    writeKeys(env, { ...saved, profiles: keys });
  });
}

/**
 * Saves the key that the first start of a data directory made, under a name that does not take another daemon's place:
 * `local`, or `local-2` and so on when that is somebody else's; beside profiles of the same directory, that of the tenant. Returns it.
 */
export function saveLocalKey(
  env: Env,
  { dataDir, tenant, apiKey }: { dataDir: string; tenant?: string | undefined; apiKey: string },
): string {
  return change(env, () => {
    const { profiles } = readConfig(env);
    const own = profilesOfDataDir(profiles, dataDir);
    const base = own.find((each) => profiles[each]?.tenant === tenant) ?? (own.length > 0 ? tenant : undefined) ?? DEFAULT_PROFILE;
    const name = freeName(profiles, base, { dataDir, tenant });
    saveProfile(env, name, { dataDir, ...(tenant === undefined ? {} : { tenant }) }, apiKey);
    return name;
  });
}

/**
 * Saves the keys of the demo tenants that were made just now, each under its slug, and lets the first demo tenant be the one in use
 * where a profile of the same data directory was. Returns the name of its profile, undefined when nobody has its key.
 */
export function saveDemoKeys(
  env: Env,
  dataDir: string,
  tenants: readonly { readonly slug: string; readonly secret: string | null }[],
): string | undefined {
  return change(env, () => {
    for (const { slug, secret } of tenants) {
      if (secret !== null)
        saveProfile(env, freeName(readConfig(env).profiles, slug, { dataDir, tenant: slug }), { dataDir, tenant: slug }, secret);
    }
    const { profile, profiles } = readConfig(env);
    const first = tenants[0]?.slug;
    const name = Object.keys(profiles).find((each) => profiles[each]?.dataDir === dataDir && profiles[each].tenant === first);
    const isNew = tenants[0]?.secret !== null;
    if (name !== undefined && isNew && profile !== undefined && profiles[profile]?.dataDir === dataDir) chooseProfile(env, name);
    return name;
  });
}

/**
 * The key of a data directory that has begun anew, in use where another profile of the directory was. Profiles of tenants that are
 * gone stay: a snapshot may bring them back. Returns its name.
 */
export function saveFreshKey(env: Env, key: { dataDir: string; tenant: string; apiKey: string }): string {
  return change(env, () => {
    const { profile, profiles } = readConfig(env);
    const name = saveLocalKey(env, key);
    if (profile !== undefined && profilesOfDataDir(profiles, key.dataDir).includes(profile)) chooseProfile(env, name);
    return name;
  });
}

/** The profiles of a local daemon. */
export const profilesOfDataDir = (profiles: SavedConfig['profiles'], dataDir: string): readonly string[] =>
  Object.keys(profiles).filter((name) => profiles[name]?.url === undefined && profiles[name]?.dataDir === dataDir);

/** `base`, or `base-2` and so on when that name is another daemon's or tenant's. */
function freeName(
  profiles: SavedConfig['profiles'],
  base: string,
  { dataDir, tenant }: { dataDir: string; tenant: string | undefined },
): string {
  let name = base;
  const isTaken = () => {
    const found = profiles[name];
    return found !== undefined && (found.dataDir !== dataDir || (tenant !== undefined && (found.tenant ?? tenant) !== tenant));
  };
  for (let count = 2; isTaken(); count += 1) name = `${base}-${String(count)}`;
  return name;
}

/** The profile that was saved for a data directory. */
export const profileOfDataDir = (profiles: SavedConfig['profiles'], dataDir: string): string | undefined =>
  profilesOfDataDir(profiles, dataDir)[0];

function readKeys(env: Env): SavedKeys {
  const path = credentialsFile(env);
  const saved = readJson<Partial<SavedKeys>>(path);
  return { ...saved, profiles: byName<SavedKeys['profiles'][string]>(path, saved?.profiles, ['apiKey']) };
}
/** What stands under `profiles`: nobody has a profile `constructor` only because every object of JavaScript has. */
function byName<T>(path: string, profiles: unknown, texts: readonly (keyof T & string)[]): Readonly<Record<string, T>> {
  const isObject = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  if (profiles !== undefined && !isObject(profiles)) throw new SavedFileBroken(path, '"profiles" has to be an object');
  for (const [name, entry] of Object.entries(profiles ?? {})) {
    if (!isObject(entry)) throw new SavedFileBroken(path, `the profile "${name}" has to be an object`);
    const wrong = texts.find((key) => entry[key] !== undefined && typeof entry[key] !== 'string');
    if (wrong !== undefined) throw new SavedFileBroken(path, `"${wrong}" of the profile "${name}" has to be a text`);
  }
  return Object.assign(Object.create(null) as Record<string, T>, profiles);
}

const writeKeys = (env: Env, keys: SavedKeys): void => writeJson(credentialsFile(env), keys);
const writeConfig = (env: Env, config: SavedConfig): void => writeJson(configFile(env), config);

function readJson<T extends object>(path: string): T | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new SavedFileBroken(path, whyUnreadable(error), error);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new SavedFileBroken(path, whyNoJson(error), error);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new SavedFileBroken(path, 'it holds no JSON object');
  return value as T;
}

/** Both files are read and written back by one process at a time: keys that are made at the same moment are all kept. */
function change<T>(env: Env, work: () => T): T {
  try {
    makeDirectory(configDirectory(env));
  } catch {
    // Told by the first write; there may be none.
  }
  return alone(join(configDirectory(env), 'saved.lock'), work);
}

function makeDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  chmodSync(path, 0o700);
}

/** Whole or not at all, readable by the owner alone. */
function writeJson(path: string, value: object): void {
  const draft = `${path}.${String(process.pid)}`;
  try {
    makeDirectory(dirname(path));
    writeFileSync(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw new NotSaved(path, error);
  }
}
