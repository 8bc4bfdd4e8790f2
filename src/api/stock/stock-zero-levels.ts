/** Rows of zeros in lists by `item_id`, which have at least one row for each item, so that a client need not interpret a missing one. D-17. */
import { ITEM_TYPES } from '../../contract/resources/items.ts';
import type { ItemRecord } from '../../domain/catalog/records.ts';
import type { Condition } from '../../domain/kernel/ports.ts';
import { parseLevelId } from '../../domain/stock/levels.ts';
import type { ReadTx } from '../../domain/tables.ts';
import { presentItemRef } from '../items.ts';
import { type Found, type Range, listRange } from '../lists/page-sources.ts';
import { joinConditions, whereEquals, whereIn } from '../lists/pagination.ts';
import { type LevelFields, type LevelQuery, toItemQuery } from './stock-level-items.ts';

/** The selected items without a row that the list would show. */
export interface ItemsWithoutRow {
  /** The ids of all rows to consider, when some items have only rows of zeros; otherwise the list needs none. */
  readonly rowIds: readonly string[] | undefined;
  /** Items that are stored at none of the selected sites. Some may be combos, or not exist. */
  readonly unstoredItemIds: readonly string[];
}

const NONE: ItemsWithoutRow = { rowIds: undefined, unstoredItemIds: [] };

/** Finds out which of the items in `item_id` need a row of zeros. A list of changes needs none. */
export async function findItemsWithoutRow(tx: ReadTx, query: LevelQuery): Promise<ItemsWithoutRow> {
  const { item_id, site_id, include_zero, updated_since } = query;
  if (item_id === undefined || updated_since !== undefined) return NONE;
  const shownOnly = include_zero ? undefined : whereEquals('isIdle', false);
  const listIds = async (itemIds: readonly string[], condition?: Condition) => {
    if (itemIds.length === 0) return [];
    const where = joinConditions(whereIn('itemId', itemIds), condition, whereIn('siteId', site_id));
    return (await tx.stockLevels.listIdsAfter({ where, limit: Number.MAX_SAFE_INTEGER })).ids;
  };
  const toItemIds = (rowIds: readonly string[]): ReadonlySet<string> => new Set(rowIds.map((id) => parseLevelId(id).itemId));
  const itemIds = [...new Set(item_id)];
  const shownRowIds = await listIds(itemIds, shownOnly);
  const shownItemIds = toItemIds(shownRowIds);
  const otherItemIds = itemIds.filter((id) => !shownItemIds.has(id));
  // With `include_zero`, all rows are shown.
  const zeroRowIds = include_zero ? [] : await listIds(otherItemIds);
  const storedItemIds = toItemIds(zeroRowIds);
  return {
    rowIds: zeroRowIds.length === 0 ? undefined : [...shownRowIds, ...zeroRowIds],
    unstoredItemIds: otherItemIds.filter((id) => !storedItemIds.has(id)),
  };
}

/** One row of zeros for each of these items: at the default site if it is selected, otherwise at the first selected site that exists. */
export async function listZeroLevels(
  tx: ReadTx,
  query: LevelQuery,
  itemIds: readonly string[],
  defaultSiteId: string,
  range: Range,
): Promise<Found<LevelFields>> {
  const { site_id, item_type = ITEM_TYPES, low_stock, below_zero, updated_until } = query;
  // What never moved did not change before any time.
  if (itemIds.length === 0 || low_stock === true || below_zero === true || updated_until !== undefined) return { rows: [], total: 0 };
  const siteId = await selectSite(tx, site_id, defaultSiteId);
  if (siteId === undefined) return { rows: [], total: 0 };
  const types = item_type.filter((type) => type !== 'combo');
  const { rows, total } = await listRange(tx.items, toItemQuery(query, itemIds, types), range);
  return { rows: rows.map((item) => presentZeroLevel(item, siteId)), total };
}

async function selectSite(tx: ReadTx, selected: readonly string[] | undefined, defaultSiteId: string): Promise<string | undefined> {
  if (selected === undefined || selected.includes(defaultSiteId)) return defaultSiteId;
  return (await tx.sites.getMany(selected)).find((site) => site !== undefined)?.id;
}

const presentZeroLevel = (item: ItemRecord, siteId: string): LevelFields => ({
  itemId: item.id,
  item: presentItemRef(item),
  siteId,
  unitId: item.unitId,
  onHand: 0,
  committed: 0,
  incoming: 0,
  available: 0,
  projected: 0,
  averageCost: null,
  stockValue: 0,
  reorderPoint: null,
  isLow: false,
  lastMovementAt: null,
  updatedAt: null,
});
