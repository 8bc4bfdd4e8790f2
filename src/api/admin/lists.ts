/** Admin handlers of lists of the public API. */
import type { listOperations } from '../../contract/admin/lists.ts';
import { toCalendarDay } from '../../domain/kernel/context.ts';
import { listOrderPage } from '../orders.ts';
import { listLevelPage } from '../stock/stock-levels.ts';
import { type AdminHandlers, readTenant } from './handler.ts';

export const listHandlers: AdminHandlers<typeof listOperations> = {
  'orders.list.owner': (call) =>
    readTenant(call, (tx, { id, timezone }) => listOrderPage(tx, call.query, toCalendarDay(timezone, call.services.clock.now(id)))),
  'stock_levels.list.owner': (call) => readTenant(call, (tx, { defaultSiteId }) => listLevelPage(tx, call.query, defaultSiteId)),
};
