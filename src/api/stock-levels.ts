/** Handlers of stock levels: stored levels first, then the computed ones of items that never moved, then those of combos. D-17. */
import type { StockLevel, listStockLevels, stockLevelOperations } from '../contract/resources/stock-levels.ts';
import type { QueryOf } from '../contract/operation.ts';
import { fromMicro } from '../domain/kernel/numbers.ts';
import type { Condition, View } from '../domain/kernel/ports.ts';
import { getDistinctIds, getRowsById } from '../domain/kernel/rows.ts';
import type { SiteRecord } from '../domain/tenancy/records.ts';
import type { UnitRecord } from '../domain/catalog/records.ts';
import type { StockLevelRecord } from '../domain/stock/records.ts';
import type { ReadTx } from '../domain/tables.ts';
import type { Handlers } from './handler.ts';
import { presentUnitRef } from './ingredients.ts';
import { whereIn, whereEquals, toPageJson, toPageQuery, toPagination } from './pagination.ts';
import { RowJson, completeRows, getViewsById, measureRowJson, measureText } from './row-json.ts';
import { listKitLevels } from './stock-kit-levels.ts';
import { findItemsWithoutRow, listZeroLevels } from './stock-zero-levels.ts';

export type LevelQuery = QueryOf<typeof listStockLevels>;

export const stockLevelHandlers: Handlers<typeof stockLevelOperations> = {
  async 'stock_levels.list'({ tx, query, caller }) {
    const { rowIds, unstoredItemIds } = await findItemsWithoutRow(tx, query);
    const { rows, total } = await tx.stockLevels.listViewPage(levelView, toPageQuery(query, toConditions(query, rowIds)));
    const from = (query.page - 1) * query.page_size;
    const room = query.page_size - rows.length;
    // Computed levels follow the stored ones in every sort order, because they have no row to sort by.
    const zeros = await listZeroLevels(tx, query, unstoredItemIds, caller.tenant.defaultSiteId, {
      from: Math.max(0, from - total),
      count: room,
    });
    const kits = await listKitLevels(tx, query, {
      from: Math.max(0, from - total - zeros.total),
      count: room - zeros.levels.length,
    });
    const texts = await addReferences(tx, [...rows, ...[...zeros.levels, ...kits.levels].map(toLevelJson)]);
    return toPageJson(texts, toPagination(query, total + zeros.total + kits.total));
  },
};

/**
 * The conditions of a list. Lists without empty levels use the `listed…` fields, which are null for those: the filter's own index skips them
 * at no cost. A list of changes includes levels that became empty, and `rowIds`, when given, are all rows to consider.
 */
function toConditions(query: LevelQuery, rowIds: readonly string[] | undefined): (Condition | undefined)[] {
  const { item_id, site_id, item_type, category_id, low_stock, below_zero, include_zero, updated_since } = query;
  const includesEmpty = include_zero || updated_since !== undefined || rowIds !== undefined;
  const toField = (field: 'siteId' | 'itemType' | 'categoryId', listedField: string) => (includesEmpty ? field : listedField);
  const hasFilter =
    site_id !== undefined || item_type !== undefined || category_id !== undefined || low_stock === true || below_zero === true;
  return [
    rowIds === undefined ? whereIn('itemId', item_id) : whereIn('id', rowIds),
    whereIn(toField('siteId', 'listedSiteId'), site_id),
    whereIn(toField('itemType', 'listedItemType'), item_type),
    whereIn(toField('categoryId', 'listedCategoryId'), category_id),
    whereEquals('isLow', low_stock),
    whereEquals('isBelowZero', below_zero),
    includesEmpty || hasFilter ? undefined : whereEquals('isIdle', false),
  ];
}

type LevelFields = Omit<StockLevel, 'site' | 'unit'>;

type LevelJson = RowJson<Pick<StockLevelRecord, 'siteId' | 'unitId'>>;

const toLevelJson = ({ unitId, ...fields }: LevelFields & { readonly unitId: string | null }): LevelJson =>
  new RowJson(JSON.stringify(fields satisfies LevelFields), { siteId: fields.siteId, unitId });

const levelView: View<StockLevelRecord, LevelJson> = {
  name: 'stockLevel',
  measure: measureRowJson,
  compute: (row) => toLevelJson(presentLevelFields(row)),
};

function presentLevelFields(row: StockLevelRecord): LevelFields & { readonly unitId: string | null } {
  const { itemId, siteId, name, sku, itemType, unitId, isLow, lastMovementAt, updatedAt } = row;
  const toWireNumber = (value: number | null) => (value === null ? null : fromMicro(value));
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
    averageCost: toWireNumber(row.averageCost),
    stockValue: fromMicro(row.stockValue),
    reorderPoint: toWireNumber(row.reorderPoint),
    isLow,
    lastMovementAt,
    updatedAt,
  };
}

/** Stored levels with their sites and units. */
export async function presentLevels(tx: ReadTx, rows: readonly StockLevelRecord[]): Promise<StockLevel[]> {
  const [sites, units] = await Promise.all([
    getRowsById(tx.sites, getDistinctIds(rows.map(({ siteId }) => siteId))),
    getRowsById(tx.units, getDistinctIds(rows.map(({ unitId }) => unitId))),
  ]);
  return rows.map((row) => {
    const { unitId, ...parts } = presentLevelFields(row);
    const unit = units.get(unitId ?? '');
    return { ...parts, site: { id: row.siteId, name: sites.get(row.siteId)?.name ?? '' }, unit: unit ? presentUnitRef(unit) : null };
  });
}

const siteRefView: View<SiteRecord, string> = {
  name: 'siteRef',
  measure: measureText,
  compute: ({ id, name }) => JSON.stringify({ id, name }),
};
const unitRefView: View<UnitRecord, string> = {
  name: 'unitRef',
  measure: measureText,
  compute: (unit) => JSON.stringify(presentUnitRef(unit)),
};

/** Appends site and unit, which may change while the level does not. */
const addReferences = (tx: ReadTx, rows: readonly LevelJson[]): Promise<readonly LevelJson[]> =>
  completeRows(rows, [tx.sites, tx.units], async (references) => {
    const [siteIds, unitIds] = [references.map(({ siteId }) => siteId), references.map(({ unitId }) => unitId)];
    const [sites, units] = await Promise.all([getViewsById(tx.sites, siteRefView, siteIds), getViewsById(tx.units, unitRefView, unitIds)]);
    return ({ siteId, unitId }) => `"site":${sites.get(siteId) ?? 'null'},"unit":${units.get(unitId) ?? 'null'}}`;
  });
