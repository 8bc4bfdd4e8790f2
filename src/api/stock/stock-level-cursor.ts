/** Stock levels after a cursor: stored ones, then the computed ones of items that never moved, then those of combos. D-17, D-21. */
import type { Pagination } from '../../contract/operation.ts';
import type { Query, Value } from '../../domain/kernel/ports.ts';
import type { StockLevelRecord } from '../../domain/stock/records.ts';
import { toLevelId } from '../../domain/stock/levels.ts';
import { type ReadTx, tables } from '../../domain/tables.ts';
import { type ListCursor, decodeCursor, encodeCursor } from '../lists/cursor.ts';
import { checkNoPage, getOrderValue, stepBack, toCursorPagination } from '../lists/list-page.ts';
import { ALL_ROWS, type Found, type Range } from '../lists/page-sources.ts';
import type { LevelFields, LevelQuery } from './stock-level-items.ts';

export interface LevelSources {
  /** Selects the stored levels. */
  readonly stored: Query;
  readonly present: (row: StockLevelRecord) => LevelFields;
  /** The computed levels, which are few: those of items in `item_id`, and of combos. */
  readonly computed: readonly ((range: Range) => Promise<Found<LevelFields>>)[];
}

const STORED = 0;

/** A level with its place in the list: the number of its source, the values of the order, and the id of the level. */
interface Placed {
  readonly level: LevelFields;
  readonly values: readonly Value[];
  readonly id: string;
}

/** Levels after the cursor of the query. Without `sort` each source is in the order of its ids, which no change moves. */
export async function listLevelsAfter(
  tx: ReadTx,
  query: LevelQuery,
  { stored, present, computed }: LevelSources,
): Promise<{ rows: readonly LevelFields[]; pagination: Pagination }> {
  checkNoPage(query);
  const { cursor = '', sort, page_size: size } = query;
  const fields = (tables.stockLevels.orders[stored.orderBy ?? ''] ?? []).map(({ field }) => field);
  const types = fields.map((field) => tables.stockLevels.types[field] ?? 'string');
  const after = decodeCursor(cursor, sort, ['number', ...types]);
  const [source = STORED, ...values] = after?.values ?? [];
  // One more than a page, to know whether rows follow.
  const found: Placed[] = [];
  if (source === STORED) {
    const place = after && { values, id: after.id };
    const { rows } = await tx.stockLevels.listAfter({ ...stored, limit: size + 1, ...(place && { after: place }) });
    for (const row of rows)
      found.push({ level: present(row), values: [STORED, ...fields.map((field) => getOrderValue(row, field))], id: row.id });
  }
  for (const [index, list] of computed.entries()) {
    const number = index + 1;
    if (found.length > size || number < Number(source)) continue;
    const isSame = number === source;
    const levels = (await list(ALL_ROWS)).rows.map((level) => ({
      level,
      values: [number, ...fields.map(() => null)],
      id: toLevelId(level),
    }));
    const rest = levels.filter(({ id }) => !isSame || id > (after?.id ?? '')).toSorted((a, b) => (a.id < b.id ? -1 : 1));
    found.push(...rest.slice(0, size + 1 - found.length));
  }
  const rows = found.slice(0, size);
  const last = found.length > size ? rows.at(-1) : undefined;
  const next = last && (await continueFrom(tx, { sort, ...last }, after));
  return { rows: rows.map(({ level }) => level), pagination: toCursorPagination(query, next && encodeCursor(next)) };
}

/** Changes of stored levels are repeated as those of other lists. */
async function continueFrom(tx: ReadTx, { sort, values, id }: ListCursor, start: ListCursor | undefined): Promise<ListCursor> {
  const [source = STORED, ...own] = values;
  if (source !== STORED) return { sort, values, id };
  const place = await stepBack(tx, { sort, values: own, id }, start && { ...start, values: start.values.slice(1) });
  return { ...place, values: [source, ...place.values] };
}
