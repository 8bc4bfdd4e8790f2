/** Stock levels: what is on hand, promised and expected, per item and site. D-17. */
import { unitRef } from './ingredients.ts';
import { ITEM_TYPES, itemRef } from './items.ts';
import { extension, flag, listQuery, operation, pageOf } from './operation.ts';
import { type AnySchema, type Infer, t } from './schema.ts';

const about = <S extends AnySchema>(schema: S, description: string): S => t.about(schema, { description });

export const stockLevel = t.about(
  t.object({
    itemId: t.uuid(),
    item: itemRef,
    siteId: t.uuid(),
    site: t.object({ id: t.uuid(), name: t.string() }),
    unit: t.nullable(unitRef),
    onHand: t.number(),
    committed: about(t.nullable(t.number()), 'Promised to open orders and submitted documents.'),
    incoming: about(t.nullable(t.number()), 'Expected from open orders and submitted documents.'),
    available: about(t.nullable(t.number()), 'onHand − committed.'),
    projected: about(t.nullable(t.number()), 'available + incoming.'),
    averageCost: about(t.nullable(t.number()), 'Moving average per stock unit.'),
    stockValue: t.nullable(t.number()),
    reorderPoint: t.nullable(t.number()),
    isLow: about(t.nullable(t.bool()), 'projected is at or below reorderPoint.'),
    isVirtual: about(t.optional(t.bool()), 'A combo: how many could be put together from what is on hand.'),
    lastMovementAt: t.nullable(t.timestamp()),
    updatedAt: t.nullable(t.timestamp()),
  }),
  { name: 'StockLevel' },
);
export type StockLevel = Infer<typeof stockLevel>;

const { created_since: _, ...parameters } = listQuery(['name', 'sku', 'on_hand', 'available', 'projected', 'stock_value', 'updated_at']);

export const listStockLevels = operation({
  id: 'stock_levels.list',
  method: 'GET',
  path: '/v1/stock-levels',
  scope: 'inventory:read',
  summary: 'List stock levels, one row per item and site',
  query: t.object({
    ...parameters,
    item_id: t.optional(
      extension(t.csv(t.uuid()), 'Only these items, joined by commas. Combos are answered only when asked for here or by item_type.'),
    ),
    site_id: t.optional(extension(t.csv(t.uuid()), 'Only these sites, joined by commas.')),
    item_type: t.optional(extension(t.csv(t.enums(ITEM_TYPES)), 'Only these types, joined by commas.')),
    category_id: t.optional(extension(t.csv(t.uuid()), 'Only these categories, joined by commas.')),
    low_stock: t.optional(extension(flag(), 'Only rows at or below their reorder point, or only the others.')),
    below_zero: t.optional(extension(flag(), 'Only rows with less than nothing on hand, or only the others.')),
    include_zero: t.withDefault(extension(flag(), 'Also rows on which nothing is on hand, promised, expected or missing.'), false),
  }),
  status: 200,
  result: pageOf(stockLevel),
  example: { query: { low_stock: 'true' } },
});

export const stockLevelOperations = [listStockLevels] as const;
