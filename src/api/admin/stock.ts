import type { stockSettingOperations } from '../../contract/admin/stock.ts';
import { setReorderPoint } from '../../domain/stock-reorder.ts';
import { presentLevel } from '../stock-levels.ts';
import { type AdminHandlers, change } from './call.ts';

export const stockSettingHandlers: AdminHandlers<typeof stockSettingOperations> = {
  async 'stock.reorder_point.set'(call) {
    return { data: await change(call, async (tx, context) => presentLevel(tx, await setReorderPoint(tx, context, call.body))) };
  },
};
