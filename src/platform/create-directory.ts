import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

const PRIVATE_MODE = 0o700;

/**
 * Creates a directory and its missing parents for their owner only. Returns whether it was created; false if the path already exists, also
 * as something else. Not `mkdirSync` with `recursive`, which never returns below a directory that cannot contain others, such as /proc.
 */
export function createPrivateDirectory(path: string): boolean {
  try {
    mkdirSync(path, { mode: PRIVATE_MODE });
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    const parent = dirname(path);
    if (code !== 'ENOENT' || parent === path || existsSync(parent)) throw error;
    createPrivateDirectory(parent);
    return createPrivateDirectory(path);
  }
}
