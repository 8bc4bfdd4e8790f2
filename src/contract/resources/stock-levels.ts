/** Stock levels: quantities on hand, committed and incoming, per item and site. D-17. */
import { unitRef } from './ingredients.ts';
import { ITEM_TYPES, itemRef } from './items.ts';
import { extension, queryBoolean, listQuery, defineOperation, paginated } from '../operation.ts';
import { type Infer, describe, t } from '../schema/builder.ts';

export const stockLevel = t.component('StockLevel', {
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
    'onHand − committed, which are limited so that it stays between -10⁹ and 10⁹. For a combo: what could be assembled from the available quantities of its ingredients, at least 0.',
  ),
  projected: describe(
    t.nullable(t.number()),
    'available + incoming. Changes after which onHand and incoming together reach 10⁹ are rejected with LIMIT_REACHED.',
  ),
  averageCost: describe(
    t.nullable(t.number()),
    'Moving average cost per stock unit, with up to six decimals; at most 999999999.999999, while stockValue is exact.',
  ),
  stockValue: describe(
    t.nullable(t.number()),
    'Exact value of the stock on hand, with up to six decimals: the sum of the values that the lines of stock documents posted and reversed.',
  ),
  reorderPoint: t.nullable(t.number()),
  isLow: describe(
    t.nullable(t.bool()),
    'Whether projected is at or below reorderPoint, or available is negative: more is committed than on hand.',
  ),
  isVirtual: describe(
    t.optional(t.bool()),
    'True for a combo: quantities are what could be assembled from the stock of its ingredients, at most 999999999.',
  ),
  lastMovementAt: t.nullable(t.timestamp()),
  updatedAt: describe(
    t.nullable(t.timestamp()),
    'For a combo the newest of its ingredients at the site. Null if neither the item nor an ingredient ever had a level there.',
  ),
});
export type StockLevel = Infer<typeof stockLevel>;

/** The order by the ids of item and site, which lists with a cursor have by default. */
export const LEVEL_IDS = 'id';
const SORTS = ['name', 'sku', 'on_hand', 'available', 'projected', 'stock_value', 'updated_at'] as const;
const { created_since: _since, created_until: _until, ...parameters } = listQuery(SORTS, LEVEL_IDS);

export const listStockLevels = defineOperation('stock_levels.list', 'GET', '/v1/stock-levels', {
  scope: 'inventory:read',
  summary: 'List stock levels, one row per item and site',
  description:
    'Rows that are not stored follow the others in every sort order: first those of items that never moved, then those of combos.',
  query: t.object({
    ...parameters,
    updated_since: t.optional(
      extension(
        t.timestamp(),
        'Only rows changed at or after this time, including those where all quantities became zero, and combos with a changed ingredient.',
      ),
    ),
    item_id: t.optional(
      extension(
        t.csv(t.id('item')),
        'Only these items, joined by commas. An item without stock has a row of zeros: at the default site if it never moved, or at the first of `site_id`. Combos are included only if selected by id or type.',
      ),
    ),
    site_id: t.optional(extension(t.csv(t.id('site')), 'Only these sites, joined by commas.')),
    item_type: t.optional(extension(t.csv(t.enums(ITEM_TYPES)), 'Only these types, joined by commas.')),
    category_id: t.optional(extension(t.csv(t.id('category')), 'Only these categories, joined by commas.')),
    low_stock: t.optional(
      extension(queryBoolean(), 'Only rows at or below their reorder point or with more committed than on hand, or only the others.'),
    ),
    below_zero: t.optional(extension(queryBoolean(), 'Only rows with a negative quantity on hand, or only the others.')),
    as_of: t.optional(
      extension(
        t.timestamp(),
        'Quantities on hand, costs and values as they were at this time; what was committed or incoming is null. Rows of combos are omitted.',
      ),
    ),
    include_zero: t.withDefault(
      extension(
        queryBoolean(),
        'Include rows where all quantities are zero and the item is not low, which are otherwise listed only by `updated_since` and, for items without other rows, by `item_id`.',
      ),
      false,
    ),
  }),
  result: paginated(stockLevel),
  example: { query: { low_stock: 'true' } },
});

export const stockLevelOperations = [listStockLevels] as const;
