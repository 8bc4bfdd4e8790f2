/**
 * Directories of services that live inside other programs: each goes when its service stops or its process ends, and what a killed process
 * left goes with the next start of anybody. The lock of a daemon tells which are in use, also where process ids mean nothing to each other.
 */
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Lock, isLocked, takeLock } from './lock.ts';

export interface TemporaryDirectory {
  readonly path: string;
  /** Removes it with everything in it. */
  remove(): void;
}

const PREFIX = 'stockroom-test-';
/** The file that tells such a directory from one that somebody gave a name like that. */
const MARK = 'temporary';
/** Between making a directory and taking its lock it looks like one that was left. */
const ABANDONED_AFTER_MS = 60_000;

const held = new Map<string, Lock | undefined>();
let willRemove = false;

export function temporaryDirectory(): TemporaryDirectory {
  const folder = tmpdir();
  removeAbandoned(folder);
  const path = mkdtempSync(join(folder, PREFIX));
  held.set(path, takeLock(path));
  writeFileSync(join(path, MARK), '');
  if (!willRemove) process.once('exit', () => held.keys().forEach(remove));
  willRemove = true;
  return { path, remove: () => remove(path) };
}

function remove(path: string): void {
  held.get(path)?.release();
  held.delete(path);
  rmSync(path, { recursive: true, force: true });
}

function removeAbandoned(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(PREFIX)) continue;
    const path = join(folder, name);
    try {
      const isOld = Date.now() - statSync(path).mtimeMs > ABANDONED_AFTER_MS;
      if (isOld && existsSync(join(path, MARK)) && !isLocked(path)) rmSync(path, { recursive: true, force: true });
    } catch {
      // Somebody else's, or just being removed.
    }
  }
}
