import { expect, test } from 'vitest';
import { ResultCache } from './result-cache.ts';

test('small results take little memory, because each table of each tenant has its own cache', () => {
  const results = new ResultCache();
  const kept = Array.from({ length: 100 }, (_, each) => results.get(String(each), 0, 1, () => Uint32Array.of(each, each + 1)));
  expect(kept.map((slots) => [...slots])).toEqual(kept.map((_, each) => [each, each + 1]));
  const buffers = new Set(kept.map(({ buffer }) => buffer));
  expect([...buffers].reduce((sum, { byteLength }) => sum + byteLength, 0)).toBeLessThan(4 * 100 * 2 * Uint32Array.BYTES_PER_ELEMENT);
});

test('long cache keys count against the limit as long results do', () => {
  const results = new ResultCache();
  const keys = Array.from({ length: 20 }, (_, each) => `${String(each)} ${'x'.repeat(1 << 20)}`);
  for (const key of keys) results.get(key, 0, 1, () => Uint32Array.of(1));
  expect(keys.filter((key) => results.has(key, 0))).toEqual(keys.slice(-7));
});
