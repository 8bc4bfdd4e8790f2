/** Compiles conditions and searches into plans: a test for slots and, when an index can enumerate them, the candidate slots. */
import { foldForSearch } from '../../../contract/search-text.ts';
import type { Condition, Value } from '../../../domain/kernel/ports.ts';
import { getKey, createRangeComparator } from '../../compare.ts';
import { foldCase } from '../../case-folding.ts';
import type { OrderedIndex } from '../index/ordered-index.ts';
import type { Partition } from '../partition.ts';
import type { Search } from './subqueries.ts';

export interface CandidateSource {
  /** An upper bound of the number of slots. */
  readonly size: number;
  /** Whether `size` is the exact number. */
  readonly isExact: boolean;
  /** Visits each slot once. */
  forEach(visit: (slot: number) => void): void;
  /** Set when the slots are these ranks of this ordered index. */
  readonly rankRange?: { readonly index: OrderedIndex; readonly from: number; readonly to: number };
}

export interface ConditionPlan {
  matches(slot: number): boolean;
  readonly source?: CandidateSource;
}

/**
 * Compiles conditions. Conditions on the first fields of an order become one range of its index. `preferredOrder` is the order of the
 * query.
 */
export function planConditions(partition: Partition, where: readonly Condition[], preferredOrder?: string): ConditionPlan[] {
  const prefix = where.length === 0 ? undefined : planIndexPrefix(partition, where, preferredOrder);
  if (prefix === undefined) return where.map((condition) => planCondition(partition, condition));
  return [prefix.plan, ...where.filter((condition) => !prefix.used.includes(condition)).map((each) => planCondition(partition, each))];
}

/**
 * Plans equality conditions, and possibly a range after them, on the first fields of an order; undefined when no order starts with a field
 * that has one.
 */
function planIndexPrefix(
  partition: Partition,
  where: readonly Condition[],
  preferredOrder: string | undefined,
): { plan: ConditionPlan; used: readonly Condition[] } | undefined {
  const { layout, columns } = partition;
  for (const order of layout.orders) {
    const used: Condition[] = [];
    const comparators: SlotComparator[] = [];
    for (const { column, descending } of order.steps) {
      const { field } = layout.columns[column]!;
      const { exact, ignoresCase } = layout.fields.get(field)!;
      const condition = where.find((each) => each.field === field);
      // A field that is folded in one order ignores case in the ranges of all.
      if (condition === undefined || 'in' in condition || exact !== column || (ignoresCase && !('equals' in condition))) break;
      const compared =
        'equals' in condition
          ? columns[column]!.createValueComparator(condition.equals)
          : columns[column]!.createRangeComparator(condition, false);
      comparators.push(descending ? (slot) => -compared(slot) : compared);
      used.push(condition);
      if (!('equals' in condition)) break;
    }
    const [first] = used;
    // A range alone needs no prefix, and a value with an index of its own needs one only for the sake of the order.
    if (first === undefined || !('equals' in first)) continue;
    if (order.name !== preferredOrder && layout.filterIndexes.has(order.steps[0]!.column)) continue;
    const compareToRange: SlotComparator = (slot) => {
      for (const compareStep of comparators) {
        const compared = compareStep(slot);
        if (compared !== 0) return compared;
      }
      return 0;
    };
    return { plan: planRange(partition.getIndex(order.name), compareToRange), used };
  }
  return undefined;
}

/** Negative, zero or positive: before, inside or after the range. */
type SlotComparator = (slot: number) => number;

function planRange(index: OrderedIndex, compareToRange: SlotComparator): ConditionPlan & { readonly source: CandidateSource } {
  const from = index.rank((slot) => compareToRange(slot) < 0);
  const to = index.rank((slot) => compareToRange(slot) <= 0);
  const source = {
    size: to - from,
    isExact: true,
    forEach: (visit: (slot: number) => void) => index.scan(from, to, false, visit),
    rankRange: { index, from, to },
  };
  return { matches: (slot) => compareToRange(slot) === 0, source };
}

/** Compiles a condition. Throws when the table has no such condition field: a bug of the caller. */
function planCondition(partition: Partition, condition: Condition): ConditionPlan {
  const { layout } = partition;
  const field = layout.fields.get(condition.field);
  if (field === undefined) throw new Error(`table ${layout.spec.name} has no condition on ${condition.field}`);
  if ('equals' in condition) return planIn(partition, condition.field, [condition.equals]);
  if ('in' in condition) return planIn(partition, condition.field, [...new Set(condition.in)]);
  const column = field.ignoresCase ? field.folded : field.exact;
  if (column === undefined) {
    // The field is kept only folded, for a unique key; the exact value is in the record.
    const compare = createRangeComparator(condition, field.ignoresCase);
    return { matches: (slot) => compare(getKey(partition.getRecord(slot), condition.field, false)) === 0 };
  }
  const compare = partition.columns[column]!.createRangeComparator(condition, field.ignoresCase);
  const order = layout.orders.find(({ steps }) => steps[0]?.column === column);
  if (order === undefined) return { matches: (slot) => compare(slot) === 0 };
  const { descending } = order.steps[0]!;
  return planRange(partition.getIndex(order.name), descending ? (slot) => -compare(slot) : compare);
}

function planIn(partition: Partition, name: string, values: readonly Value[]): ConditionPlan {
  const matches = createInMatcher(partition, name, values);
  const source = findCandidates(partition, name, values, matches);
  return source === undefined ? { matches } : { matches, source };
}

/** The slots that have one of these values, from the index of the field; undefined when it has none. */
function findCandidates(
  partition: Partition,
  name: string,
  values: readonly Value[],
  matches: (slot: number) => boolean,
): CandidateSource | undefined {
  const { layout, columns, uniqueIndexes } = partition;
  const { exact } = layout.fields.get(name)!;
  if (name === 'id') return toSource(values.map((id) => (typeof id === 'string' ? partition.findSlot(id) : undefined)));
  const indexName = exact === undefined ? undefined : layout.filterIndexes.get(exact);
  if (indexName !== undefined) {
    const index = partition.getIndex(indexName);
    const ranges = values.map((value) => planRange(index, columns[exact!]!.createValueComparator(value)).source);
    return ranges.length === 1
      ? ranges[0]!
      : { size: sumSizes(ranges), isExact: true, forEach: (visit) => ranges.forEach((range) => range.forEach(visit)) };
  }
  const postings = exact === undefined ? undefined : partition.getPostingLists(exact);
  if (postings !== undefined) {
    const lists = values.map((value) => postings.get(value));
    // A row may have several of the values.
    const union = (): Iterable<number> => (lists.length === 1 ? lists[0]! : new Set(lists.flatMap((list) => [...list])));
    return { size: sumSizes(lists), isExact: lists.length === 1, forEach: (visit) => [...union()].forEach((slot) => visit(slot)) };
  }
  const unique = layout.uniques.findIndex(({ columns: parts }) => parts.length === 1 && layout.columns[parts[0]!]!.field === name);
  // Unique indexes do not contain blank values.
  if (unique < 0 || values.some((value) => value === null || (typeof value === 'string' && value.trim() === ''))) return undefined;
  const { folded } = layout.uniques[unique]!;
  const find = (value: Value): number | undefined =>
    uniqueIndexes.findSlot(unique, typeof value === 'string' && folded ? foldCase(value).trim() : value);
  return toSource(values.map(find).filter((slot) => slot !== undefined && matches(slot)));
}

function toSource(found: readonly (number | undefined)[]): CandidateSource {
  const slots = new Set(found.filter((slot) => slot !== undefined));
  return { size: slots.size, isExact: true, forEach: (visit) => slots.forEach((slot) => visit(slot)) };
}

const sumSizes = (sets: readonly { readonly size: number }[]): number => sets.reduce((sum, { size }) => sum + size, 0);

function createInMatcher(partition: Partition, name: string, values: readonly Value[]): (slot: number) => boolean {
  const field = partition.layout.fields.get(name)!;
  if (field.exact !== undefined) return partition.columns[field.exact]!.createMatcher(values);
  const folded = partition.columns[field.folded!]!.createMatcher(
    values.map((value) => (typeof value === 'string' ? foldCase(value) : value)),
  );
  const exact = new Set<unknown>(values);
  return (slot) => {
    const key = partition.columns[field.folded!]!.get(slot);
    if (typeof key !== 'object' && !folded(slot)) return false;
    if (typeof key !== 'string' && (typeof key !== 'object' || key === null)) return exact.has(key);
    const value = getKey(partition.getRecord(slot), name, false);
    return typeof value === 'object' && value !== null ? value.some((each) => exact.has(each)) : exact.has(value);
  };
}

/** Compiles a search; undefined for an empty text, which matches every row. */
export function planSearch(partition: Partition, { text, or }: Search): ConditionPlan | undefined {
  const folded = foldForSearch(text);
  const alternative = or && planCondition(partition, { field: or.field, in: or.in });
  if (folded === '') return undefined;
  const { searchIndex } = partition;
  const contains = searchIndex.createMatcher(folded);
  const hits = searchIndex.find(folded, partition.slotCount);
  const forEachHit = (visit: (slot: number) => void): void => hits?.find().forEach((slot) => visit(slot));
  if (alternative === undefined)
    return { matches: contains, ...(hits && { source: { size: hits.maxCount, isExact: false, forEach: forEachHit } }) };
  const matches = (slot: number): boolean => alternative.matches(slot) || contains(slot);
  if (hits === undefined || alternative.source === undefined) return { matches };
  const others = alternative.source;
  const forEach = (visit: (slot: number) => void): void => {
    others.forEach(visit);
    forEachHit((slot) => {
      if (!alternative.matches(slot)) visit(slot);
    });
  };
  return { matches, source: { size: hits.maxCount + others.size, isExact: false, forEach } };
}
