/** Where this program lies and which release it is. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of package.json: src/daemon/ and dist/chunks/ lie at different depths below it. */
export const root = above(dirname(fileURLToPath(import.meta.url)));

export const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };

/** What a background process runs: this source file's neighbour, or its build. */
export const childEntry = import.meta.url.endsWith('.ts') ? join(root, 'src', 'daemon', 'child.ts') : join(root, 'dist', 'daemon.js');

function above(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error('package.json of stockroom is missing');
  return above(parent);
}
