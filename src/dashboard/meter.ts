/** Counting over the last minute, and showing counts as bars: pure text, no colour needed to read it. */

export const SLOTS = 60;
const SECOND_MS = 1_000;
const LEVELS = '▁▂▃▄▅▆▇█';

/** Counts of the last sixty seconds; the last slot is the second `until`. */
export interface Meter {
  /** Epoch seconds. */
  readonly until: number;
  readonly slots: readonly number[];
}

export const emptyMeter = (at: number): Meter => ({ until: secondOf(at), slots: Array.from({ length: SLOTS }, () => 0) });

/** The meter moved to this moment (epoch milliseconds) with `count` added to it. A clock that went back counts into the present second. */
export function count(meter: Meter, at: number, added: number): Meter {
  const until = Math.max(meter.until, secondOf(at));
  const passed = Math.min(SLOTS, until - meter.until);
  if (passed === 0 && added === 0) return meter;
  const slots = [...meter.slots.slice(passed), ...Array.from({ length: passed }, () => 0)];
  slots[SLOTS - 1] = (slots[SLOTS - 1] ?? 0) + added;
  return { until, slots };
}

/** The meter with `added` counted into an earlier second, if that is still among the sixty. */
export function countPast(meter: Meter, when: number, added: number): Meter {
  const place = SLOTS - 1 - (meter.until - secondOf(when));
  if (place < 0 || place >= SLOTS) return meter;
  return { ...meter, slots: meter.slots.with(place, (meter.slots[place] ?? 0) + added) };
}

/** What was counted in the minute before this moment. */
export const perMinute = (meter: Meter, at: number): number => count(meter, at, 0).slots.reduce((sum, one) => sum + one, 0);

/** The slots as one character each, the newest last; `width` takes the newest ones. An empty second is a dot below. */
export function sparkline(meter: Meter, at: number, width: number = SLOTS): string {
  const slots = count(meter, at, 0).slots.slice(-Math.max(0, width));
  const most = Math.max(...slots, 1);
  return slots.map((one) => (one === 0 ? '.' : (LEVELS[Math.ceil((one / most) * LEVELS.length) - 1] ?? '█'))).join('');
}

/** `[######----]` filled by what is used. Something used shows at least one mark, something left at least one gap. */
export function gauge(used: number, limit: number, width: number): string {
  const inner = Math.max(1, width - 2);
  const share = limit <= 0 ? 1 : Math.min(1, Math.max(0, used / limit));
  const exact = Math.round(share * inner);
  const filled = share > 0 && share < 1 ? Math.min(inner - 1, Math.max(1, exact)) : exact;
  return `[${'#'.repeat(filled)}${'-'.repeat(inner - filled)}]`;
}

const secondOf = (at: number): number => Math.floor(at / SECOND_MS);
