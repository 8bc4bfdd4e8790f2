/** Reorder points: the quantity at or below which an item is low at a site. D-17. */
import { NUMBER_BOUND } from '../limits.ts';
import { single } from '../operation.ts';
import { t } from '../schema/builder.ts';
import { stockLevel } from '../resources/stock-levels.ts';
import { defineTenantOperation } from './shared-schemas.ts';

export const reorderPoint = t.object({
  itemId: t.id('item'),
  siteId: t.id('site'),
  reorderPoint: t.annotate(t.nullable(t.number({ min: 0, below: NUMBER_BOUND })), {
    description: "Quantity in the item's stock unit at or below which the item is low; null disables the check.",
  }),
});

export const setReorderPoint = defineTenantOperation('stock.reorder_point.set', 'POST', '/admin/stock/reorder-points', {
  summary: "Set an item's reorder point at a site",
  body: reorderPoint,
  result: single(stockLevel),
  errors: ['INVALID_ITEM_TYPE'],
  example: {
    body: { itemId: '7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e', siteId: '0197a3c0-2222-7c33-9a51-3f2b9d6c1e70', reorderPoint: 250 },
  },
});

export const stockSettingOperations = [setReorderPoint] as const;
