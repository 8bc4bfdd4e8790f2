/** A reference implementation of queries with arrays, filters and sorts. Every adapter must return the same. `others` has the rows of other tables, for subqueries. */
import { foldForSearch } from '../../src/contract/search-text.ts';
import type {
  CursorQuery,
  Condition,
  PageQuery,
  Query,
  Row,
  Selection,
  Subquery,
  TableSpec,
  Value,
} from '../../src/domain/kernel/ports.ts';
import {
  compareRecords,
  compareText,
  compareValues,
  foldCase,
  foldsInOrders,
  getKey,
  createRangeComparator,
} from '../../src/store/file/index.ts';

const getField = (row: Row, name: string): unknown => (row as unknown as Record<string, unknown>)[name] ?? null;

function matchesCondition(spec: TableSpec, row: Row, condition: Condition): boolean {
  const value = getField(row, condition.field);
  const equals = (wanted: Value): boolean => (Array.isArray(value) ? value.includes(wanted) : value === wanted);
  if ('equals' in condition) return equals(condition.equals);
  if ('in' in condition) return condition.in.some(equals);
  const folds = foldsInOrders(spec, condition.field);
  return createRangeComparator(condition, folds)(getKey(row, condition.field, folds)) === 0;
}

/** Rows by table. */
export type OtherRows = Readonly<Record<string, readonly Row[]>>;

/** Returns whether a row has the text in the field. Folds the text once: folding costs far more than comparing. */
function createTextFilter(text: string): (row: Row, field: string) => boolean {
  const folded = foldForSearch(text);
  return (row, field) => {
    const value = getField(row, field);
    return typeof value === 'string' && foldForSearch(value).includes(folded);
  };
}

function findIds(others: OtherRows, { table, field, search }: Subquery): string[] {
  const contains = createTextFilter(search);
  return (others[table] ?? []).filter((row) => contains(row, field)).map(({ id }) => id);
}

/** Returns whether a row matches. Subqueries are evaluated once for all rows. */
export function createMatcher(spec: TableSpec, { where = [], search }: Selection, others: OtherRows = {}): (row: Row) => boolean {
  const meetsConditions = (row: Row): boolean => where.every((condition) => matchesCondition(spec, row, condition));
  if (search === undefined || search.text === '') return meetsConditions;
  const { text, or } = search;
  const contains = createTextFilter(text);
  const found: Condition | undefined = or && { field: or.field, in: findIds(others, or.in) };
  return (row) =>
    meetsConditions(row) &&
    ((found !== undefined && matchesCondition(spec, row, found)) || spec.search.some((field) => contains(row, field)));
}

function sortMatches(spec: TableSpec, rows: readonly Row[], query: Query, others: OtherRows): Row[] {
  const steps = spec.orders[query.orderBy ?? Object.keys(spec.orders)[0]!]!;
  const sorted = rows.filter(createMatcher(spec, query, others)).sort(compareRecords(steps));
  return query.descending ? sorted.reverse() : sorted;
}

export function listPage(spec: TableSpec, rows: readonly Row[], query: PageQuery, others: OtherRows = {}): { rows: Row[]; total: number } {
  const all = sortMatches(spec, rows, query, others);
  const { number, size } = query.page;
  return { rows: all.slice((number - 1) * size, number * size), total: all.length };
}

export function listAfter(
  spec: TableSpec,
  rows: readonly Row[],
  query: CursorQuery,
  others: OtherRows = {},
): { rows: Row[]; more: boolean } {
  const steps = spec.orders[query.orderBy ?? Object.keys(spec.orders)[0]!]!;
  const position = query.after;
  const following = sortMatches(spec, rows, query, others).filter((row) => {
    if (position === undefined) return true;
    let compared = 0;
    steps.forEach((step, at) => {
      if (compared !== 0) return;
      const value = position.values[at] ?? null;
      compared = compareValues(
        getKey(row, step.field, step.fold ?? false),
        typeof value === 'string' && step.fold ? foldCase(value) : value,
      );
      if (step.descending) compared = -compared;
    });
    compared ||= compareText(row.id, position.id);
    return query.descending ? compared < 0 : compared > 0;
  });
  return { rows: following.slice(0, query.limit), more: following.length > query.limit };
}
