/** Writes files where other users may have planted symbolic links or files of their own: in a shared directory such as /tmp. */
import {
  type Stats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { renameFileSync } from './rename.ts';

const { O_CREAT, O_EXCL, O_WRONLY } = constants;
// Windows does not have it; links there need a privilege.
const O_NOFOLLOW = (constants as Partial<typeof constants>).O_NOFOLLOW ?? 0;
const O_NONBLOCK = (constants as Partial<typeof constants>).O_NONBLOCK ?? 0;
const RANDOM_BYTES = 8;

/** Flags to create a file that does not exist; a symbolic link counts as existing. */
export const CREATE_NEW = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
/** Flags to open an existing file for reading and writing. Check the file with `assertOwnFile`. */
export const OPEN_EXISTING = constants.O_RDWR | O_NOFOLLOW | O_NONBLOCK;

/** Replaces a file atomically, readable for its owner only. A failure leaves the old file and no temporary one. */
export function replaceFile(path: string, content: string | Uint8Array): void {
  // Loaded lazily: a static import of node:crypto takes 4 ms.
  const random = process.getBuiltinModule('node:crypto').randomBytes(RANDOM_BYTES).toString('hex');
  const temporary = `${path}.${random}.tmp`;
  try {
    const file = openSync(temporary, CREATE_NEW, 0o600);
    try {
      writeFileSync(file, content);
    } finally {
      closeSync(file);
    }
    renameFileSync(temporary, path);
  } catch (error) {
    removeIfPossible(temporary);
    throw error;
  }
}

/** Opens an existing file of this user with OPEN_EXISTING. */
export function openOwnFile(path: string): number {
  return openChecked(path, OPEN_EXISTING);
}

export function readOwnFile(path: string): string {
  const file = openChecked(path, constants.O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

/** Throws an error unless it is a regular file with one name that belongs to this user. */
export function assertOwnFile(file: Stats): void {
  if (!file.isFile()) throw new Error(file.isDirectory() ? 'it is a directory' : 'it is not a file');
  if (isForeign(file)) throw new Error('it belongs to another user');
  if (file.nlink > 1) throw new Error('it has another name (hard link)');
}

/** Returns the target of a symbolic link; `path` if it is not one. Throws an error for a link of another user. */
export function resolveOwnLink(path: string): string {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isSymbolicLink() !== true) return path;
  // The superuser may link everything.
  if (isForeign(found) && found.uid !== 0) throw new Error('it is a symbolic link of another user');
  return realpathSync(path);
}

const isForeign = ({ uid }: Stats): boolean => process.getuid !== undefined && uid !== process.getuid();

function openChecked(path: string, flags: number): number {
  let file: number;
  try {
    file = openSync(path, flags);
  } catch (error) {
    throw toLinkError(error);
  }
  try {
    assertOwnFile(fstatSync(file));
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** O_NOFOLLOW fails with ELOOP, which otherwise means a loop of links. */
export const toLinkError = (error: unknown): unknown =>
  (error as NodeJS.ErrnoException).code === 'ELOOP' ? new Error('it is a symbolic link', { cause: error }) : error;

function removeIfPossible(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // The directory does not exist.
  }
}
