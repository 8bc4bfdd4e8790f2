/** Handlers of stock levels: stored levels first, then the computed ones of items that never moved, then those of combos. D-17. */
import type { ResultOf } from '../../contract/operation.ts';
import type { StockLevel, listStockLevels, stockLevelOperations } from '../../contract/resources/stock-levels.ts';
import { fromMicro, fromMicroOrNull } from '../../domain/kernel/numbers.ts';
import type { Condition } from '../../domain/kernel/ports.ts';
import { getReferencedRows } from '../../domain/kernel/rows.ts';
import { isShort, listShortLevelIds } from '../../domain/stock/levels.ts';
import type { StockLevelRecord } from '../../domain/stock/records.ts';
import type { ReadTx } from '../../domain/tables.ts';
import type { Handlers } from '../handler.ts';
import { presentUnitRef } from '../ingredients.ts';
import { type Range, listFromSources, listRange } from '../lists/page-sources.ts';
import { listPastLevels } from './past-stock-levels.ts';
import { whereIn, whereEquals, toPageQuery, toPagination } from '../lists/pagination.ts';
import { listLevelsAfter } from './stock-level-cursor.ts';
import { listComboLevels } from './stock-combo-levels.ts';
import type { LevelFields, LevelQuery } from './stock-level-items.ts';
import { findItemsWithoutRow, listZeroLevels } from './stock-zero-levels.ts';

export const stockLevelHandlers: Handlers<typeof stockLevelOperations> = {
  'stock_levels.list': ({ tx, query, caller }) => listLevelPage(tx, query, caller.tenant.defaultSiteId),
};

export async function listLevelPage(tx: ReadTx, query: LevelQuery, defaultSiteId: string): Promise<ResultOf<typeof listStockLevels>> {
  if (query.as_of !== undefined) {
    const { levels, pagination } = await listPastLevels(tx, query, query.as_of);
    return { data: await addReferences(tx, levels), pagination };
  }
  const { rowIds, unstoredItemIds } = await findItemsWithoutRow(tx, query);
  const shortIds = query.low_stock === true ? await listShortLevelIds(tx) : undefined;
  const storedQuery = toPageQuery(query, toConditions(query, rowIds, shortIds));
  const zeros = (range: Range) => listZeroLevels(tx, query, unstoredItemIds, defaultSiteId, range);
  const combos = (range: Range) => listComboLevels(tx, query, range);
  if (query.cursor !== undefined) {
    const { page: _, ...stored } = storedQuery;
    const found = await listLevelsAfter(tx, query, { stored, present: presentFields, computed: [zeros, combos] });
    return { data: await addReferences(tx, found.rows), pagination: found.pagination };
  }
  // Computed levels follow the stored ones in every sort order, because they have no row to sort by.
  const { rows, total } = await listFromSources<LevelFields>(query, [
    async (range) => {
      const stored = await listRange(tx.stockLevels, storedQuery, range);
      return { rows: stored.rows.map(presentFields), total: stored.total };
    },
    zeros,
    combos,
  ]);
  return { data: await addReferences(tx, rows), pagination: toPagination(query, total) };
}

/**
 * The conditions of a list. Lists without empty levels use the `listed…` fields, which are null for those: the filter's own index skips them
 * at no cost. A list of changes includes levels that became empty, and `rowIds`, when given, are all rows to consider. `shortIds`: those
 * that are short.
 */
function toConditions(
  query: LevelQuery,
  rowIds: readonly string[] | undefined,
  shortIds: readonly string[] | undefined,
): (Condition | undefined)[] {
  const { item_id, site_id, item_type, category_id, low_stock, below_zero, include_zero, updated_since } = query;
  const includesEmpty = include_zero || updated_since !== undefined || rowIds !== undefined;
  const toField = (field: 'siteId' | 'itemType' | 'categoryId', listedField: string) => (includesEmpty ? field : listedField);
  const hasFilter =
    site_id !== undefined || item_type !== undefined || category_id !== undefined || low_stock === true || below_zero === true;
  return [
    rowIds === undefined ? whereIn('itemId', item_id) : undefined,
    whereIn('id', intersect(rowIds, shortIds)),
    whereIn(toField('siteId', 'listedSiteId'), site_id),
    whereIn(toField('itemType', 'listedItemType'), item_type),
    whereIn(toField('categoryId', 'listedCategoryId'), category_id),
    ...(low_stock === false ? [whereEquals('isLow', false), { field: 'available', from: 0 }] : []),
    whereEquals('isBelowZero', below_zero),
    includesEmpty || hasFilter ? undefined : whereEquals('isIdle', false),
  ];
}

/** The ids in both; undefined stands for all. */
function intersect(a: readonly string[] | undefined, b: readonly string[] | undefined): readonly string[] | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const ids = new Set(a);
  return b.filter((id) => ids.has(id));
}

/** Stored levels with their sites and units. */
export const presentLevels = (tx: ReadTx, rows: readonly StockLevelRecord[]): Promise<StockLevel[]> =>
  addReferences(tx, rows.map(presentFields));

async function addReferences(tx: ReadTx, levels: readonly LevelFields[]): Promise<StockLevel[]> {
  const [sites, units] = await Promise.all([
    getReferencedRows(tx.sites, levels, ({ siteId }) => siteId),
    getReferencedRows(tx.units, levels, ({ unitId }) => unitId),
  ]);
  return levels.map(({ unitId, ...fields }) => {
    const site = { id: fields.siteId, name: sites.get(fields.siteId)?.name ?? '' };
    return { ...fields, site, unit: presentUnitRef(units.get(unitId ?? '')) };
  });
}

function presentFields(row: StockLevelRecord): LevelFields {
  const { itemId, siteId, name, sku, itemType, unitId, lastMovementAt, updatedAt } = row;
  return {
    itemId,
    item: { id: itemId, name, sku, itemType },
    siteId,
    unitId,
    onHand: fromMicro(row.onHand),
    committed: fromMicro(row.committed),
    incoming: fromMicro(row.incoming),
    available: fromMicro(row.available),
    projected: fromMicro(row.projected),
    averageCost: fromMicroOrNull(row.averageCost),
    stockValue: fromMicro(row.stockValue),
    reorderPoint: fromMicroOrNull(row.reorderPoint),
    isLow: isShort(row),
    lastMovementAt,
    updatedAt,
  };
}
