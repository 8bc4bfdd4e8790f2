/** Stock levels: quantities on hand, committed and incoming, per item and site. D-17. */
import { unitRef } from './ingredients.ts';
import { ITEM_TYPES, itemRef } from './items.ts';
import { extension, queryBoolean, listQuery, defineOperation, paginated } from '../operation.ts';
import { type AnySchema, type Infer, t } from '../schema/builder.ts';

const describe = <S extends AnySchema>(schema: S, description: string): S => t.annotate(schema, { description });

export const stockLevel = t.annotate(
  t.object({
    itemId: t.uuid(),
    item: itemRef,
    siteId: t.uuid(),
    site: t.object({ id: t.uuid(), name: t.string() }),
    unit: t.nullable(unitRef),
    onHand: t.number(),
    committed: describe(t.nullable(t.number()), 'Quantity committed to open orders and submitted documents.'),
    incoming: describe(t.nullable(t.number()), 'Quantity expected from open orders and submitted documents.'),
    available: describe(
      t.nullable(t.number()),
      'onHand − committed. onHand and committed are limited so that it stays between -10⁹ and 10⁹.',
    ),
    projected: describe(
      t.nullable(t.number()),
      'available + incoming. Changes after which onHand and incoming together reach 10⁹ are rejected with LIMIT_REACHED.',
    ),
    averageCost: describe(
      t.nullable(t.number()),
      'Moving average cost per stock unit; at most 999999999.999999, while stockValue is exact.',
    ),
    stockValue: t.nullable(t.number()),
    reorderPoint: t.nullable(t.number()),
    isLow: describe(t.nullable(t.bool()), 'Whether projected is at or below reorderPoint.'),
    isVirtual: describe(
      t.optional(t.bool()),
      'True for a combo: quantities are what could be assembled from the stock of its ingredients, at most 999999999.',
    ),
    lastMovementAt: t.nullable(t.timestamp()),
    updatedAt: t.nullable(t.timestamp()),
  }),
  { name: 'StockLevel' },
);
export type StockLevel = Infer<typeof stockLevel>;

const { created_since: _, ...parameters } = listQuery(['name', 'sku', 'on_hand', 'available', 'projected', 'stock_value', 'updated_at']);

export const listStockLevels = defineOperation({
  id: 'stock_levels.list',
  method: 'GET',
  path: '/v1/stock-levels',
  scope: 'inventory:read',
  summary: 'List stock levels, one row per item and site',
  query: t.object({
    ...parameters,
    item_id: t.optional(
      extension(t.csv(t.uuid()), 'Only these items, joined by commas. Combos are included only if selected by id or type.'),
    ),
    site_id: t.optional(extension(t.csv(t.uuid()), 'Only these sites, joined by commas.')),
    item_type: t.optional(extension(t.csv(t.enums(ITEM_TYPES)), 'Only these types, joined by commas.')),
    category_id: t.optional(extension(t.csv(t.uuid()), 'Only these categories, joined by commas.')),
    low_stock: t.optional(extension(queryBoolean(), 'Only rows at or below their reorder point, or only the others.')),
    below_zero: t.optional(extension(queryBoolean(), 'Only rows with a negative quantity on hand, or only the others.')),
    include_zero: t.withDefault(extension(queryBoolean(), 'Include rows where all quantities are zero and the item is not low.'), false),
  }),
  status: 200,
  result: paginated(stockLevel),
  example: { query: { low_stock: 'true' } },
});

export const stockLevelOperations = [listStockLevels] as const;
