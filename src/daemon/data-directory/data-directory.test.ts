import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { DaemonError } from '../errors.ts';
import { claimDataDirectory, prepareDataDirectory } from './data-directory.ts';

function createParent(): string {
  const parent = mkdtempSync(join(tmpdir(), 'data-'));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  return parent;
}
const getMode = (path: string): string => (statSync(path).mode & 0o7777).toString(8);
const refusal = (dataDir: string): DaemonError => {
  try {
    claimDataDirectory(dataDir)?.release();
  } catch (error) {
    if (error instanceof DaemonError) return error;
    throw error;
  }
  throw new Error(`${dataDir} was used`);
};

test('a new data directory and its missing parents are created for their owner only', () => {
  const path = join(createParent(), 'a', 'b');
  claimDataDirectory(path)?.release();
  expect(getMode(path)).toBe('700');
});

test.each([
  ['notes.txt', ''],
  ['lost+found', undefined],
  ['.hidden', ''],
  // As a web application has it.
  ['manifest.json', '{"name":"An application"}'],
  ['daemon-tools.txt', ''],
])('a directory that contains %s is refused and stays as it is', (name, content) => {
  const path = join(createParent(), 'of-others');
  mkdirSync(path);
  if (content === undefined) mkdirSync(join(path, name));
  else writeFileSync(join(path, name), content);
  for (const mode of [0o700, 0o755, 0o1777]) {
    chmodSync(path, mode);
    const error = refusal(path);
    expect([error.exit, error.message]).toEqual([7, `${path} is not a data directory: it contains ${name}`]);
    expect([getMode(path), readdirSync(path)]).toEqual([mode.toString(8), [name]]);
  }
});

test.each([0o755, 0o750, 0o770, 0o1777])('an empty directory with mode %o is refused, and the error states the necessary mode', (mode) => {
  const path = join(createParent(), 'existing');
  mkdirSync(path);
  chmodSync(path, mode);
  const error = refusal(path);
  expect([error.exit, error.message]).toEqual([
    7,
    `Cannot use the data directory ${path}: other users have access to it (mode ${mode.toString(8).padStart(4, '0')})`,
  ]);
  expect(error.hint).toContain(`chmod 700`);
  expect([getMode(path), readdirSync(path)]).toEqual([mode.toString(8), []]);
});

test('an empty directory of its owner, and one with files of a daemon only, are accepted', () => {
  const path = join(createParent(), 'empty');
  mkdirSync(path, { mode: 0o700 });
  expect(() => prepareDataDirectory(path)).not.toThrow();
  for (const name of ['daemon.lock', 'daemon.log', 'daemon.log.1', 'daemon.json', 'daemon.json.0a1b2c.tmp', 'unfinished-copy.json'])
    writeFileSync(join(path, name), '');
  mkdirSync(join(path, 'snapshots'));
  expect(() => prepareDataDirectory(path)).not.toThrow();
});

test('a directory with a manifest or journal of a store is accepted, whatever else it contains', () => {
  const parent = createParent();
  for (const [name, content] of [
    ['manifest.json', '{"checksum":1,"manifest":{}}\n'],
    ['journal-1.log', ''],
    ['checkpoint-12.data', ''],
  ] as const) {
    const path = join(parent, name);
    mkdirSync(path, { mode: 0o700 });
    writeFileSync(join(path, name), content);
    writeFileSync(join(path, 'notes.txt'), '');
    expect(() => prepareDataDirectory(path)).not.toThrow();
  }
});

test('a path where no directory can be created, or nothing can be stored, is refused in one sentence', () => {
  const parent = createParent();
  writeFileSync(join(parent, 'file'), '');
  symlinkSync(join(parent, 'nowhere', 'below'), join(parent, 'dangling'));
  symlinkSync('circle', join(parent, 'circle'));
  for (const [path, reason] of [
    [join(parent, 'file'), 'it is a file'],
    [join(parent, 'file', 'below'), 'part of the path is a file'],
    [join(parent, 'dangling'), 'it is a symbolic link to a missing directory'],
    [join(parent, 'circle', 'below'), 'part of the path is a circle of symbolic links'],
    [join(parent, 'n'.repeat(300)), 'a name in the path is too long'],
    ...(process.platform === 'linux'
      ? ([
          ['/proc/stockroom', 'no directory can be created there'],
          ['/dev/null/stockroom', 'part of the path is a file'],
        ] as const)
      : []),
  ] as const) {
    const error = refusal(path);
    expect([error.exit, error.message]).toEqual([7, `Cannot use the data directory ${path}: ${reason}`]);
  }
});
