import { expect, test } from 'vitest';
import { toApiError } from './errors.ts';

const parseWait = (headers: Readonly<Record<string, string>>): number | null => toApiError(503, '', headers).retryAfterSeconds;

test('Retry-After is parsed as seconds or as a date relative to the Date header', () => {
  expect(parseWait({ 'retry-after': '7' })).toBe(7);
  const date = 'Wed, 21 Oct 2015 07:27:30 GMT';
  expect(parseWait({ 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT', date })).toBe(30);
  expect(parseWait({ 'retry-after': 'Wed, 21 Oct 2015 07:00:00 GMT', date })).toBe(0);
  expect(parseWait({ 'retry-after': new Date(Date.now() + 30_500).toUTCString() })).toBeLessThanOrEqual(31);
  expect(parseWait({ 'retry-after': new Date(Date.now() + 30_500).toUTCString() })).toBeGreaterThan(20);
});

test('an invalid Retry-After is ignored', () => {
  for (const value of ['', 'soon', '-5', '1.5', 'Wed, 99 Foo 2015 07:28:00 GMT'])
    expect(parseWait({ 'retry-after': value }), value).toBeNull();
  expect(parseWait({})).toBeNull();
});
