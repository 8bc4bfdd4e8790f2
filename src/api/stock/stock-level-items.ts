/** What stored and computed stock levels have in common. Levels are computed for combos, and for items that never moved. D-17. */
import type { ItemType } from '../../contract/resources/items.ts';
import type { QueryOf } from '../../contract/operation.ts';
import type { StockLevel, listStockLevels } from '../../contract/resources/stock-levels.ts';
import type { Query } from '../../domain/kernel/ports.ts';
import { joinConditions, whereIn } from '../lists/pagination.ts';

export type LevelQuery = QueryOf<typeof listStockLevels>;

/** A level whose site and unit are not loaded yet. */
export type LevelFields = Omit<StockLevel, 'site' | 'unit'> & { readonly unitId: string | null };

/** The query for items of these types that match the filters of a list of levels, sorted by SKU if the list is, otherwise by name. */
export function toItemQuery(
  { category_id, search = '', sort }: LevelQuery,
  ids: readonly string[] | undefined,
  types: readonly ItemType[],
): Query {
  const text = search.trim();
  return {
    where: joinConditions(whereIn('itemType', types), whereIn('id', ids), whereIn('categoryId', category_id)),
    orderBy: sort.endsWith('sku') ? 'sku' : 'name',
    descending: sort === '-sku' || sort === '-name',
    ...(text === '' ? {} : { search: { text } }),
  };
}
