/**
 * How values and records are ordered and matched. Every adapter must give the same results: booleans (false first), numbers by value, text
 * by UTF-16 code units, null last; ties by id; descending is the exact reverse.
 *
 * case-folding.ts defines what ignoring case means.
 */
import type { Condition, OrderStep, Row, TableSpec, Value } from '../domain/kernel/ports.ts';
import { foldCase } from './case-folding.ts';

/** What an index stores of a field: its value, or the elements of an array field. */
export type Key = Value | readonly Value[];

function toKindRank(value: Key): number {
  if (typeof value === 'string') return 2;
  if (typeof value === 'number') return 1;
  return typeof value === 'boolean' ? 0 : 3;
}

/** Compares text by UTF-16 code units. */
export function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** Compares values in ascending order; null and arrays come last. */
export function compareValues(a: Key, b: Key): number {
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  const byKind = toKindRank(a) - toKindRank(b);
  if (byKind !== 0 || toKindRank(a) === 3) return byKind;
  return Number(a) - Number(b);
}

/** The key of a record's field: what indexes store of it, case-folded on request. */
export function getKey(record: Row, field: string, folded: boolean): Key {
  const value = (record as unknown as Readonly<Record<string, unknown>>)[field];
  if (typeof value === 'string') return folded ? foldCase(value) : value;
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  // A copy, because the caller may modify its array.
  return Array.isArray(value) ? [...(value as Value[])] : null;
}

/** Creates a comparator of records for the steps of an order. */
export function compareRecords(steps: readonly OrderStep[]): (a: Row, b: Row) => number {
  return (a, b) => {
    for (const { field, fold: folded = false, descending } of steps) {
      const compared = compareValues(getKey(a, field, folded), getKey(b, field, folded));
      if (compared !== 0) return descending ? -compared : compared;
    }
    return compareText(a.id, b.id);
  };
}

/** Whether ranges and prefixes on a field ignore case: they do when an order folds it. */
export function foldsInOrders(spec: TableSpec, field: string): boolean {
  return Object.values(spec.orders).some((steps) => steps.some((step) => step.field === field && step.fold));
}

/** Where a value lies relative to a range or prefix: before (-1), inside (0) or after (1). Monotonic for ascending values. */
type RangeComparator = (value: Key) => -1 | 0 | 1;

/** A range or prefix condition. */
export type Range = Exclude<Condition, { equals: Value } | { in: readonly Value[] }>;

/** Creates a comparator for a range or prefix. Values of another type than the bounds are outside, so null never matches. */
export function createRangeComparator(condition: Range, folded: boolean): RangeComparator {
  const normalize = <T extends string | number>(bound: T): T => (folded && typeof bound === 'string' ? (foldCase(bound) as T) : bound);
  if ('prefix' in condition) {
    const prefix = normalize(condition.prefix);
    return (value) => {
      if (typeof value !== 'string') return toKindRank(value) < 2 ? -1 : 1;
      if (value.startsWith(prefix)) return 0;
      return value < prefix ? -1 : 1;
    };
  }
  const bound = (value: string | number | undefined) => (value === undefined ? undefined : normalize(value));
  const [from, after, to, before] = [bound(condition.from), bound(condition.after), bound(condition.to), bound(condition.before)];
  const kinds = new Set([from, after, to, before].filter((value) => value !== undefined).map(toKindRank));
  const [onlyKind] = kinds;
  if (onlyKind === undefined) return (value) => (toKindRank(value) === 3 ? 1 : 0);
  if (kinds.size > 1) return () => -1;
  return (value) => {
    const kind = toKindRank(value);
    if (kind !== onlyKind) return kind < onlyKind ? -1 : 1;
    if (from !== undefined && compareValues(value, from) < 0) return -1;
    if (after !== undefined && compareValues(value, after) <= 0) return -1;
    if (to !== undefined && compareValues(value, to) > 0) return 1;
    if (before !== undefined && compareValues(value, before) >= 0) return 1;
    return 0;
  };
}
