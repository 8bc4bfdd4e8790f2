/**
 * Runs queries on one partition. Totals are always exact.
 *
 * condition-plans.ts compiles each condition into a test of a slot and, where an index can list the rows, a source of candidates. A query
 * then reads a range of ranks of an index, and tests the slots there. The index is that of the order, if enough matches are found soon.
 * Otherwise all matches are found first, from the smallest source: many become a set, which is the only test then; few are sorted, as an
 * index with nothing left to test. Either is cached until something it depends on changes, so that paging through a list finds them once.
 */
import type { Row, Value } from '../../../domain/kernel/ports.ts';
import { compareText, compareValues } from '../../compare.ts';
import { planConditions, planSearch, type ConditionPlan, type CandidateSource } from './condition-plans.ts';
import { foldCase } from '../../case-folding.ts';
import { OrderedIndex } from '../index/ordered-index.ts';
import type { Partition } from '../partition.ts';
import { type RankRange, takeFirst, takePage } from './rank-range.ts';
import type { CursorQuery, PageQuery, Query, Selection } from './subqueries.ts';
import type { OrderLayout } from '../../table-layout.ts';

/** Testing a slot, and sorting it among others, cost about as much as visiting so many slots of an index. */
const STEPS_PER_TEST = 4;
const STEPS_PER_SORTED_SLOT = 256;

/** A page beyond this offset is taken from all matches, which are cached then: scanning up to it would cost as much as finding them. */
const MAX_SCANNED_OFFSET = 1_000;

/** Matches among fewer candidates are not cached: testing them is faster than a look-up, and domain rules run many such queries. */
const MAX_UNCACHED_CANDIDATES = 64;

interface SelectionPlan {
  readonly conditions: readonly ConditionPlan[];
  /** The smallest source of candidates; undefined when no condition has one. */
  readonly source: CandidateSource | undefined;
}

interface QueryPlan extends SelectionPlan {
  readonly order: OrderLayout;
  /** The index of the order. */
  readonly index: OrderedIndex;
}

/** Runs a page query: the slots of the page, and how many rows match in all. */
export function queryPage(partition: Partition, query: PageQuery): { slots: readonly number[]; total: number } {
  const { page, descending = false } = query;
  const [first, end] = [(page.number - 1) * page.size, page.number * page.size];
  const plan = planQuery(partition, query);
  let range = toOrderRange(plan);
  if (range.total === undefined) {
    const only = plan.conditions.length === 1 && plan.source?.isExact ? plan.source : undefined;
    const isScanned = only !== undefined && first <= MAX_SCANNED_OFFSET && isScanCheaper(plan.index, only.size, end);
    range = isScanned ? { ...range, total: only.size } : getMatchRange(partition, query, plan);
  }
  return { slots: takePage(range, first, end, descending), total: range.total ?? 0 };
}

/** Runs a cursor query: the slots strictly after a position. */
export function queryAfter(partition: Partition, query: CursorQuery): { slots: readonly number[]; more: boolean } {
  const { limit, after, descending = false } = query;
  // One more than the page shows whether more rows follow.
  const needed = limit + 1;
  const plan = planQuery(partition, query);
  const { index, source } = plan;
  if (source?.size === 0) return { slots: [], more: false };
  const isScanned = source === undefined || source.rankRange?.index === index || isScanCheaper(index, source.size, needed);
  let range = isScanned ? toOrderRange(plan) : getMatchRange(partition, query, plan);
  if (after !== undefined) {
    const compare = createCursorComparator(partition, plan.order, after);
    const rank = range.index.rank((slot) => (descending ? compare(slot) < 0 : compare(slot) <= 0));
    range = descending ? { ...range, to: Math.min(range.to, rank) } : { ...range, from: Math.max(range.from, rank) };
  }
  const slots = takeFirst(range, needed, descending);
  return { slots: slots.slice(0, limit), more: slots.length > limit };
}

/** Counts the matching rows. */
export function countMatches(partition: Partition, selection: Selection): number {
  const { conditions, source } = planSelection(partition, selection);
  if (conditions.length === 0) return partition.size;
  return conditions.length === 1 && source?.isExact ? source.size : findAllMatches(partition, selection).length;
}

/** The slots of all matching rows in no particular order. */
export function findAllMatches(partition: Partition, selection: Selection): number[] {
  const slots: number[] = [];
  forEachMatch(partition, planSelection(partition, selection), (slot) => slots.push(slot));
  return slots;
}

/** The rows in these slots. */
export function getRows<R extends Row>(partition: Partition, slots: readonly number[]): R[] {
  return slots.map((slot) => partition.getRecord(slot) as R);
}

function planQuery(partition: Partition, query: Query): QueryPlan {
  const { orders, spec } = partition.layout;
  const order = query.orderBy === undefined ? orders[0] : orders.find(({ name }) => name === query.orderBy);
  if (order === undefined) throw new Error(`table ${spec.name} has no order ${query.orderBy}`);
  return { order, index: partition.getIndex(order.name), ...planSelection(partition, query, order.name) };
}

function planSelection(partition: Partition, { where = [], search }: Selection, preferredOrder?: string): SelectionPlan {
  const searched = search && planSearch(partition, search);
  const conditions = [...planConditions(partition, where, preferredOrder), ...(searched ? [searched] : [])];
  const [source] = conditions.flatMap((condition) => condition.source ?? []).toSorted((a, b) => a.size - b.size);
  return { conditions, source };
}

/** Whether scanning an index for the needed matches is cheaper than sorting all matches. */
function isScanCheaper(index: OrderedIndex, matches: number, needed: number): boolean {
  const steps = Math.min(index.size, (needed * index.size) / matches);
  return steps * STEPS_PER_TEST < matches * STEPS_PER_SORTED_SLOT;
}

/** The matches in the index of the order. Conditions that are ranges of it narrow the range, the others are tested. */
function toOrderRange({ index, conditions }: QueryPlan): RankRange {
  const ranges = conditions.flatMap(({ source }) => (source?.rankRange?.index === index ? [source.rankRange] : []));
  const from = Math.max(0, ...ranges.map((range) => range.from));
  const to = Math.max(from, Math.min(index.size, ...ranges.map((range) => range.to)));
  const tests = conditions.filter(({ source }) => source?.rankRange?.index !== index);
  return { index, from, to, tests, ...(tests.length === 0 && { total: to - from }) };
}

/** All matches, from the cache if possible. */
function getMatchRange(partition: Partition, query: Query, plan: QueryPlan): RankRange {
  if (plan.source !== undefined && plan.source.size <= MAX_UNCACHED_CANDIDATES) return findMatchRange(partition, plan);
  const key = JSON.stringify([query.where, query.search, plan.order.name]);
  const cached = partition.matches.get(key);
  if (cached !== undefined && cached.version >= getLastChange(partition, query, plan.order)) return cached.range;
  const range = findMatchRange(partition, plan);
  partition.matches.set(key, { range, version: partition.version, bytes: range.index.size });
  return range;
}

function findMatchRange(partition: Partition, plan: QueryPlan): RankRange {
  const { index, source } = plan;
  const maxMatches = source?.size ?? index.size;
  if (!isScanCheaper(index, maxMatches, maxMatches)) {
    const slots: number[] = [];
    forEachMatch(partition, plan, (slot) => slots.push(slot));
    return { index: new OrderedIndex(index.compare, slots.sort(index.compare)), from: 0, to: slots.length, tests: [], total: slots.length };
  }
  const isMatch = new Uint8Array(partition.slotCount);
  let total = 0;
  forEachMatch(partition, plan, (slot) => {
    isMatch[slot] = 1;
    total++;
  });
  return { index, from: 0, to: index.size, tests: [{ matches: (slot) => isMatch[slot] === 1 }], total };
}

/** Visits all matches in no particular order. */
function forEachMatch(partition: Partition, { conditions, source }: SelectionPlan, visit: (slot: number) => void): void {
  const tests = conditions.filter((condition) => source === undefined || condition.source !== source);
  const visitMatch = (slot: number): void => {
    for (const test of tests) if (!test.matches(slot)) return;
    visit(slot);
  };
  if (source !== undefined) source.forEach(visitMatch);
  else for (let slot = 0; slot < partition.slotCount; slot++) if (partition.isUsed(slot)) visitMatch(slot);
}

/**
 * The version of the last change that the matches or their order can depend on: a row added or removed, or a change in a field that the
 * conditions, the search or the order use.
 */
function getLastChange(partition: Partition, { where = [], search }: Selection, { steps }: OrderLayout): number {
  const { fields, searchColumns } = partition.layout;
  const named = [...where, ...(search?.or ? [search.or] : [])].map(({ field }) => fields.get(field));
  // A field that is kept only folded is read from the records.
  if (named.some((field) => field?.exact === undefined)) return partition.version;
  return partition.getLastChange([
    ...steps.map(({ column }) => column),
    ...named.flatMap((field) => [field!.exact!, field!.folded ?? field!.exact!]),
    ...(search === undefined ? [] : searchColumns),
  ]);
}

/** Compares slots with a position in the order: negative when the slot comes first. */
function createCursorComparator(
  partition: Partition,
  { steps }: OrderLayout,
  after: { readonly values: readonly Value[]; readonly id: string },
): (slot: number) => number {
  const { layout, columns } = partition;
  const values = steps.map(({ column }, at) => {
    const value = after.values[at] ?? null;
    return typeof value === 'string' && layout.columns[column]!.folded ? foldCase(value) : value;
  });
  return (slot) => {
    for (let at = 0; at < steps.length; at++) {
      const compared = compareValues(columns[steps[at]!.column]!.get(slot), values[at]!);
      if (compared !== 0) return steps[at]!.descending ? -compared : compared;
    }
    return compareText(partition.getId(slot), after.id);
  };
}
