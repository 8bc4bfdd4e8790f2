/** The effects of orders on stock (D-6): claims while outstanding, postings at completion, released claims at cancellation. */
import { type Context, getNextTimestamp } from '../kernel/context.ts';
import type { Fulfilment, OrderStatus, StockOption } from '../../contract/resources/orders.ts';
import type { StockEffect } from '../../contract/resources/stock-effects.ts';
import { StockroomError } from '../kernel/errors.ts';
import { createCompletionDocuments } from './completion-documents.ts';
import { explainKept } from '../orders/field-locks.ts';
import type { OrderLineRecord, OrderRecord, OrderWithLines } from '../orders/records.ts';
import { getFulfilment, getLineFlow, createNetCostLookup } from '../orders/requirements.ts';
import { createPostedStockError, requiresNothingPosted } from '../orders/status-transitions.ts';
import { replaceClaims } from '../stock/claims.ts';
import { listOrderClaims } from './order-claims.ts';
import { cancelUnpostedDocument } from '../stock/documents.ts';
import { toCommitmentEffects } from '../stock/ledger.ts';
import type { StockDocumentRecord } from '../stock/records.ts';
import { openLevelBatch } from '../stock/levels.ts';
import { listDocumentLines } from '../stock/lines.ts';
import { checkCommitments } from '../stock/movements.ts';
import { recordDocumentChange } from '../stock/document-events.ts';
import { applyPostings } from './order-progress.ts';
import { postDocuments, savePostedDocument } from '../stock/posting.ts';
import { UNPOSTED_STATUSES } from '../stock/document-states.ts';
import type { ReadTx, Tx } from '../tables.ts';

export interface Completion {
  readonly lines: readonly OrderLineRecord[];
  readonly fulfilment: Fulfilment;
  readonly closedShort: boolean;
  readonly stockDocumentIds: readonly string[];
  /** Changes of availability not reported by events of its stock documents. */
  readonly stockEffects: readonly StockEffect[];
  /** Those that these events report. */
  readonly postedEffects: readonly StockEffect[];
  /** Documents that were not posted and were cancelled. */
  readonly cancelledDocuments: readonly StockDocumentRecord[];
}

/** What approving sets, in the event of a document that was created as approved. */
const APPROVAL_FIELDS = ['status', 'submittedAt', 'submittedBy', 'approvedAt', 'approvedBy', 'totalCost', 'lines'];

/**
 * Completes an order (D-6): posts the remaining quantities (`auto`), or closes the order without posting (`none`). `after` is the completed order, which the
 * caller stores. Throws INSUFFICIENT_STOCK with all shortages.
 */
export async function completeOrder(
  tx: Tx,
  context: Context,
  before: OrderWithLines,
  after: OrderWithLines,
  stock: StockOption,
): Promise<Completion> {
  const { order, lines } = after;
  const releaseClaims = async () => {
    const batch = openLevelBatch(tx, context);
    await replaceClaims(batch, listOrderClaims(before.order, before.lines), []);
    return batch;
  };
  // Cancelling documents writes levels, so a batch that was read before is stale: open a new one. Most orders have no unposted document, so
  // both reads run together.
  const [unposted, released] = await Promise.all([listUnpostedDocuments(tx, order), releaseClaims()]);
  // First, so that the stock that they commit is free.
  const cancelledDocuments = await cancelDocuments(tx, context, unposted, `${order.orderNumber} was completed.`);
  const levels = unposted.length === 0 ? released : await releaseClaims();
  const isClosedWithoutPosting = stock === 'none';
  const documents = isClosedWithoutPosting ? [] : await createCompletionDocuments(tx, context, order, lines);
  const posted = await postDocuments(tx, context, levels, documents, { getNetCost: createNetCostLookup(lines), isFullyProduced: true });
  const stockEffects = toCommitmentEffects(levels);
  await levels.save();
  for (const postedDocument of posted) {
    await savePostedDocument(tx, postedDocument);
    await recordDocumentChange(tx, context, 'stock_document.created', 'stock_document.created', postedDocument.document);
    await recordDocumentChange(tx, context, 'stock_document.approved', 'stock_document.updated', postedDocument.document, {
      fields: postedDocument.document.totalVariance === 0 ? APPROVAL_FIELDS : [...APPROVAL_FIELDS, 'totalVariance'],
      stockEffects: postedDocument.effects,
    });
  }
  const common = {
    stockDocumentIds: [...order.stockDocumentIds, ...posted.map(({ document }) => document.id)],
    stockEffects,
    postedEffects: posted.flatMap(({ effects }) => effects),
    cancelledDocuments,
  };
  if (isClosedWithoutPosting) {
    const fulfilment = getFulfilment(lines);
    return { ...common, lines, fulfilment, closedShort: fulfilment !== 'full' };
  }
  const postedLines = applyPostings(
    order,
    lines,
    posted.flatMap((each) => each.lines),
    1,
  );
  const fulfilled = postedLines.map((line, index) => {
    // Lines without stock, such as services and inspections, are fulfilled by completion.
    const isCompleted = getLineFlow(order.module, line) === null;
    if (!isCompleted && line === lines[index]) return line;
    const updatedAt = getNextTimestamp(context.now, lines[index]?.updatedAt);
    return { ...line, ...(isCompleted && { fulfilledQuantity: line.quantity }), updatedAt };
  });
  return { ...common, lines: fulfilled, fulfilment: getFulfilment(fulfilled), closedShort: false };
}

/**
 * Updates the levels by the difference between the claims of the order before and after, and returns the changes of availability. With
 * `oversell: block`, sales commit available stock only.
 */
export async function updateOrderClaims(
  tx: Tx,
  context: Context,
  before: OrderWithLines | undefined,
  after: OrderWithLines,
): Promise<readonly StockEffect[]> {
  const levels = openLevelBatch(tx, context);
  const newlyCommitted = await replaceClaims(
    levels,
    before ? listOrderClaims(before.order, before.lines) : [],
    listOrderClaims(after.order, after.lines),
  );
  if (after.order.module === 'sell') await checkCommitments(tx, context.tenant, levels, newlyCommitted);
  const stockEffects = toCommitmentEffects(levels);
  await levels.save();
  return stockEffects;
}

/** Cancels the documents of an order that are not posted, and returns them. An order that has ended could never post them. */
export const cancelUnpostedDocuments = async (tx: Tx, context: Context, order: OrderRecord, reason: string | null) =>
  cancelDocuments(tx, context, await listUnpostedDocuments(tx, order), reason);

async function listUnpostedDocuments(tx: ReadTx, { id }: OrderRecord): Promise<readonly StockDocumentRecord[]> {
  const where = [
    { field: 'orderId', equals: id },
    { field: 'status', in: UNPOSTED_STATUSES },
  ];
  return (await tx.stockDocuments.listAfter({ where, limit: Number.MAX_SAFE_INTEGER })).rows;
}

async function cancelDocuments(
  tx: Tx,
  context: Context,
  documents: readonly StockDocumentRecord[],
  reason: string | null,
): Promise<StockDocumentRecord[]> {
  const lines = await Promise.all(documents.map((document) => listDocumentLines(tx, document.id)));
  const cancelled: StockDocumentRecord[] = [];
  for (const [index, document] of documents.entries())
    cancelled.push((await cancelUnpostedDocument(tx, context, document, lines[index]!, reason)).document);
  return cancelled;
}

/** Rejects a transition that requires nothing posted while a stock document of the order is approved, also one whose lines name no order line. */
export async function checkNothingPosted(tx: ReadTx, order: OrderRecord, to: OrderStatus): Promise<void> {
  if (!requiresNothingPosted(order.status, to)) return;
  const documents = await tx.stockDocuments.getMany(order.stockDocumentIds);
  if (documents.some((document) => document?.status === 'approved')) throw createPostedStockError(order, to);
}

/** A line referenced by a stock document, even a cancelled one, cannot be removed, so that its history stays complete. */
export async function checkNotReferenced(
  tx: ReadTx,
  { orderNumber, status }: OrderRecord,
  removed: readonly OrderLineRecord[],
): Promise<void> {
  const counts = await Promise.all(removed.map(({ id }) => tx.stockDocumentLines.count({ where: [{ field: 'orderLineId', equals: id }] })));
  const referenced = removed.filter((_, index) => counts[index]! > 0);
  if (referenced.length === 0) return;
  const numbers = referenced.map(({ lineNumber }) => String(lineNumber)).join(', ');
  throw new StockroomError(
    'FIELD_LOCKED',
    `Line ${numbers} of ${orderNumber} cannot be removed: stock documents reference it. ${explainKept(referenced)}`,
    {
      details: { fields: ['lines'], status, lineIds: referenced.map(({ id }) => id) },
    },
  );
}
