import { execFileSync } from 'node:child_process';
import { existsSync, lchownSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { getDefaultPath, openRejectedRows } from './rejected-rows.ts';

function folder(): string {
  const directory = mkdtempSync(join(tmpdir(), 'refused-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

const REFUSAL = { line: 2, error: { code: 'DUPLICATE_VALUE' }, body: '{"name":"Bolt"}' };

test('rejected rows can be written to /dev/null', () => {
  const file = openRejectedRows(devNull);
  file.add(REFUSAL);
  file.close();
  expect(statSync(devNull).isFile()).toBe(false);
});

test('a pipe for rejected rows is refused without waiting for its other end', () => {
  const pipe = join(folder(), 'pipe');
  execFileSync('mkfifo', [pipe]);
  expect(() => openRejectedRows(pipe)).toThrow(`${pipe} is not a file`);
});

test('a resumed run keeps the rejected rows of the earlier run', () => {
  const path = join(folder(), 'errors.ndjson');
  const first = openRejectedRows(path);
  first.add(REFUSAL);
  const { bytes } = first;
  first.add({ ...REFUSAL, line: 3 });
  first.close();
  const second = openRejectedRows(path, bytes);
  second.add({ ...REFUSAL, line: 4 });
  second.close();
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { line: number }).line)).toEqual([2, 4]);
  openRejectedRows(path).close();
});

test.for([
  ['shop/items.csv', 'items.errors.ndjson'],
  ['-', 'errors.ndjson'],
  ['items.errors.ndjson', 'items.errors.2.ndjson'],
  ['items.errors.2.ndjson', 'items.errors.ndjson'],
  ['errors.ndjson', 'errors.2.ndjson'],
] as const)('the file for the rejected rows of %s is %s', ([file, path]) => {
  expect(getDefaultPath(file)).toBe(path);
});

test('an earlier file, whose rows a person may have fixed, is kept under one other name', () => {
  const path = join(folder(), 'errors.ndjson');
  for (const line of [2, 3, 4]) {
    const file = openRejectedRows(path);
    file.add({ ...REFUSAL, line });
    file.close();
  }
  const readLine = (name: string) => (JSON.parse(readFileSync(name, 'utf8')) as { line: number }).line;
  expect([readLine(path), readLine(`${path}.bak`), readdirSync(dirname(path))]).toEqual([4, 3, ['errors.ndjson', 'errors.ndjson.bak']]);
  writeFileSync(`${path}.bak`, 'my notes');
  expect(() => openRejectedRows(path)).toThrow(`${path}.bak exists and does not contain rejected rows`);
});

test('a planted link in the place of the file is not followed', () => {
  const directory = folder();
  const [path, victim] = [join(directory, 'errors.ndjson'), join(directory, 'victim')];
  const file = openRejectedRows(path);
  symlinkSync(victim, path);
  expect(() => file.add(REFUSAL)).toThrow(`Cannot write ${path}: it is a symbolic link`);
  expect(existsSync(victim)).toBe(false);
});

test.skipIf(process.getuid?.() !== 0)('a link or file of another user is refused (as root)', () => {
  const directory = folder();
  const [path, victim] = [join(directory, 'errors.ndjson'), join(directory, 'victim')];
  writeFileSync(victim, '');
  symlinkSync(victim, path);
  lchownSync(path, 65_534, 65_534);
  expect(() => openRejectedRows(path)).toThrow(`Cannot write ${path}: it is a symbolic link of another user`);
  rmSync(path);
  writeFileSync(path, '');
  lchownSync(path, 65_534, 65_534);
  expect(() => openRejectedRows(path).add(REFUSAL)).toThrow(`Cannot write ${path}: it belongs to another user`);
});

test('a link of this user is followed', () => {
  const directory = folder();
  const [path, target] = [join(directory, 'link'), join(directory, 'errors.ndjson')];
  writeFileSync(target, '');
  symlinkSync(target, path);
  const file = openRejectedRows(path);
  file.add(REFUSAL);
  file.close();
  expect(readFileSync(target, 'utf8')).toContain('"line":2');
});
