/**
 * Answers queries about one partition. The smallest source names the candidates, the other conditions test them;
 * few hits are sorted, many are picked up by walking the order, whichever is less work. Totals are always exact.
 */
import type { AfterQuery, PageQuery, Query, Row, Selection, Value } from '../../domain/ports.ts';
import { Bits } from './bits.ts';
import { compareText, compareValues } from './compare.ts';
import { planConditions, planSearch, type Plan, type Source } from './conditions.ts';
import { fold } from './fold.ts';
import type { Order } from './ordered.ts';
import type { Partition } from './partition.ts';
import { Scratch } from './scratch.ts';

/** Measured: one comparison of two rows while sorting costs about as much as walking over this many slots. */
const COMPARISON_STEPS = 25;

/** From here on a page is taken from the whole result in order: walking to it would cost as much. */
const DEEP_ROWS = 1_000;

/** So few candidates are tested sooner than an earlier result is found: rules ask many queries that one or two rows answer. */
const FEW_ROWS = 64;

/** What a query without a result of its own begins with; there are seldom more. */
const LIKELY_ROWS = 1 << 16;

/** Of the query that runs; one does at a time. */
const matched = new Scratch();
const picked = new Bits(0);

export interface Page {
  readonly slots: readonly number[];
  readonly total: number;
}

/** The slots of a page, and how many rows match in all. */
export function pageOf(partition: Partition, query: PageQuery): Page {
  const order = orderOf(partition, query);
  const descending = query.descending ?? false;
  const first = (query.page.number - 1) * query.page.size;
  const plans = plansOf(partition, query);
  const range = onlyRange(plans, order);
  if (range !== undefined) return { slots: rangePage(order, range, first, query.page.size, descending), total: range.to - range.from };
  const single = plans.length === 1 ? plans[0]!.source : undefined;
  const isDeep = first > DEEP_ROWS;
  if (single?.exact && !isDeep && walkIsCheaper(order, single.size, first + query.page.size)) {
    return {
      slots: walkPage(order, plans[0]!.test, first, query.page.size, Math.min(single.size, first + query.page.size), descending),
      total: single.size,
    };
  }
  const isKnown = !isFew(smallest(plans)) && partition.results.has(keyOf(query), unchangedSince(partition, query));
  const hits = matchesOf(partition, query, plans);
  // Somebody is paging: put the whole result in order once, and every further page is a slice of it.
  const slots =
    isDeep || isKnown
      ? sliceOf(orderedHits(partition, query, order, hits), first, query.page.size, descending)
      : orderedPage(partition, order, hits, first, query.page.size, descending);
  return { slots, total: hits.length };
}

/** Every hit in the order, remembered. */
function orderedHits(partition: Partition, query: Query, order: Order, hits: Uint32Array): Uint32Array {
  const key = `${keyOf(query)} ${query.orderBy ?? ''}`;
  const steps = partition.layout.orders.find(({ name }) => partition.orders.get(name) === order)!.steps.map(({ column }) => column);
  return partition.results.get(key, unchangedSince(partition, query, steps), partition.version, () => {
    if (!walkIsCheaper(order, hits.length, hits.length)) return hits.slice().sort(order.compare);
    return Uint32Array.from(order.pick(picked.become(hits, partition.slots), 0, hits.length));
  });
}

function sliceOf(sorted: Uint32Array, first: number, size: number, descending: boolean): number[] {
  if (!descending) return [...sorted.subarray(first, first + size)];
  const end = Math.max(0, sorted.length - first);
  return [...sorted.subarray(Math.max(0, end - size), end)].reverse();
}

/** How many rows match. */
export function countOf(partition: Partition, selection: Selection): number {
  const plans = plansOf(partition, selection);
  if (plans.length === 0) return partition.size;
  const single = plans.length === 1 ? plans[0]!.source : undefined;
  return single?.exact ? single.size : matchesOf(partition, selection, plans).length;
}

/** The slots strictly behind a position. */
export function slotsAfter(partition: Partition, query: AfterQuery): { slots: number[]; more: boolean } {
  const order = orderOf(partition, query);
  const descending = query.descending ?? false;
  const plans = plansOf(partition, query);
  const source = smallest(plans);
  if (source?.size === 0) return { slots: [], more: false };
  const wanted = query.limit + 1;
  const compare = query.after && cursor(partition, query, query.after);
  const slots: number[] = [];
  const behind = (slot: number): boolean => compare === undefined || (descending ? compare(slot) < 0 : compare(slot) > 0);
  if (source !== undefined && source.range?.order !== order && !walkIsCheaper(order, source.size, wanted)) {
    const hits = [...matchesOf(partition, query, plans)].filter(behind).sort(order.compare);
    if (descending) hits.reverse();
    return { slots: hits.slice(0, query.limit), more: hits.length > query.limit };
  }
  const tests = plans.filter((plan) => plan.source?.range?.order !== order).map((plan) => plan.test);
  const ranges = plans.flatMap((plan) => (plan.source?.range?.order === order ? [plan.source.range] : []));
  const from = Math.max(0, ...ranges.map((range) => range.from));
  const to = Math.min(order.size, ...ranges.map((range) => range.to));
  const visit = (slot: number): boolean => {
    if (tests.every((test) => test(slot))) slots.push(slot);
    return slots.length < wanted;
  };
  if (descending) {
    const below =
      compare === undefined
        ? to
        : Math.min(
            to,
            order.rank((slot) => compare(slot) < 0),
          );
    let rest = below - from;
    if (rest > 0 && wanted > 0) order.walkBack(below, (slot) => visit(slot) && --rest > 0);
  } else {
    const start =
      compare === undefined
        ? from
        : Math.max(
            from,
            order.rank((slot) => compare(slot) <= 0),
          );
    let rest = to - start;
    if (rest > 0 && wanted > 0) order.walk(start, (slot) => visit(slot) && --rest > 0);
  }
  return { slots: slots.slice(0, query.limit), more: slots.length > query.limit };
}

function orderOf(partition: Partition, { orderBy }: Query): Order {
  const name = orderBy ?? partition.layout.orders[0]!.name;
  const order = partition.orders.get(name);
  if (order === undefined) throw new Error(`table ${partition.layout.spec.name} has no order ${name}`);
  return order;
}

function plansOf(partition: Partition, { where = [], search, orderBy }: Query): Plan[] {
  const plans = planConditions(partition, where, orderBy ?? partition.layout.orders[0]!.name);
  const searched = search && planSearch(partition, search);
  return searched ? [...plans, searched] : plans;
}

const smallest = (plans: readonly Plan[]): Source | undefined =>
  plans.reduce<Source | undefined>((least, { source }) => (source && (!least || source.size < least.size) ? source : least), undefined);

const isFew = (source: Source | undefined): source is Source => source !== undefined && source.size <= FEW_ROWS;

/** The ranks that answer the whole query, when conditions are nothing but ranges of the order itself. */
function onlyRange(plans: readonly Plan[], order: Order): { from: number; to: number } | undefined {
  let [from, to] = [0, order.size];
  for (const { source } of plans) {
    if (source?.range?.order !== order) return undefined;
    from = Math.max(from, source.range.from);
    to = Math.min(to, source.range.to);
  }
  return { from, to: Math.max(from, to) };
}

function rangePage(order: Order, { from, to }: { from: number; to: number }, first: number, size: number, descending: boolean): number[] {
  if (!descending) return order.slice(Math.min(to, from + first), Math.min(to, from + first + size));
  const end = Math.max(from, to - first);
  return order.slice(Math.max(from, end - size), end).reverse();
}

/** Whether some rows of many matches are found sooner along the order than by sorting all matches. */
function walkIsCheaper(order: Order, matches: number, needed: number): boolean {
  if (matches === 0) return false;
  const steps = Math.min(order.size, (needed * order.size) / matches);
  // Testing a slot costs a few plain steps.
  return steps * 4 < matches * (1 + Math.log2(matches) * COMPARISON_STEPS);
}

function walkPage(
  order: Order,
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
  if (descending) order.walkBack(order.size, visit);
  else order.walk(0, visit);
  return slots;
}

const keyOf = ({ where, search }: Selection): string => JSON.stringify([where, search]);

const NONE: readonly number[] = [];

/**
 * The version since which no row has come, gone, or changed in a field that the selection, or one of further columns, looks at. Makes
 * no arrays: rules ask many small queries.
 */
function unchangedSince(partition: Partition, { where, search }: Selection, more: readonly number[] = NONE): number {
  let since = partition.unchangedSince(more);
  if (where !== undefined) for (const { field } of where) since = Math.max(since, fieldUnchangedSince(partition, field));
  if (search?.or !== undefined) since = Math.max(since, fieldUnchangedSince(partition, search.or.field));
  return search === undefined ? since : Math.max(since, partition.unchangedSince(partition.layout.search));
}

function fieldUnchangedSince(partition: Partition, name: string): number {
  const field = partition.layout.fields.get(name);
  // What is known only folded is read from the records.
  if (field?.exact === undefined) return partition.version;
  const exact = partition.valuesUnchangedSince(field.exact);
  return field.folded === undefined ? exact : Math.max(exact, partition.valuesUnchangedSince(field.folded));
}

/** Every matching slot, in no particular order. Many are remembered, so that paging through a result finds it once; few are good until the next query. */
function matchesOf(partition: Partition, selection: Selection, plans: readonly Plan[]): Uint32Array {
  const source = smallest(plans);
  if (isFew(source)) return findMatches(partition, plans, source);
  return partition.results.get(keyOf(selection), unchangedSince(partition, selection), partition.version, () =>
    findMatches(partition, plans, source),
  );
}

/** The same, looked for; good until the next query. */
function findMatches(partition: Partition, plans: readonly Plan[], source: Source | undefined): Uint32Array {
  const tests = plans.filter((plan) => plan.source === undefined || plan.source !== source).map((plan) => plan.test);
  if (source?.all !== undefined && tests.length === 0) return source.all();
  let found = matched.take(Math.min(LIKELY_ROWS, source?.size ?? partition.slots));
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
  if (source !== undefined) source.each(visit);
  else
    partition.orders
      .values()
      .next()
      .value!.walk(0, (slot) => {
        visit(slot);
        return true;
      });
  return found.subarray(0, count);
}

function orderedPage(partition: Partition, order: Order, hits: Uint32Array, first: number, size: number, descending: boolean): number[] {
  if (first >= hits.length || size <= 0) return [];
  const needed = Math.min(hits.length, first + size);
  if (!walkIsCheaper(order, hits.length, needed)) {
    const sorted = hits.slice().sort(order.compare);
    if (descending) sorted.reverse();
    return [...sorted.subarray(first, needed)];
  }
  return order.pick(picked.become(hits, partition.slots), first, size, descending);
}

/** Compares a slot with a position in the order: negative when the slot comes first. */
function cursor(
  partition: Partition,
  { orderBy }: Query,
  after: { readonly values: readonly Value[]; readonly id: string },
): (slot: number) => number {
  const { layout, columns } = partition;
  const { steps } = layout.orders.find((order) => order.name === (orderBy ?? layout.orders[0]!.name))!;
  const values = steps.map(({ column }, at) => {
    const value = after.values[at] ?? null;
    return typeof value === 'string' && layout.columns[column]!.folded ? fold(value) : value;
  });
  return (slot) => {
    for (let at = 0; at < steps.length; at++) {
      const compared = compareValues(columns[steps[at]!.column]!.get(slot), values[at]!);
      if (compared !== 0) return steps[at]!.descending ? -compared : compared;
    }
    return compareText(partition.id(slot), after.id);
  };
}

/** The rows behind slots. */
export function rowsOf<R extends Row>(partition: Partition, slots: readonly number[]): R[] {
  return slots.map((slot) => partition.record(slot) as R);
}
