/** Creates ordered indexes from a table's layout. */
import type { Column } from '../rows/column.ts';
import type { OrderLayout } from '../../table-layout.ts';
import { type Compare, OrderedIndex } from './ordered-index.ts';

interface Step {
  readonly column: Column;
  /** -1 for a descending step. */
  readonly sign: number;
}

/** Creates an empty index for an order. Rows that are equal in all steps are ordered by id. */
export function createOrderedIndex({ steps }: OrderLayout, columns: readonly Column[]): OrderedIndex {
  const compared = steps.map((step): Step => ({ column: columns[step.column]!, sign: step.descending ? -1 : 1 }));
  return new OrderedIndex(createComparator(compared, columns[0]!));
}

function createComparator(steps: readonly Step[], ids: Column): Compare {
  const [first, second] = steps.map(({ column }) => column);
  // Most orders have one or two ascending steps.
  if (steps.length <= 2 && steps.every(({ sign }) => sign === 1)) {
    if (second === undefined) return (a, b) => first!.compare(a, b) || ids.compare(a, b);
    return (a, b) => first!.compare(a, b) || second.compare(a, b) || ids.compare(a, b);
  }
  return (a, b) => {
    for (let at = 0; at < steps.length; at++) {
      const compared = steps[at]!.column.compare(a, b);
      if (compared !== 0) return compared * steps[at]!.sign;
    }
    return ids.compare(a, b);
  };
}
