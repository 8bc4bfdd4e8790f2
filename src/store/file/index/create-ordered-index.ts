/** Creates ordered indexes from a table's layout. */
import type { Column } from '../rows/column.ts';
import { compareValues, type Key } from '../values/compare.ts';
import { GroupedIndex } from './grouped-index.ts';
import type { OrderLayout } from '../rows/table-layout.ts';
import { type Compare, type OrderedIndex, ChunkedIndex } from './ordered-index.ts';

interface Step {
  readonly column: Column;
  /** -1 for a descending step. */
  readonly sign: number;
}

/** Creates an empty index for an order. Rows that are equal in all steps are ordered by id. */
export function createOrderedIndex({ steps, grouped }: OrderLayout, columns: readonly Column[]): OrderedIndex {
  const ids = columns[0]!;
  const [first, ...rest] = steps.map((step): Step => ({ column: columns[step.column]!, sign: step.descending ? -1 : 1 }));
  if (!grouped) return new ChunkedIndex(createComparator([first!, ...rest], ids));
  const { column, sign } = first!;
  const compareKeys = (a: Key, b: Key): number => compareValues(a, b) * sign;
  return new GroupedIndex((slot) => column.get(slot), compareKeys, createComparator(rest, ids));
}

function createComparator(steps: readonly Step[], ids: Column): Compare {
  const first = steps[0]?.column;
  const second = steps[1]?.column;
  // Most orders have one or two ascending steps.
  if (steps.length <= 2 && steps.every(({ sign }) => sign === 1)) {
    if (first === undefined) return (a, b) => ids.compare(a, b);
    if (second === undefined) return (a, b) => first.compare(a, b) || ids.compare(a, b);
    return (a, b) => first.compare(a, b) || second.compare(a, b) || ids.compare(a, b);
  }
  return (a, b) => {
    for (let at = 0; at < steps.length; at++) {
      const compared = steps[at]!.column.compare(a, b);
      if (compared !== 0) return compared * steps[at]!.sign;
    }
    return ids.compare(a, b);
  };
}
