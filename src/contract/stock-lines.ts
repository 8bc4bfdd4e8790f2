/** Lines of a stock document. The contract gives the paths; the fields are D-12 and D-13. */
import { unitRef } from './ingredients.ts';
import { itemRef, price } from './items.ts';
import { NOTES_MAX_CHARS, NUMBER_BOUND } from './limits.ts';
import { extension, listQuery, one, operation, pageOf } from './operation.ts';
import { type AnySchema, type Infer, t } from './schema.ts';

export const DIRECTIONS = ['in', 'out'] as const;
export type Direction = (typeof DIRECTIONS)[number];

const about = <S extends AnySchema>(schema: S, description: string): S => t.about(schema, { description });

export const stockLine = t.about(
  t.object({
    id: t.uuid(),
    documentId: t.uuid(),
    lineNumber: t.int({ min: 1 }),
    itemId: t.uuid(),
    item: itemRef,
    direction: about(t.nullable(t.enums(DIRECTIONS)), 'Production: in for what is made, out for what is used up.'),
    quantity: about(t.nullable(t.number()), 'Null on counts. Signed on adjustments.'),
    countedQuantity: about(t.nullable(t.number()), 'Counts: what is there.'),
    expectedQuantity: about(t.nullable(t.number()), 'Counts: approve only while this is on hand.'),
    unitId: t.nullable(t.uuid()),
    unit: t.nullable(unitRef),
    stockQuantity: about(t.number(), "The quantity, or on counts what was counted, in the item's stock unit."),
    unitCost: about(t.nullable(t.number()), 'Per stock unit, of what comes in.'),
    orderLineId: t.nullable(t.uuid()),
    notes: t.nullable(t.string()),
    postedQuantity: about(t.nullable(t.number()), 'After approval: what the line changed at the site of the document, signed.'),
    postedUnitCost: t.nullable(t.number()),
    onHandBefore: t.nullable(t.number()),
    onHandAfter: t.nullable(t.number()),
    createdAt: t.timestamp(),
    updatedAt: t.timestamp(),
  }),
  { name: 'StockDocumentLine' },
);
export type StockLine = Infer<typeof stockLine>;

const quantity = () => t.number({ above: -NUMBER_BOUND, below: NUMBER_BOUND });
const counted = () => t.number({ min: 0, below: NUMBER_BOUND });

const lineFields = {
  direction: about(t.optional(t.nullable(t.enums(DIRECTIONS))), 'Required on production lines.'),
  quantity: about(t.optional(t.nullable(quantity())), 'Required except on counts; more than 0, on adjustments signed and not 0.'),
  countedQuantity: about(t.optional(t.nullable(counted())), 'Required on counts; 0 means that nothing is there.'),
  expectedQuantity: about(t.optional(t.nullable(counted())), 'Counts: refuse to approve when something else is on hand by then.'),
  unitId: about(
    t.optional(t.nullable(t.uuid())),
    "Default: the unit of the order line, else the item's; another one must measure the same.",
  ),
  unitCost: about(
    t.optional(t.nullable(price())),
    "Per stock unit, of what comes in by a receipt or an adjustment. Default of a receipt: the order line's price net of discount, else the item's purchase price, else the average; of an adjustment the average, else the purchase price.",
  ),
  orderLineId: about(t.optional(t.nullable(t.uuid())), 'A line of the order of the document; approving raises its fulfilled quantity.'),
  notes: t.optional(t.nullable(t.notes(NOTES_MAX_CHARS))),
};

export const stockLineDraft = t.about(t.object({ itemId: t.uuid(), ...lineFields }), { name: 'StockDocumentLineDraft' });
export type StockLineDraft = Infer<typeof stockLineDraft>;
export const stockLinePatch = t.object({ itemId: t.optional(t.uuid()), ...lineFields });
export type StockLinePatch = Infer<typeof stockLinePatch>;

const documentParams = t.object({ document_id: t.uuid() });
const lineParams = t.object({ document_id: t.uuid(), line_id: t.uuid() });
const EXAMPLE_DOCUMENT = { document_id: '0197a3c0-7f20-7d11-8c42-1b6d5e9a2f30' };
const EXAMPLE_LINE = { ...EXAMPLE_DOCUMENT, line_id: '0197a3c0-7f21-7a55-9e0b-4c8d2a6f1b73' };
const REFERENCES = ['INACTIVE_REFERENCE', 'INVALID_ITEM_TYPE', 'INVALID_STATE', 'DUPLICATE_VALUE'] as const;

export const listStockLines = operation({
  id: 'stock_documents.lines.list',
  method: 'GET',
  path: '/v1/stock-documents/{document_id}/lines',
  scope: 'inventory:read',
  summary: 'List the lines of a stock document',
  params: documentParams,
  query: t.object({
    ...listQuery(['line_number']),
    item_id: t.optional(extension(t.csv(t.uuid()), 'Only lines of these items, joined by commas.')),
  }),
  status: 200,
  result: pageOf(stockLine),
  example: { params: EXAMPLE_DOCUMENT },
});

export const addStockLine = operation({
  id: 'stock_documents.lines.create',
  method: 'POST',
  path: '/v1/stock-documents/{document_id}/lines',
  scope: 'inventory:write',
  summary: 'Add a line to a draft',
  params: documentParams,
  body: stockLineDraft,
  status: 201,
  result: one(stockLine),
  errors: [...REFERENCES, 'LIMIT_REACHED'],
  example: { params: EXAMPLE_DOCUMENT, body: { itemId: '7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e', quantity: 5 } },
});

export const updateStockLine = operation({
  id: 'stock_documents.lines.update',
  method: 'PATCH',
  path: '/v1/stock-documents/{document_id}/lines/{line_id}',
  scope: 'inventory:write',
  summary: 'Change a line of a draft',
  params: lineParams,
  body: stockLinePatch,
  status: 200,
  result: one(stockLine),
  errors: [...REFERENCES, 'PRECONDITION_FAILED'],
  example: { params: EXAMPLE_LINE, body: { quantity: 6 } },
});

export const removeStockLine = operation({
  id: 'stock_documents.lines.delete',
  method: 'DELETE',
  path: '/v1/stock-documents/{document_id}/lines/{line_id}',
  scope: 'inventory:write',
  summary: 'Remove a line from a draft',
  params: lineParams,
  status: 204,
  result: null,
  errors: ['INVALID_STATE', 'PRECONDITION_FAILED'],
  example: { params: EXAMPLE_LINE },
});

export const stockLineOperations = [listStockLines, addStockLine, updateStockLine, removeStockLine] as const;
