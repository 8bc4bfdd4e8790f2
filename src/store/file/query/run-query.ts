/**
 * Runs queries on one partition.
 *
 * condition-plans.ts compiles each condition into a test and, where an index can enumerate the rows, a candidate source. The smallest
 * source provides the candidates, and the other conditions filter them. The page is then taken either by sorting the matches or by scanning
 * the order for them, whichever is less work (`isScanCheaper`). Larger results are kept in result-cache.ts until something they depend on
 * changes, so that paging through a list finds them once. Totals are always exact.
 */
import type { Row, Value } from '../../../domain/kernel/ports.ts';
import { BitSet } from '../index/bit-set.ts';
import { compareText, compareValues } from '../../compare.ts';
import { planConditions, planSearch, type ConditionPlan, type CandidateSource } from './condition-plans.ts';
import { foldCase } from '../../case-folding.ts';
import type { OrderedIndex } from '../index/ordered-index.ts';
import type { Partition } from '../partition.ts';
import { ScratchBuffer } from '../index/scratch-buffer.ts';
import type { CursorQuery, PageQuery, Query, Selection } from './subqueries.ts';

/** Measured: comparing two rows in a sort costs about as much as scanning this many slots. */
const STEPS_PER_COMPARISON = 25;

/** A page beyond this offset is taken from the sorted and cached result: scanning up to it would cost as much. */
const DEEP_PAGE_OFFSET = 1_000;

/** Results of fewer candidates are not cached: testing them is faster than a lookup, and domain rules run many such queries. */
const MAX_UNCACHED_CANDIDATES = 64;

/** Initial capacity for matches; there are rarely more. */
const INITIAL_MATCHES_CAPACITY = 1 << 16;

/** Working memory of the running query; only one runs at a time. */
const matchBuffer = new ScratchBuffer();
const selectionSet = new BitSet(0);

export interface SlotPage {
  readonly slots: readonly number[];
  readonly total: number;
}

/** Runs a page query: the slots of the page, and how many rows match in all. */
export function queryPage(partition: Partition, query: PageQuery): SlotPage {
  const order = getOrderedIndex(partition, query);
  const descending = query.descending ?? false;
  const first = (query.page.number - 1) * query.page.size;
  const plans = planQuery(partition, query);
  const range = toSingleRange(plans, order);
  if (range !== undefined) return { slots: sliceRange(order, range, first, query.page.size, descending), total: range.to - range.from };
  const single = plans.length === 1 ? plans[0]!.source : undefined;
  const isDeep = first > DEEP_PAGE_OFFSET;
  if (single?.isExact && !isDeep && isScanCheaper(order, single.size, first + query.page.size)) {
    return {
      slots: scanPage(order, plans[0]!.matches, first, query.page.size, Math.min(single.size, first + query.page.size), descending),
      total: single.size,
    };
  }
  const isCached = !isFew(findSmallestSource(plans)) && partition.resultCache.has(toCacheKey(query), getLastChange(partition, query));
  const matches = getMatches(partition, query, plans);
  // The client is paging: sort the whole result once, so that each further page is a slice of it.
  const slots =
    isDeep || isCached
      ? sliceSorted(sortAndCacheMatches(partition, query, order, matches), first, query.page.size, descending)
      : pageMatches(partition, order, matches, first, query.page.size, descending);
  return { slots, total: matches.length };
}

/** All matches in order, cached. */
function sortAndCacheMatches(partition: Partition, query: Query, order: OrderedIndex, matches: Uint32Array): Uint32Array {
  const key = `${toCacheKey(query)} ${query.orderBy ?? ''}`;
  const orderBy = query.orderBy ?? partition.layout.orders[0]!.name;
  const steps = partition.layout.orders.find(({ name }) => name === orderBy)!.steps.map(({ column }) => column);
  return partition.resultCache.get(key, getLastChange(partition, query, steps), partition.version, () => {
    if (!isScanCheaper(order, matches.length, matches.length)) return matches.slice().sort(order.compare);
    return Uint32Array.from(order.select(selectionSet.assign(matches, partition.slotCount), 0, matches.length));
  });
}

function sliceSorted(sorted: Uint32Array, first: number, size: number, descending: boolean): number[] {
  if (!descending) return [...sorted.subarray(first, first + size)];
  const end = Math.max(0, sorted.length - first);
  return [...sorted.subarray(Math.max(0, end - size), end)].reverse();
}

/** Counts the matching rows. */
export function countMatches(partition: Partition, selection: Selection): number {
  const plans = planQuery(partition, selection);
  if (plans.length === 0) return partition.size;
  const single = plans.length === 1 ? plans[0]!.source : undefined;
  return single?.isExact ? single.size : getMatches(partition, selection, plans).length;
}

/** The slots of all matching rows in no particular order; valid until the next query. */
export function findAllMatches(partition: Partition, selection: Selection): Uint32Array {
  return getMatches(partition, selection, planQuery(partition, selection));
}

/** Runs a cursor query: the slots strictly after a position. */
export function queryAfter(partition: Partition, query: CursorQuery): { slots: readonly number[]; more: boolean } {
  const order = getOrderedIndex(partition, query);
  const plans = planQuery(partition, query);
  const source = findSmallestSource(plans);
  if (source?.size === 0) return { slots: [], more: false };
  // One more than the page shows whether more rows follow.
  const needed = query.limit + 1;
  const isSorted = source !== undefined && source.rankRange?.order !== order && !isScanCheaper(order, source.size, needed);
  const slots = isSorted ? sortMatchesAfter(partition, query, order, plans) : scanAfter(partition, query, order, plans, needed);
  return { slots: slots.slice(0, query.limit), more: slots.length > query.limit };
}

/** All matches after the cursor, sorted: for few candidates. */
function sortMatchesAfter(partition: Partition, query: CursorQuery, order: OrderedIndex, plans: readonly ConditionPlan[]): number[] {
  const compare = query.after && createCursorComparator(partition, query, query.after);
  const matches = [...getMatches(partition, query, plans)];
  if (query.descending) return matches.filter((slot) => compare === undefined || compare(slot) < 0).sort((a, b) => order.compare(b, a));
  return matches.filter((slot) => compare === undefined || compare(slot) > 0).sort(order.compare);
}

/** The first matches after the cursor, found by scanning the order. Conditions that are ranges of the order limit the scan, the others are tested. */
function scanAfter(
  partition: Partition,
  query: CursorQuery,
  order: OrderedIndex,
  plans: readonly ConditionPlan[],
  needed: number,
): number[] {
  const ranges = plans.flatMap(({ source }) => (source?.rankRange?.order === order ? [source.rankRange] : []));
  const tests = plans.filter(({ source }) => source?.rankRange?.order !== order);
  let from = Math.max(0, ...ranges.map((range) => range.from));
  let to = Math.min(order.size, ...ranges.map((range) => range.to));
  if (query.after !== undefined) {
    const compare = createCursorComparator(partition, query, query.after);
    if (query.descending)
      to = Math.min(
        to,
        order.rank((slot) => compare(slot) < 0),
      );
    else
      from = Math.max(
        from,
        order.rank((slot) => compare(slot) <= 0),
      );
  }
  const slots: number[] = [];
  let rest = to - from;
  if (rest <= 0 || needed <= 0) return slots;
  const visit = (slot: number): boolean => {
    if (tests.every((plan) => plan.matches(slot))) slots.push(slot);
    return slots.length < needed && --rest > 0;
  };
  if (query.descending) order.scanBackward(to, visit);
  else order.scan(from, visit);
  return slots;
}

function getOrderedIndex(partition: Partition, { orderBy }: Query): OrderedIndex {
  const name = orderBy ?? partition.layout.orders[0]!.name;
  if (!partition.layout.orders.some((order) => order.name === name))
    throw new Error(`table ${partition.layout.spec.name} has no order ${name}`);
  return partition.getIndex(name);
}

function planQuery(partition: Partition, { where = [], search, orderBy }: Query): ConditionPlan[] {
  const plans = planConditions(partition, where, orderBy ?? partition.layout.orders[0]!.name);
  const searched = search && planSearch(partition, search);
  return searched ? [...plans, searched] : plans;
}

const findSmallestSource = (plans: readonly ConditionPlan[]): CandidateSource | undefined =>
  plans.reduce<CandidateSource | undefined>(
    (least, { source }) => (source && (!least || source.size < least.size) ? source : least),
    undefined,
  );

const isFew = (source: CandidateSource | undefined): source is CandidateSource =>
  source !== undefined && source.size <= MAX_UNCACHED_CANDIDATES;

/** The range of ranks that is the whole result, when all conditions are ranges of the order itself. */
function toSingleRange(plans: readonly ConditionPlan[], order: OrderedIndex): { from: number; to: number } | undefined {
  let [from, to] = [0, order.size];
  for (const { source } of plans) {
    if (source?.rankRange?.order !== order) return undefined;
    from = Math.max(from, source.rankRange.from);
    to = Math.min(to, source.rankRange.to);
  }
  return { from, to: Math.max(from, to) };
}

function sliceRange(
  order: OrderedIndex,
  { from, to }: { from: number; to: number },
  first: number,
  size: number,
  descending: boolean,
): number[] {
  if (!descending) return order.slice(Math.min(to, from + first), Math.min(to, from + first + size));
  const end = Math.max(from, to - first);
  return order.slice(Math.max(from, end - size), end).reverse();
}

/** Whether scanning the order for the needed rows is cheaper than sorting all matches. */
function isScanCheaper(order: OrderedIndex, matches: number, needed: number): boolean {
  if (matches === 0) return false;
  const steps = Math.min(order.size, (needed * order.size) / matches);
  // Testing a slot costs a few scan steps.
  return steps * 4 < matches * (1 + Math.log2(matches) * STEPS_PER_COMPARISON);
}

function scanPage(
  order: OrderedIndex,
  test: (slot: number) => boolean,
  first: number,
  size: number,
  needed: number,
  descending: boolean,
): number[] {
  const slots: number[] = [];
  let [rank, found] = [0, 0];
  if (needed <= first || size <= 0) return slots;
  const visit = (slot: number): boolean => {
    rank++;
    if (!test(slot)) return true;
    if (++found > first) slots.push(slot);
    return found < needed && rank < order.size;
  };
  if (descending) order.scanBackward(order.size, visit);
  else order.scan(0, visit);
  return slots;
}

const toCacheKey = ({ where, search }: Selection): string => JSON.stringify([where, search]);

const NO_COLUMNS: readonly number[] = [];

/**
 * The version of the last change that the result can depend on: a row added or removed, or a change in a field that the selection or one of
 * `moreColumns` uses. Allocates nothing, because domain rules run many small queries.
 */
function getLastChange(partition: Partition, { where, search }: Selection, moreColumns: readonly number[] = NO_COLUMNS): number {
  let since = partition.getLastChange(moreColumns);
  if (where !== undefined) for (const { field } of where) since = Math.max(since, getLastFieldChange(partition, field));
  if (search?.or !== undefined) since = Math.max(since, getLastFieldChange(partition, search.or.field));
  return search === undefined ? since : Math.max(since, partition.getLastChange(partition.layout.searchColumns));
}

function getLastFieldChange(partition: Partition, name: string): number {
  const field = partition.layout.fields.get(name);
  // A field that is kept only folded is read from the records.
  if (field?.exact === undefined) return partition.version;
  const exact = partition.getLastValueChange(field.exact);
  return field.folded === undefined ? exact : Math.max(exact, partition.getLastValueChange(field.folded));
}

/**
 * All matching slots in no particular order. Larger results are cached, so that paging finds them once; small ones are valid until the next
 * query.
 */
function getMatches(partition: Partition, selection: Selection, plans: readonly ConditionPlan[]): Uint32Array {
  const source = findSmallestSource(plans);
  if (isFew(source)) return findMatches(partition, plans, source);
  return partition.resultCache.get(toCacheKey(selection), getLastChange(partition, selection), partition.version, () =>
    findMatches(partition, plans, source),
  );
}

/** Finds all matching slots; valid until the next query. */
function findMatches(partition: Partition, plans: readonly ConditionPlan[], source: CandidateSource | undefined): Uint32Array {
  const tests = plans.filter((plan) => plan.source === undefined || plan.source !== source).map((plan) => plan.matches);
  if (source?.toArray !== undefined && tests.length === 0) return source.toArray();
  let found = matchBuffer.take(Math.min(INITIAL_MATCHES_CAPACITY, source?.size ?? partition.slotCount));
  let count = 0;
  const visit = (slot: number): void => {
    for (const test of tests) if (!test(slot)) return;
    if (count === found.length) {
      const grown = new Uint32Array(Math.max(64, count * 2));
      grown.set(found);
      found = grown;
    }
    found[count++] = slot;
  };
  if (source !== undefined) source.forEach(visit);
  else
    partition.getIndex(partition.layout.orders[0]!.name).scan(0, (slot) => {
      visit(slot);
      return true;
    });
  return found.subarray(0, count);
}

function pageMatches(
  partition: Partition,
  order: OrderedIndex,
  matches: Uint32Array,
  first: number,
  size: number,
  descending: boolean,
): number[] {
  if (first >= matches.length || size <= 0) return [];
  const needed = Math.min(matches.length, first + size);
  if (!isScanCheaper(order, matches.length, needed)) {
    const sorted = matches.slice().sort(order.compare);
    if (descending) sorted.reverse();
    return [...sorted.subarray(first, needed)];
  }
  return order.select(selectionSet.assign(matches, partition.slotCount), first, size, descending);
}

/** Compares slots with a position in the order: negative when the slot comes first. */
function createCursorComparator(
  partition: Partition,
  { orderBy }: Query,
  after: { readonly values: readonly Value[]; readonly id: string },
): (slot: number) => number {
  const { layout, columns } = partition;
  const { steps } = layout.orders.find((order) => order.name === (orderBy ?? layout.orders[0]!.name))!;
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

/** The rows in these slots. */
export function getRows<R extends Row>(partition: Partition, slots: readonly number[]): R[] {
  return slots.map((slot) => partition.getRecord(slot) as R);
}
