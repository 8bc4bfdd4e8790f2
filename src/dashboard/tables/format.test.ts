import { expect, test } from 'vitest';
import { DELIVERY_ERRORS } from '../../contract/resources/webhooks.ts';
import {
  formatTimeAndDate,
  formatCount,
  explainError,
  formatRelative,
  formatInterval,
  formatDuration,
  formatTime,
  formatTimeOrDate,
} from './format.ts';

const NOW = Date.parse('2026-03-31T14:00:00.000Z');

test('explainError has a sentence for every delivery error', () => {
  const sentences = DELIVERY_ERRORS.map((error) => explainError(error));
  for (const sentence of sentences) expect(sentence).toMatch(/^[A-Z].{10,}\.$/u);
  expect(new Set(sentences).size).toBe(DELIVERY_ERRORS.length);
  expect(explainError(null)).toBeNull();
});

test.each([200, 302, 400, 401, 403, 404, 429, 500, 503])('explainError names the status of a %i response', (status) => {
  expect(explainError(`http_${String(status)}`)).toContain(`answered ${String(status)}`);
});

test('formatTimeOrDate has the time of the last 12 hours and the date of earlier ones', () => {
  expect(formatTimeOrDate('2026-03-31T03:00:00.000Z', NOW)).toBe(formatTime('2026-03-31T03:00:00.000Z'));
  expect(formatTimeOrDate('2026-03-07T14:00:00.000Z', NOW)).toBe('Mar  7');
  expect(formatTimeOrDate('never', NOW)).toBe('–');
});

test('formatInterval and formatRelative use whole units', () => {
  expect([0, 999, 59_000, 60_000, 3_599_999, 3_600_000, 200_000_000, -5].map(formatInterval)).toEqual([
    '0s',
    '0s',
    '59s',
    '1m',
    '59m',
    '1h',
    '2d',
    '0s',
  ]);
  expect(formatRelative('2026-03-31T13:59:26.000Z', NOW)).toBe('34s ago');
  expect(formatRelative('2026-03-31T14:00:01.500Z', NOW)).toBe('in 2s');
  expect(formatRelative('2026-03-31T13:59:59.500Z', NOW)).toBe('now');
  expect(formatRelative('never', NOW)).toBe('–');
  expect([formatDuration(null), formatDuration(7.4), formatDuration(1_240)]).toEqual(['–', '7 ms', '1.2 s']);
  expect([formatCount(1, 'row'), formatCount(1_234, 'delivery', 'deliveries')]).toEqual(['1 row', '1,234 deliveries']);
});

test('a time of another day has its date, however near it is', () => {
  const at = (day: number, hours: number): Date => new Date(2026, 10, day, hours, 3, 9);
  const now = at(26, 1).getTime();
  const texts = [at(26, 23), at(25, 23), at(6, 1)].map((date) => formatTimeAndDate(date.toISOString(), now));
  expect(texts).toEqual(['23:03:09', 'Nov 25 23:03:09', 'Nov  6 01:03:09']);
  expect(formatTimeAndDate('soon', now)).toBe('–');
});
