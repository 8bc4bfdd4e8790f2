import { expect, test } from 'vitest';
import { END_OF_DAY, parseInstant } from './timestamp.ts';

const now = () => new Date('2026-03-10T12:00:00Z');
const at = (text: string) => parseInstant(text, now, '--since');

test('parseInstant accepts a duration, a day or a timestamp', async () => {
  expect(await at('90s')).toBe('2026-03-10T11:58:30.000Z');
  expect(await at('2026-02-28T23:30:00+02:00')).toBe('2026-02-28T21:30:00.000Z');
});

test.each(['America/Los_Angeles', 'Pacific/Kiritimati', 'Europe/Lisbon', 'UTC'])(
  'a day and a time without an offset are local in %s',
  async (zone) => {
    const before = process.env['TZ'];
    process.env['TZ'] = zone;
    try {
      expect(await at('2028-02-29')).toBe(new Date(2028, 1, 29).toISOString());
      const end = new Date(new Date(2028, 2, 1).getTime() - 1);
      expect(await parseInstant('2028-02-29', now, '--as-of', END_OF_DAY)).toBe(end.toISOString());
      expect(await parseInstant('2028-02-29T10:30', now, '--as-of', END_OF_DAY)).toBe(await at('2028-02-29T10:30'));
      expect(await at('2028-02-29T10:30')).toBe(new Date(2028, 1, 29, 10, 30).toISOString());
      expect(await at('2028-02-29T00:00')).toBe(await at('2028-02-29'));
      expect(await at('2028-02-29T10:30Z')).toBe('2028-02-29T10:30:00.000Z');
    } finally {
      if (before === undefined) delete process.env['TZ'];
      else process.env['TZ'] = before;
    }
  },
);

test.for(['yesterday', '2026-13-01', '2026-02-31', '2026-02-29T10:00:00Z', '2026-02-28T25:00:00Z'])(
  'parseInstant rejects %s',
  async (text) => {
    await expect(at(text)).rejects.toThrow(`Invalid --since "${text}". Expected a duration or a timestamp`);
  },
);
