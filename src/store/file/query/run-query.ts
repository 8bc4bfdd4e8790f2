/**
 * Runs queries on one partition. Totals are always exact.
 *
 * condition-plans.ts compiles each condition into a test of a slot and, where an index can list the rows, a source of candidates. A query
 * then reads a range of ranks of an index, and tests the slots there. The index is that of the order, if enough matches are found soon.
 * Otherwise all matches are found first, from the smallest source, and sorted: an index of their own, with nothing left to test. It is cached
 * until something it depends on changes, so that paging through a list finds them once.
 */
import type { Row, Value } from '../../../domain/kernel/ports.ts';
import { compareText, compareValues } from '../../compare.ts';
import { planConditions, planSearch, type ConditionPlan, type CandidateSource } from './condition-plans.ts';
import { foldCase } from '../../case-folding.ts';
import { OrderedIndex } from '../index/ordered-index.ts';
import type { Partition } from '../partition.ts';
import type { CursorQuery, PageQuery, Query, Selection } from './subqueries.ts';
import type { OrderLayout } from '../../table-layout.ts';

/** Testing a slot, and sorting it among others, cost about as much as visiting so many slots of an index. */
const STEPS_PER_TEST = 4;
const STEPS_PER_SORTED_SLOT = 256;

/** A page beyond this offset is taken from all matches, which are cached then: scanning up to it would cost as much as finding them. */
const MAX_SCANNED_OFFSET = 1_000;

/** Matches among fewer candidates are not cached: testing them is faster than a look-up, and domain rules run many such queries. */
const MAX_UNCACHED_CANDIDATES = 64;

interface QueryPlan {
  readonly order: OrderLayout;
  /** The index of the order. */
  readonly index: OrderedIndex;
  readonly conditions: readonly ConditionPlan[];
  /** The smallest source of candidates; undefined when no condition has one. */
  readonly source: CandidateSource | undefined;
}

/** Where the matches of a query are: the slots between two ranks of an index that pass all tests. */
interface RankRange {
  readonly index: OrderedIndex;
  readonly from: number;
  readonly to: number;
  readonly tests: readonly ConditionPlan[];
}

/** Runs a page query: the slots of the page, and how many rows match in all. */
export function queryPage(partition: Partition, query: PageQuery): { slots: readonly number[]; total: number } {
  const { page, descending = false } = query;
  const [first, end] = [(page.number - 1) * page.size, page.number * page.size];
  const plan = planQuery(partition, query);
  let range = toOrderRange(plan);
  if (range.tests.length > 0) {
    const only = plan.conditions.length === 1 ? plan.source : undefined;
    if (only?.isExact && first <= MAX_SCANNED_OFFSET && isScanCheaper(plan.index, only.size, end))
      return { slots: findInRange(range, Math.min(only.size, end), descending).slice(first), total: only.size };
    range = toMatchRange(partition, query, plan);
  }
  const { index, from, to } = range;
  const slots = descending
    ? index.slice(Math.max(from, to - end), Math.max(from, to - first), true)
    : index.slice(Math.min(to, from + first), Math.min(to, from + end));
  return { slots, total: to - from };
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
  let range = isScanned ? toOrderRange(plan) : toMatchRange(partition, query, plan);
  if (after !== undefined) {
    const compare = createCursorComparator(partition, plan.order, after);
    const rank = range.index.rank((slot) => (descending ? compare(slot) < 0 : compare(slot) <= 0));
    range = descending ? { ...range, to: Math.min(range.to, rank) } : { ...range, from: Math.max(range.from, rank) };
  }
  const slots = findInRange(range, needed, descending);
  return { slots: slots.slice(0, limit), more: slots.length > limit };
}

/** Counts the matching rows. */
export function countMatches(partition: Partition, selection: Selection): number {
  const { conditions, source } = planQuery(partition, selection);
  if (conditions.length === 0) return partition.size;
  return conditions.length === 1 && source?.isExact ? source.size : findAllMatches(partition, selection).length;
}

/** The slots of all matching rows in no particular order. */
export function findAllMatches(partition: Partition, selection: Selection): number[] {
  return findMatches(partition, planQuery(partition, selection));
}

/** The rows in these slots. */
export function getRows<R extends Row>(partition: Partition, slots: readonly number[]): R[] {
  return slots.map((slot) => partition.getRecord(slot) as R);
}

function planQuery(partition: Partition, { where = [], search, orderBy }: Query): QueryPlan {
  const { orders, spec } = partition.layout;
  const order = orderBy === undefined ? orders[0] : orders.find(({ name }) => name === orderBy);
  if (order === undefined) throw new Error(`table ${spec.name} has no order ${orderBy}`);
  const searched = search && planSearch(partition, search);
  const conditions = [...planConditions(partition, where, order.name), ...(searched ? [searched] : [])];
  const sources = conditions.flatMap(({ source }) => source ?? []);
  const source = sources.reduce<CandidateSource | undefined>((least, each) => (least && least.size <= each.size ? least : each), undefined);
  return { order, index: partition.getIndex(order.name), conditions, source };
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
  return { index, from, to, tests: conditions.filter(({ source }) => source?.rankRange?.index !== index) };
}

/** The matches in an index of their own. */
function toMatchRange(partition: Partition, query: Query, plan: QueryPlan): RankRange {
  const index = getMatchIndex(partition, query, plan);
  return { index, from: 0, to: index.size, tests: [] };
}

/** The first slots of a range that pass its tests, or the last ones, from the last. */
function findInRange({ index, from, to, tests }: RankRange, needed: number, descending: boolean): number[] {
  const slots: number[] = [];
  if (needed <= 0) return slots;
  index.scan(from, to, descending, (slot) => {
    for (const test of tests) if (!test.matches(slot)) return true;
    return slots.push(slot) < needed;
  });
  return slots;
}

/** All matches in the order of the query. */
function getMatchIndex(partition: Partition, query: Query, plan: QueryPlan): OrderedIndex {
  const { source } = plan;
  if (source !== undefined && source.size <= MAX_UNCACHED_CANDIDATES) return createMatchIndex(partition, plan);
  const key = JSON.stringify([query.where, query.search, plan.order.name]);
  const cached = partition.matchIndexes.get(key);
  if (cached !== undefined && cached.version >= getLastChange(partition, query, plan.order)) return cached.index;
  const index = createMatchIndex(partition, plan);
  partition.matchIndexes.set(key, { index, version: partition.version });
  return index;
}

function createMatchIndex(partition: Partition, plan: QueryPlan): OrderedIndex {
  const { index } = plan;
  const matches = findMatches(partition, plan);
  if (!isScanCheaper(index, matches.length, matches.length)) return new OrderedIndex(index.compare, matches.sort(index.compare));
  const isMatch = new Uint8Array(partition.slotCount);
  for (const slot of matches) isMatch[slot] = 1;
  const sorted: number[] = [];
  index.scan(0, index.size, false, (slot) => isMatch[slot] === 0 || sorted.push(slot));
  return new OrderedIndex(index.compare, sorted);
}

/** Finds all matches in no particular order. */
function findMatches(partition: Partition, { conditions, source }: QueryPlan): number[] {
  const tests = conditions.filter((condition) => source === undefined || condition.source !== source);
  const found: number[] = [];
  const visit = (slot: number): void => {
    for (const test of tests) if (!test.matches(slot)) return;
    found.push(slot);
  };
  if (source !== undefined) source.forEach(visit);
  else for (let slot = 0; slot < partition.slotCount; slot++) if (partition.isUsed(slot)) visit(slot);
  return found;
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
