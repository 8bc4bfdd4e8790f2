/** An order of a table: how the columns compare its slots. */
import type { Column } from './column.ts';
import { compareValues, type Key } from './compare.ts';
import { GroupedOrder } from './grouped-order.ts';
import type { Layout } from './layout.ts';
import { type Compare, type Order, Ordered } from './ordered.ts';

interface Step {
  readonly column: Column;
  /** -1 where it descends. */
  readonly sign: number;
}

/** An order over these columns, empty. Rows that are alike in all its steps follow each other by id. */
export function orderOf({ steps, grouped }: Layout['orders'][number], columns: readonly Column[]): Order {
  const ids = columns[0]!;
  const [first, ...others] = steps.map((step): Step => ({ column: columns[step.column]!, sign: step.descending ? -1 : 1 }));
  if (!grouped) return new Ordered(comparison([first!, ...others], ids));
  const { column, sign } = first!;
  const compareKeys = (a: Key, b: Key): number => compareValues(a, b) * sign;
  return new GroupedOrder((slot) => column.get(slot), compareKeys, comparison(others, ids));
}

function comparison(steps: readonly Step[], ids: Column): Compare {
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
