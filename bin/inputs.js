// What the build is made from, as one fingerprint: lets setup tell whether dist/ is still right.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** Where a finished build leaves the fingerprint of its inputs. */
export const builtFrom = join(root, 'dist', '.built-from');

const FOLDERS = ['src', 'commands'];
const FILES = ['bin/build.ts', 'bin/daemon-flags.js', 'package.json', 'node_modules/.package-lock.json'];

/** Names, sizes and times rather than contents: a file removed or moved changes it too, and it takes milliseconds. */
export function fingerprint() {
  const hash = createHash('sha256');
  for (const path of [...FOLDERS.flatMap(filesBelow), ...FILES]) {
    const stat = statSync(join(root, path), { throwIfNoEntry: false });
    hash.update(`${path} ${stat?.size} ${stat?.mtimeMs}\n`);
  }
  return hash.digest('hex');
}

export function isBuilt() {
  try {
    return readFileSync(builtFrom, 'utf8') === fingerprint();
  } catch {
    return false;
  }
}

/**
 * @param {string} folder
 * @returns {string[]}
 */
function filesBelow(folder) {
  /** @type {import('node:fs').Dirent[]} */
  let entries;
  try {
    entries = readdirSync(join(root, folder), { withFileTypes: true });
  } catch {
    return [];
  }
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => (entry.isDirectory() ? filesBelow(`${folder}/${entry.name}`) : [`${folder}/${entry.name}`]));
}
