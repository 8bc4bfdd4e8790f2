import { expect, test } from 'vitest';
import { milliseconds } from './durations.ts';

test('parts are added up', () => {
  expect(milliseconds('25h', '/by')).toBe(90_000_000);
  expect(milliseconds('1h30m', '/by')).toBe(5_400_000);
  expect(milliseconds('2w1d', '/by')).toBe(15 * 86_400_000);
  expect(milliseconds('250ms', '/by')).toBe(250);
});

test('nothing and more than a century are refused', () => {
  expect(() => milliseconds('0h0m', '/by')).toThrow('by must be longer than nothing');
  expect(() => milliseconds('36526d', '/expiresIn')).toThrow('expiresIn must be at most 36525d');
});
