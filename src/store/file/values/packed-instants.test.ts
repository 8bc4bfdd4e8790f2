import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkProperty } from '../../../../test/support/property.ts';
import { packInstant, unpackInstant } from './packed-instants.ts';

const instant = fc
  .date({ min: new Date('0000-01-01T00:00:00.000Z'), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true })
  .map((date) => date.toISOString());

test('timestamps are unpacked unchanged, and sort as their texts do', async () => {
  await checkProperty(
    fc.property(instant, instant, (one, other) => {
      for (const text of [one, other]) expect(unpackInstant(packInstant(text))).toBe(text);
      expect(packInstant(one) < packInstant(other)).toBe(one < other);
    }),
    { shortRuns: 200 },
  );
});

test('a text that differs from the form of a timestamp at any position is not packed', () => {
  const text = '2026-11-21T02:04:56.000Z';
  for (const by of ['/', ':', 'x', '-', 'T', '.', 'Z', ' ', '\u0661']) {
    for (let at = 0; at < text.length; at += 1) {
      const other = text.slice(0, at) + by + text.slice(at + 1);
      expect([other, packInstant(other)]).toEqual([other, other === text ? expect.any(Number) : Number.NaN]);
    }
  }
  for (const other of ['', '2026-11-21', text.slice(0, -1), `${text}Z`]) expect(packInstant(other)).toBeNaN();
});

test('a text with a part that is too large is not packed, except for a day that its month does not have', () => {
  for (const other of ['2026-13-21T02:04:56.000Z', '2026-11-32T02:04:56.000Z', '2026-11-21T24:04:56.000Z', '2026-11-21T02:60:56.000Z'])
    expect([other, packInstant(other)]).toEqual([other, Number.NaN]);
  expect(packInstant('2026-11-21T02:04:60.000Z')).toBeNaN();
  expect(unpackInstant(packInstant('2026-02-31T23:59:59.999Z'))).toBe('2026-02-31T23:59:59.999Z');
});
