/** Lists of the public API for the daemon's owner, who needs no key. The dashboard reads them. */
import type { Operation } from '../operation.ts';
import { listOrders } from '../resources/orders.ts';
import { listStockLevels } from '../resources/stock-levels.ts';
import { t } from '../schema/builder.ts';
import { tenantQuery } from './shared-schemas.ts';

export const listTenantOrders = {
  ...listOrders,
  id: 'orders.list.owner',
  path: '/admin/orders',
  scope: null,
  query: t.object({ ...tenantQuery.properties, ...listOrders.query.properties }),
} as const satisfies Operation;

export const listTenantLevels = {
  ...listStockLevels,
  id: 'stock_levels.list.owner',
  path: '/admin/stock/levels',
  scope: null,
  query: t.object({ ...tenantQuery.properties, ...listStockLevels.query.properties }),
} as const satisfies Operation;

export const listOperations = [listTenantOrders, listTenantLevels] as const;
