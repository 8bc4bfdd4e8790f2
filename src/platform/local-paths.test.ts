import { expect, test } from 'vitest';
import { hashPath } from './local-paths.ts';

test('on Windows, all spellings of a path have one hash, which names the pipe of its daemon', () => {
  const spellings = ['C:\\Users\\Ada\\stock', 'c:\\users\\ada\\STOCK'];
  expect(new Set(spellings.map((path) => hashPath(path, 'win32'))).size).toBe(1);
  expect(new Set(spellings.map((path) => hashPath(path, 'linux'))).size).toBe(2);
});
