/** A fresh clone of this checkout: its tracked files with their present contents, and its installed packages. */
import { existsSync, cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

export async function copyCheckout(directory: string): Promise<void> {
  const { stdout } = await execa('git', ['ls-files', '-z'], { cwd: ROOT });
  for (const path of stdout.split('\0')) if (path !== '' && existsSync(join(ROOT, path))) cpSync(join(ROOT, path), join(directory, path));
  // Each package is linked, not the folder: an installation in the copy would remove links, and not the packages of this checkout.
  const packages = join(directory, 'node_modules');
  mkdirSync(packages);
  for (const name of readdirSync(join(ROOT, 'node_modules'))) symlinkSync(join(ROOT, 'node_modules', name), join(packages, name));
}
