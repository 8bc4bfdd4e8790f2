/** Handlers of stock levels: stored levels first, then the computed levels of combos. D-17. */
import type { StockLevel, listStockLevels, stockLevelOperations } from '../contract/resources/stock-levels.ts';
import type { QueryOf } from '../contract/operation.ts';
import { fromMicro } from '../domain/kernel/numbers.ts';
import type { Condition, View } from '../domain/kernel/ports.ts';
import type { SiteRecord } from '../domain/tenancy/records.ts';
import type { UnitRecord } from '../domain/catalog/records.ts';
import type { StockLevelRecord } from '../domain/stock/records.ts';
import type { ReadTx } from '../domain/tables.ts';
import type { Handlers } from './handler.ts';
import { presentUnitRef } from './ingredients.ts';
import { whereIn, whereEquals, toPageJson, toPageQuery, toPagination } from './pagination.ts';
import { RowJson, completeRows } from './row-json.ts';
import { listKitLevels } from './stock-kit-levels.ts';

export type LevelQuery = QueryOf<typeof listStockLevels>;

export const stockLevelHandlers: Handlers<typeof stockLevelOperations> = {
  async 'stock_levels.list'({ tx, query }) {
    const { rows, total } = await tx.stockLevels.listViewPage(levelView, toPageQuery(query, toConditions(query)));
    const from = (query.page - 1) * query.page_size;
    // ours: combos follow the stored levels in every sort order, because they have no row to sort by.
    const kits = await listKitLevels(tx, query, { from: Math.max(0, from - total), count: query.page_size - rows.length });
    const texts = await addReferences(tx, [...rows, ...kits.levels.map(toLevelJson)]);
    return toPageJson(texts, toPagination(query, total + kits.total));
  },
};

/**
 * The conditions of a list. Without `include_zero` they use the `listed…` fields, which are null for empty levels: the filter's own index
 * skips those at no cost.
 */
function toConditions(query: LevelQuery): (Condition | undefined)[] {
  const { item_id, site_id, item_type, category_id, low_stock, below_zero, include_zero } = query;
  const toField = (field: 'siteId' | 'itemType' | 'categoryId', listedField: string) => (include_zero ? field : listedField);
  const hasFilter =
    site_id !== undefined || item_type !== undefined || category_id !== undefined || low_stock === true || below_zero === true;
  return [
    whereIn('itemId', item_id),
    whereIn(toField('siteId', 'listedSiteId'), site_id),
    whereIn(toField('itemType', 'listedItemType'), item_type),
    whereIn(toField('categoryId', 'listedCategoryId'), category_id),
    whereEquals('isLow', low_stock),
    whereEquals('isBelowZero', below_zero),
    include_zero || hasFilter ? undefined : whereEquals('isIdle', false),
  ];
}

type LevelFields = Omit<StockLevel, 'site' | 'unit'>;

type LevelJson = RowJson<Pick<StockLevelRecord, 'siteId' | 'unitId'>>;

const toLevelJson = ({ unitId, ...fields }: LevelFields & { readonly unitId: string | null }): LevelJson =>
  new RowJson(JSON.stringify(fields satisfies LevelFields), { siteId: fields.siteId, unitId });

const levelView: View<StockLevelRecord, LevelJson> = { name: 'stockLevel', compute: (row) => toLevelJson(presentLevelFields(row)) };

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

/** A stored level with its site and unit. */
export async function presentLevel(tx: ReadTx, row: StockLevelRecord): Promise<StockLevel> {
  const { unitId, ...parts } = presentLevelFields(row);
  const site = await tx.sites.get(row.siteId);
  const unit = unitId === null ? undefined : await tx.units.get(unitId);
  return { ...parts, site: { id: row.siteId, name: site?.name ?? '' }, unit: unit ? presentUnitRef(unit) : null };
}

const siteRefView: View<SiteRecord, string> = { name: 'siteRef', compute: ({ id, name }) => JSON.stringify({ id, name }) };
const unitRefView: View<UnitRecord, string> = { name: 'unitRef', compute: (unit) => JSON.stringify(presentUnitRef(unit)) };

/** Appends site and unit, which may change while the level does not. */
const addReferences = (tx: ReadTx, rows: readonly LevelJson[]): Promise<readonly LevelJson[]> =>
  completeRows(rows, [tx.sites, tx.units], async ({ siteId, unitId }) => {
    const site = await tx.sites.getView(siteRefView, siteId);
    const unit = unitId === null ? undefined : await tx.units.getView(unitRefView, unitId);
    return `"site":${site ?? 'null'},"unit":${unit ?? 'null'}}`;
  });
