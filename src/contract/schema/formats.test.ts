import { expect, test } from 'vitest';
import { hasLostPlus, isTimestamp } from './formats.ts';

test('a timestamp has an hour of the day, as RFC 3339 wants it, on a day that exists', () => {
  for (const text of ['2026-03-31T00:00:00Z', '2026-03-31T23:59:59.999+14:00', '2028-02-29T12:00:00-05:30'])
    expect([text, isTimestamp(text)]).toEqual([text, true]);
  for (const text of ['2026-03-31T24:00:00Z', '2026-03-31T23:60:00Z', '2026-02-29T12:00:00Z', '2026-03-31T12:00:00', '2026-03-31'])
    expect([text, isTimestamp(text)]).toEqual([text, false]);
});

test('a space where the offset of a timestamp has its sign is a + that was not encoded', () => {
  expect(['2026-11-01T00:00:00 10:00', '2026-11-01T00:00:00.5 05:30'].map(hasLostPlus)).toEqual([true, true]);
  for (const text of ['2026-11-01 10:00', '2026-02-30T00:00:00 10:00', '2026-11-01T00:00:00+10:00', 'soon 10:00', '2026-11-01T00:00:00'])
    expect([text, hasLostPlus(text)]).toEqual([text, false]);
});
