import { expect, test } from 'vitest';
import { DELIVERY_ERRORS } from '../contract/webhooks.ts';
import { counted, reasonOf, relative, span, took } from './words.ts';

const NOW = Date.parse('2026-03-31T14:00:00.000Z');

test('every reason that a delivery can have is told in a sentence of its own', () => {
  const sentences = DELIVERY_ERRORS.map((error) => reasonOf(error));
  for (const sentence of sentences) expect(sentence).toMatch(/^[A-Z].{10,}\.$/u);
  expect(new Set(sentences).size).toBe(DELIVERY_ERRORS.length);
  expect(reasonOf(null)).toBeNull();
});

test.each([200, 302, 400, 401, 403, 404, 429, 500, 503])('an answer of %i names the status', (status) => {
  expect(reasonOf(`http_${String(status)}`)).toContain(`answered ${String(status)}`);
});

test('times are told in whole units', () => {
  expect([0, 999, 59_000, 60_000, 3_599_999, 3_600_000, 200_000_000, -5].map(span)).toEqual([
    '0s',
    '0s',
    '59s',
    '1m',
    '59m',
    '1h',
    '2d',
    '0s',
  ]);
  expect(relative('2026-03-31T13:59:26.000Z', NOW)).toBe('34s ago');
  expect(relative('2026-03-31T14:00:01.500Z', NOW)).toBe('in 2s');
  expect(relative('2026-03-31T13:59:59.500Z', NOW)).toBe('now');
  expect(relative('never', NOW)).toBe('–');
  expect([took(null), took(7.4), took(1_240)]).toEqual(['–', '7 ms', '1.2 s']);
  expect([counted(1, 'row'), counted(1_234, 'delivery', 'deliveries')]).toEqual(['1 row', '1,234 deliveries']);
});
