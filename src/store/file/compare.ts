/**
 * How values and records are ordered and matched. Any other adapter must answer exactly the same:
 * booleans (false first), numbers by value, text by UTF-16 code units, null last; ties by id; descending is the exact reverse.
 */
import type { Condition, OrderStep, Row, TableSpec, Value } from '../../domain/ports.ts';
import { fold } from './fold.ts';

/** What an index keeps of a field: its value, or the elements of an array field. */
export type Key = Value | readonly Value[];

function kind(value: Key): number {
  if (typeof value === 'string') return 2;
  if (typeof value === 'number') return 1;
  return typeof value === 'boolean' ? 0 : 3;
}

/** Text by code units. */
export function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** Ascending; null, and anything that is no plain value, comes last. */
export function compareValues(a: Key, b: Key): number {
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  const byKind = kind(a) - kind(b);
  if (byKind !== 0 || kind(a) === 3) return byKind;
  return Number(a) - Number(b);
}

/** A record's field as the indexes see it. */
export function keyOf(record: Row, field: string, folded: boolean): Key {
  const value = (record as unknown as Readonly<Record<string, unknown>>)[field];
  if (typeof value === 'string') return folded ? fold(value) : value;
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  // A copy: the caller may go on with its array.
  return Array.isArray(value) ? [...(value as Value[])] : null;
}

/** Compares two records by the steps of an order. */
export function compareRecords(steps: readonly OrderStep[]): (a: Row, b: Row) => number {
  return (a, b) => {
    for (const { field, fold: folded = false, descending } of steps) {
      const compared = compareValues(keyOf(a, field, folded), keyOf(b, field, folded));
      if (compared !== 0) return descending ? -compared : compared;
    }
    return compareText(a.id, b.id);
  };
}

/** Whether ranges and prefixes on a field ignore case: they do when an order folds it. */
export function foldsInOrders(spec: TableSpec, field: string): boolean {
  return Object.values(spec.orders).some((steps) => steps.some((step) => step.field === field && step.fold));
}

/** Where a value lies relative to a range or prefix: before it, in it, behind it. Ascending values never go down. */
type Span = (value: Key) => -1 | 0 | 1;

/** A condition that is no list of values. */
export type Range = Exclude<Condition, { equals: Value } | { in: readonly Value[] }>;

/** The span of a range or prefix condition. Values of another kind than the bounds are outside, so null never matches. */
export function spanOf(condition: Range, folded: boolean): Span {
  const normal = <T extends string | number>(bound: T): T => (folded && typeof bound === 'string' ? (fold(bound) as T) : bound);
  if ('prefix' in condition) {
    const prefix = normal(condition.prefix);
    return (value) => {
      if (typeof value !== 'string') return kind(value) < 2 ? -1 : 1;
      if (value.startsWith(prefix)) return 0;
      return value < prefix ? -1 : 1;
    };
  }
  const bound = (value: string | number | undefined) => (value === undefined ? undefined : normal(value));
  const [from, after, to, before] = [bound(condition.from), bound(condition.after), bound(condition.to), bound(condition.before)];
  const kinds = new Set([from, after, to, before].filter((value) => value !== undefined).map(kind));
  const [only] = kinds;
  if (only === undefined) return (value) => (kind(value) === 3 ? 1 : 0);
  if (kinds.size > 1) return () => -1;
  return (value) => {
    const own = kind(value);
    if (own !== only) return own < only ? -1 : 1;
    if (from !== undefined && compareValues(value, from) < 0) return -1;
    if (after !== undefined && compareValues(value, after) <= 0) return -1;
    if (to !== undefined && compareValues(value, to) > 0) return 1;
    if (before !== undefined && compareValues(value, before) >= 0) return 1;
    return 0;
  };
}
