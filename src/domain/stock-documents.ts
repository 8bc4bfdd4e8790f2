/**
 * Stock documents before they are posted: made, changed, submitted, recalled, withdrawn and deleted (D-14). Posting and reversing are in
 * `stock-posting.ts`.
 */
import type { StockDocumentDraft, StockDocumentPatch } from '../contract/stock-documents.ts';
import { differences } from './changes.ts';
import { type Context, nextTimestamp } from './context.ts';
import { invalidField, notFound } from './errors.ts';
import { documentClaims, moveClaims } from './stock-claims.ts';
import { HEAD_FIELDS, type Head, changedHead, newHead } from './stock-document-fields.ts';
import { checkFitToSubmit } from './stock-guards.ts';
import { openLevels } from './stock-levels.ts';
import { documentLines, lineSums, newLines } from './stock-lines.ts';
import { checkPromises } from './stock-movements.ts';
import { noteDocument } from './stock-notes.ts';
import { nextDocumentNumber } from './stock-numbers.ts';
import type { StockDocumentRecord, StockLineRecord } from './stock-records.ts';
import { UNPOSTED, checkState } from './stock-states.ts';
import type { ReadTx, Tx } from './tables.ts';

export interface DocumentWithLines {
  readonly document: StockDocumentRecord;
  readonly lines: readonly StockLineRecord[];
}

export async function getDocument(tx: ReadTx, id: string): Promise<StockDocumentRecord> {
  const document = await tx.stockDocuments.get(id);
  if (!document) throw notFound('stock document', id);
  return document;
}

export async function createDocument(tx: Tx, context: Context, draft: StockDocumentDraft): Promise<DocumentWithLines> {
  const head = await newHead(tx, context, draft);
  const at = context.now.toISOString();
  const blank = { id: context.newId(), type: draft.type, ...head };
  const lines = await newLines(tx, context, blank, draft.lines);
  const document: StockDocumentRecord = {
    ...blank,
    documentNumber: await nextDocumentNumber(tx, context, draft.type),
    status: 'draft',
    ...lineSums(lines),
    totalCost: null,
    createdBy: context.actor,
    submittedAt: null,
    submittedBy: null,
    approvedAt: null,
    approvedBy: null,
    cancelledAt: null,
    cancelledBy: null,
    cancelReason: null,
    reversedAt: null,
    siteIds: sitesOf(head),
    createdAt: at,
    updatedAt: at,
  };
  await tx.stockDocuments.put(document);
  await tx.stockDocumentLines.putMany(lines);
  await noteDocument(tx, context, 'stock_document.created', 'stock_document.created', document);
  return { document, lines };
}

/** Changes the head of a draft; `status: draft` recalls a submitted document first. */
export async function updateDocument(tx: Tx, context: Context, id: string, patch: StockDocumentPatch): Promise<DocumentWithLines> {
  const before = await getDocument(tx, id);
  const lines = await documentLines(tx, id);
  if (patch.status !== undefined) checkState(before, UNPOSTED, 'go back to draft');
  const head = await changedHead(tx, context, before.type, before, patch);
  const changes = differences<Head>(before, head, HEAD_FIELDS);
  const recalled = patch.status !== undefined && before.status === 'submitted';
  const isChanged = Object.keys(changes).length > 0;
  if (!recalled && !isChanged) return { document: before, lines };
  if (!recalled) checkState(before, ['draft'], 'change');
  if (head.orderId !== before.orderId && lines.some(({ orderLineId }) => orderLineId !== null)) {
    throw invalidField(
      '/orderId',
      'orderId: lines of the document fulfil lines of its order; clear their orderLineId first',
      'not_allowed',
    );
  }
  const document: StockDocumentRecord = {
    ...before,
    ...head,
    siteIds: sitesOf(head),
    // ours: a recalled document is as if it had never been submitted; the audit log remembers.
    ...(recalled ? { status: 'draft', submittedAt: null, submittedBy: null } : {}),
    updatedAt: nextTimestamp(context.now, before.updatedAt),
  };
  if (recalled) await claim(tx, context, { document: before, lines }, { document, lines });
  await tx.stockDocuments.put(document);
  if (recalled) {
    await noteDocument(tx, context, 'stock_document.recalled', 'stock_document.updated', document, {
      changes: differences(before, document, ['status']),
      previousStatus: before.status,
    });
  }
  if (isChanged) await noteDocument(tx, context, 'stock_document.updated', 'stock_document.updated', document, { changes });
  return { document, lines };
}

export async function deleteDocument(tx: Tx, context: Context, id: string): Promise<void> {
  const document = await getDocument(tx, id);
  checkState(document, ['draft'], 'be deleted');
  for (const line of await documentLines(tx, id)) await tx.stockDocumentLines.remove(line.id);
  await tx.stockDocuments.remove(id);
  await noteDocument(tx, context, 'stock_document.deleted', 'stock_document.updated', document, {
    fields: ['deleted'],
    metadata: { documentNumber: document.documentNumber },
    deletedAt: context.now.toISOString(),
  });
}

/** Announces a draft to the stock levels; nothing is posted. */
export async function submitDocument(tx: Tx, context: Context, id: string): Promise<DocumentWithLines> {
  const before = await getDocument(tx, id);
  checkState(before, ['draft'], 'be submitted');
  const lines = await documentLines(tx, id);
  await checkFitToSubmit(tx, before, lines);
  const at = nextTimestamp(context.now, before.updatedAt);
  const document: StockDocumentRecord = { ...before, status: 'submitted', submittedAt: at, submittedBy: context.actor, updatedAt: at };
  await claim(tx, context, { document: before, lines }, { document, lines });
  await tx.stockDocuments.put(document);
  await noteDocument(tx, context, 'stock_document.submitted', 'stock_document.updated', document, {
    changes: differences(before, document, ['status']),
    previousStatus: before.status,
  });
  return { document, lines };
}

/** Cancels a document that has not been posted. */
export async function withdrawDocument(
  tx: Tx,
  context: Context,
  before: StockDocumentRecord,
  lines: readonly StockLineRecord[],
  reason: string | null,
): Promise<DocumentWithLines> {
  checkState(before, UNPOSTED, 'be withdrawn');
  const at = nextTimestamp(context.now, before.updatedAt);
  const document: StockDocumentRecord = {
    ...before,
    status: 'cancelled',
    cancelledAt: at,
    cancelledBy: context.actor,
    cancelReason: reason,
    updatedAt: at,
  };
  await claim(tx, context, { document: before, lines }, { document, lines });
  await tx.stockDocuments.put(document);
  await noteDocument(tx, context, 'stock_document.cancelled', 'stock_document.updated', document, {
    changes: differences(before, document, ['status', 'cancelReason']),
    previousStatus: before.status,
  });
  return { document, lines };
}

const sitesOf = ({ siteId, toSiteId }: Head): string[] => [siteId, ...(toSiteId === null ? [] : [toSiteId])];

/** Puts what the document announces to the levels now in place of what it announced before. */
async function claim(tx: Tx, context: Context, before: DocumentWithLines, after: DocumentWithLines): Promise<void> {
  const levels = openLevels(tx, context);
  const promised = await moveClaims(levels, documentClaims(before.document, before.lines), documentClaims(after.document, after.lines));
  // ours: with `oversell: block` a document cannot promise what is promised to somebody else, or it could take it once it is approved.
  checkPromises(context.tenant, levels, promised);
  await levels.save();
}
