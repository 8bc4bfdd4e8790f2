/** The licenses of the packages that the build includes, in one file. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../inputs.js';

export const LICENSES_FILE = join(root, 'THIRD-PARTY-LICENSES.txt');

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly author?: string | { readonly name: string };
}

/** The package folder of a module in node_modules, also if that folder is inside another package. */
const PACKAGE_FOLDER = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+(?=[\\/])/u;
/** With this comment, the bundler of a package marks modules of other packages: version and name of those, without their peers. */
const INCLUDED_MODULE =
  /^\/\/#region .*\/node_modules\/\.pnpm\/@?[^/@\s]+@(\d[^/_\s]*)[^/\s]*\/node_modules\/((?:@[^/\s]+\/)?[^/\s]+)\//gmu;
const LICENSE_FILE = /^(?!.*\.(?:[cm]?[jt]s|map)$).*(?:licen[cs]e|copying|notice)/iu;
const COPYRIGHT_LINE = /^Copyright .*$/mu;
const SEPARATOR = `\n${'-'.repeat(80)}\n\n`;

/** Returns name, version and license text of all packages to which the modules belong, and of the named ones. */
export function formatLicenses(modulePaths: readonly string[], otherPackages: readonly string[]): string {
  const texts = new Map<string, string>();
  const add = (folder: string, version?: string): void => {
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
    texts.set(`${manifest.name} ${version ?? manifest.version} (${String(manifest.license)})`, readText(folder, manifest));
  };
  for (const name of otherPackages) add(findInstalled(name));
  for (const path of modulePaths) {
    const [folder] = PACKAGE_FOLDER.exec(path) ?? [];
    if (folder === undefined) continue;
    add(folder);
    for (const [, version, name = ''] of readFileSync(path, 'utf8').matchAll(INCLUDED_MODULE)) add(findInstalled(name), version);
  }
  const entries = [...texts].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([title, text]) => `${title}\n\n${text}\n`);
  return ['The package stockroom includes code of the following packages.\n', ...entries].join(SEPARATOR);
}

const findInstalled = (name: string): string => join(root, 'node_modules', name);

/** Fails for a package without a license, which may not be distributed. */
function readText(folder: string, { name, license, author }: Manifest): string {
  const files = readdirSync(folder).filter((file) => LICENSE_FILE.test(file));
  const texts = new Set(files.toSorted().map((file) => readFileSync(join(folder, file), 'utf8').trim()));
  if (texts.size > 0) return [...texts].join('\n\n');
  // Nobody has to pass its text on.
  if (license === 'Unlicense') return 'Released into the public domain: https://unlicense.org';
  // Some packages name their license, but do not include its text.
  const holder = typeof author === 'object' ? author.name : author;
  if (license !== 'MIT' || holder === undefined) throw new Error(`${name} is bundled, but has no license text`);
  return readFileSync(join(root, 'LICENSE'), 'utf8').replace(COPYRIGHT_LINE, `Copyright (c) ${holder}`).trim();
}
