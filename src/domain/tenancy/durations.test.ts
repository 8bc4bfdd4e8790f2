import { expect, test } from 'vitest';
import { parseDuration } from './durations.ts';

test('parseDuration adds the parts', () => {
  expect(parseDuration('25h', '/by')).toBe(90_000_000);
  expect(parseDuration('1h30m', '/by')).toBe(5_400_000);
  expect(parseDuration('2w1d', '/by')).toBe(15 * 86_400_000);
  expect(parseDuration('250ms', '/by')).toBe(250);
});

test('parseDuration rejects zero and more than a century', () => {
  expect(() => parseDuration('0h0m', '/by')).toThrow('by must be longer than zero');
  expect(() => parseDuration('36526d', '/expiresIn')).toThrow('expiresIn must be at most 36525d');
});
