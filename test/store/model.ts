/** The plainest store that is right: arrays, filters and sorts. What an adapter answers must be what this answers. */
import type { AfterQuery, Condition, PageQuery, Query, Row, Selection, TableSpec, Value } from '../../src/domain/ports.ts';
import { compareRecords, compareText, compareValues, fold, foldsInOrders, keyOf, spanOf } from '../../src/store/file/index.ts';

const field = (row: Row, name: string): unknown => (row as unknown as Record<string, unknown>)[name] ?? null;

function matchesCondition(spec: TableSpec, row: Row, condition: Condition): boolean {
  const value = field(row, condition.field);
  const equals = (wanted: Value): boolean => (Array.isArray(value) ? value.includes(wanted) : value === wanted);
  if ('equals' in condition) return equals(condition.equals);
  if ('in' in condition) return condition.in.some(equals);
  const folds = foldsInOrders(spec, condition.field);
  return spanOf(condition, folds)(keyOf(row, condition.field, folds)) === 0;
}

export function matches(spec: TableSpec, row: Row, { where = [], search }: Selection): boolean {
  if (!where.every((condition) => matchesCondition(spec, row, condition))) return false;
  if (search === undefined || search.text === '') return true;
  const { text, or } = search;
  if (or && matchesCondition(spec, row, { field: or.field, in: or.in })) return true;
  return spec.search.some((name) => {
    const value = field(row, name);
    return typeof value === 'string' && fold(value).includes(fold(text));
  });
}

function ordered(spec: TableSpec, rows: readonly Row[], query: Query): Row[] {
  const steps = spec.orders[query.orderBy ?? Object.keys(spec.orders)[0]!]!;
  const sorted = rows.filter((row) => matches(spec, row, query)).sort(compareRecords(steps));
  return query.descending ? sorted.reverse() : sorted;
}

export function page(spec: TableSpec, rows: readonly Row[], query: PageQuery): { rows: Row[]; total: number } {
  const all = ordered(spec, rows, query);
  const { number, size } = query.page;
  return { rows: all.slice((number - 1) * size, number * size), total: all.length };
}

export function after(spec: TableSpec, rows: readonly Row[], query: AfterQuery): { rows: Row[]; more: boolean } {
  const steps = spec.orders[query.orderBy ?? Object.keys(spec.orders)[0]!]!;
  const position = query.after;
  const behind = ordered(spec, rows, query).filter((row) => {
    if (position === undefined) return true;
    let compared = 0;
    steps.forEach((step, at) => {
      if (compared !== 0) return;
      const value = position.values[at] ?? null;
      compared = compareValues(keyOf(row, step.field, step.fold ?? false), typeof value === 'string' && step.fold ? fold(value) : value);
      if (step.descending) compared = -compared;
    });
    compared ||= compareText(row.id, position.id);
    return query.descending ? compared < 0 : compared > 0;
  });
  return { rows: behind.slice(0, query.limit), more: behind.length > query.limit };
}
