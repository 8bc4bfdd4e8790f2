/** Stock documents: records that change stock when they are posted. The contract gives the paths; the fields are D-12 to D-14. */
import { NOTES_MAX_CHARS, REASON_MAX_CHARS, REFERENCE_MAX_CHARS, STOCK_LINES_MAX, ORDER_NUMBER_MAX_CHARS } from '../limits.ts';
import { externalFields, externalIdFilter, returnedExternalFields } from '../external-fields.ts';
import {
  extension,
  idsFilter,
  includeDeleted,
  paginatedWithDeleted,
  listQuery,
  single,
  defineOperation,
  queryBoolean,
} from '../operation.ts';
import { type Infer, describe, t } from '../schema/builder.ts';
import { dryRun, stockEffectWithUnit } from './stock-effects.ts';
import { stockLine, stockLineDraft } from './stock-lines.ts';

export const DOCUMENT_TYPES = ['receipt', 'issue', 'transfer', 'adjustment', 'count', 'production', 'revaluation'] as const;
export type DocumentType = (typeof DOCUMENT_TYPES)[number];
export const DOCUMENT_STATUSES = ['draft', 'submitted', 'approved', 'cancelled'] as const;
export type DocumentStatus = (typeof DOCUMENT_STATUSES)[number];
/** Reasons for an adjustment or a revaluation (D-12). */
export const ADJUSTMENT_REASONS = ['opening', 'damaged', 'lost', 'found', 'expired', 'scrap', 'correction', 'other'] as const;
export type AdjustmentReason = (typeof ADJUSTMENT_REASONS)[number];

const DOCUMENT_TYPE_DESCRIPTION =
  'Type of the document. revaluation is an extension: it sets the unit cost of stock on hand without moving it, and has a reason. The difference is a variance.';
const reference = () => t.object({ id: t.uuid(), name: t.string() });
const actor = () => t.nullable(t.object({ type: t.enums(['user', 'api', 'system']), id: t.string() }));

export const stockDocument = t.component('StockDocument', {
  id: t.uuid(),
  documentNumber: t.string(),
  type: describe(t.extendedEnums(DOCUMENT_TYPES, ['revaluation']), DOCUMENT_TYPE_DESCRIPTION),
  status: t.enums(DOCUMENT_STATUSES),
  siteId: t.uuid(),
  site: reference(),
  toSiteId: describe(t.nullable(t.uuid()), 'Transfers: destination site.'),
  toSite: t.nullable(reference()),
  contactId: t.nullable(t.uuid()),
  contact: t.nullable(reference()),
  orderId: t.nullable(t.uuid()),
  order: t.nullable(t.object({ id: t.uuid(), orderNumber: t.string() })),
  returnOf: describe(t.optional(t.id('order')), 'Returns only: completed order whose goods come back or go back.'),
  documentDate: describe(t.date(), 'Informational; stock is posted at approval.'),
  reference: t.nullable(t.string()),
  reason: describe(t.nullable(t.enums(ADJUSTMENT_REASONS)), 'Adjustments and revaluations: why the stock or its value changes.'),
  notes: t.nullable(t.string()),
  lineCount: t.int({ min: 0 }),
  totalCost: describe(
    t.nullable(t.number()),
    "After approval: the value received, issued, transferred or consumed; on adjustments, counts and revaluations the net change. The exact total, rounded to the minor unit of the tenant's currency.",
  ),
  totalVariance: describe(
    t.nullable(t.number()),
    'The value that the posting and the reversal lost to variances, negative if they gained some: the exact sum over the lines, with up to six decimals. 0 before approval; null if an earlier release posted the document.',
  ),
  createdBy: actor(),
  submittedAt: t.nullable(t.timestamp()),
  submittedBy: actor(),
  approvedAt: describe(t.nullable(t.timestamp()), 'When stock was posted; kept when the document is reversed.'),
  approvedBy: actor(),
  cancelledAt: t.nullable(t.timestamp()),
  cancelledBy: actor(),
  cancelReason: t.nullable(t.string()),
  reversedAt: describe(t.nullable(t.timestamp()), 'When the approved document was reversed: the date of the reversal in stock.'),
  createdAt: t.timestamp(),
  updatedAt: t.timestamp(),
  ...returnedExternalFields(),
  lines: describe(t.optional(t.array(stockLine)), 'Included in responses to writes and to GET with include=lines.'),
  stockEffects: describe(
    t.optional(t.array(stockEffectWithUnit)),
    'Included in responses to approve and cancel: the change in stock per item and site.',
  ),
});
export type StockDocument = Infer<typeof stockDocument>;

const headerFields = {
  siteId: describe(
    t.optional(t.nullable(t.id('site'))),
    "Site whose stock changes. Default: that of the order, if there is one, else the tenant's default site.",
  ),
  toSiteId: describe(t.optional(t.nullable(t.id('site'))), 'Destination site; required for transfers, must differ from siteId.'),
  contactId: describe(t.optional(t.nullable(t.id('contact'))), "Contact of the document. Default: the order's contact."),
  orderId: describe(t.optional(t.nullable(t.id('order'))), 'Order that the lines fulfil; lines refer to its lines by orderLineId.'),
  documentDate: describe(t.optional(t.date()), "Date of the document, not later than tomorrow. Default: today in the tenant's time zone."),
  reference: describe(t.optional(t.nullable(t.lineOrEmpty(REFERENCE_MAX_CHARS))), 'External reference such as a delivery note number.'),
  reason: describe(t.optional(t.nullable(t.enums(ADJUSTMENT_REASONS))), 'Reason for the adjustment or revaluation; required for both.'),
  notes: t.optional(t.nullable(t.multiline(NOTES_MAX_CHARS))),
  ...externalFields(),
};

export const stockDocumentDraft = t.object({
  type: describe(t.extendedEnums(DOCUMENT_TYPES, ['revaluation']), DOCUMENT_TYPE_DESCRIPTION),
  ...headerFields,
  returnOf: t.optional(
    extension(
      t.nullable(t.id('order')),
      'Completed order whose goods are returned: a receipt takes goods of a sell order back, at the cost at which they left unless a line has a unitCost; an issue sends goods of a buy order back. Each line names the order line by orderLineId.',
    ),
  ),
  lines: t.withDefault(t.array(stockLineDraft, { max: STOCK_LINES_MAX }), []),
});
export type StockDocumentDraft = Infer<typeof stockDocumentDraft>;

export const stockDocumentPatch = t.object({
  status: describe(t.optional(t.enums(['draft'])), 'Set to draft to recall a submitted document.'),
  ...headerFields,
});
export type StockDocumentPatch = Infer<typeof stockDocumentPatch>;

export const stockDocumentCancel = t.object({
  reason: describe(t.optional(t.nullable(t.multiline(REASON_MAX_CHARS))), 'Reason for cancelling, stored as cancelReason.'),
});

const documentParams = t.object({ document_id: t.id('stockDocument') });
const EXAMPLE_ID = '0197a3c0-7f20-7d11-8c42-1b6d5e9a2f30';
const EXAMPLE = { params: { document_id: EXAMPLE_ID } };
const REFERENCE_ERRORS = ['INACTIVE_REFERENCE', 'INVALID_ITEM_TYPE'] as const;
const POSTING_ERRORS = ['INVALID_STATE', 'INSUFFICIENT_STOCK', 'LIMIT_REACHED', 'PRECONDITION_FAILED'] as const;
const APPROVAL_ERRORS = ['STALE_COUNT', 'SAME_APPROVER'] as const;

export const listStockDocuments = defineOperation('stock_documents.list', 'GET', '/v1/stock-documents', {
  scope: 'inventory:read',
  summary: 'List stock documents',
  query: t.object({
    ...listQuery(['-created_at', 'document_number', 'updated_at']),
    type: describe(t.optional(t.csv(t.extendedEnums(DOCUMENT_TYPES, ['revaluation']))), 'Only these types, joined by commas.'),
    status: describe(t.optional(t.csv(t.enums(DOCUMENT_STATUSES))), 'Only these statuses, joined by commas.'),
    id: idsFilter('stockDocument'),
    include_deleted: includeDeleted(),
    document_number: t.optional(
      extension(t.csv(t.string({ max: ORDER_NUMBER_MAX_CHARS })), 'Only documents with these numbers, joined by commas.'),
    ),
    external_id: externalIdFilter(),
    approved_since: t.optional(extension(t.timestamp(), 'Only documents approved at or after this time.')),
    approved_until: t.optional(extension(t.timestamp(), 'Only documents approved before this time.')),
    site_id: t.optional(extension(t.csv(t.id('site')), 'Only documents with one of these sites as siteId or toSiteId, joined by commas.')),
    order_id: t.optional(extension(t.csv(t.id('order')), 'Only documents of these orders, joined by commas.')),
    item_id: t.optional(extension(t.csv(t.id('item')), 'Only documents with a line of one of these items, joined by commas.')),
    date_from: t.optional(extension(t.date(), 'Only documents dated on or after this day.')),
    date_to: t.optional(extension(t.date(), 'Only documents dated on or before this day.')),
  }),
  errors: ['CURSOR_EXPIRED'],
  result: paginatedWithDeleted(stockDocument),
  example: { query: { type: 'receipt', status: 'approved' } },
});

export const createStockDocument = defineOperation('stock_documents.create', 'POST', '/v1/stock-documents', {
  scope: 'inventory:write',
  summary: 'Create a stock document as a draft',
  description: 'A dry run returns the result of creating, submitting and approving it.',
  query: t.object({
    ...dryRun.properties,
    approve: t.optional(extension(queryBoolean(), 'true: also submit and approve it, all or nothing.')),
  }),
  body: stockDocumentDraft,
  status: 201,
  result: single(stockDocument),
  errors: [...REFERENCE_ERRORS, ...POSTING_ERRORS.filter((code) => code !== 'PRECONDITION_FAILED'), ...APPROVAL_ERRORS, 'DUPLICATE_VALUE'],
  example: {
    body: { type: 'receipt', lines: [{ itemId: '7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e', quantity: 100, unitCost: 0.12 }] },
  },
});

export const getStockDocument = defineOperation('stock_documents.get', 'GET', '/v1/stock-documents/{document_id}', {
  scope: 'inventory:read',
  summary: 'Get a stock document',
  params: documentParams,
  query: t.object({ include: t.optional(extension(t.csv(t.enums(['lines'])), 'Include the lines.')) }),
  result: single(stockDocument),
  example: EXAMPLE,
});

export const updateStockDocument = defineOperation('stock_documents.update', 'PATCH', '/v1/stock-documents/{document_id}', {
  scope: 'inventory:write',
  summary: 'Update a draft, or recall a submitted document',
  description: 'Lines are changed with their own operations. Omitted fields are unchanged.',
  params: documentParams,
  body: stockDocumentPatch,
  result: single(stockDocument),
  errors: [...REFERENCE_ERRORS, 'INVALID_STATE', 'PRECONDITION_FAILED', 'DUPLICATE_VALUE'],
  example: { ...EXAMPLE, body: { reference: 'Delivery note 4711' } },
});

export const deleteStockDocument = defineOperation('stock_documents.delete', 'DELETE', '/v1/stock-documents/{document_id}', {
  scope: 'inventory:write',
  summary: 'Delete a draft stock document',
  params: documentParams,
  result: null,
  errors: ['INVALID_STATE', 'PRECONDITION_FAILED'],
  example: EXAMPLE,
});

export const submitStockDocument = defineOperation('stock_documents.submit', 'POST', '/v1/stock-documents/{document_id}/submit', {
  scope: 'inventory:write',
  summary: 'Submit a draft for approval',
  description: 'Its lines count as committed or incoming stock until it is approved.',
  params: documentParams,
  query: dryRun,
  body: t.object({}),
  result: single(stockDocument),
  errors: [...REFERENCE_ERRORS, ...POSTING_ERRORS],
  example: { ...EXAMPLE, body: {} },
});

export const approveStockDocument = defineOperation('stock_documents.approve', 'POST', '/v1/stock-documents/{document_id}/approve', {
  scope: 'inventory:write',
  summary: 'Approve a submitted document and post its stock',
  description: 'A dry run also accepts a draft, and returns the result of submitting and approving it.',
  params: documentParams,
  query: dryRun,
  body: t.object({
    force: t.optional(extension(t.bool(), 'Counts: post what was counted even if the stock has changed since (`STALE_COUNT`).')),
  }),
  result: single(stockDocument),
  errors: [...POSTING_ERRORS, ...APPROVAL_ERRORS],
  example: { ...EXAMPLE, body: {} },
});

export const cancelStockDocument = defineOperation('stock_documents.cancel', 'POST', '/v1/stock-documents/{document_id}/cancel', {
  scope: 'inventory:write',
  summary: 'Cancel a stock document',
  description: 'An approved document is reversed.',
  params: documentParams,
  query: dryRun,
  body: stockDocumentCancel,
  result: single(stockDocument),
  errors: POSTING_ERRORS,
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
