/** Lines of an order. The contract gives the path; the fields are D-8. */
import { unitRef } from './ingredients.ts';
import { itemRef, price } from './items.ts';
import { DESCRIPTION_MAX_CHARS, NOTES_MAX_CHARS, NUMBER_BOUND, PERCENT_DECIMALS, REASON_MAX_CHARS } from '../limits.ts';
import { defineOperation, includeDeleted, listQuery, paginatedWithDeleted } from '../operation.ts';
import { type Infer, describe, t } from '../schema/builder.ts';

/** The line kinds that each module allows; the first is the default (D-1, D-8). */
export const LINE_KINDS_BY_MODULE = {
  buy: ['item'],
  sell: ['item'],
  make: ['output', 'component'],
  check: ['inspection'],
  fix: ['target', 'part', 'service'],
} as const;
export const LINE_KINDS = ['item', 'output', 'component', 'inspection', 'target', 'part', 'service'] as const;
export type LineKind = (typeof LINE_KINDS)[number];

/** How a line of an outstanding order counts in stock levels. */
export type StockFlow = 'committed' | 'incoming';
const STOCK_FLOWS: Readonly<Partial<Record<LineKind, StockFlow>>> = { output: 'incoming', component: 'committed', part: 'committed' };

/** How a line of this kind counts in stock levels. Null if it needs no stock and is fulfilled only by completing the order. */
export function getStockFlow(module: keyof typeof LINE_KINDS_BY_MODULE, kind: LineKind): StockFlow | null {
  if (kind === 'item') return module === 'buy' ? 'incoming' : 'committed';
  return STOCK_FLOWS[kind] ?? null;
}

export const INSPECTION_RESULTS = ['pending', 'pass', 'fail'] as const;
export type InspectionResult = (typeof INSPECTION_RESULTS)[number];
export const FAILED_DISPOSITIONS = ['none', 'scrap'] as const;
export type FailedDisposition = (typeof FAILED_DISPOSITIONS)[number];

const quantity = () => t.number({ above: 0, below: NUMBER_BOUND });
const percent = () => t.number({ min: 0, max: 100 });

const PRICE_UNIT =
  'Price per unit of the line, while unitCost of a stock document line is per stock unit of the item: two dozens at unitPrice 12 are 24 pieces at unitCost 1.';

export const orderLinePart = t.component('OrderLinePart', {
  itemId: t.uuid(),
  item: itemRef,
  requiredQuantity: t.number(),
  postedQuantity: t.number(),
  remainingQuantity: t.number(),
  returnedQuantity: t.number(),
});
export type OrderLinePart = Infer<typeof orderLinePart>;

export const orderLine = t.component('OrderLine', {
  id: t.uuid(),
  orderId: t.uuid(),
  lineNumber: t.int({ min: 1 }),
  kind: t.enums(LINE_KINDS),
  itemId: t.nullable(t.uuid()),
  item: describe(t.nullable(itemRef), 'Current data of the item; null on a service line without an item.'),
  itemName: describe(t.nullable(t.string()), 'Name of the item when the line was created.'),
  itemSku: describe(t.nullable(t.string()), 'SKU of the item when the line was created.'),
  description: t.string(),
  quantity: t.number(),
  unitId: t.nullable(t.uuid()),
  unit: t.nullable(unitRef),
  stockQuantity: describe(t.number(), "Quantity in the item's stock unit."),
  unitPrice: describe(t.nullable(t.number()), PRICE_UNIT),
  discountPercent: t.number(),
  taxPercent: t.number(),
  lineSubtotal: describe(
    t.number(),
    'quantity × unitPrice, rounded to the minor unit of the currency. A default price converted to the unit of the line is rounded for unitPrice only.',
  ),
  lineDiscount: describe(t.number(), 'Discount on lineSubtotal, rounded to the minor unit of the currency.'),
  lineTax: describe(t.number(), 'Tax on lineSubtotal − lineDiscount, rounded to the minor unit of the currency.'),
  lineTotal: describe(t.number(), 'lineSubtotal − lineDiscount + lineTax.'),
  fulfilledQuantity: t.number(),
  remainingQuantity: t.number(),
  returnedQuantity: describe(t.optional(t.number()), 'Quantity that was returned after the order was completed, if any.'),
  siteId: t.nullable(t.uuid()),
  notes: t.nullable(t.string()),
  createdAt: t.timestamp(),
  updatedAt: t.timestamp(),
  sourceIngredientId: describe(t.optional(t.nullable(t.uuid())), 'Component lines: ingredient that the line was created from.'),
  plannedQuantity: describe(
    t.optional(t.nullable(t.number())),
    "Component lines: quantity required by the outputs' ingredients, in the unit of the line. Output lines of the same item share their component lines: the quantity is for all of them, rounded up once.",
  ),
  isManual: describe(t.optional(t.bool()), 'Component lines: true if the quantity was set manually and is not derived from the outputs.'),
  passedQuantity: describe(t.optional(t.number()), 'Inspection lines: quantity that passed.'),
  failedQuantity: describe(t.optional(t.number()), 'Inspection lines: quantity that failed.'),
  result: describe(
    t.optional(t.enums(INSPECTION_RESULTS)),
    'Inspection lines: fail if any quantity failed, pass if all passed, else pending.',
  ),
  failureReason: describe(t.optional(t.nullable(t.string())), 'Inspection lines: why the quantity failed.'),
  failedDisposition: describe(t.optional(t.enums(FAILED_DISPOSITIONS)), 'Inspection lines: what happens to the failed quantity.'),
  parts: describe(
    t.optional(t.array(orderLinePart)),
    'Lines of a combo, once the order has left draft: the items that stock documents issue for the line, each in its stock unit.',
  ),
});
export type OrderLine = Infer<typeof orderLine>;

const lineFields = {
  kind: describe(
    t.optional(t.enums(LINE_KINDS)),
    'Kind of the line; cannot be changed later. Default: item, output, inspection or target, depending on the module.',
  ),
  itemId: describe(
    t.optional(t.nullable(t.id('item'))),
    'Id of the item; required except on service lines. Changing it resets name, SKU, description, unit and price.',
  ),
  description: describe(
    t.optional(t.multiline(DESCRIPTION_MAX_CHARS)),
    'Description of the line; required on a service line without an item. Default: name of the item.',
  ),
  quantity: describe(
    t.optional(quantity()),
    "Quantity in the unit of the line, with at most its decimal places; required on a new line. Must be at least the smallest quantity of the item's unit, because less would be rounded up.",
  ),
  unitId: describe(
    t.optional(t.nullable(t.id('unit'))),
    "Unit of the line. Default: the item's unit, or on buy orders the supplier's purchase unit.",
  ),
  unitPrice: describe(
    t.optional(t.nullable(price())),
    `${PRICE_UNIT} Default on buy orders: the supplier's price, else the item's purchase price; on sell orders: the item's sale price.`,
  ),
  discountPercent: describe(t.optional(percent()), `Discount in percent, with at most ${String(PERCENT_DECIMALS)} decimal places.`),
  taxPercent: describe(t.optional(percent()), `Tax in percent, added to the price; at most ${String(PERCENT_DECIMALS)} decimal places.`),
  siteId: describe(t.optional(t.nullable(t.id('site'))), "Site of the line. Without one, or with null: the order's site."),
  notes: t.optional(t.nullable(t.multiline(NOTES_MAX_CHARS))),
  isManual: describe(
    t.optional(t.bool()),
    'Component lines: false derives the quantity from the outputs again, and a line that no output needs is removed; true keeps the quantity.',
  ),
  passedQuantity: describe(t.optional(t.number({ min: 0, below: NUMBER_BOUND })), 'Inspection lines: quantity that passed.'),
  failedQuantity: describe(t.optional(t.number({ min: 0, below: NUMBER_BOUND })), 'Inspection lines: quantity that failed.'),
  failureReason: describe(t.optional(t.nullable(t.multiline(REASON_MAX_CHARS))), 'Inspection lines: required if any quantity failed.'),
  failedDisposition: describe(t.optional(t.enums(FAILED_DISPOSITIONS)), 'Inspection lines: what happens to the failed quantity.'),
};

export const lineDraft = t.component('OrderLineDraft', lineFields);
/** An element of the complete set of lines: with `id` it updates that line, without `id` it adds one. */
export const linePatch = t.component('OrderLinePatch', { id: t.optional(t.id('orderLine')), ...lineFields });
export type LinePatch = Infer<typeof linePatch>;

// No `search` (D-21): an order has at most 500 lines.
const { search: _, ...paging } = listQuery(['line_number']);

export const listOrderLines = defineOperation('orders.lines.list', 'GET', '/v1/orders/{order_id}/lines', {
  scope: 'orders:read',
  summary: 'List the lines of an order',
  params: t.object({ order_id: t.id('order') }),
  query: t.object({ ...paging, include_deleted: includeDeleted() }),
  result: paginatedWithDeleted(orderLine),
  example: { params: { order_id: '0197a3c0-5b1e-7c33-9a51-3f2b9d6c1e70' } },
});

export const orderLineOperations = [listOrderLines] as const;
