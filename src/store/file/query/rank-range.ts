/** Where the matches of a query are: the slots between two ranks of an index that pass all tests. */
import type { OrderedIndex } from '../index/ordered-index.ts';

export interface RankRange {
  readonly index: OrderedIndex;
  readonly from: number;
  readonly to: number;
  readonly tests: readonly { matches(slot: number): boolean }[];
  /** Number of matches; undefined until all have been found. */
  readonly total?: number;
}

/** The first matches, or from the last one on backward. */
export function takeFirst({ index, from, to, tests }: RankRange, needed: number, descending: boolean): number[] {
  const slots: number[] = [];
  if (needed <= 0) return slots;
  index.scan(from, to, descending, (slot) => {
    for (const test of tests) if (!test.matches(slot)) return true;
    return slots.push(slot) < needed;
  });
  return slots;
}

/** The matches from one position up to, but not including, another one. */
export function takePage(range: RankRange, first: number, end: number, descending: boolean): number[] {
  const { from, to, tests, total } = range;
  if (tests.length > 0) return takeFirst(range, Math.min(end, total ?? end), descending).slice(first);
  const page = descending ? { ...range, to: Math.max(from, to - first) } : { ...range, from: Math.min(to, from + first) };
  return takeFirst(page, end - first, descending);
}
