/** The requests of the last hour by minute, and those that failed. */
import { type Meter, addToMeter, getTotal } from '../state/meter.ts';
import type { State } from '../state/model.ts';
import type { Tone } from './table.ts';

export interface RequestMeter {
  readonly label: string;
  readonly meter: Meter;
  readonly count: number;
  readonly tone: Tone;
}

/** All requests first; empty if there were none. */
export function listRequestMeters({ counts, rows }: State, now: number): readonly RequestMeter[] {
  const meters = rows.limits.map((row) => addToMeter(row.hour, now, 0));
  const known = addToMeter(counts.all, now, 0);
  // The counts of keys lack requests without a key and of keys that are gone; those known one by one are the latest only.
  const countOfKeys = (at: number): number => meters.reduce((sum, { slots }) => sum + (slots[at] ?? 0), 0);
  const all = { ...known, slots: known.slots.map((slot, at) => Math.max(slot, countOfKeys(at))) };
  const kinds = [
    { label: 'all', meter: all, tone: 'plain' },
    { label: '4xx', meter: counts.clientErrors, tone: 'warn' },
    { label: '5xx', meter: counts.serverErrors, tone: 'bad' },
  ] as const;
  const counted = kinds.map((kind) => ({ ...kind, count: getTotal(kind.meter, now) }));
  return counted[0]?.count === 0 ? [] : counted.filter(({ count }) => count > 0);
}
