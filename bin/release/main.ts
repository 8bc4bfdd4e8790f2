/**
 * What a release needs besides the package; .github/workflows/release.yml runs it.
 *
 *   node bin/release/main.ts check v0.3.0                        the tag, package.json and CHANGELOG.md name one version
 *   node bin/release/main.ts notes v0.3.0                        prints that version's part of CHANGELOG.md
 *   node bin/release/main.ts manifests v0.3.0 OWNER/NAME DIR     writes a Homebrew formula and a winget manifest from DIR/SHA256SUMS
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../inputs.js';
import { type Manifest, cutNotes, findProblem } from './changelog.ts';
import { createFormula } from './formula.ts';
import { parseSums } from './sums.ts';
import { createWingetManifest } from './winget.ts';

const [command, tag = '', repository = '', directory = '.'] = process.argv.slice(2);
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
const problem = findProblem(tag, manifest, changelog);

if (problem !== undefined) {
  process.stderr.write(`Error: ${problem}\n`);
  process.exitCode = 1;
} else if (command === 'notes') {
  process.stdout.write(cutNotes(changelog, manifest.version) ?? '');
} else if (command === 'manifests') {
  const sums = parseSums(readFileSync(join(directory, 'SHA256SUMS'), 'utf8'));
  const release = { ...manifest, repository, tag, sums };
  const files = { 'stockroom.rb': createFormula(release), ...createWingetManifest(release) };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
} else if (command !== 'check') {
  process.stderr.write('Error: The command is check, notes or manifests; see bin/release/main.ts\n');
  process.exitCode = 2;
}
