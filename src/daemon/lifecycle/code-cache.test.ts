import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, onTestFinished, test } from 'vitest';

const MODULE = fileURLToPath(new URL('code-cache.ts', import.meta.url));
const BUNDLE = `
const { sep } = require('node:path');
const other = require('./other.cjs');
exports.answer = function answer() { return [other.name, __filename.split(sep).pop(), typeof sep].join(' '); };
`;
const ANSWER = 'other daemon-abc.cjs string';

let folder: string;
let bundle: string;
let cache: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stockroom-compiled-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  bundle = join(folder, 'daemon-abc.cjs');
  cache = join(folder, 'cache', 'compile');
  writeFileSync(bundle, BUNDLE);
  writeFileSync(join(folder, 'other.cjs'), `exports.name = 'other';`);
});

/** Runs the bundle in a new process and returns its output. */
function runInProcess({
  writeCache = true,
  env = {},
  calls = 1,
  umask = 0o022,
}: { writeCache?: boolean; env?: Record<string, string>; calls?: number; umask?: number } = {}): string {
  const code = `
    process.umask(${String(umask)});
    import { runWithCodeCache } from ${JSON.stringify(MODULE)};
    for (let call = 0; call < ${String(calls)}; call += 1)
      console.log(runWithCodeCache(${JSON.stringify(bundle)}, { directory: ${JSON.stringify(cache)}, writeCache: ${String(writeCache)} }).answer());
  `;
  return execFileSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8', env: { ...process.env, ...env } }).trim();
}

const getCacheFile = (): string => {
  const [name = '', ...others] = readdirSync(cache);
  expect(others).toEqual([]);
  return join(cache, name);
};

test('a bundle runs as a CommonJS module, once per process, and its code is cached when the process ends', () => {
  writeFileSync(bundle, `console.log('runs');${BUNDLE}`);
  expect(runInProcess({ calls: 2 }).split('\n')).toEqual(['runs', ANSWER, ANSWER]);
  expect(statSync(getCacheFile()).size).toBeGreaterThan(0);
  expect(statSync(cache).mode & 0o077).toBe(0);
  expect(statSync(getCacheFile()).mode & 0o077).toBe(0);
});

test('a valid cache file is used and not written again', () => {
  runInProcess();
  const before = statSync(getCacheFile());
  expect(runInProcess()).toBe(ANSWER);
  expect(statSync(getCacheFile())).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs });
});

test.each([
  ['was truncated', (path: string) => truncateSync(path, 100)],
  ['is empty', (path: string) => truncateSync(path, 0)],
  ['other users may write', (path: string) => chmodSync(path, 0o666)],
  [
    'was changed',
    (path: string) => {
      const bytes = readFileSync(path);
      bytes.writeUInt8(bytes.readUInt8(bytes.length >> 1) ^ 0xff, bytes.length >> 1);
      writeFileSync(path, bytes);
    },
  ],
])('a cache file that %s is never given to V8 and is replaced', (_description, damage) => {
  runInProcess();
  const size = readFileSync(getCacheFile()).length;
  damage(getCacheFile());
  const { ino } = statSync(getCacheFile());
  expect(runInProcess()).toBe(ANSWER);
  expect(statSync(getCacheFile())).toMatchObject({ mode: 0o100600 });
  expect(statSync(getCacheFile()).ino).not.toBe(ino);
  expect(readFileSync(getCacheFile()).length).toBeGreaterThan(size / 2);
});

test.each([
  ['that other users can write to', () => chmodSync(cache, 0o777)],
  ['that other users can read', () => chmodSync(cache, 0o755)],
  ['whose parent other users can write to', () => chmodSync(join(cache, '..'), 0o777)],
  ['that other users can replace', () => chmodSync(folder, 0o777)],
])('a cache directory %s is neither read nor written', (_description, expose) => {
  runInProcess();
  const path = getCacheFile();
  expose();
  const before = statSync(path);
  writeFileSync(bundle, `console.log('runs');${BUNDLE}`);
  expect(runInProcess().split('\n')).toEqual(['runs', ANSWER]);
  expect(statSync(path)).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs });
  expect(readdirSync(cache)).toHaveLength(1);
});

test.skipIf(process.getuid?.() !== 0)('a cache directory of another user is neither read nor written (as root)', () => {
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  chownSync(cache, 65_534, 65_534);
  expect(runInProcess()).toBe(ANSWER);
  expect(readdirSync(cache)).toEqual([]);
});

test('the cache directory is created with mode 0700 under umask 000', () => {
  expect(runInProcess({ umask: 0 })).toBe(ANSWER);
  expect([join(cache, '..'), cache].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o700]);
});

test('a cache file of a Node with other flags is neither used nor removed', () => {
  runInProcess();
  const before = readdirSync(cache);
  expect(runInProcess({ env: { NODE_OPTIONS: '--stack-trace-limit=7' } })).toBe(ANSWER);
  expect(readdirSync(cache)).toEqual(expect.arrayContaining(before));
  expect(readdirSync(cache)).toHaveLength(2);
});

test('a bundle runs when its cache directory cannot be created', () => {
  mkdirSync(join(folder, 'cache'));
  writeFileSync(cache, 'in the way');
  expect(runInProcess()).toBe(ANSWER);
  expect(readFileSync(cache, 'utf8')).toBe('in the way');
});

test('a draft that cannot replace the cache file is removed', () => {
  runInProcess();
  const path = getCacheFile();
  rmSync(path);
  mkdirSync(path);
  expect(runInProcess()).toBe(ANSWER);
  expect(readdirSync(cache)).toEqual([basename(path)]);
});

test('no cache file is written with writeCache: false or NODE_DISABLE_COMPILE_CACHE', () => {
  expect(runInProcess({ writeCache: false })).toBe(ANSWER);
  expect(runInProcess({ env: { NODE_DISABLE_COMPILE_CACHE: '1' } })).toBe(ANSWER);
  expect(() => readdirSync(cache)).toThrow('ENOENT');
});

test('cache files of earlier builds are removed after a day, other files are not', () => {
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  const [old, recent, foreign] = ['daemon-old.cjs-1', 'daemon-recent.cjs-1', 'v24'].map((name) => join(cache, name));
  for (const path of [old, recent, foreign]) writeFileSync(path ?? '', '');
  for (const path of [old, foreign]) utimesSync(path ?? '', 0, 0);
  runInProcess();
  expect(readdirSync(cache).filter((name) => !name.startsWith('daemon-abc'))).toEqual(['daemon-recent.cjs-1', 'v24']);
});
