/**
 * Temporary directories of embedded services. Each is removed when its service stops or its process ends; directories that a killed
 * process left are removed by the next start of any process. The lock in each directory shows whether it is in use, also between
 * containers that do not see each other's processes.
 */
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FileLock } from '../../platform/file-lock.ts';
import { isDataDirectoryLocked, lockDataDirectory } from '../data-directory/lock.ts';

export interface TemporaryDirectory {
  readonly path: string;
  /** Removes the directory and its content. */
  remove(): void;
}

const PREFIX = 'stockroom-test-';
/** Distinguishes these directories from others whose name has the same prefix. */
const MARKER_FILE = 'temporary';
/** A new directory looks abandoned until its lock is taken. */
const ABANDONED_AFTER_MS = 60_000;

const locks = new Map<string, FileLock | undefined>();
let hasExitHandler = false;

export function createTemporaryDirectory(): TemporaryDirectory {
  const parent = tmpdir();
  removeAbandoned(parent);
  const path = mkdtempSync(join(parent, PREFIX));
  locks.set(path, lockDataDirectory(path));
  writeFileSync(join(path, MARKER_FILE), '');
  if (!hasExitHandler) process.once('exit', () => locks.keys().forEach(remove));
  hasExitHandler = true;
  return { path, remove: () => remove(path) };
}

function remove(path: string): void {
  locks.get(path)?.release();
  locks.delete(path);
  rmSync(path, { recursive: true, force: true });
}

function removeAbandoned(parent: string): void {
  for (const name of readdirSync(parent)) {
    if (!name.startsWith(PREFIX)) continue;
    const path = join(parent, name);
    try {
      const isOld = Date.now() - statSync(path).mtimeMs > ABANDONED_AFTER_MS;
      if (isOld && existsSync(join(path, MARKER_FILE)) && !isDataDirectoryLocked(path)) rmSync(path, { recursive: true, force: true });
    } catch {
      // It belongs to another user, or another process is removing it.
    }
  }
}
