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

/** Ids need no quotes in a shell and stay valid when a record is renamed. */
function toCommand({ module, supplierId, quantity }: ReorderAdvice, { itemId, siteId }: StockLevelRecord, defaultSiteId: string): string {
  return [
    `stockroom orders create --module ${module} --status open`,
    ...(supplierId === null ? [] : [`--contact-id ${supplierId}`]),
    ...(siteId === defaultSiteId ? [] : [`--site-id ${siteId}`]),
    `--line ${itemId}:${String(quantity)}`,
  ].join(' ');
}
