/** Durations as people write them: `25h`, `30d`, `1h30m`. */
import { DURATION_UNITS_MS } from '../../contract/durations.ts';
import { DURATION_MAX_DAYS } from '../../contract/limits.ts';
import { invalidField } from '../kernel/errors.ts';

/** The milliseconds of a duration that the contract's `duration()` has validated. Throws 400 for `path` if it is zero or longer than a century. */
export function parseDuration(text: string, path: string): number {
  let total = 0;
  for (const [, count = '', unit = ''] of text.matchAll(/(\d+)(ms|[smhdw])/gu)) total += Number(count) * (DURATION_UNITS_MS[unit] ?? 0);
  if (total <= 0) throw invalidField(path, `${path.slice(1)} must be longer than zero`, 'too_small');
  if (total > DURATION_MAX_DAYS * 86_400_000) {
    throw invalidField(path, `${path.slice(1)} must be at most ${String(DURATION_MAX_DAYS)}d`, 'too_big');
  }
  return total;
}
