/** Location and version of this package. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The directory of package.json. Found by walking up, because src/daemon/ and dist/chunks/ are at different depths below it. */
export const packageRoot = findPackageRoot(dirname(fileURLToPath(import.meta.url)));

export const { version } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { version: string };

/** The entry point of a background process: the source, or its build. */
export const childEntry = import.meta.url.endsWith('.ts')
  ? join(packageRoot, 'src', 'daemon', 'child.ts')
  : join(packageRoot, 'dist', 'daemon.js');

function findPackageRoot(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error('package.json of stockroom is missing');
  return findPackageRoot(parent);
}
