import {
  chownSync,
  closeSync,
  linkSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openOwnFile, readOwnFile, replaceFile, resolveOwnLink } from './own-files.ts';

let directory: string;
let path: string;
let other: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'own-files-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  [path, other] = [join(directory, 'file'), join(directory, 'other')];
  writeFileSync(other, 'unchanged');
});

test('a replaced file is private, and a symbolic link of its name is replaced instead of its target', () => {
  symlinkSync(other, path);
  replaceFile(path, 'new');
  expect(readFileSync(path, 'utf8')).toBe('new');
  expect(readFileSync(other, 'utf8')).toBe('unchanged');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(directory).toSorted()).toEqual(['file', 'other']);
});

test('a file that cannot be replaced leaves no temporary file', () => {
  mkdirSync(path);
  expect(() => replaceFile(path, 'new')).toThrow('EISDIR');
  expect(() => replaceFile(join(directory, 'none', 'file'), 'new')).toThrow('ENOENT');
  expect(readdirSync(directory).toSorted()).toEqual(['file', 'other']);
});

test.each([
  ['symbolic link', () => symlinkSync(other, path), 'it is a symbolic link'],
  ['hard link', () => linkSync(other, path), 'it has another name (hard link)'],
])('a %s is not opened as an own file', (_kind, plant, reason) => {
  plant();
  expect(() => openOwnFile(path)).toThrow(reason);
  expect(() => readOwnFile(path)).toThrow(reason);
});

test('an own file is opened and read, and an own link is resolved', () => {
  symlinkSync(other, path);
  expect(resolveOwnLink(path)).toBe(other);
  expect(resolveOwnLink(other)).toBe(other);
  expect(readOwnFile(other)).toBe('unchanged');
  const file = openOwnFile(other);
  expect(file).toBeGreaterThan(2);
  closeSync(file);
});

describe.skipIf(process.getuid?.() !== 0)('of another user (as root)', () => {
  test('a file is not opened', () => {
    chownSync(other, 65_534, 65_534);
    expect(() => openOwnFile(other)).toThrow('it belongs to another user');
  });

  test('a symbolic link is not resolved', () => {
    symlinkSync(other, path);
    lchownSync(path, 65_534, 65_534);
    expect(() => resolveOwnLink(path)).toThrow('it is a symbolic link of another user');
  });
});
