import { expect, test } from 'vitest';
import { Results } from './results.ts';

test('results of few rows take little room: each table of each tenant has its own', () => {
  const results = new Results();
  const kept = Array.from({ length: 100 }, (_, each) => results.get(String(each), 0, 1, () => Uint32Array.of(each, each + 1)));
  expect(kept.map((slots) => [...slots])).toEqual(kept.map((_, each) => [each, each + 1]));
  const room = new Set(kept.map(({ buffer }) => buffer));
  expect([...room].reduce((sum, { byteLength }) => sum + byteLength, 0)).toBeLessThan(4 * 100 * 2 * Uint32Array.BYTES_PER_ELEMENT);
});

test('long queries take of the room as long results do: a search of orders names every contact that it finds', () => {
  const results = new Results();
  const keys = Array.from({ length: 20 }, (_, each) => `${String(each)} ${'x'.repeat(1 << 20)}`);
  for (const key of keys) results.get(key, 0, 1, () => Uint32Array.of(1));
  expect(keys.filter((key) => results.has(key, 0))).toEqual(keys.slice(-7));
});
