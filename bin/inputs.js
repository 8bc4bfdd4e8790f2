// Fingerprint of the build inputs, with which setup decides whether dist/ is up to date.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** Contains the input fingerprint of the last complete build. */
export const fingerprintFile = join(root, 'dist', '.built-from');

const FOLDERS = ['src', 'commands'];
const FILES = ['bin/build/main.ts', 'bin/build/console.ts', 'package.json', 'node_modules/.package-lock.json'];

/** Hashes names, sizes and times instead of contents: takes milliseconds and also detects removed or moved files. */
export function computeFingerprint() {
  const hash = createHash('sha256');
  for (const path of [...FOLDERS.flatMap(listFiles), ...FILES]) {
    const stat = statSync(join(root, path), { throwIfNoEntry: false });
    hash.update(`${path} ${stat?.size} ${stat?.mtimeMs}\n`);
  }
  return hash.digest('hex');
}

export function isBuildCurrent() {
  try {
    return readFileSync(fingerprintFile, 'utf8') === computeFingerprint();
  } catch {
    return false;
  }
}

/**
 * @param {string} folder
 * @returns {string[]}
 */
function listFiles(folder) {
  /** @type {import('node:fs').Dirent[]} */
  let entries;
  try {
    entries = readdirSync(join(root, folder), { withFileTypes: true });
  } catch {
    return [];
  }
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => (entry.isDirectory() ? listFiles(`${folder}/${entry.name}`) : [`${folder}/${entry.name}`]));
}
