/**
 * Profiles in `config.json` and their keys in `credentials.json`, in the configuration directory of the user. Each save replaces the file
 * but keeps its other sections, and makes it readable for the owner only.
 */
import { chmodSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Env, getConfigDirectory } from '../../platform/local-paths.ts';
import { createPrivateDirectory } from '../../platform/create-directory.ts';
import { replaceFile } from '../../platform/own-files.ts';
import { withFileLock } from './file-lock.ts';
import { explainJsonError, explainReadError, explainWriteError } from './file-errors.ts';

export interface Profile {
  /** URL of a service; absent for the daemon of `dataDir`. */
  readonly url?: string;
  /** Data directory of a local daemon. Without it and `url`: the default directory. */
  readonly dataDir?: string;
  /** Default tenant of settings commands. */
  readonly tenant?: string;
}

export interface SavedConfig {
  /** The active profile. */
  readonly profile?: string;
  readonly profiles: Readonly<Record<string, Profile>>;
}

interface SavedKeys {
  readonly profiles: Readonly<Record<string, { readonly apiKey: string }>>;
}

/** A saved file cannot be read; the user has to fix or remove it. */
export class UnreadableFile extends Error {
  override readonly name = 'SavedFileBroken';
  readonly path: string;
  constructor(path: string, reason: string, cause?: unknown) {
    super(`Cannot read ${path}: ${reason}`, { cause });
    this.path = path;
  }
}

/** A file cannot be saved. */
export class UnwritableFile extends Error {
  override readonly name = 'NotSaved';
  constructor(path: string, cause: unknown) {
    super(`Cannot write ${path}: ${explainWriteError(cause)}`, { cause });
  }
}

export const DEFAULT_PROFILE = 'local';
/** Valid names of profiles, which are used on the command line. */
export const PROFILE_NAME = /^[A-Za-z0-9][\w.-]{0,63}$/u;

export const getConfigFile = (env: Env): string => join(getConfigDirectory(env), 'config.json');
export const getCredentialsFile = (env: Env): string => join(getConfigDirectory(env), 'credentials.json');

export function readConfig(env: Env): SavedConfig {
  const path = getConfigFile(env);
  const saved = readJson<Partial<SavedConfig>>(path);
  if (saved?.profile !== undefined && typeof saved.profile !== 'string') throw new UnreadableFile(path, '"profile" must be a string');
  return { ...saved, profiles: parseProfiles<Profile>(path, saved?.profiles, ['url', 'dataDir', 'tenant']) };
}

/** Returns the key of a profile, or undefined. */
export function readKey(env: Env, profile: string): string | undefined {
  return readKeys(env).profiles[profile]?.apiKey;
}

export const listProfilesWithKeys = (env: Env): readonly string[] => Object.keys(readKeys(env).profiles);

/**
 * Saves a profile and its key. Without a new key, the profile keeps the one that was saved for the same service; a key of another service is
 * removed. The first profile becomes the active one.
 */
export function saveProfile(env: Env, name: string, profile: Profile, apiKey?: string): void {
  withLockedConfig(env, () => {
    const config = readConfig(env);
    const keys = readKeys(env);
    const { [name]: saved, ...others } = keys.profiles;
    // The key first: a key without a profile is harmless, a profile without its key is not.
    if (apiKey !== undefined) writeKeys(env, { ...keys, profiles: { ...others, [name]: { apiKey } } });
    else if (saved && !isSameService(config.profiles[name], profile)) writeKeys(env, { ...keys, profiles: others });
    writeConfig(env, { ...config, profile: config.profile ?? name, profiles: { ...config.profiles, [name]: profile } });
  });
}

const isSameService = (saved: Profile | undefined, { url, dataDir }: Profile): boolean =>
  saved !== undefined && saved.url === url && saved.dataDir === dataDir;

/** Makes a profile the active one. */
export function setActiveProfile(env: Env, name: string): void {
  withLockedConfig(env, () => {
    writeConfig(env, { ...readConfig(env), profile: name });
  });
}

export function removeProfile(env: Env, name: string): void {
  withLockedConfig(env, () => {
    const { profile, ...config } = readConfig(env);
    const { [name]: _gone, ...profiles } = config.profiles;
    writeConfig(env, { ...config, ...(profile === undefined || profile === name ? {} : { profile }), profiles });
    const saved = readKeys(env);
    const { [name]: _key, ...keys } = saved.profiles;
    writeKeys(env, { ...saved, profiles: keys });
  });
}

/**
 * Saves the key that the first start of a data directory created. The profile is called `local` (`local-2` and so on if that belongs to
 * another daemon), or like the tenant if the directory has other profiles. Returns its name.
 */
export function saveLocalKey(
  env: Env,
  { dataDir, tenant, apiKey }: { dataDir: string; tenant?: string | undefined; apiKey: string },
): string {
  return withLockedConfig(env, () => {
    const { profiles } = readConfig(env);
    const own = listDataDirProfiles(profiles, dataDir);
    const base = own.find((each) => profiles[each]?.tenant === tenant) ?? (own.length > 0 ? tenant : undefined) ?? DEFAULT_PROFILE;
    const name = pickFreeName(profiles, base, { dataDir, tenant });
    saveProfile(env, name, { dataDir, ...(tenant === undefined ? {} : { tenant }) }, apiKey);
    return name;
  });
}

/** Saves the key of a new tenant of a daemon in a profile called like the tenant (`acme-2` and so on if that belongs to another). Returns its name. */
export function saveTenantKey(env: Env, { dataDir, tenant, apiKey }: { dataDir: string; tenant: string; apiKey: string }): string {
  return withLockedConfig(env, () => {
    const name = pickFreeName(readConfig(env).profiles, tenant, { dataDir, tenant });
    saveProfile(env, name, { dataDir, tenant }, apiKey);
    return name;
  });
}

/**
 * Saves the keys of new demo tenants in profiles called like their slugs. The profile of the first one becomes active if a profile of the
 * same data directory was. Returns its name, or undefined if its key is not saved.
 */
export function saveDemoKeys(
  env: Env,
  dataDir: string,
  tenants: readonly { readonly slug: string; readonly secret: string | null }[],
): string | undefined {
  return withLockedConfig(env, () => {
    for (const { slug, secret } of tenants) if (secret !== null) saveTenantKey(env, { dataDir, tenant: slug, apiKey: secret });
    const { profile, profiles } = readConfig(env);
    const first = tenants[0]?.slug;
    const name = Object.keys(profiles).find((each) => profiles[each]?.dataDir === dataDir && profiles[each].tenant === first);
    const isNew = tenants[0]?.secret !== null;
    if (name !== undefined && isNew && profile !== undefined && profiles[profile]?.dataDir === dataDir) setActiveProfile(env, name);
    return name;
  });
}

/**
 * Saves the key of a data directory that was reset. Its profile becomes active if another profile of the directory was. Profiles of deleted
 * tenants are kept, because a snapshot may restore them. Returns the name.
 */
export function saveResetKey(env: Env, key: { dataDir: string; tenant: string; apiKey: string }): string {
  return withLockedConfig(env, () => {
    const { profile, profiles } = readConfig(env);
    const name = saveLocalKey(env, key);
    if (profile !== undefined && listDataDirProfiles(profiles, key.dataDir).includes(profile)) setActiveProfile(env, name);
    return name;
  });
}

/** Lists the profiles of a local daemon. */
export const listDataDirProfiles = (profiles: SavedConfig['profiles'], dataDir: string): readonly string[] =>
  Object.keys(profiles).filter((name) => profiles[name]?.url === undefined && profiles[name]?.dataDir === dataDir);

/** Returns `base`, or `base-2` and so on if that belongs to another daemon or tenant. */
function pickFreeName(
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

function readKeys(env: Env): SavedKeys {
  const path = getCredentialsFile(env);
  const saved = readJson<Partial<SavedKeys>>(path);
  return { ...saved, profiles: parseProfiles<SavedKeys['profiles'][string]>(path, saved?.profiles, ['apiKey']) };
}

/** Validates `profiles`. The result has no prototype, so that `constructor` is no profile. */
function parseProfiles<T>(path: string, profiles: unknown, texts: readonly (keyof T & string)[]): Readonly<Record<string, T>> {
  const isObject = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  if (profiles !== undefined && !isObject(profiles)) throw new UnreadableFile(path, '"profiles" must be an object');
  for (const [name, entry] of Object.entries(profiles ?? {})) {
    if (!isObject(entry)) throw new UnreadableFile(path, `profile "${name}" must be an object`);
    const wrong = texts.find((key) => entry[key] !== undefined && typeof entry[key] !== 'string');
    if (wrong !== undefined) throw new UnreadableFile(path, `"${wrong}" of profile "${name}" must be a string`);
  }
  return Object.assign(Object.create(null) as Record<string, T>, profiles);
}

const writeKeys = (env: Env, keys: SavedKeys): void => writeJson(getCredentialsFile(env), keys);
const writeConfig = (env: Env, config: SavedConfig): void => writeJson(getConfigFile(env), config);

/** Undefined if there is no such file. */
export function readSaved(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new UnreadableFile(path, explainReadError(error), error);
  }
}

/** Parses a JSON object. `path`: of the file, for the error. */
export function parseSaved<T extends object>(path: string, text: string): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UnreadableFile(path, explainJsonError(error), error);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new UnreadableFile(path, 'it is not a JSON object');
  return value as T;
}

function readJson<T extends object>(path: string): T | undefined {
  const text = readSaved(path);
  return text === undefined ? undefined : parseSaved<T>(path, text);
}

/** Runs `work` while no other process changes the files, so that concurrent changes are all kept. */
function withLockedConfig<T>(env: Env, work: () => T): T {
  try {
    createConfigDirectory(getConfigDirectory(env));
  } catch {
    // The first write reports it, if there is one.
  }
  return withFileLock(join(getConfigDirectory(env), 'saved.lock'), work);
}

function createConfigDirectory(path: string): void {
  createPrivateDirectory(path);
  chmodSync(path, 0o700);
}

/** Replaces a file atomically, readable for the owner only. */
function writeJson(path: string, value: object): void {
  try {
    createConfigDirectory(dirname(path));
    replaceFile(path, `${JSON.stringify(value, null, 2)}\n`);
  } catch (error) {
    throw new UnwritableFile(path, error);
  }
}
