/** Points in time on the command line: `2h` ago, or a timestamp. */
import type { Client } from '../../client/client.ts';
import { showClock } from '../../contract/admin/clock.ts';
import { DURATION_UNITS_MS } from '../../contract/durations.ts';
import { usageError } from '../errors/failure.ts';

/** The time that a day alone stands for. */
const START_OF_DAY = '00:00';
export const END_OF_DAY = '23:59:59.999';
export type DayTime = typeof START_OF_DAY | typeof END_OF_DAY;

/** Reads the time of a local service, which may have a test clock. `admin`: a client of its admin API. */
export const readServiceClock = async (admin: Client): Promise<Date> => new Date((await admin.perform(showClock)).body.data.now);

/** Converts `2h`, a day or a time to a timestamp; throws a usage error that names `flag`. `now` is called only for a duration. */
export async function parseInstant(
  text: string,
  now: () => Date | Promise<Date>,
  flag: string,
  dayTime: DayTime = START_OF_DAY,
): Promise<string> {
  const [, count, unit] = /^(\d{1,6})([smhd])$/u.exec(text) ?? [];
  if (count !== undefined && unit !== undefined)
    return new Date((await now()).getTime() - Number(count) * (DURATION_UNITS_MS[unit] ?? 0)).toISOString();
  const time = parseLocalTime(text, dayTime);
  if (time !== undefined) return time;
  throw usageError(
    `Invalid ${flag} "${text}". Expected a duration or a timestamp`,
    'Example: 90s, 2h or 3d for a time ago, or 2026-03-31T14:00:00Z',
  );
}

/** Converts a day or a time to a timestamp. Without an offset it is local, as for other tools of a terminal. Undefined if it is neither. */
export function parseLocalTime(text: string, dayTime: DayTime = START_OF_DAY): string | undefined {
  const [day] = /^\d{4}-\d{2}-\d{2}/u.exec(text) ?? [];
  // `Date` accepts 31 February as a day in March.
  const isDay = day !== undefined && !Number.isNaN(Date.parse(day)) && new Date(day).toISOString().startsWith(day);
  // `Date` reads a day alone as UTC, but a time without an offset as local.
  const date = new Date(text === day ? `${text}T${dayTime}` : text);
  return isDay && !Number.isNaN(date.getTime()) ? date.toISOString() : undefined;
}
