/**
 * Makes one file of the package and Node, which needs nothing else: https://nodejs.org/api/single-executable-applications.html
 *
 *   npm run executable                                             for this platform
 *   npm run executable -- --node FILE --platform win-x64           for another, with its Node of the same release
 *   npm run executable -- --package FILE                           from a packed package
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { serialize } from 'node:v8';
import { brotliCompressSync, constants } from 'node:zlib';
import spawn from 'cross-spawn';
import { inject } from 'postject';
import { daemonNodeFlags } from '../../src/daemon/control/process-settings.js';
import { root } from '../inputs.js';

/** Names that Node looks for. */
const BLOB = 'NODE_SEA_BLOB';
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';
const SEGMENT = 'NODE_SEA';
/** What only programs that import the package need. */
const LEFT_OUT = 'dist/types/';

const { values } = parseArgs({
  options: {
    node: { type: 'string', default: realpathSync(process.execPath) },
    platform: { type: 'string', default: `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}` },
    package: { type: 'string' },
    out: { type: 'string', default: join(root, 'executable') },
  },
});

const directory = mkdtempSync(join(tmpdir(), 'stockroom-executable-'));
try {
  const file = await build(unpackPackage(values.package ?? pack()));
  process.stderr.write(`built ${file}, ${(statSync(file).size / 1_000_000).toFixed(1)} MB\n`);
} finally {
  rmSync(directory, { recursive: true });
}

function pack(): string {
  const { status } = spawn.sync('npm', ['pack', '--pack-destination', directory], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error('npm pack failed');
  return globSync('*.tgz', { cwd: directory }).map((name) => join(directory, name))[0]!;
}

/** Returns the directory of its files. */
function unpackPackage(tarball: string): string {
  // From stdin: a GNU tar on Windows takes the drive of a path for a machine.
  execFileSync('tar', ['-xzf', '-'], { cwd: directory, input: readFileSync(tarball) });
  return join(directory, 'package');
}

async function build(folder: string): Promise<string> {
  const paths = globSync('**', { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/'),
    )
    .filter((path) => !path.startsWith(LEFT_OUT))
    .toSorted();
  writeFileSync(join(folder, 'import.cjs'), 'module.exports = (url) => import(url);\n');
  const files = serialize([...paths, 'import.cjs'].map((path) => [path, readFileSync(join(folder, path))]));
  // The best quality would take a minute for a tenth less.
  const compressed = brotliCompressSync(files, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } });
  const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { name: string; version: string };
  const assets = {
    files: compressed,
    id: createHash('sha256').update(compressed).digest('hex').slice(0, 16),
    'name and version': `${name}/${version}`,
  };
  const blob = writeBlob(assets);
  mkdirSync(values.out, { recursive: true });
  const target = join(values.out, `stockroom-${values.platform}${values.platform.startsWith('win') ? '.exe' : ''}`);
  copyFileSync(values.node, target);
  chmodSync(target, 0o755);
  if (values.platform.startsWith('linux')) runIfPossible('strip', [target]);
  if (values.platform.startsWith('darwin')) runIfPossible('codesign', ['--remove-signature', target]);
  await inject(target, BLOB, blob, { sentinelFuse: FUSE, machoSegmentName: SEGMENT });
  if (values.platform.startsWith('darwin')) runIfPossible('codesign', ['--sign', '-', target]);
  return target;
}

function writeBlob(assets: Readonly<Record<string, Uint8Array | string>>): Buffer {
  const paths = Object.fromEntries(Object.keys(assets).map((name) => [name, join(directory, name)]));
  for (const [name, content] of Object.entries(assets)) writeFileSync(paths[name]!, content);
  const config = join(directory, 'config.json');
  const output = join(directory, 'blob');
  const main = join(root, 'bin', 'build', 'executable-main.cjs');
  const settings = { main, output, assets: paths, disableExperimentalSEAWarning: true, execArgv: daemonNodeFlags };
  writeFileSync(config, JSON.stringify(settings));
  execFileSync(process.execPath, ['--experimental-sea-config', config], { stdio: ['ignore', 'ignore', 'inherit'] });
  return readFileSync(output);
}

/** Programs of the platform; without `strip` the file is larger, without `codesign` macOS does not start it. */
function runIfPossible(program: string, args: readonly string[]): void {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
  } catch {
    process.stderr.write(`${program} failed or is not installed\n`);
  }
}
