/** Stock levels at a time in the past. The ledger knows what was on hand, not what was committed or incoming. D-17. */
import type { Pagination } from '../../contract/operation.ts';
import { invalidField } from '../../domain/kernel/errors.ts';
import { fromMicro, fromMicroOrNull } from '../../domain/kernel/numbers.ts';
import type { Value } from '../../domain/kernel/ports.ts';
import { type PastLevel, readPastLevels, readPastMovement } from '../../domain/stock/past-levels.ts';
import type { ReadTx } from '../../domain/tables.ts';
import { type ListCursor, decodeCursor, encodeCursor } from '../lists/cursor.ts';
import { compareIgnoringCase } from '../lists/in-memory-page.ts';
import { checkNoPage, toCursorPagination } from '../lists/list-page.ts';
import { type ListParameters, toPageQuery, toPagination, toUtc, whereIn } from '../lists/pagination.ts';
import type { LevelFields, LevelQuery } from './stock-level-items.ts';

/** Parameters that only the present has. */
const PRESENT_ONLY = ['low_stock', 'updated_since', 'updated_until'] as const satisfies readonly (keyof LevelQuery)[];

/** What a sort key compares; null comes last. */
interface SortKey {
  readonly types: readonly ('string' | 'number')[];
  readonly getValues: (level: PastLevel) => readonly Value[];
}

const SORT_KEYS: Readonly<Record<string, SortKey>> = {
  name: { types: ['string'], getValues: ({ row }) => [row.name] },
  sku: { types: ['string'], getValues: ({ row }) => [row.sku] },
  on_hand: { types: ['number'], getValues: ({ onHand }) => [onHand] },
  stock_value: { types: ['number'], getValues: ({ stockValue }) => [stockValue] },
  id: { types: [], getValues: () => [] },
};

export async function listPastLevels(
  tx: ReadTx,
  query: LevelQuery,
  asOf: string,
): Promise<{ readonly levels: readonly LevelFields[]; readonly pagination: Pagination }> {
  const { types, getValues } = checkQuery(query);
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
  const placed = shown.map((level): PlacedLevel => ({ level, sort, values: getValues(level), id: level.row.id })).toSorted(comparePlaces);
  const { rows, pagination } = takePage(query, placed, types);
  return { levels: await Promise.all(rows.map(({ level }) => presentPastLevel(tx, level))), pagination };
}

function checkQuery(query: LevelQuery): SortKey {
  for (const name of PRESENT_ONLY)
    if (query[name] !== undefined) throw invalidField(`/${name}`, `${name} and as_of exclude each other`, 'not_allowed', 'query');
  const key = SORT_KEYS[query.sort.replace(/^-/u, '')];
  if (key) return key;
  throw invalidField('/sort', `sort must be one of ${Object.keys(SORT_KEYS).join(', ')} with as_of`, 'not_allowed', 'query');
}

/** A level with its place in the list. */
interface PlacedLevel extends ListCursor {
  readonly level: PastLevel;
}

/** Compares by the sort key, then by id. */
function comparePlaces(a: ListCursor, b: ListCursor): number {
  const order = compareValues(a.values[0] ?? null, b.values[0] ?? null);
  return (a.sort.startsWith('-') ? -order : order) || (a.id < b.id ? -1 : Number(a.id > b.id));
}

function compareValues(a: Value, b: Value): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return typeof a === 'number' ? a - Number(b) : compareIgnoringCase(String(a), String(b));
}

/** With a cursor, the rows after its place, whose row may have left the list: filters select by the present data of items. */
function takePage(
  query: ListParameters,
  sorted: readonly PlacedLevel[],
  types: SortKey['types'],
): { rows: readonly PlacedLevel[]; pagination: Pagination } {
  const { page = 1, page_size: size, cursor, sort } = query;
  if (cursor === undefined) return { rows: sorted.slice((page - 1) * size, page * size), pagination: toPagination(query, sorted.length) };
  checkNoPage(query);
  const after = decodeCursor(cursor, sort, types);
  const rest = after === undefined ? sorted : sorted.filter((place) => comparePlaces(place, after) > 0);
  const rows = rest.slice(0, size);
  const last = rest.length > size ? rows.at(-1) : undefined;
  return { rows, pagination: toCursorPagination(query, last && encodeCursor(last)) };
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
    averageCost: fromMicroOrNull(averageCost),
    stockValue: fromMicro(level.stockValue),
    reorderPoint: null,
    isLow: null,
    lastMovementAt,
    updatedAt: lastMovementAt,
  };
}
