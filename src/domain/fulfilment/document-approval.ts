/** Approves submitted documents, which posts them, and reverses posted documents (D-14, D-15). */
import { diffFields } from '../events/changes.ts';
import { type Context, getNextTimestamp } from '../kernel/context.ts';
import { listDocumentClaims, replaceClaims } from '../stock/claims.ts';
import { listOrderClaims } from './order-claims.ts';
import { isFullyProduced, createNetCostLookup } from '../orders/requirements.ts';
import { addCommitmentEffects, toStockEffects, postReversals, writeEntries } from '../stock/ledger.ts';
import { type LevelBatch, openLevelBatch } from '../stock/levels.ts';
import { checkAvailableStock, sumByLevel } from '../stock/movements.ts';
import { checkApprover } from '../stock/approver.ts';
import { recordDocumentChange } from '../stock/document-events.ts';
import { loadReturnCosts } from './order-returns.ts';
import { buildOrderUpdate, saveOrderUpdate } from './order-progress.ts';
import type { OrderUpdate } from './order-update.ts';
import { type PostedDocument, checkRevalued, postDocuments, savePostedDocument, sumVariance } from '../stock/posting.ts';
import type { DocumentWithLines, LedgerRecord, StockDocumentRecord, StockLineRecord } from '../stock/records.ts';
import { checkDocumentStatus } from '../stock/document-states.ts';
import type { ReadTx, Tx } from '../tables.ts';

/**
 * Posts a submitted document to the ledger. Throws INVALID_STATE, SAME_APPROVER, STALE_COUNT, INSUFFICIENT_STOCK with all shortages, or
 * LIMIT_REACHED. `isForced` posts a stale count.
 */
export async function approveDocument(
  tx: Tx,
  context: Context,
  before: StockDocumentRecord,
  lines: readonly StockLineRecord[],
  isForced = false,
): Promise<PostedDocument> {
  checkDocumentStatus(before, ['submitted'], 'be approved');
  await checkApprover(tx, context, before);
  const at = getNextTimestamp(context.now, before.updatedAt);
  const approved: StockDocumentRecord = { ...before, status: 'approved', approvedAt: at, approvedBy: context.actor, updatedAt: at };
  const levels = openLevelBatch(tx, context);
  const orderUpdate = await buildOrderUpdate(tx, context, approved, lines, 1);
  await updateClaims(levels, { document: before, lines }, { document: approved, lines }, orderUpdate);
  const orderLines = orderUpdate?.before.lines ?? [];
  const options = {
    getNetCost: orderUpdate?.isReturn ? await loadReturnCosts(tx, orderUpdate.before) : createNetCostLookup(orderLines),
    isFullyProduced: isFullyProduced(orderLines),
    isForced,
  };
  await checkRevalued(levels, { document: approved, lines });
  const [posted] = await postDocuments(tx, context, levels, [{ document: approved, lines }], options);
  if (!posted) throw new Error(`${before.documentNumber} was not posted`);
  const stockEffects = addCommitmentEffects(levels, posted.effects);
  await levels.save();
  await savePostedDocument(tx, posted);
  await recordDocumentChange(tx, context, 'stock_document.approved', 'stock_document.updated', posted.document, {
    before,
    fields: ['lines'],
    changes: diffFields(before, posted.document, ['status']),
    previousStatus: before.status,
    stockEffects,
    ...(isForced ? { metadata: { force: true } } : {}),
  });
  if (orderUpdate) await saveOrderUpdate(tx, context, orderUpdate);
  return posted;
}

/** Reverses the entries of an approved document, last one first, and its effect on the order. */
export async function reverseDocument(
  tx: Tx,
  context: Context,
  before: StockDocumentRecord,
  lines: readonly StockLineRecord[],
  reason: string | null,
): Promise<PostedDocument> {
  checkDocumentStatus(before, ['approved'], 'be reversed');
  const at = getNextTimestamp(context.now, before.updatedAt);
  const cancelled = { status: 'cancelled', cancelledAt: at, cancelledBy: context.actor, cancelReason: reason, reversedAt: at } as const;
  const document: StockDocumentRecord = { ...before, ...cancelled, updatedAt: at };
  const levels = openLevelBatch(tx, context);
  const orderUpdate = await buildOrderUpdate(tx, context, document, lines, -1);
  await updateClaims(levels, { document: before, lines }, { document, lines }, orderUpdate);
  const postedEntries = await listEntries(tx, document.id);
  const entries = postedEntries.toReversed();
  await levels.load(entries);
  await checkAvailableStock(tx, context.tenant, levels, sumReversedMoves(lines, entries));
  const reversals = await postReversals(tx, context, levels, entries);
  await writeEntries(tx, reversals);
  const effects = toStockEffects(levels, reversals);
  const stockEffects = addCommitmentEffects(levels, effects);
  await levels.save();
  const allEntries = [...postedEntries, ...reversals];
  const reversed: PostedDocument = {
    document: { ...document, totalVariance: sumVariance(allEntries) },
    // Their reversed values changed.
    lines: lines.map((line) => ({ ...line, updatedAt: getNextTimestamp(context.now, line.updatedAt) })),
    effects,
    entries: allEntries,
  };
  await savePostedDocument(tx, reversed);
  await recordDocumentChange(tx, context, 'stock_document.reversed', 'stock_document.updated', reversed.document, {
    before,
    fields: ['lines'],
    changes: diffFields(before, document, ['status', 'cancelReason']),
    previousStatus: before.status,
    stockEffects,
  });
  if (orderUpdate) await saveOrderUpdate(tx, context, orderUpdate);
  return reversed;
}

/** Replaces the claims of document and order before with those after. */
async function updateClaims(
  levels: LevelBatch,
  before: DocumentWithLines,
  after: DocumentWithLines,
  orderUpdate: OrderUpdate | undefined,
): Promise<void> {
  await replaceClaims(
    levels,
    [
      ...listDocumentClaims(before.document, before.lines),
      ...(orderUpdate ? listOrderClaims(orderUpdate.before.order, orderUpdate.before.lines) : []),
    ],
    [
      ...listDocumentClaims(after.document, after.lines),
      ...(orderUpdate ? listOrderClaims(orderUpdate.after.order, orderUpdate.after.lines) : []),
    ],
  );
}

/** The ledger entries of a document that is not reversed, by number. */
async function listEntries(tx: ReadTx, documentId: string): Promise<LedgerRecord[]> {
  const where = [{ field: 'documentId', equals: documentId }];
  return (await tx.ledger.listAfter({ where, orderBy: 'seq', limit: Number.MAX_SAFE_INTEGER })).rows;
}

function sumReversedMoves(lines: readonly StockLineRecord[], entries: readonly LedgerRecord[]) {
  const linesById = new Map(lines.map((line) => [line.id, line]));
  const moves = entries.flatMap(({ itemId, siteId, quantityDelta, documentLineId }) => {
    const line = linesById.get(documentLineId);
    return line ? [{ line, itemId, siteId, quantity: -quantityDelta }] : [];
  });
  // Outputs and components are reversed together, so all of them count, as in an adjustment.
  return sumByLevel([{ type: 'adjustment', moves }]);
}
