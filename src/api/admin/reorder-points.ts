/** Admin handler of reorder points. */
import type { stockSettingOperations } from '../../contract/admin/reorder-points.ts';
import { setReorderPoint } from '../../domain/stock/reorder-points.ts';
import { presentLevels } from '../stock-levels.ts';
import { type AdminHandlers, changeTenant } from './handler.ts';

export const stockSettingHandlers: AdminHandlers<typeof stockSettingOperations> = {
  async 'stock.reorder_point.set'(call) {
    const [level] = await changeTenant(call, async (tx, context) => presentLevels(tx, [await setReorderPoint(tx, context, call.body)]));
    return { data: level! };
  },
};
