/** The ledger: each change of quantity or value of an item at a site, with the balance after it. An extension. D-17. */
import { CURSOR_MAX_CHARS } from '../limits.ts';
import { defineOperation, extension, listQuery, paginated } from '../operation.ts';
import { type Infer, describe, t } from '../schema/builder.ts';
import { unitRef } from './ingredients.ts';
import { itemRef } from './items.ts';
import { DOCUMENT_TYPES } from './stock-documents.ts';

/** Why an entry changes the value without moving stock. */
export const REVALUATIONS = ['owed_stock', 'late_components', 'variance', 'reversal_variance', 'revaluation'] as const;
export type Revaluation = (typeof REVALUATIONS)[number];

export const stockMovement = t.component('StockMovement', {
  id: t.string(),
  sequence: describe(t.int({ min: 1 }), 'Grows by one with each entry of the organization, in the order of the postings.'),
  postedAt: t.timestamp(),
  type: describe(t.enums(DOCUMENT_TYPES), 'Type of the stock document.'),
  itemId: t.uuid(),
  item: itemRef,
  siteId: t.uuid(),
  site: t.object({ id: t.uuid(), name: t.string() }),
  unit: t.nullable(unitRef),
  documentId: t.uuid(),
  document: t.object({ id: t.uuid(), documentNumber: t.string() }),
  documentLineId: t.uuid(),
  orderId: t.nullable(t.uuid()),
  order: t.nullable(t.object({ id: t.uuid(), orderNumber: t.string() })),
  quantity: describe(t.number(), 'Change of the quantity on hand, in the unit of the item; 0 if only the value changed.'),
  onHandAfter: describe(t.number(), 'Quantity on hand of the item at the site after the entry.'),
  unitCost: t.number(),
  value: describe(t.number(), 'Change of the value.'),
  stockValueAfter: t.number(),
  averageCostAfter: t.nullable(t.number()),
  revaluation: describe(t.nullable(t.enums(REVALUATIONS)), 'Why the value changed without a movement; null for movements.'),
  reversalOf: describe(t.nullable(t.int({ min: 1 })), 'Sequence of the entry that this one reverses.'),
});
export type StockMovement = Infer<typeof stockMovement>;

/** The order by number, which with a cursor is the default: new entries follow all others. */
export const SEQUENCE = 'sequence';
const {
  search: _search,
  updated_since: _us,
  updated_until: _uu,
  created_since: _cs,
  created_until: _cu,
  ...parameters
} = listQuery([`-${SEQUENCE}`], SEQUENCE);

export const listStockMovements = defineOperation('stock_movements.list', 'GET', '/v1/stock-movements', {
  scope: 'inventory:read',
  extension: true,
  summary: 'List stock movements with the balance after each',
  query: t.object({
    ...parameters,
    cursor: t.optional(
      describe(
        t.string({ max: CURSOR_MAX_CHARS, pattern: '^[A-Za-z0-9_-]*$', hint: 'empty or the `nextCursor` of a page' }),
        'Instead of `page`: empty to begin with the oldest entry, then the `nextCursor` of each page.',
      ),
    ),
    item_id: t.optional(describe(t.csv(t.id('item')), 'Only these items, joined by commas.')),
    site_id: t.optional(describe(t.csv(t.id('site')), 'Only these sites, joined by commas.')),
    document_id: t.optional(describe(t.csv(t.id('stockDocument')), 'Only entries of these stock documents, joined by commas.')),
    order_id: t.optional(describe(t.csv(t.id('order')), 'Only entries of documents of these orders, joined by commas.')),
    type: t.optional(describe(t.csv(t.enums(DOCUMENT_TYPES)), 'Only entries of documents of these types, joined by commas.')),
    since: t.optional(extension(t.timestamp(), 'Only entries posted at or after this time.')),
    until: t.optional(extension(t.timestamp(), 'Only entries posted before this time.')),
  }),
  result: paginated(stockMovement),
  example: { query: { item_id: '7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e' } },
});

export const stockMovementOperations = [listStockMovements] as const;
