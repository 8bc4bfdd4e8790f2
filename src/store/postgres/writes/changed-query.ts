/** Runs queries on the changed rows of a transaction, in memory, as the database would run them on its rows. */
import type { Condition, CursorQuery, OrderStep, Query, Row, Selection, TableSpec } from '../../../domain/kernel/ports.ts';
import { compareRecords, createRangeComparator, foldsInOrders, getKey } from '../../compare.ts';

/** The rows that match, in no particular order. The selection must not have a search. */
export function selectRows(spec: TableSpec, rows: readonly Row[], { where = [] }: Selection): Row[] {
  const tests = where.map((condition) => createTest(spec, condition));
  return rows.filter((row) => tests.every((test) => test(row)));
}

/** The rows that match, in the order of the query. */
export function sortRows(spec: TableSpec, rows: readonly Row[], query: Query): Row[] {
  const { compare } = getOrder(spec, query);
  return selectRows(spec, rows, query).sort(compare);
}

/** Rows after a position, at most `limit`; `more` is true when others follow. */
export function listRowsAfter(spec: TableSpec, rows: readonly Row[], query: CursorQuery): { readonly rows: Row[]; readonly more: boolean } {
  const { steps, compare } = getOrder(spec, query);
  const { after, limit } = query;
  const sorted = sortRows(spec, rows, query);
  const position = after && { id: after.id, ...Object.fromEntries(steps.map(({ field }, at) => [field, after.values[at] ?? null])) };
  const following = position === undefined ? sorted : sorted.filter((row) => compare(row, position) > 0);
  return { rows: following.slice(0, limit), more: following.length > limit };
}

function getOrder({ orders, name }: TableSpec, { orderBy, descending = false }: Query) {
  const steps: readonly OrderStep[] | undefined = orderBy === undefined ? Object.values(orders)[0] : orders[orderBy];
  if (steps === undefined) throw new Error(`table ${name} has no order ${String(orderBy)}`);
  const compare = compareRecords(steps);
  return { steps, compare: descending ? (a: Row, b: Row) => compare(b, a) : compare };
}

function createTest(spec: TableSpec, condition: Condition): (row: Row) => boolean {
  const { field } = condition;
  if ('equals' in condition || 'in' in condition) {
    const wanted = new Set('in' in condition ? condition.in : [condition.equals]);
    return (row) => {
      const key = getKey(row, field, false);
      return typeof key === 'object' && key !== null ? key.some((each) => wanted.has(each)) : wanted.has(key);
    };
  }
  const isFolded = foldsInOrders(spec, field);
  const compare = createRangeComparator(condition, isFolded);
  return (row) => compare(getKey(row, field, isFolded)) === 0;
}
