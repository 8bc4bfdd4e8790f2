/** Counts events per second over the last minute and renders counts as bars, readable without color. */

export const SLOTS = 60;
const SECOND_MS = 1_000;
const LEVELS = '▁▂▃▄▅▆▇█';

/** Counts of the last sixty seconds; the last slot is the second `until`. */
export interface Meter {
  /** Epoch seconds. */
  readonly until: number;
  readonly slots: readonly number[];
}

export const emptyMeter = (at: number): Meter => ({ until: toSecond(at), slots: Array.from({ length: SLOTS }, () => 0) });

/** Advances the meter to `at` (epoch milliseconds) and adds to its last second. A clock set back adds to the current second. */
export function addToMeter(meter: Meter, at: number, added: number): Meter {
  const until = Math.max(meter.until, toSecond(at));
  const passed = Math.min(SLOTS, until - meter.until);
  if (passed === 0 && added === 0) return meter;
  const slots = [...meter.slots.slice(passed), ...Array.from({ length: passed }, () => 0)];
  slots[SLOTS - 1] = (slots[SLOTS - 1] ?? 0) + added;
  return { until, slots };
}

/** Adds to an earlier second, if it is still within the last sixty. */
export function addPastToMeter(meter: Meter, when: number, added: number): Meter {
  const place = SLOTS - 1 - (meter.until - toSecond(when));
  if (place < 0 || place >= SLOTS) return meter;
  return { ...meter, slots: meter.slots.with(place, (meter.slots[place] ?? 0) + added) };
}

/** The count in the minute before `at`. */
export const getPerMinute = (meter: Meter, at: number): number => addToMeter(meter, at, 0).slots.reduce((sum, one) => sum + one, 0);

/** One character per second, the newest last, limited to the newest `width`. An empty second is a dot. */
export function renderSparkline(meter: Meter, at: number, width: number = SLOTS): string {
  const slots = addToMeter(meter, at, 0).slots.slice(-Math.max(0, width));
  const most = Math.max(...slots, 1);
  return slots.map((one) => (one === 0 ? '.' : (LEVELS[Math.ceil((one / most) * LEVELS.length) - 1] ?? '█'))).join('');
}

/** `[######----]`: partial use shows at least one mark and at least one gap. */
export function renderGauge(used: number, limit: number, width: number): string {
  const inner = Math.max(1, width - 2);
  const share = limit <= 0 ? 1 : Math.min(1, Math.max(0, used / limit));
  const exact = Math.round(share * inner);
  const filled = share > 0 && share < 1 ? Math.min(inner - 1, Math.max(1, exact)) : exact;
  return `[${'#'.repeat(filled)}${'-'.repeat(inner - filled)}]`;
}

const toSecond = (at: number): number => Math.floor(at / SECOND_MS);
