/** Counts events per second over the last minute, or per minute over the last hour, and renders counts as bars, readable without color. */

export const SLOTS = 60;
const SECOND_MS = 1_000;
export const MINUTE_MS = 60_000;
const LEVELS = '▁▂▃▄▅▆▇█';

/** Counts of the last sixty seconds or minutes; the last slot is the one that started `until` slots after the epoch. */
export interface Meter {
  readonly slotMs: number;
  readonly until: number;
  readonly slots: readonly number[];
}

/** `at` in epoch milliseconds. */
export const emptyMeter = (at: number, slotMs: number = SECOND_MS): Meter => ({
  slotMs,
  until: Math.floor(at / slotMs),
  slots: Array.from({ length: SLOTS }, () => 0),
});

/** A meter of minutes from sixty counts, the current minute last. */
export const toHourMeter = (at: number, perMinute: readonly number[]): Meter => {
  const empty = emptyMeter(at, MINUTE_MS);
  return { ...empty, slots: [...empty.slots, ...perMinute].slice(-SLOTS) };
};

/** Advances the meter to `at` (epoch milliseconds) and adds to its last slot. A clock set back adds to the current slot. */
export function addToMeter(meter: Meter, at: number, added: number): Meter {
  const { slotMs } = meter;
  const until = Math.max(meter.until, Math.floor(at / slotMs));
  const passed = Math.min(SLOTS, until - meter.until);
  if (passed === 0 && added === 0) return meter;
  const slots = [...meter.slots.slice(passed), ...Array.from({ length: passed }, () => 0)];
  slots[SLOTS - 1] = (slots[SLOTS - 1] ?? 0) + added;
  return { slotMs, until, slots };
}

/** Adds one to an earlier slot, if it is still within the last sixty. */
export function addPastToMeter(meter: Meter, when: number): Meter {
  const place = SLOTS - 1 - (meter.until - Math.floor(when / meter.slotMs));
  if (place < 0 || place >= SLOTS) return meter;
  return { ...meter, slots: meter.slots.with(place, (meter.slots[place] ?? 0) + 1) };
}

/** The sum of all slots: of the minute, or of the hour, before `at`. */
export const getTotal = (meter: Meter, at: number): number => addToMeter(meter, at, 0).slots.reduce((sum, one) => sum + one, 0);

/** The sums of the whole meter in at most `width` parts, the newest last: each of one slot or, if there is less room, of several. */
export function getBars(meter: Meter, at: number, width: number): readonly number[] {
  if (width <= 0) return [];
  const { slots } = addToMeter(meter, at, 0);
  const perBar = Math.ceil(SLOTS / width);
  return Array.from({ length: Math.ceil(SLOTS / perBar) }, (_, index) => {
    const end = SLOTS - index * perBar;
    return slots.slice(Math.max(0, end - perBar), end).reduce((sum, one) => sum + one, 0);
  }).reverse();
}

/** The whole meter in at most `width` characters. */
export function renderSparkline(meter: Meter, at: number, width: number = SLOTS): string {
  const sums = getBars(meter, at, width);
  const most = Math.max(...sums, 1);
  return sums.map((one) => (one === 0 ? '.' : (LEVELS[Math.ceil((one / most) * LEVELS.length) - 1] ?? '█'))).join('');
}

/** `[######----]`: partial use shows at least one mark and at least one gap. */
export function renderGauge(used: number, limit: number, width: number): string {
  const inner = Math.max(1, width - 2);
  const share = limit <= 0 ? 1 : Math.min(1, Math.max(0, used / limit));
  const exact = Math.round(share * inner);
  const filled = share > 0 && share < 1 ? Math.min(inner - 1, Math.max(1, exact)) : exact;
  return `[${'#'.repeat(filled)}${'-'.repeat(inner - filled)}]`;
}
