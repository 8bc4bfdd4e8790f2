/** Lines of an order. The contract gives the path; the fields are D-8. */
import { unitRef } from './ingredients.ts';
import { itemRef, price } from './items.ts';
import { DESCRIPTION_MAX_CHARS, NOTES_MAX_CHARS, NUMBER_BOUND, PERCENT_DECIMALS, REASON_MAX_CHARS } from './limits.ts';
import { listQuery, operation, pageOf } from './operation.ts';
import { type Infer, t } from './schema.ts';

/** The kinds of line each module takes; the first is the default (D-1, D-8). */
export const LINE_KINDS_OF = {
  buy: ['item'],
  sell: ['item'],
  make: ['output', 'component'],
  check: ['inspection'],
  fix: ['target', 'part', 'service'],
} as const;
export const LINE_KINDS = ['item', 'output', 'component', 'inspection', 'target', 'part', 'service'] as const;
export type LineKind = (typeof LINE_KINDS)[number];
export const INSPECTION_RESULTS = ['pending', 'pass', 'fail'] as const;
export type InspectionResult = (typeof INSPECTION_RESULTS)[number];
export const FAILED_DISPOSITIONS = ['none', 'scrap'] as const;
export type FailedDisposition = (typeof FAILED_DISPOSITIONS)[number];

const quantity = () => t.number({ above: 0, below: NUMBER_BOUND });
const percent = () => t.number({ min: 0, max: 100 });
const about = <S extends Parameters<typeof t.about>[0]>(schema: S, description: string): S => t.about(schema, { description });

export const orderLine = t.about(
  t.object({
    id: t.uuid(),
    orderId: t.uuid(),
    lineNumber: t.int({ min: 1 }),
    kind: t.enums(LINE_KINDS),
    itemId: t.nullable(t.uuid()),
    item: about(t.nullable(itemRef), 'The item as it is now; null on a service line without item.'),
    itemName: about(t.nullable(t.string()), 'The name of the item when the line was made.'),
    itemSku: about(t.nullable(t.string()), 'The SKU of the item when the line was made.'),
    description: t.string(),
    quantity: t.number(),
    unitId: t.nullable(t.uuid()),
    unit: t.nullable(unitRef),
    stockQuantity: about(t.number(), "The quantity in the item's stock unit."),
    unitPrice: t.nullable(t.number()),
    discountPercent: t.number(),
    taxPercent: t.number(),
    lineSubtotal: t.number(),
    lineDiscount: t.number(),
    lineTax: t.number(),
    lineTotal: t.number(),
    fulfilledQuantity: t.number(),
    remainingQuantity: t.number(),
    siteId: t.nullable(t.uuid()),
    notes: t.nullable(t.string()),
    createdAt: t.timestamp(),
    updatedAt: t.timestamp(),
    sourceIngredientId: about(t.optional(t.nullable(t.uuid())), 'Component lines: the ingredient the line was made from.'),
    plannedQuantity: about(
      t.optional(t.nullable(t.number())),
      'Component lines: what the ingredients of the outputs ask for, in the unit of the line.',
    ),
    isManual: about(t.optional(t.bool()), 'Component lines: the quantity was set by hand and does not follow the outputs.'),
    passedQuantity: about(t.optional(t.number()), 'Inspection lines.'),
    failedQuantity: about(t.optional(t.number()), 'Inspection lines.'),
    result: about(
      t.optional(t.enums(INSPECTION_RESULTS)),
      'Inspection lines: fail as soon as anything failed, pass when everything passed, pending otherwise.',
    ),
    failureReason: about(t.optional(t.nullable(t.string())), 'Inspection lines.'),
    failedDisposition: about(t.optional(t.enums(FAILED_DISPOSITIONS)), 'Inspection lines.'),
  }),
  { name: 'OrderLine' },
);
export type OrderLine = Infer<typeof orderLine>;

const lineFields = {
  kind: about(
    t.optional(t.enums(LINE_KINDS)),
    'Default: item, output, inspection or target, as the module has it. Fixed once the line exists.',
  ),
  itemId: about(
    t.optional(t.nullable(t.uuid())),
    'Required but on service lines. Another item starts name, SKU, description, unit and price anew.',
  ),
  description: about(t.optional(t.notes(DESCRIPTION_MAX_CHARS)), 'Default: the name of the item. Required on a service line without item.'),
  quantity: about(t.optional(quantity()), 'Required on a new line; at most as many decimals as the unit has.'),
  unitId: about(t.optional(t.nullable(t.uuid())), "Default: the item's unit; on buy orders the supplier's purchase unit."),
  unitPrice: about(
    t.optional(t.nullable(price())),
    "Per unit. Default on buy: the supplier's price, else the item's; on sell: the item's sale price.",
  ),
  discountPercent: about(t.optional(percent()), `At most ${String(PERCENT_DECIMALS)} decimals.`),
  taxPercent: about(t.optional(percent()), `At most ${String(PERCENT_DECIMALS)} decimals; added on top of the price.`),
  siteId: about(t.optional(t.nullable(t.uuid())), "Null: the order's site."),
  notes: t.optional(t.nullable(t.notes(NOTES_MAX_CHARS))),
  isManual: about(t.optional(t.bool()), 'Component lines: false lets the quantity follow the outputs again.'),
  passedQuantity: about(t.optional(t.number({ min: 0, below: NUMBER_BOUND })), 'Inspection lines.'),
  failedQuantity: about(t.optional(t.number({ min: 0, below: NUMBER_BOUND })), 'Inspection lines.'),
  failureReason: about(t.optional(t.nullable(t.notes(REASON_MAX_CHARS))), 'Inspection lines: required when something failed.'),
  failedDisposition: about(t.optional(t.enums(FAILED_DISPOSITIONS)), 'Inspection lines: what happens to the failed pieces.'),
};

export const lineDraft = t.about(t.object(lineFields), { name: 'OrderLineDraft' });
/** An element of the wanted set of lines: with `id` it changes that line, without it adds one. */
export const linePatch = t.about(t.object({ id: t.optional(t.uuid()), ...lineFields }), { name: 'OrderLinePatch' });
export type LinePatch = Infer<typeof linePatch>;

// Searching is for lists across orders; an order has at most 500 lines.
const { search: _, ...paging } = listQuery(['line_number']);

export const listOrderLines = operation({
  id: 'orders.lines.list',
  method: 'GET',
  path: '/v1/orders/{order_id}/lines',
  scope: 'orders:read',
  summary: 'List the lines of an order',
  params: t.object({ order_id: t.uuid() }),
  query: t.object(paging),
  status: 200,
  result: pageOf(orderLine),
  example: { params: { order_id: '0197a3c0-5b1e-7c33-9a51-3f2b9d6c1e70' } },
});

export const orderLineOperations = [listOrderLines] as const;
