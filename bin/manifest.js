// The package.json of the published package. `npm pack` runs this before and after it packs:
//   node bin/manifest.js write     replaces package.json by the published one, which names no dependencies: the build includes them
//   node bin/manifest.js restore   puts the checkout's package.json back
// Setup restores it, too, in case packing was interrupted in between.
import { existsSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from './inputs.js';

const MANIFEST = join(root, 'package.json');
const SAVED = join(root, 'package.json.checkout');
/** What only a checkout has. */
const OMITTED = [
  'private',
  'scripts',
  'workspaces',
  'dependencies',
  'optionalDependencies',
  'devDependencies',
  'allowScripts',
  'scarfSettings',
];

function writeManifest() {
  const fields = Object.entries(JSON.parse(readFileSync(MANIFEST, 'utf8')));
  const published = Object.fromEntries(fields.filter(([name]) => !OMITTED.includes(name)));
  renameSync(MANIFEST, SAVED);
  writeFileSync(MANIFEST, `${JSON.stringify(published, null, 2)}\n`);
}

export function restoreManifest() {
  if (existsSync(SAVED)) renameSync(SAVED, MANIFEST);
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  restoreManifest();
  if (process.argv[2] === 'write') writeManifest();
}
