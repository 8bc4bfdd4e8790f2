/** Reorder points, and what to reorder: extensions. D-17. */
import { defineOperation, listQuery, paginated } from '../operation.ts';
import { describe, t } from '../schema/builder.ts';
import { unitRef } from './ingredients.ts';
import { itemRef } from './items.ts';
import { LEVEL_IDS, stockLevel } from './stock-levels.ts';

export const REORDER_REASONS = ['low', 'oversold'] as const;
export const REORDER_MODULES = ['buy', 'make'] as const;

export const reorderPoint = t.component('ReorderPoint', {
  itemId: t.uuid(),
  item: itemRef,
  siteId: t.uuid(),
  site: t.object({ id: t.uuid(), name: t.string() }),
  unit: t.nullable(unitRef),
  reorderPoint: describe(t.number(), 'Quantity in the unit of the item at or below which the item is low at the site.'),
  projected: t.number(),
  isLow: t.bool(),
  updatedAt: t.timestamp(),
});

const { created_since: _since, created_until: _until, ...parameters } = listQuery(['name', 'sku', 'projected', 'updated_at'], LEVEL_IDS);

export const listReorderPoints = defineOperation('reorder_points.list', 'GET', '/v1/reorder-points', {
  scope: 'inventory:read',
  extension: true,
  summary: 'List reorder points, one row per item and site',
  query: t.object({
    ...parameters,
    item_id: t.optional(describe(t.csv(t.id('item')), 'Only these items, joined by commas.')),
    site_id: t.optional(describe(t.csv(t.id('site')), 'Only these sites, joined by commas.')),
  }),
  result: paginated(reorderPoint),
});

/** A row at or below its reorder point or oversold, with the order that replenishes it. */
export const reorderAdvice = t.component('ReorderAdvice', {
  ...stockLevel.properties,
  unit: describe(t.nullable(unitRef), 'Unit of `quantity`: the purchase unit of the supplier, else that of the item.'),
  stockUnit: describe(stockLevel.properties.unit, 'Unit of the quantities in stock.'),
  reason: t.enums(REORDER_REASONS),
  module: describe(t.nullable(t.enums(REORDER_MODULES)), 'Null if no order is needed or possible; `note` says why.'),
  quantity: t.nullable(t.number()),
  supplier: describe(t.nullable(t.object({ id: t.uuid(), name: t.string() })), 'The preferred supplier; null for production.'),
  drafted: describe(t.number(), 'Quantity in stock units on draft orders, which do not count as incoming and are not ordered again.'),
  note: describe(t.nullable(t.string()), 'Why no order is needed or possible, and what draft orders bring.'),
});

export const listReorderAdvice = defineOperation('reorder_advice.list', 'GET', '/v1/reorder-advice', {
  scope: 'inventory:read',
  extension: true,
  summary: 'List items to reorder, oversold ones first',
  description:
    'Rows at or below their reorder point, and rows with more committed than on hand. Each has the order that fills the stock to twice the reorder point, beyond what is incoming or on draft orders.',
  result: t.object({ data: t.array(reorderAdvice) }),
});

export const reorderOperations = [listReorderPoints, listReorderAdvice] as const;
