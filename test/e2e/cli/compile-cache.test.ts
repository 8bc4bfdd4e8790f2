/** The compile cache of the command line: code that other users could have written is never loaded. */
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { RUN } from '../../support/cli/home.ts';

let cacheHome: string;
beforeEach(() => {
  cacheHome = join(realpathSync(mkdtempSync(join(tmpdir(), 'sr-cache-'))), 'cache');
  onTestFinished(() => rmSync(join(cacheHome, '..'), { recursive: true, force: true }));
});

const getProduct = () => join(cacheHome, 'stockroom');
const getCache = () => join(getProduct(), 'compile');

/** A command that loads the bundle; `--version` does not. */
async function runCommand(umask = '022'): Promise<void> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: join(cacheHome, '..'), XDG_CACHE_HOME: cacheHome };
  const script = `umask ${umask}; exec "$0" "$@"`;
  const { stdout } = await execa('sh', ['-c', script, process.execPath, RUN, 'help', 'exit-codes'], { env, extendEnv: false });
  expect(stdout).toContain('Exit codes');
}

test('the compile cache is created with mode 0700 under umask 000, and used', async () => {
  await runCommand('000');
  expect([cacheHome, getProduct(), getCache()].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o700, 0o700]);
  expect(readdirSync(getCache())).toHaveLength(1);
});

test.each([
  ['that other users can write to', () => chmodSync(getCache(), 0o777)],
  ['that other users can read', () => chmodSync(getCache(), 0o755)],
  ['whose parent other users can write to', () => chmodSync(getProduct(), 0o777)],
  ['that other users can replace', () => chmodSync(cacheHome, 0o777)],
])('a compile cache %s is not used', async (_description, expose) => {
  mkdirSync(getCache(), { recursive: true, mode: 0o700 });
  expose();
  await runCommand();
  expect(readdirSync(getCache())).toEqual([]);
});

test.skipIf(process.getuid?.() !== 0)('a compile cache of another user is not used (as root)', async () => {
  mkdirSync(getCache(), { recursive: true, mode: 0o700 });
  for (const path of [getCache(), getProduct(), cacheHome]) {
    chownSync(path, 65_534, 65_534);
    await runCommand();
    expect(readdirSync(getCache())).toEqual([]);
    chownSync(path, 0, 0);
  }
});

test('a command runs without a compile cache if the directory cannot be created', async () => {
  writeFileSync(cacheHome, 'a file');
  await runCommand();
  expect(statSync(cacheHome).isFile()).toBe(true);
});

test('a daemon stores its compiled code in the cache of the command that starts it', async () => {
  const home = join(cacheHome, '..');
  const run = (args: string[], env = {}) =>
    execa(process.execPath, [RUN, 'daemon', ...args, '--data-dir', join(home, 'data')], {
      env: { PATH: process.env['PATH'] ?? '', HOME: home, XDG_CACHE_HOME: cacheHome, ...env },
      extendEnv: false,
    });
  const countFiles = () => readdirSync(getCache(), { recursive: true }).length;
  await run(['start', '--port', '0']);
  const filesOfCommand = countFiles();
  await run(['stop'], { NODE_DISABLE_COMPILE_CACHE: '1' });
  expect(countFiles()).toBeGreaterThan(filesOfCommand);
});
