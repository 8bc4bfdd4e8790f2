/** Stock levels on the wire: rows of the table, and behind them what combos could be put together from it. D-17. */
import type { StockLevel, listStockLevels, stockLevelOperations } from '../contract/stock-levels.ts';
import type { QueryOf } from '../contract/operation.ts';
import { fromMicro } from '../domain/numbers.ts';
import type { Condition, View } from '../domain/ports.ts';
import type { SiteRecord, UnitRecord } from '../domain/settings.ts';
import type { StockLevelRecord } from '../domain/stock-records.ts';
import type { ReadTx } from '../domain/tables.ts';
import type { Handlers } from './call.ts';
import { presentUnitRef } from './ingredients.ts';
import { among, equal, joinPage, pageQuery, paginationOf } from './lists.ts';
import { RowText, completed } from './row-text.ts';
import { kitLevels } from './stock-kits.ts';

export type LevelQuery = QueryOf<typeof listStockLevels>;

export const stockLevelHandlers: Handlers<typeof stockLevelOperations> = {
  async 'stock_levels.list'({ tx, query }) {
    const { rows, total } = await tx.stockLevels.pageView(levelView, pageQuery(query, conditionsOf(query)));
    const from = (query.page - 1) * query.page_size;
    // ours: combos come behind what is stocked, whatever the list is sorted by, because they have no row in the table to sort.
    const kits = await kitLevels(tx, query, { from: Math.max(0, from - total), count: query.page_size - rows.length });
    const texts = await withReferences(tx, [...rows, ...kits.levels.map(levelText)]);
    return joinPage(texts, paginationOf(query, total + kits.total));
  },
};

/** Rows on which nothing is left are told apart by the index that a filter goes through, so that skipping them costs nothing. */
function conditionsOf(query: LevelQuery): (Condition | undefined)[] {
  const { item_id, site_id, item_type, category_id, low_stock, below_zero, include_zero } = query;
  const field = (plain: 'siteId' | 'itemType' | 'categoryId', listed: string) => (include_zero ? plain : listed);
  const isNarrow =
    site_id !== undefined || item_type !== undefined || category_id !== undefined || low_stock === true || below_zero === true;
  return [
    among('itemId', item_id),
    among(field('siteId', 'listedSiteId'), site_id),
    among(field('itemType', 'listedItemType'), item_type),
    among(field('categoryId', 'listedCategoryId'), category_id),
    equal('isLow', low_stock),
    equal('isBelowZero', below_zero),
    include_zero || isNarrow ? undefined : equal('isIdle', false),
  ];
}

type LevelParts = Omit<StockLevel, 'site' | 'unit'>;

type LevelText = RowText<Pick<StockLevelRecord, 'siteId' | 'unitId'>>;

const levelText = ({ unitId, ...parts }: LevelParts & { readonly unitId: string | null }): LevelText =>
  new RowText(JSON.stringify(parts satisfies LevelParts), { siteId: parts.siteId, unitId });

const levelView: View<StockLevelRecord, LevelText> = { name: 'stockLevel', of: (row) => levelText(partsOf(row)) };

function partsOf(row: StockLevelRecord): LevelParts & { readonly unitId: string | null } {
  const { itemId, siteId, name, sku, itemType, unitId, isLow, lastMovementAt, updatedAt } = row;
  const number = (value: number | null) => (value === null ? null : fromMicro(value));
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
    averageCost: number(row.averageCost),
    stockValue: fromMicro(row.stockValue),
    reorderPoint: number(row.reorderPoint),
    isLow,
    lastMovementAt,
    updatedAt,
  };
}

/** One row as a setting of the stock shows it. */
export async function presentLevel(tx: ReadTx, row: StockLevelRecord): Promise<StockLevel> {
  const { unitId, ...parts } = partsOf(row);
  const site = await tx.sites.get(row.siteId);
  const unit = unitId === null ? undefined : await tx.units.get(unitId);
  return { ...parts, site: { id: row.siteId, name: site?.name ?? '' }, unit: unit ? presentUnitRef(unit) : null };
}

const siteRefView: View<SiteRecord, string> = { name: 'siteRef', of: ({ id, name }) => JSON.stringify({ id, name }) };
const unitRefView: View<UnitRecord, string> = { name: 'unitRef', of: (unit) => JSON.stringify(presentUnitRef(unit)) };

/** Puts site and unit behind each text: they may change without the row. */
const withReferences = (tx: ReadTx, rows: readonly LevelText[]): Promise<readonly LevelText[]> =>
  completed(rows, [tx.sites, tx.units], async ({ siteId, unitId }) => {
    const site = await tx.sites.getView(siteRefView, siteId);
    const unit = unitId === null ? undefined : await tx.units.getView(unitRefView, unitId);
    return `"site":${site ?? 'null'},"unit":${unit ?? 'null'}}`;
  });
