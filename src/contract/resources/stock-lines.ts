/** Lines of a stock document. The contract gives the paths; the fields are D-12 and D-13. */
import { unitRef } from './ingredients.ts';
import { itemRef, price } from './items.ts';
import { NOTES_MAX_CHARS, NUMBER_BOUND } from '../limits.ts';
import { extension, listQuery, single, defineOperation, paginated } from '../operation.ts';
import { type Infer, describe, t } from '../schema/builder.ts';

export const DIRECTIONS = ['in', 'out'] as const;
export type Direction = (typeof DIRECTIONS)[number];

const COST_UNIT =
  'Per stock unit of the item, while unitPrice of an order line is per unit of that line: two dozens at unitPrice 12 are 24 pieces at unitCost 1.';

const postedValue = () => t.nullable(t.number());
const reversedValue = () => t.nullable(t.number());
const variance = () => t.nullable(t.number());

const otherLevel = t.component('StockDocumentLineOtherLevel', {
  itemId: t.uuid(),
  siteId: t.uuid(),
  postedValue: postedValue(),
  reversedValue: reversedValue(),
  postedVariance: variance(),
  reversedVariance: variance(),
});

export const stockLine = t.component('StockDocumentLine', {
  id: t.uuid(),
  documentId: t.uuid(),
  lineNumber: t.int({ min: 1 }),
  itemId: t.uuid(),
  item: itemRef,
  direction: describe(t.nullable(t.enums(DIRECTIONS)), 'Production: in for produced items, out for consumed items.'),
  quantity: describe(t.nullable(t.number()), 'Null on counts and revaluations; signed on adjustments.'),
  countedQuantity: describe(t.nullable(t.number()), 'Counts: quantity found.'),
  expectedQuantity: describe(t.nullable(t.number()), 'Counts: quantity that must be on hand at approval.'),
  unitId: t.nullable(t.uuid()),
  unit: t.nullable(unitRef),
  stockQuantity: describe(t.number(), "Quantity (on counts: counted quantity) in the item's stock unit."),
  unitCost: describe(
    t.nullable(t.number()),
    `Cost of incoming stock, or on revaluations the new cost, with up to six decimals. ${COST_UNIT}`,
  ),
  orderLineId: t.nullable(t.uuid()),
  notes: t.nullable(t.string()),
  postedQuantity: describe(t.nullable(t.number()), "After approval: signed change in stock at the document's site."),
  postedUnitCost: describe(
    t.nullable(t.number()),
    'After approval: cost per stock unit, with up to six decimals; at most 999999999.999999, while values are exact.',
  ),
  onHandBefore: t.nullable(t.number()),
  onHandAfter: t.nullable(t.number()),
  postedValue: describe(
    postedValue(),
    "After approval: signed change of the stock value of the item at the document's site, with up to six decimals. Includes the revaluation of negative stock that a receipt covers.",
  ),
  reversedValue: describe(
    reversedValue(),
    'After the reversal: signed change of the same value. It differs from −postedValue by a variance if not all of the value was left.',
  ),
  postedVariance: describe(
    variance(),
    'After approval: what the level lost to variances, negative if it gained: postedValue + postedVariance is the value at the cost of the line itself. A receipt that covers negative stock replaces its estimated cost; late components and revaluations have variances, too.',
  ),
  reversedVariance: describe(
    variance(),
    'After the reversal: the same for the reversal. What could not be taken back or returned at the original cost, because no remaining entry has such a cost. postedValue, postedVariance, reversedValue and reversedVariance add up to 0.',
  ),
  otherLevels: describe(
    t.array(otherLevel),
    'Other items and sites whose value the line changed: the destination of a transfer, and produced stock that late components revalued. The values of all lines of an item and site, posted, reversed and other, add up to its stockValue exactly.',
  ),
  createdAt: t.timestamp(),
  updatedAt: t.timestamp(),
});
export type StockLine = Infer<typeof stockLine>;

const quantity = () => t.number({ above: -NUMBER_BOUND, below: NUMBER_BOUND });
const counted = () => t.number({ min: 0, below: NUMBER_BOUND });

const lineFields = {
  direction: describe(
    t.optional(t.nullable(t.enums(DIRECTIONS))),
    'in for produced items, out for consumed items; required on production lines.',
  ),
  quantity: describe(
    t.optional(t.nullable(quantity())),
    "Quantity; required except on counts and revaluations. Must be above 0 and at least the smallest quantity of the item's unit; on adjustments it may be negative but not 0.",
  ),
  countedQuantity: describe(t.optional(t.nullable(counted())), 'Quantity found; required on counts, 0 if none was found.'),
  expectedQuantity: describe(
    t.optional(t.nullable(counted())),
    'Counts: approval fails unless this quantity is on hand. Default: what is on hand when the line is created; null: no check.',
  ),
  unitId: describe(
    t.optional(t.nullable(t.id('unit'))),
    "Unit of the same dimension as the item's. Default: the order line's unit, else the item's unit.",
  ),
  unitCost: describe(
    t.optional(t.nullable(price())),
    `On receipts, adjustments and revaluations (there the new cost, required). ${COST_UNIT} Default on receipts: the order line's price net of discount, else the item's purchase price, else the average cost; on adjustments: the average cost unless it is 0, else the purchase price.`,
  ),
  orderLineId: describe(
    t.optional(t.nullable(t.id('orderLine'))),
    "Line of the document's order; approval increases its fulfilled quantity. Default on receipts of purchase orders: the open lines of the item, in their order.",
  ),
  notes: t.optional(t.nullable(t.multiline(NOTES_MAX_CHARS))),
};

export const stockLineDraft = t.component('StockDocumentLineDraft', { itemId: t.id('item'), ...lineFields });
export type StockLineDraft = Infer<typeof stockLineDraft>;
export const stockLinePatch = t.object({ itemId: t.optional(t.id('item')), ...lineFields });
export type StockLinePatch = Infer<typeof stockLinePatch>;

const documentParams = t.object({ document_id: t.id('stockDocument') });
const lineParams = t.object({ document_id: t.id('stockDocument'), line_id: t.id('stockLine') });
const EXAMPLE_DOCUMENT = { document_id: '0197a3c0-7f20-7d11-8c42-1b6d5e9a2f30' };
const EXAMPLE_LINE = { ...EXAMPLE_DOCUMENT, line_id: '0197a3c0-7f21-7a55-9e0b-4c8d2a6f1b73' };
const REFERENCE_ERRORS = ['INACTIVE_REFERENCE', 'INVALID_ITEM_TYPE', 'INVALID_STATE', 'DUPLICATE_VALUE'] as const;

export const listStockLines = defineOperation('stock_documents.lines.list', 'GET', '/v1/stock-documents/{document_id}/lines', {
  scope: 'inventory:read',
  summary: 'List the lines of a stock document',
  params: documentParams,
  query: t.object({
    ...listQuery(['line_number']),
    item_id: t.optional(extension(t.csv(t.id('item')), 'Only lines of these items, joined by commas.')),
  }),
  result: paginated(stockLine),
  example: { params: EXAMPLE_DOCUMENT },
});

export const addStockLine = defineOperation('stock_documents.lines.create', 'POST', '/v1/stock-documents/{document_id}/lines', {
  scope: 'inventory:write',
  summary: 'Add a line to a draft',
  params: documentParams,
  body: stockLineDraft,
  status: 201,
  result: single(stockLine),
  errors: [...REFERENCE_ERRORS, 'LIMIT_REACHED'],
  example: { params: EXAMPLE_DOCUMENT, body: { itemId: '7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e', quantity: 5 } },
});

const LINE_PATH = '/v1/stock-documents/{document_id}/lines/{line_id}';

export const updateStockLine = defineOperation('stock_documents.lines.update', 'PATCH', LINE_PATH, {
  scope: 'inventory:write',
  summary: 'Update a line of a draft',
  description: 'Omitted fields are unchanged.',
  params: lineParams,
  body: stockLinePatch,
  result: single(stockLine),
  errors: [...REFERENCE_ERRORS, 'PRECONDITION_FAILED'],
  example: { params: EXAMPLE_LINE, body: { quantity: 6 } },
});

export const removeStockLine = defineOperation('stock_documents.lines.delete', 'DELETE', LINE_PATH, {
  scope: 'inventory:write',
  summary: 'Remove a line from a draft',
  params: lineParams,
  result: null,
  errors: ['INVALID_STATE', 'PRECONDITION_FAILED'],
  example: { params: EXAMPLE_LINE },
});

export const stockLineOperations = [listStockLines, addStockLine, updateStockLine, removeStockLine] as const;
