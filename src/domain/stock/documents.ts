/**
 * Stock documents before they are posted: created, updated, submitted, recalled, cancelled and deleted (D-14). Approval and reversal are in
 * `fulfilment/document-approval.ts`.
 */
import type { StockDocumentDraft, StockDocumentPatch } from '../../contract/resources/stock-documents.ts';
import type { StockEffect } from '../../contract/resources/stock-effects.ts';
import { diffFields } from '../events/changes.ts';
import { type Context, getNextTimestamp } from '../kernel/context.ts';
import { duplicateValue, invalidField, notFound } from '../kernel/errors.ts';
import { EXTERNAL_FIELDS, type ExternalFields, applyExternalFields } from '../kernel/external-fields.ts';
import { DuplicateKey } from '../kernel/ports.ts';
import { listDocumentClaims, replaceClaims } from './claims.ts';
import { HEADER_FIELDS, type DocumentHeader, applyDocumentHeaderPatch, createDocumentHeader } from './document-header.ts';
import { checkCanSubmit } from './submission-guard.ts';
import { toCommitmentEffects } from './ledger.ts';
import { openLevelBatch } from './levels.ts';
import { listDocumentLines, summarizeLines, createLines } from './lines.ts';
import { checkCommitments } from './movements.ts';
import { recordDocumentChange } from './document-events.ts';
import { nextDocumentNumber } from './document-numbering.ts';
import type { DocumentWithLines, StockDocumentRecord, StockLineRecord } from './records.ts';
import { UNPOSTED_STATUSES, checkDocumentStatus } from './document-states.ts';
import type { ReadTx, Tx } from '../tables.ts';

export async function getDocument(tx: ReadTx, id: string): Promise<StockDocumentRecord> {
  return requireDocument(await tx.stockDocuments.get(id), id);
}

/** The document that was read with this id; 404 if there is none. */
export function requireDocument(document: StockDocumentRecord | undefined, id: string): StockDocumentRecord {
  if (!document) throw notFound('stock document', id);
  return document;
}

export async function createDocument(tx: Tx, context: Context, draft: StockDocumentDraft): Promise<DocumentWithLines> {
  const header = await createDocumentHeader(tx, context, draft);
  const at = context.now.toISOString();
  const fields = { id: context.newId(), type: draft.type, returnOf: draft.returnOf ?? null, ...header };
  const lines = await createLines(tx, context, fields, draft.lines);
  const document = applyExternalFields<StockDocumentRecord>(
    {
      ...fields,
      documentNumber: await nextDocumentNumber(tx, context, draft.type),
      status: 'draft',
      ...summarizeLines(lines),
      totalCost: null,
      totalVariance: 0,
      createdBy: context.actor,
      submittedAt: null,
      submittedBy: null,
      approvedAt: null,
      approvedBy: null,
      cancelledAt: null,
      cancelledBy: null,
      cancelReason: null,
      reversedAt: null,
      siteIds: listSiteIds(header),
      createdAt: at,
      updatedAt: at,
    },
    draft,
  );
  await putDocument(tx, document);
  await tx.stockDocumentLines.putMany(lines);
  await recordDocumentChange(tx, context, 'stock_document.created', 'stock_document.created', document);
  return { document, lines };
}

/** Updates the header of a draft. `status: draft` recalls a submitted document first. External fields can always change. */
export async function updateDocument(tx: Tx, context: Context, id: string, patch: StockDocumentPatch): Promise<DocumentWithLines> {
  const before = await getDocument(tx, id);
  const lines = await listDocumentLines(tx, id);
  if (patch.status !== undefined) checkDocumentStatus(before, UNPOSTED_STATUSES, 'return to draft');
  const header = await applyDocumentHeaderPatch(tx, context, before.type, before, patch);
  const headerChanges = diffFields<DocumentHeader>(before, header, HEADER_FIELDS);
  const changed = applyExternalFields({ ...before, ...header }, patch);
  const changes = { ...headerChanges, ...diffFields<ExternalFields>(before, changed, EXTERNAL_FIELDS) };
  const isRecalled = patch.status !== undefined && before.status === 'submitted';
  const isChanged = Object.keys(changes).length > 0;
  if (!isRecalled && !isChanged) return { document: before, lines };
  if (!isRecalled && Object.keys(headerChanges).length > 0) checkDocumentStatus(before, ['draft'], 'be changed');
  if (header.orderId !== null && typeof before.returnOf === 'string')
    throw invalidField('/orderId', 'orderId is not allowed on a return, which fulfils no order', 'not_allowed');
  if (header.orderId !== before.orderId && lines.some(({ orderLineId }) => orderLineId !== null)) {
    throw invalidField('/orderId', 'orderId cannot change while lines have an orderLineId. Clear those first', 'not_allowed');
  }
  const document: StockDocumentRecord = {
    ...changed,
    siteIds: listSiteIds(header),
    // Only the audit trail shows that a recalled document was submitted.
    ...(isRecalled ? { status: 'draft', submittedAt: null, submittedBy: null } : {}),
    updatedAt: getNextTimestamp(context.now, before.updatedAt),
  };
  const stockEffects = isRecalled ? await updateClaims(tx, context, { document: before, lines }, { document, lines }) : undefined;
  await putDocument(tx, document);
  if (isRecalled) {
    await recordDocumentChange(tx, context, 'stock_document.recalled', 'stock_document.updated', document, {
      before,
      changes: diffFields(before, document, ['status']),
      previousStatus: before.status,
      ...(stockEffects && { stockEffects }),
    });
  }
  if (isChanged) await recordDocumentChange(tx, context, 'stock_document.updated', 'stock_document.updated', document, { changes });
  return { document, lines };
}

async function putDocument(tx: Tx, document: StockDocumentRecord): Promise<void> {
  try {
    await tx.stockDocuments.put(document);
  } catch (error) {
    if (!(error instanceof DuplicateKey) || error.key !== 'externalId') throw error;
    throw duplicateValue('externalId', document.externalId ?? '', error.existingId);
  }
}

export async function deleteDocument(tx: Tx, context: Context, id: string): Promise<void> {
  const document = await getDocument(tx, id);
  checkDocumentStatus(document, ['draft'], 'be deleted');
  for (const line of await listDocumentLines(tx, id)) await tx.stockDocumentLines.remove(line.id);
  await tx.stockDocuments.remove(id);
  await recordDocumentChange(tx, context, 'stock_document.deleted', 'stock_document.updated', document, {
    fields: ['deleted'],
    metadata: { documentNumber: document.documentNumber },
    deletedAt: getNextTimestamp(context.now, document.updatedAt),
  });
}

/** Submits a draft, which adds its claims to the stock levels. Nothing is posted. */
export async function submitDraft(tx: Tx, context: Context, id: string): Promise<DocumentWithLines> {
  const before = await getDocument(tx, id);
  checkDocumentStatus(before, ['draft'], 'be submitted');
  const lines = await listDocumentLines(tx, id);
  await checkCanSubmit(tx, before, lines);
  const at = getNextTimestamp(context.now, before.updatedAt);
  const document: StockDocumentRecord = { ...before, status: 'submitted', submittedAt: at, submittedBy: context.actor, updatedAt: at };
  const stockEffects = await updateClaims(tx, context, { document: before, lines }, { document, lines });
  await tx.stockDocuments.put(document);
  await recordDocumentChange(tx, context, 'stock_document.submitted', 'stock_document.updated', document, {
    before,
    changes: diffFields(before, document, ['status']),
    previousStatus: before.status,
    ...(stockEffects && { stockEffects }),
  });
  return { document, lines };
}

/** Cancels a document that is not posted. */
export async function cancelUnpostedDocument(
  tx: Tx,
  context: Context,
  before: StockDocumentRecord,
  lines: readonly StockLineRecord[],
  reason: string | null,
): Promise<DocumentWithLines> {
  checkDocumentStatus(before, UNPOSTED_STATUSES, 'be cancelled without a reversal');
  const at = getNextTimestamp(context.now, before.updatedAt);
  const document: StockDocumentRecord = {
    ...before,
    status: 'cancelled',
    cancelledAt: at,
    cancelledBy: context.actor,
    cancelReason: reason,
    updatedAt: at,
  };
  const stockEffects = await updateClaims(tx, context, { document: before, lines }, { document, lines });
  await tx.stockDocuments.put(document);
  await recordDocumentChange(tx, context, 'stock_document.cancelled', 'stock_document.updated', document, {
    before,
    changes: diffFields(before, document, ['status', 'cancelReason']),
    previousStatus: before.status,
    ...(stockEffects && { stockEffects }),
  });
  return { document, lines };
}

const listSiteIds = ({ siteId, toSiteId }: DocumentHeader): string[] => [siteId, ...(toSiteId === null ? [] : [toSiteId])];

/**
 * Updates the stock levels by the difference between the claims of the document before and after. Returns the changes of availability, if
 * there are any.
 */
async function updateClaims(
  tx: Tx,
  context: Context,
  before: DocumentWithLines,
  after: DocumentWithLines,
): Promise<readonly StockEffect[] | undefined> {
  const levels = openLevelBatch(tx, context);
  const newlyCommitted = await replaceClaims(
    levels,
    listDocumentClaims(before.document, before.lines),
    listDocumentClaims(after.document, after.lines),
  );
  // With `oversell: block` a document cannot commit stock that is committed already, or approving it would take that stock.
  await checkCommitments(tx, context.tenant, levels, newlyCommitted);
  const stockEffects = toCommitmentEffects(levels);
  await levels.save();
  return stockEffects.length === 0 ? undefined : stockEffects;
}
