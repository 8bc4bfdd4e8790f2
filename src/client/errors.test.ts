import { expect, test } from 'vitest';
import { apiErrorOf } from './errors.ts';

const waitOf = (headers: Readonly<Record<string, string>>): number | null => apiErrorOf(503, '', headers).retryAfterSeconds;

test('Retry-After is seconds or, from what stands in front of a service elsewhere, a date by the clock of the answer', () => {
  expect(waitOf({ 'retry-after': '7' })).toBe(7);
  const date = 'Wed, 21 Oct 2015 07:27:30 GMT';
  expect(waitOf({ 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT', date })).toBe(30);
  expect(waitOf({ 'retry-after': 'Wed, 21 Oct 2015 07:00:00 GMT', date })).toBe(0);
  expect(waitOf({ 'retry-after': new Date(Date.now() + 30_500).toUTCString() })).toBeLessThanOrEqual(31);
  expect(waitOf({ 'retry-after': new Date(Date.now() + 30_500).toUTCString() })).toBeGreaterThan(20);
});

test('a Retry-After that says nothing is none', () => {
  for (const value of ['', 'soon', '-5', '1.5', 'Wed, 99 Foo 2015 07:28:00 GMT'])
    expect(waitOf({ 'retry-after': value }), value).toBeNull();
  expect(waitOf({})).toBeNull();
});
