/** Handlers of reorder points, and of what to reorder. D-17. */
import type { reorderOperations } from '../../contract/resources/reorder.ts';
import type { ResultOf } from '../../contract/operation.ts';
import type { StockLevel } from '../../contract/resources/stock-levels.ts';
import { type Reorder, listReorders } from '../../domain/fulfilment/reorders.ts';
import { fromMicro } from '../../domain/kernel/numbers.ts';
import { getReferencedRows } from '../../domain/kernel/rows.ts';
import { getNeededQuantity } from '../../domain/stock/reorder-advice.ts';
import type { ReadTx } from '../../domain/tables.ts';
import type { Handlers } from '../handler.ts';
import { presentUnitRef } from '../ingredients.ts';
import { listPage } from '../lists/list-page.ts';
import { toPageQuery, whereIn } from '../lists/pagination.ts';
import { presentLevels } from './stock-levels.ts';

export const reorderHandlers: Handlers<typeof reorderOperations> = {
  async 'reorder_points.list'({ tx, query }) {
    const where = [whereIn('itemId', query.item_id), whereIn('siteId', query.site_id), { field: 'reorderPoint', from: 0 }];
    const { rows, pagination } = await listPage(tx, 'stockLevels', query, toPageQuery(query, where));
    return { data: (await presentLevels(tx, rows)).flatMap(presentReorderPoint), pagination };
  },
  async 'reorder_advice.list'({ tx, caller }) {
    return { data: (await listReorderRows(tx, caller.tenant.defaultSiteId)).map(({ row }) => row) };
  },
};

type ReorderPoint = ResultOf<(typeof reorderOperations)[0]>['data'][number];
export type ReorderRow = ResultOf<(typeof reorderOperations)[1]>['data'][number];

function presentReorderPoint(level: StockLevel): ReorderPoint[] {
  const { itemId, item, siteId, site, unit, reorderPoint, projected, isLow, updatedAt } = level;
  // Only computed levels have none of these.
  if (reorderPoint === null || projected === null || isLow === null || updatedAt === null) return [];
  return [{ itemId, item, siteId, site, unit, reorderPoint, projected, isLow, updatedAt }];
}

/** What to reorder, each with its row in responses. */
export async function listReorderRows(
  tx: ReadTx,
  defaultSiteId: string,
): Promise<readonly { readonly reorder: Reorder; readonly row: ReorderRow }[]> {
  const reorders = await listReorders(tx, defaultSiteId);
  const [levels, suppliers, units] = await Promise.all([
    presentLevels(
      tx,
      reorders.map(({ level }) => level),
    ),
    getReferencedRows(tx.contacts, reorders, ({ advice }) => advice?.supplierId),
    getReferencedRows(tx.units, reorders, ({ advice }) => advice?.unitId),
  ]);
  return reorders.map((reorder, at) => {
    const { advice } = reorder;
    const level = levels[at]!;
    const supplier = suppliers.get(advice?.supplierId ?? '');
    const row: ReorderRow = {
      ...level,
      stockUnit: level.unit,
      unit: presentUnitRef(units.get(advice?.unitId ?? '')) ?? level.unit,
      reason: reorder.level.available < 0 ? 'oversold' : 'low',
      module: advice?.module ?? null,
      quantity: advice?.quantity ?? null,
      supplier: supplier ? { id: supplier.id, name: supplier.name } : null,
      drafted: fromMicro(reorder.drafted),
      note: advice ? describeDrafts(reorder, level.unit) : explainNoOrder(reorder, level),
    };
    return { reorder, row };
  });
}

function explainNoOrder(reorder: Reorder, { unit }: StockLevel): string {
  const { level, drafted, incoming } = reorder;
  const drafts = describeDrafts(reorder, unit);
  if (getNeededQuantity(level, drafted) > 0) return ['no supplier or ingredients', ...(drafts === null ? [] : [drafts])].join('; ');
  if (getNeededQuantity(level) > 0 && drafts !== null) return drafts;
  const numbers = incoming.map(({ orderNumber }) => orderNumber).join(', ');
  return numbers === '' ? 'incoming stock is enough' : `incoming with ${numbers}`;
}

function describeDrafts({ drafts, drafted }: Reorder, unit: StockLevel['unit']): string | null {
  if (drafts.length === 0) return null;
  const numbers = drafts.map(({ orderNumber }) => orderNumber).join(', ');
  return `${String(fromMicro(drafted))}${unit ? ` ${unit.symbol}` : ''} on draft ${drafts.length === 1 ? 'order' : 'orders'} ${numbers}`;
}
