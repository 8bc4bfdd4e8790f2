/** Stock documents: what moves stock, from draft to posted. The contract gives the paths; the fields are D-12 to D-14. */
import { NOTES_MAX_CHARS, REASON_MAX_CHARS, REFERENCE_MAX_CHARS, STOCK_LINES_MAX } from './limits.ts';
import { extension, flag, listQuery, one, operation, pageOf } from './operation.ts';
import { type AnySchema, type Infer, t } from './schema.ts';
import { stockLine, stockLineDraft } from './stock-lines.ts';

export const DOCUMENT_TYPES = ['receipt', 'issue', 'transfer', 'adjustment', 'count', 'production'] as const;
export type DocumentType = (typeof DOCUMENT_TYPES)[number];
export const DOCUMENT_STATUSES = ['draft', 'submitted', 'approved', 'cancelled'] as const;
export type DocumentStatus = (typeof DOCUMENT_STATUSES)[number];
/** Why an adjustment was made (D-12). */
export const ADJUSTMENT_REASONS = ['opening', 'damaged', 'lost', 'found', 'expired', 'scrap', 'correction', 'other'] as const;
export type AdjustmentReason = (typeof ADJUSTMENT_REASONS)[number];

const about = <S extends AnySchema>(schema: S, description: string): S => t.about(schema, { description });
const named = () => t.object({ id: t.uuid(), name: t.string() });
const by = () => t.nullable(t.object({ type: t.enums(['user', 'api', 'system']), id: t.string() }));

export const stockEffect = t.about(
  t.object({
    itemId: t.uuid(),
    sku: t.nullable(t.string()),
    siteId: t.uuid(),
    quantityDelta: t.number(),
    onHandAfter: t.number(),
  }),
  { name: 'StockEffect' },
);
export type StockEffect = Infer<typeof stockEffect>;

export const stockDocument = t.about(
  t.object({
    id: t.uuid(),
    documentNumber: t.string(),
    type: t.enums(DOCUMENT_TYPES),
    status: t.enums(DOCUMENT_STATUSES),
    siteId: t.uuid(),
    site: named(),
    toSiteId: about(t.nullable(t.uuid()), 'Transfers: the destination.'),
    toSite: t.nullable(named()),
    contactId: t.nullable(t.uuid()),
    contact: t.nullable(named()),
    orderId: t.nullable(t.uuid()),
    order: t.nullable(t.object({ id: t.uuid(), orderNumber: t.string() })),
    documentDate: about(t.date(), 'Informational; posting happens at approval.'),
    reference: t.nullable(t.string()),
    reason: about(t.nullable(t.enums(ADJUSTMENT_REASONS)), 'Adjustments.'),
    notes: t.nullable(t.string()),
    lineCount: t.int({ min: 0 }),
    totalCost: about(
      t.nullable(t.number()),
      'After approval: the value that came in, went out, was moved or used up; on adjustments and counts the net change.',
    ),
    createdBy: by(),
    submittedAt: t.nullable(t.timestamp()),
    submittedBy: by(),
    approvedAt: t.nullable(t.timestamp()),
    approvedBy: by(),
    cancelledAt: t.nullable(t.timestamp()),
    cancelledBy: by(),
    cancelReason: t.nullable(t.string()),
    reversedAt: about(t.nullable(t.timestamp()), 'When an approved document was undone by mirror entries.'),
    createdAt: t.timestamp(),
    updatedAt: t.timestamp(),
    lines: about(t.optional(t.array(stockLine)), 'In replies to writes, and to GET with include=lines.'),
    stockEffects: about(t.optional(t.array(stockEffect)), 'In replies to approve and cancel: what became of the stock, per item and site.'),
  }),
  { name: 'StockDocument' },
);
export type StockDocument = Infer<typeof stockDocument>;

const headerFields = {
  siteId: about(t.optional(t.nullable(t.uuid())), "Default: the order's site, else the tenant's default site."),
  toSiteId: about(t.optional(t.nullable(t.uuid())), 'Required for a transfer, and another site than siteId.'),
  contactId: about(t.optional(t.nullable(t.uuid())), "Default: the order's contact."),
  orderId: about(t.optional(t.nullable(t.uuid())), 'The order that the lines fulfil; lines name its lines by orderLineId.'),
  documentDate: about(t.optional(t.date()), "Default: today in the tenant's time zone; at most tomorrow."),
  reference: t.optional(t.nullable(t.maybeEmpty(REFERENCE_MAX_CHARS))),
  reason: about(t.optional(t.nullable(t.enums(ADJUSTMENT_REASONS))), 'Required for an adjustment.'),
  notes: t.optional(t.nullable(t.notes(NOTES_MAX_CHARS))),
};

export const stockDocumentDraft = t.object({
  type: t.enums(DOCUMENT_TYPES),
  ...headerFields,
  lines: t.withDefault(t.array(stockLineDraft, { max: STOCK_LINES_MAX }), []),
});
export type StockDocumentDraft = Infer<typeof stockDocumentDraft>;

export const stockDocumentPatch = t.object({
  status: about(t.optional(t.enums(['draft'])), 'Recalls a submitted document.'),
  ...headerFields,
});
export type StockDocumentPatch = Infer<typeof stockDocumentPatch>;

export const stockDocumentCancel = t.object({
  reason: about(t.optional(t.nullable(t.notes(REASON_MAX_CHARS))), 'Kept as cancelReason.'),
});

const documentParams = t.object({ document_id: t.uuid() });
const EXAMPLE_ID = '0197a3c0-7f20-7d11-8c42-1b6d5e9a2f30';
const EXAMPLE = { params: { document_id: EXAMPLE_ID } };
const REFERENCES = ['INACTIVE_REFERENCE', 'INVALID_ITEM_TYPE'] as const;
const POSTING = ['INVALID_STATE', 'INSUFFICIENT_STOCK', 'LIMIT_REACHED', 'PRECONDITION_FAILED'] as const;

export const listStockDocuments = operation({
  id: 'stock_documents.list',
  method: 'GET',
  path: '/v1/stock-documents',
  scope: 'inventory:read',
  summary: 'List stock documents',
  query: t.object({
    ...listQuery(['-created_at', 'document_number', 'updated_at']),
    type: about(t.optional(t.csv(t.enums(DOCUMENT_TYPES))), 'Only these types, joined by commas.'),
    status: about(t.optional(t.csv(t.enums(DOCUMENT_STATUSES))), 'Only these statuses, joined by commas.'),
    site_id: t.optional(extension(t.csv(t.uuid()), 'Only documents that name these sites as siteId or toSiteId, joined by commas.')),
    order_id: t.optional(extension(t.csv(t.uuid()), 'Only documents of these orders, joined by commas.')),
    item_id: t.optional(extension(t.csv(t.uuid()), 'Only documents with a line of one of these items, joined by commas.')),
    date_from: t.optional(extension(t.date(), 'Only documents dated on or after this day.')),
    date_to: t.optional(extension(t.date(), 'Only documents dated on or before this day.')),
  }),
  status: 200,
  result: pageOf(stockDocument),
  example: { query: { type: 'receipt', status: 'approved' } },
});

export const createStockDocument = operation({
  id: 'stock_documents.create',
  method: 'POST',
  path: '/v1/stock-documents',
  scope: 'inventory:write',
  summary: 'Create a stock document as a draft',
  body: stockDocumentDraft,
  status: 201,
  result: one(stockDocument),
  errors: [...REFERENCES, 'INVALID_STATE', 'DUPLICATE_VALUE'],
  example: {
    body: { type: 'receipt', lines: [{ itemId: '7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e', quantity: 100, unitCost: 0.12 }] },
  },
});

export const getStockDocument = operation({
  id: 'stock_documents.get',
  method: 'GET',
  path: '/v1/stock-documents/{document_id}',
  scope: 'inventory:read',
  summary: 'Read a stock document',
  params: documentParams,
  query: t.object({ include: t.optional(extension(t.csv(t.enums(['lines'])), 'Also send the lines.')) }),
  status: 200,
  result: one(stockDocument),
  example: EXAMPLE,
});

export const updateStockDocument = operation({
  id: 'stock_documents.update',
  method: 'PATCH',
  path: '/v1/stock-documents/{document_id}',
  scope: 'inventory:write',
  summary: 'Change the head of a draft, or recall a submitted document to draft',
  params: documentParams,
  body: stockDocumentPatch,
  status: 200,
  result: one(stockDocument),
  errors: [...REFERENCES, 'INVALID_STATE', 'PRECONDITION_FAILED'],
  example: { ...EXAMPLE, body: { reference: 'Delivery note 4711' } },
});

export const deleteStockDocument = operation({
  id: 'stock_documents.delete',
  method: 'DELETE',
  path: '/v1/stock-documents/{document_id}',
  scope: 'inventory:write',
  summary: 'Delete a draft',
  params: documentParams,
  status: 204,
  result: null,
  errors: ['INVALID_STATE', 'PRECONDITION_FAILED'],
  example: EXAMPLE,
});

const dryRun = t.object({
  dry_run: t.optional(extension(flag(), 'true: answer what would happen, and change nothing.')),
});

export const submitStockDocument = operation({
  id: 'stock_documents.submit',
  method: 'POST',
  path: '/v1/stock-documents/{document_id}/submit',
  scope: 'inventory:write',
  summary: 'Submit a draft: it is announced to the stock levels, not posted',
  params: documentParams,
  query: dryRun,
  body: t.object({}),
  status: 200,
  result: one(stockDocument),
  errors: [...REFERENCES, ...POSTING],
  example: { ...EXAMPLE, body: {} },
});

export const approveStockDocument = operation({
  id: 'stock_documents.approve',
  method: 'POST',
  path: '/v1/stock-documents/{document_id}/approve',
  scope: 'inventory:write',
  summary: 'Approve a submitted document: it is posted to the ledger',
  description: 'A dry run may be asked of a draft too: it answers what submitting and approving would do.',
  params: documentParams,
  query: dryRun,
  body: t.object({}),
  status: 200,
  result: one(stockDocument),
  errors: [...POSTING, 'STALE_COUNT', 'SAME_APPROVER'],
  example: { ...EXAMPLE, body: {} },
});

export const cancelStockDocument = operation({
  id: 'stock_documents.cancel',
  method: 'POST',
  path: '/v1/stock-documents/{document_id}/cancel',
  scope: 'inventory:write',
  summary: 'Cancel a document; an approved one is reversed by mirror entries',
  params: documentParams,
  query: dryRun,
  body: stockDocumentCancel,
  status: 200,
  result: one(stockDocument),
  errors: POSTING,
  example: { ...EXAMPLE, body: { reason: 'Booked twice' } },
});

export const stockDocumentOperations = [
  listStockDocuments,
  createStockDocument,
  getStockDocument,
  updateStockDocument,
  deleteStockDocument,
  submitStockDocument,
  approveStockDocument,
  cancelStockDocument,
] as const;
