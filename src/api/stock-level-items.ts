/** The items whose stock levels are computed instead of stored: combos, and items that never moved. D-17. */
import type { ItemType } from '../contract/resources/items.ts';
import type { StockLevel } from '../contract/resources/stock-levels.ts';
import type { ItemRecord } from '../domain/catalog/records.ts';
import type { PageQuery, Query } from '../domain/kernel/ports.ts';
import type { ReadTx } from '../domain/tables.ts';
import { whereIn } from './pagination.ts';
import type { LevelQuery } from './stock-levels.ts';

/** The fields of a level, without those that are appended from other tables. */
export type ComputedLevel = Omit<StockLevel, 'site' | 'unit'> & { readonly unitId: string | null };

/** Which of all computed levels belong to the page. */
export interface LevelRange {
  readonly from: number;
  readonly count: number;
}

/** `levels` are those of the range, `total` counts all. */
export interface ComputedLevels {
  readonly levels: readonly ComputedLevel[];
  readonly total: number;
}

/** The query for items of these types that match the filters of a list of levels, sorted by SKU if the list is, otherwise by name. */
export function toItemQuery(
  { category_id, search = '', sort }: LevelQuery,
  ids: readonly string[] | undefined,
  types: readonly ItemType[],
): Query {
  const where = [whereIn('itemType', types), whereIn('id', ids), whereIn('categoryId', category_id)].filter(
    (condition) => condition !== undefined,
  );
  const text = search.trim();
  return {
    where,
    orderBy: sort.endsWith('sku') ? 'sku' : 'name',
    descending: sort === '-sku' || sort === '-name',
    ...(text === '' ? {} : { search: { text } }),
  };
}

/** The items at indexes [from, to) of the query. At most two pages of that length contain them. */
export async function listItemsInRange(tx: ReadTx, items: Query, from: number, to: number): Promise<ItemRecord[]> {
  const size = to - from;
  const pageNumber = Math.floor(from / size) + 1;
  const readPage = async (page: number) => (await tx.items.listPage({ ...items, page: { number: page, size } } satisfies PageQuery)).rows;
  const start = from - (pageNumber - 1) * size;
  const rows = await readPage(pageNumber);
  return (start === 0 ? rows : [...rows, ...(await readPage(pageNumber + 1))]).slice(start, start + size);
}
