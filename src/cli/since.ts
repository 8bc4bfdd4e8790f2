/** Points in time as people name them: `2h` ago, or a timestamp. */
import type { Client } from '../client/client.ts';
import { showClock } from '../contract/admin/clock.ts';
import { usage } from './failure.ts';

const MILLISECONDS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The time of a service on this machine, whose clock may have been moved. `admin`: its settings. */
export const timeOf = async (admin: Client): Promise<Date> => new Date((await admin.perform(showClock)).body.data.now);

/** A timestamp; `flag` is named when the text is neither. `now` is asked only when the text counts from it. */
export async function instantOf(text: string, now: () => Date | Promise<Date>, flag: string): Promise<string> {
  const [, count, unit] = /^(\d{1,6})([smhd])$/u.exec(text) ?? [];
  if (count !== undefined && unit !== undefined)
    return new Date((await now()).getTime() - Number(count) * (MILLISECONDS[unit] ?? 0)).toISOString();
  const [day] = /^\d{4}-\d{2}-\d{2}/u.exec(text) ?? [];
  // A day that no calendar has is taken for one of the next month.
  const isDay = day !== undefined && !Number.isNaN(Date.parse(day)) && new Date(day).toISOString().startsWith(day);
  if (isDay && !Number.isNaN(Date.parse(text))) return new Date(text).toISOString();
  throw usage(
    `${flag} "${text}" is no point in time`,
    `write how long ago, such as 90s, 2h or 3d, or a timestamp such as 2026-03-31T14:00:00Z`,
  );
}
