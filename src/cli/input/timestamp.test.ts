import { expect, test } from 'vitest';
import { parseInstant } from './timestamp.ts';

const now = () => new Date('2026-03-10T12:00:00Z');
const at = (text: string) => parseInstant(text, now, '--since');

test('parseInstant accepts a duration, a day or a timestamp', async () => {
  expect(await at('90s')).toBe('2026-03-10T11:58:30.000Z');
  expect(await at('2026-02-28T23:30:00+02:00')).toBe('2026-02-28T21:30:00.000Z');
  expect(await at('2028-02-29')).toBe('2028-02-29T00:00:00.000Z');
});

test.for(['yesterday', '2026-13-01', '2026-02-31', '2026-02-29T10:00:00Z', '2026-02-28T25:00:00Z'])(
  'parseInstant rejects %s',
  async (text) => {
    await expect(at(text)).rejects.toThrow(`Invalid --since "${text}". Expected a duration or a timestamp`);
  },
);
