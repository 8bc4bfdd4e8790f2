import { execFileSync } from 'node:child_process';
import {
  chmodSync,
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

const MODULE = fileURLToPath(new URL('compiled.ts', import.meta.url));
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

/** What a process of its own answers that runs the bundle, and then ends. */
function run({ keeps = true, env = {}, calls = 1 }: { keeps?: boolean; env?: Record<string, string>; calls?: number } = {}): string {
  const code = `
    import { runCompiled } from ${JSON.stringify(MODULE)};
    for (let call = 0; call < ${String(calls)}; call += 1)
      console.log(runCompiled(${JSON.stringify(bundle)}, { directory: ${JSON.stringify(cache)}, keeps: ${String(keeps)} }).answer());
  `;
  return execFileSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8', env: { ...process.env, ...env } }).trim();
}

const kept = (): string => {
  const [name = '', ...others] = readdirSync(cache);
  expect(others).toEqual([]);
  return join(cache, name);
};

test('a bundle runs as a CommonJS module, once in a process, and its code is kept when the process ends', () => {
  writeFileSync(bundle, `console.log('runs');${BUNDLE}`);
  expect(run({ calls: 2 }).split('\n')).toEqual(['runs', ANSWER, ANSWER]);
  expect(statSync(kept()).size).toBeGreaterThan(0);
  expect(statSync(cache).mode & 0o077).toBe(0);
  expect(statSync(kept()).mode & 0o077).toBe(0);
});

test('kept code is used as it is: it is not written again', () => {
  run();
  const before = statSync(kept());
  expect(run()).toBe(ANSWER);
  expect(statSync(kept())).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs });
});

test.each([
  ['was cut off', (path: string) => truncateSync(path, 100)],
  ['is empty', (path: string) => truncateSync(path, 0)],
  ['others may write', (path: string) => chmodSync(path, 0o666)],
  [
    'was changed',
    (path: string) => {
      const bytes = readFileSync(path);
      bytes.writeUInt8(bytes.readUInt8(bytes.length >> 1) ^ 0xff, bytes.length >> 1);
      writeFileSync(path, bytes);
    },
  ],
])('code that %s never reaches V8 and is replaced', (_what, damage) => {
  run();
  const whole = readFileSync(kept()).length;
  damage(kept());
  const { ino } = statSync(kept());
  expect(run()).toBe(ANSWER);
  expect(statSync(kept())).toMatchObject({ mode: 0o100600 });
  expect(statSync(kept()).ino).not.toBe(ino);
  expect(readFileSync(kept()).length).toBeGreaterThan(whole / 2);
});

test('code of a Node with other flags is not used, and stays', () => {
  run();
  const before = readdirSync(cache);
  expect(run({ env: { NODE_OPTIONS: '--stack-trace-limit=7' } })).toBe(ANSWER);
  expect(readdirSync(cache)).toEqual(expect.arrayContaining(before));
  expect(readdirSync(cache)).toHaveLength(2);
});

test('where nothing can be kept the bundle runs all the same', () => {
  mkdirSync(join(folder, 'cache'));
  writeFileSync(cache, 'in the way');
  expect(run()).toBe(ANSWER);
  expect(readFileSync(cache, 'utf8')).toBe('in the way');
});

test('what cannot take its place is not left behind', () => {
  run();
  const path = kept();
  rmSync(path);
  mkdirSync(path);
  expect(run()).toBe(ANSWER);
  expect(readdirSync(cache)).toEqual([basename(path)]);
});

test('nothing is kept for who keeps nothing, or has turned such caches off', () => {
  expect(run({ keeps: false })).toBe(ANSWER);
  expect(run({ env: { NODE_DISABLE_COMPILE_CACHE: '1' } })).toBe(ANSWER);
  expect(() => readdirSync(cache)).toThrow('ENOENT');
});

test('what earlier builds left goes after a day, and nothing else does', () => {
  mkdirSync(cache, { recursive: true });
  const [old, recent, strange] = ['daemon-old.cjs-1', 'daemon-recent.cjs-1', 'v24'].map((name) => join(cache, name));
  for (const path of [old, recent, strange]) writeFileSync(path ?? '', '');
  for (const path of [old, strange]) utimesSync(path ?? '', 0, 0);
  run();
  expect(readdirSync(cache).filter((name) => !name.startsWith('daemon-abc'))).toEqual(['daemon-recent.cjs-1', 'v24']);
});
