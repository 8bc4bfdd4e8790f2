/** Admin handler of items to reorder. */
import type { stockReorderOperations } from '../../contract/admin/stock-reorder.ts';
import { REORDER_MAX_ROWS } from '../../contract/limits.ts';
import { type ReorderAdvice, adviseReorder, listLevelsToReorder } from '../../domain/stock/reorder-advice.ts';
import type { StockLevelRecord } from '../../domain/stock/records.ts';
import { presentLevel } from '../stock-levels.ts';
import { type AdminHandlers, readTenant } from './handler.ts';

export const stockReorderHandlers: AdminHandlers<typeof stockReorderOperations> = {
  async 'stock.reorder'(call) {
    const data = await readTenant(call, async (tx, tenant) => {
      const levels = await listLevelsToReorder(tx, REORDER_MAX_ROWS);
      const rows = [];
      for (const level of levels) {
        const advice = await adviseReorder(tx, level);
        const command = advice && toCommand(advice, level, tenant.defaultSiteId);
        rows.push({ ...(await presentLevel(tx, level)), command });
      }
      return rows;
    });
    return { data };
  },
};

/** An SKU that a shell and `--line` take as it is. */
const PLAIN_SKU = /^[\w.-]+$/u;

/** Contacts and sites by id, because several may have the same name. */
function toCommand(
  { module, supplierId, quantity }: ReorderAdvice,
  { itemId, sku, siteId }: StockLevelRecord,
  defaultSiteId: string,
): string {
  const item = sku !== null && PLAIN_SKU.test(sku) ? sku : itemId;
  return [
    `stockroom orders create --module ${module} --status open`,
    ...(supplierId === null ? [] : [`--contact-id ${supplierId}`]),
    ...(siteId === defaultSiteId ? [] : [`--site-id ${siteId}`]),
    `--line ${item}:${String(quantity)}`,
  ].join(' ');
}
