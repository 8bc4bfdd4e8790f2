/** Stock levels at a time in the past. The ledger knows what was on hand, not what was committed or incoming. D-17. */
import type { Pagination } from '../../contract/operation.ts';
import { invalidField } from '../../domain/kernel/errors.ts';
import { fromMicro } from '../../domain/kernel/numbers.ts';
import { type PastLevel, readPastLevels, readPastMovement } from '../../domain/stock/past-levels.ts';
import type { ReadTx } from '../../domain/tables.ts';
import { decodeCursor, encodeCursor } from '../lists/cursor.ts';
import { compareIgnoringCase } from '../lists/in-memory-page.ts';
import { checkNoPage, toCursorPagination } from '../lists/list-page.ts';
import { type ListParameters, toPageQuery, toPagination, toUtc, whereIn } from '../lists/pagination.ts';
import type { LevelFields, LevelQuery } from './stock-level-items.ts';

/** Parameters that only the present has. */
const PRESENT_ONLY = ['low_stock', 'updated_since', 'updated_until'] as const satisfies readonly (keyof LevelQuery)[];

/** Ascending comparators by sort key. */
const COMPARE: Readonly<Record<string, (a: PastLevel, b: PastLevel) => number>> = {
  name: (a, b) => compareIgnoringCase(a.row.name, b.row.name),
  sku: (a, b) => compareSkus(a.row.sku, b.row.sku),
  on_hand: (a, b) => a.onHand - b.onHand,
  stock_value: (a, b) => a.stockValue - b.stockValue,
  id: () => 0,
};

export async function listPastLevels(
  tx: ReadTx,
  query: LevelQuery,
  asOf: string,
): Promise<{ readonly levels: readonly LevelFields[]; readonly pagination: Pagination }> {
  const compare = checkQuery(query);
  const { item_id: itemIds, site_id: siteIds, item_type, category_id, below_zero, include_zero, sort } = query;
  const where = [
    whereIn('itemId', itemIds),
    whereIn('siteId', siteIds),
    whereIn('itemType', item_type),
    whereIn('categoryId', category_id),
  ];
  const { page: _, orderBy: _o, descending: _d, ...selection } = toPageQuery(query, where);
  const found = await readPastLevels(tx, toUtc(asOf), { ...selection, orderBy: 'id' }, { itemIds, siteIds });
  const shown = found.filter(
    ({ onHand, stockValue }) =>
      (include_zero || onHand !== 0 || stockValue !== 0) && (below_zero === undefined || onHand < 0 === below_zero),
  );
  // Ties stay in the order of their ids.
  const sorted = shown.toSorted(sort.startsWith('-') ? (a, b) => compare(b, a) : compare);
  const { rows, pagination } = takePage(query, sorted);
  return { levels: await Promise.all(rows.map((level) => presentPastLevel(tx, level))), pagination };
}

function checkQuery(query: LevelQuery): (a: PastLevel, b: PastLevel) => number {
  for (const name of PRESENT_ONLY)
    if (query[name] !== undefined) throw invalidField(`/${name}`, `${name} and as_of exclude each other`, 'not_allowed', 'query');
  const compare = COMPARE[query.sort.replace(/^-/u, '')];
  if (compare) return compare;
  throw invalidField('/sort', `sort must be one of ${Object.keys(COMPARE).join(', ')} with as_of`, 'not_allowed', 'query');
}

/** With a cursor, the rows after the one that it names: the past does not change. */
function takePage(query: ListParameters, sorted: readonly PastLevel[]): { rows: readonly PastLevel[]; pagination: Pagination } {
  const { page = 1, page_size: size, cursor, sort } = query;
  if (cursor === undefined) return { rows: sorted.slice((page - 1) * size, page * size), pagination: toPagination(query, sorted.length) };
  checkNoPage(query);
  const after = decodeCursor(cursor, sort, []);
  const start = after === undefined ? 0 : sorted.findIndex(({ row }) => row.id === after.id) + 1;
  const rows = sorted.slice(start, start + size);
  const last = start + size < sorted.length ? rows.at(-1) : undefined;
  return { rows, pagination: toCursorPagination(query, last && encodeCursor({ sort, values: [], id: last.row.id })) };
}

async function presentPastLevel(tx: ReadTx, level: PastLevel): Promise<LevelFields> {
  const { itemId, siteId, name, sku, itemType, unitId } = level.row;
  const { averageCost, lastMovementAt } = await readPastMovement(tx, level);
  return {
    itemId,
    item: { id: itemId, name, sku, itemType },
    siteId,
    unitId,
    onHand: fromMicro(level.onHand),
    committed: null,
    incoming: null,
    available: null,
    projected: null,
    averageCost: averageCost === null ? null : fromMicro(averageCost),
    stockValue: fromMicro(level.stockValue),
    reorderPoint: null,
    isLow: null,
    lastMovementAt,
    updatedAt: lastMovementAt,
  };
}

/** Items without a SKU come last. */
function compareSkus(a: string | null, b: string | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return compareIgnoringCase(a, b);
}
