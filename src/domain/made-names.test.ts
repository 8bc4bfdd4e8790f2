import { expect, test } from 'vitest';
import { firstFree, slugOf } from './made-names.ts';

test('a slug keeps letters and digits, without accents and doubled hyphens', () => {
  expect(slugOf('Café  Baixa & Söhne!', 63, 'tenant')).toBe('cafe-baixa-sohne');
  expect(slugOf('—', 63, 'tenant')).toBe('tenant');
  expect(slugOf('倉庫', 63, 'tenant')).toBe('tenant');
});

test('a slug that is cut does not end with a hyphen', () => {
  expect(slugOf('abc def', 4, 'x')).toBe('abc');
  expect(slugOf('abc def', 5, 'x')).toBe('abc-d');
});

test('the first free number is put behind a name that is taken, within the length', async () => {
  const taken = new Set(['abc', 'abc-2', 'abcdef']);
  const isTaken = (name: string) => Promise.resolve(taken.has(name));
  expect(await firstFree('abc', 6, isTaken)).toBe('abc-3');
  expect(await firstFree('abcdef', 6, isTaken)).toBe('abcd-2');
  expect(await firstFree('new', 6, isTaken)).toBe('new');
});
