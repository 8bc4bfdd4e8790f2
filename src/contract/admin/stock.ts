/** Settings of stock: from which quantity on an item is low at a site. D-17. */
import { NUMBER_BOUND } from '../limits.ts';
import { one, operation } from '../operation.ts';
import { t } from '../schema.ts';
import { stockLevel } from '../stock-levels.ts';
import { tenantQuery } from './common.ts';

export const reorderPoint = t.object({
  itemId: t.uuid(),
  siteId: t.uuid(),
  reorderPoint: t.about(t.nullable(t.number({ min: 0, below: NUMBER_BOUND })), {
    description: "In the item's stock unit: at this much or less the item is low. Null: it is never low.",
  }),
});

export const setReorderPoint = operation({
  id: 'stock.reorder_point.set',
  method: 'POST',
  path: '/admin/stock/reorder-points',
  scope: null,
  summary: 'Set from which quantity on an item is low at a site',
  query: tenantQuery,
  body: reorderPoint,
  status: 200,
  result: one(stockLevel),
  errors: ['INVALID_ITEM_TYPE'],
  example: {
    body: { itemId: '7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e', siteId: '0197a3c0-2222-7c33-9a51-3f2b9d6c1e70', reorderPoint: 250 },
  },
});

export const stockSettingOperations = [setReorderPoint] as const;
