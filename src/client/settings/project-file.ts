/**
 * The settings of a project, in `.stockroom.json` of the working directory or above. A project file selects the service that receives
 * requests, so one that another user could have written is ignored.
 */
import { type Stats, readFileSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Env } from '../../platform/local-paths.ts';
import { UnreadableFile, parseSaved } from './profiles.ts';

/** Never a key, because such files are shared. */
export interface ProjectSettings {
  readonly url?: string;
  readonly profile?: string;
  readonly tenant?: string;
  /** Origins of pages that may use the API of a daemon that is started here. */
  readonly cors?: readonly string[];
  /** The contract of a daemon that is started in the project. */
  readonly contract?: string;
}

export interface IgnoredFile {
  readonly path: string;
  readonly reason: string;
}

const PROJECT_FILE = '.stockroom.json';
const WRITABLE_BY_GROUP = 0o020;
const WRITABLE_BY_OTHERS = 0o002;

/**
 * Finds the nearest project file that only the user can change. The search ends at the root of the repository or at the home directory;
 * outside of both only the working directory is searched. Throws UnreadableFile if the file is invalid.
 */
export function findProjectFile(env: Env, cwd: string) {
  const ignored: IgnoredFile[] = [];
  const home = resolveHome(env);
  for (let directory = cwd; ; directory = dirname(directory)) {
    const path = join(directory, PROJECT_FILE);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat?.isFile() === true && (directory === cwd || isInsideBoundary(directory, home))) {
      const reason = explainDistrust(stat, statSync(directory));
      if (reason === undefined) {
        const text = readText(path);
        if (text !== undefined) return { file: { path, content: parseProjectFile(path, text) }, ignored };
      } else ignored.push({ path, reason });
    }
    if (isBoundary(directory, home) || dirname(directory) === directory) return { file: undefined, ignored };
  }
}

/** The working directory has no symbolic links in its path, so the home directory is compared without them, too. */
function resolveHome(env: Env): string {
  const home = env['HOME'] || homedir();
  try {
    return realpathSync(home);
  } catch {
    return home;
  }
}

const isBoundary = (directory: string, home: string): boolean =>
  directory === home || statSync(join(directory, '.git'), { throwIfNoEntry: false }) !== undefined;

function isInsideBoundary(start: string, home: string): boolean {
  for (let directory = start; ; directory = dirname(directory)) {
    if (isBoundary(directory, home)) return true;
    if (dirname(directory) === directory) return false;
  }
}

/** Why another user could have written the file; undefined if none could. Windows has no owners and modes to compare. */
function explainDistrust(file: Stats, directory: Stats): string | undefined {
  const user = process.getuid?.();
  if (user === undefined) return undefined;
  if (file.uid !== user) return 'another user owns it';
  if (isWritableByOthers(file, user)) return 'other users can write to it';
  // The superuser can write anywhere.
  if (directory.uid !== user && directory.uid !== 0) return 'another user owns its directory';
  if (isWritableByOthers(directory, user)) return 'other users can write to its directory';
  return undefined;
}

/** A group with the number of the user is the private group of that user, with which many systems have a umask of 002. */
const isWritableByOthers = ({ mode, gid }: Stats, user: number): boolean =>
  (mode & WRITABLE_BY_OTHERS) !== 0 || ((mode & WRITABLE_BY_GROUP) !== 0 && gid !== user);

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

const PROJECT_SETTINGS = ['url', 'profile', 'tenant', 'cors', 'contract'] as const satisfies readonly (keyof ProjectSettings)[];

function parseProjectFile(path: string, text: string): ProjectSettings {
  const content = parseSaved(path, text);
  for (const [name, value] of Object.entries(content)) {
    if (/key|secret|token/iu.test(name))
      throw new UnreadableFile(path, `"${name}" is not allowed, because project files are shared; save keys in a profile`);
    if (!(PROJECT_SETTINGS as readonly string[]).includes(name))
      throw new UnreadableFile(path, `unknown setting "${name}"; valid settings: ${PROJECT_SETTINGS.join(', ')}`);
    if (name === 'cors') {
      if (!Array.isArray(value) || !value.every((origin) => typeof origin === 'string'))
        throw new UnreadableFile(path, '"cors" must be a list of origins, such as ["http://localhost:5173"]');
    } else if (typeof value !== 'string') throw new UnreadableFile(path, `"${name}" must be a string`);
  }
  return content;
}
