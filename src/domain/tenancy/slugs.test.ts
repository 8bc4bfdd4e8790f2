import { expect, test } from 'vitest';
import { findFreeSlug, toSlug } from './slugs.ts';

test('toSlug keeps letters and digits, without accents and repeated hyphens', () => {
  expect(toSlug('Café  Baixa & Söhne!', 63, 'tenant')).toBe('cafe-baixa-sohne');
  expect(toSlug('—', 63, 'tenant')).toBe('tenant');
  expect(toSlug('倉庫', 63, 'tenant')).toBe('tenant');
});

test('toSlug does not end a shortened slug with a hyphen', () => {
  expect(toSlug('abc def', 4, 'x')).toBe('abc');
  expect(toSlug('abc def', 5, 'x')).toBe('abc-d');
});

test('findFreeSlug appends the first free number within the maximum length', async () => {
  const taken = new Set(['abc', 'abc-2', 'abcdef']);
  const isTaken = (name: string) => Promise.resolve(taken.has(name));
  expect(await findFreeSlug('abc', 6, isTaken)).toBe('abc-3');
  expect(await findFreeSlug('abcdef', 6, isTaken)).toBe('abcd-2');
  expect(await findFreeSlug('new', 6, isTaken)).toBe('new');
});
