/** One condition made runnable: a test of slots, and, when an index knows them, the slots themselves. */
import type { Condition, Search, Value } from '../../domain/ports.ts';
import { keyOf, spanOf } from './compare.ts';
import { fold } from './fold.ts';
import type { Order } from './ordered.ts';
import type { Partition } from './partition.ts';

export interface Source {
  /** At most this many slots. */
  readonly size: number;
  /** `size` is the very number. */
  readonly exact: boolean;
  /** Each slot once. */
  each(visit: (slot: number) => void): void;
  /** The same all at once, where that is quicker; good until the next search. */
  all?(): Uint32Array;
  /** The slots are these ranks of this order. */
  readonly range?: { readonly order: Order; readonly from: number; readonly to: number };
}

export interface Plan {
  test(slot: number): boolean;
  readonly source?: Source;
}

/** Compiles conditions. Those on the first fields of an order are one range of it together; `preferred` is the order of the query. */
export function planConditions(partition: Partition, where: readonly Condition[], preferred?: string): Plan[] {
  const leading = where.length === 0 ? undefined : planLeading(partition, where, preferred);
  if (leading === undefined) return where.map((condition) => planCondition(partition, condition));
  return [leading.plan, ...where.filter((condition) => !leading.used.includes(condition)).map((each) => planCondition(partition, each))];
}

/** A value, or a range behind it, of the first fields of an order; undefined when no order begins with a field whose value is given. */
function planLeading(
  partition: Partition,
  where: readonly Condition[],
  preferred: string | undefined,
): { plan: Plan; used: readonly Condition[] } | undefined {
  const { layout, columns } = partition;
  for (const order of layout.orders) {
    const used: Condition[] = [];
    const tests: Compared[] = [];
    for (const { column, descending } of order.steps) {
      const { field } = layout.columns[column]!;
      const { exact, folds } = layout.fields.get(field)!;
      const given = where.find((condition) => condition.field === field);
      // Ranges of a field that folds in one order fold in all of them.
      if (given === undefined || 'in' in given || exact !== column || (folds && !('equals' in given))) break;
      const compared = 'equals' in given ? columns[column]!.comparedWith(given.equals) : columns[column]!.spans(given, false);
      tests.push(descending ? (slot) => -compared(slot) : compared);
      used.push(given);
      if (!('equals' in given)) break;
    }
    const [first] = used;
    // A range alone needs nothing of this, and values with an index of their own only for the sake of the order.
    if (first === undefined || !('equals' in first)) continue;
    if (order.name !== preferred && layout.filters.includes(order.steps[0]!.column)) continue;
    const place: Compared = (slot) => {
      for (const test of tests) {
        const compared = test(slot);
        if (compared !== 0) return compared;
      }
      return 0;
    };
    return { plan: planRange(partition.orders.get(order.name)!, place), used };
  }
  return undefined;
}

/** Negative, zero or positive: before, in, behind. */
type Compared = (slot: number) => number;

function planRange(order: Order, place: Compared): Plan {
  const from = order.rank((slot) => place(slot) < 0);
  const to = Math.max(
    from,
    order.rank((slot) => place(slot) <= 0),
  );
  const each = (visit: (slot: number) => void): void => walkRange(order, from, to, visit);
  return { test: (slot) => place(slot) === 0, source: { size: to - from, exact: true, each, range: { order, from, to } } };
}

/** Compiles a condition; a field the table does not know is a mistake of the caller. */
function planCondition(partition: Partition, condition: Condition): Plan {
  const { layout } = partition;
  const field = layout.fields.get(condition.field);
  if (field === undefined) throw new Error(`table ${layout.spec.name} has no condition on ${condition.field}`);
  if ('equals' in condition) return planIn(partition, condition.field, [condition.equals]);
  if ('in' in condition) return planIn(partition, condition.field, [...new Set(condition.in)]);
  const at = field.folds ? field.folded : field.exact;
  if (at === undefined) {
    // Known only folded, by a unique key: the exact value is in the record.
    const span = spanOf(condition, field.folds);
    return { test: (slot) => span(keyOf(partition.record(slot), condition.field, false)) === 0 };
  }
  const where = partition.columns[at]!.spans(condition, field.folds);
  const order = layout.orders.find(({ steps }) => steps[0]?.column === at);
  if (order === undefined) return { test: (slot) => where(slot) === 0 };
  const { descending } = order.steps[0]!;
  return planRange(partition.orders.get(order.name)!, descending ? (slot) => -where(slot) : where);
}

function walkRange(order: Order, from: number, to: number, visit: (slot: number) => void): void {
  let rest = to - from;
  if (rest <= 0) return;
  order.walk(from, (slot) => {
    visit(slot);
    return --rest > 0;
  });
}

function planIn(partition: Partition, name: string, wanted: readonly Value[]): Plan {
  const field = partition.layout.fields.get(name)!;
  const postings = field.exact === undefined ? undefined : partition.postingsOf(field.exact);
  const test = testIn(partition, name, wanted);
  if (name === 'id') {
    const slots = wanted.map((id) => (typeof id === 'string' ? partition.slotOf(id) : undefined)).filter((slot) => slot !== undefined);
    return { test, source: { size: slots.length, exact: true, each: (visit) => slots.forEach((slot) => visit(slot)) } };
  }
  if (postings !== undefined) {
    const repeats = postings.hasArrays && wanted.length > 1;
    const size = wanted.reduce<number>((sum, value) => sum + postings.count(value), 0);
    const each = (visit: (slot: number) => void): void => {
      const seen = repeats ? new Set<number>() : undefined;
      for (const value of wanted) {
        postings.each(value, (slot) => {
          if (seen?.has(slot)) return;
          seen?.add(slot);
          visit(slot);
        });
      }
    };
    return { test, source: { size, exact: !repeats, each } };
  }
  const unique = partition.layout.spec.unique;
  const key = Object.keys(unique).findIndex((each) => unique[each]!.fields.length === 1 && unique[each]!.fields[0] === name);
  // Blank values are not in a unique index.
  if (key < 0 || wanted.some((value) => value === null || (typeof value === 'string' && value.trim() === ''))) return { test };
  const { folded } = partition.layout.uniques[key]!;
  const found = wanted.map((value) => partition.uniques.slotWith(key, typeof value === 'string' && folded ? fold(value).trim() : value!));
  const slots = [...new Set(found)].filter((slot) => slot !== undefined && test(slot)) as number[];
  return { test, source: { size: slots.length, exact: true, each: (visit) => slots.forEach((slot) => visit(slot)) } };
}

function testIn(partition: Partition, name: string, wanted: readonly Value[]): (slot: number) => boolean {
  const field = partition.layout.fields.get(name)!;
  if (field.exact !== undefined) return partition.columns[field.exact]!.tester(wanted);
  const folded = partition.columns[field.folded!]!.tester(wanted.map((value) => (typeof value === 'string' ? fold(value) : value)));
  const exact = new Set<unknown>(wanted);
  return (slot) => {
    const key = partition.columns[field.folded!]!.get(slot);
    if (typeof key !== 'object' && !folded(slot)) return false;
    if (typeof key !== 'string' && (typeof key !== 'object' || key === null)) return exact.has(key);
    const value = keyOf(partition.record(slot), name, false);
    return typeof value === 'object' && value !== null ? value.some((each) => exact.has(each)) : exact.has(value);
  };
}

/** Compiles a search. Empty text is in every row. */
export function planSearch(partition: Partition, { text, or }: Search): Plan | undefined {
  const folded = fold(text);
  const other = or && planCondition(partition, { field: or.field, in: or.in });
  if (folded === '') return undefined;
  const { search } = partition;
  const contains = (slot: number): boolean => search.contains(slot, folded);
  const hits = search.find(folded, partition.slots);
  const own: Source | undefined = hits && {
    size: hits.count,
    exact: false,
    each: (visit) => hits.all().forEach((slot) => visit(slot)),
    all: () => hits.all(),
  };
  if (other === undefined) return own ? { test: contains, source: own } : { test: contains };
  const test = (slot: number): boolean => other.test(slot) || contains(slot);
  if (own === undefined || other.source === undefined) return { test };
  const both = other.source;
  return {
    test,
    source: {
      size: own.size + both.size,
      exact: false,
      each: (visit) => {
        both.each(visit);
        own.each((slot) => {
          if (!other.test(slot)) visit(slot);
        });
      },
    },
  };
}
