/** Admin handler of reorder points. */
import type { stockSettingOperations } from '../../contract/admin/reorder-points.ts';
import { setReorderPoint } from '../../domain/stock/reorder-points.ts';
import { presentLevels } from '../stock/stock-levels.ts';
import { type AdminHandlers, writeTenant } from './handler.ts';

export const stockSettingHandlers: AdminHandlers<typeof stockSettingOperations> = {
  async 'stock.reorder_point.set'(call) {
    return writeTenant(call, async (tx, context) => {
      const [level] = await presentLevels(tx, [await setReorderPoint(tx, context, call.body)]);
      return { data: level! };
    });
  },
};
