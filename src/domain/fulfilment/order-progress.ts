/** Updates the order of a stock document that is posted or reversed: fulfilment of its lines, and reopening a completed order (D-6). */
import { type Context, getNextTimestamp } from '../kernel/context.ts';
import { StockroomError } from '../kernel/errors.ts';
import { listOrderLines } from '../orders/lines.ts';
import { recordOrderPosted, recordOrderReturned } from '../orders/events.ts';
import { checkReturned } from '../orders/returns.ts';
import type { OrderLineRecord, OrderRecord } from '../orders/records.ts';
import { applyPosting, formatNeed, getFulfilment, isPosted, listRequirements } from '../orders/requirements.ts';
import { getDeadline } from '../orders/status-transitions.ts';
import type { StockDocumentRecord, StockLineRecord } from '../stock/records.ts';
import { fromMicro } from '../kernel/numbers.ts';
import { checkOutstanding } from '../stock/document-states.ts';
import type { Tx } from '../tables.ts';
import { buildReturnUpdate } from './order-returns.ts';
import type { OrderUpdate } from './order-update.ts';

/** The order before and after the document is posted (`sign` 1) or reversed (−1). Undefined for a document without order. */
export async function buildOrderUpdate(
  tx: Tx,
  context: Context,
  document: StockDocumentRecord,
  lines: readonly StockLineRecord[],
  sign: 1 | -1,
): Promise<OrderUpdate | undefined> {
  if (typeof document.returnOf === 'string') return buildReturnUpdate(tx, context, { document, lines }, document.returnOf, sign);
  if (document.orderId === null) return undefined;
  const order = await tx.orders.get(document.orderId);
  if (!order) throw new Error(`order ${document.orderId} of ${document.documentNumber} does not exist`);
  if (sign === 1) checkOutstanding(order);
  const before = { order, lines: await listOrderLines(tx, order.id) };
  const { now } = context;
  const posted = applyPostings(order, before.lines, lines, sign);
  checkReturned(order, posted);
  const isReopened =
    order.status === 'completed' && (order.module === 'check' || posted.some((line, index) => line !== before.lines[index]));
  const linesAfter = (isReopened ? posted.map(clearCompletion) : posted).map((line, index) =>
    line === before.lines[index] ? line : { ...line, updatedAt: getNextTimestamp(now, line.updatedAt) },
  );
  const { id } = document;
  const stockDocumentIds = order.stockDocumentIds.includes(id) ? order.stockDocumentIds : [...order.stockDocumentIds, id];
  const after: OrderRecord = {
    ...order,
    fulfilment: getFulfilment(linesAfter),
    stockDocumentIds,
    ...(isReopened ? { status: 'in_progress', completedAt: null, closedShort: false } : {}),
    updatedAt: getNextTimestamp(now, order.updatedAt),
  };
  return { before, after: { order: { ...after, deadline: getDeadline(after) }, lines: linesAfter } };
}

/** The order lines after the document lines are posted. Unchanged lines are the same objects. */
export function applyPostings(
  { orderNumber }: OrderRecord,
  orderLines: readonly OrderLineRecord[],
  lines: readonly StockLineRecord[],
  sign: 1 | -1,
): OrderLineRecord[] {
  const orderLinesById = new Map(orderLines.map((line) => [line.id, line]));
  for (const line of lines) {
    if (line.orderLineId === null) continue;
    const orderLine = orderLinesById.get(line.orderLineId);
    const updated = orderLine && applyPosting(orderLine, line, sign);
    if (!updated) throw createPostingError(orderNumber, line, orderLine);
    orderLinesById.set(updated.id, updated);
  }
  return [...orderLinesById.values()];
}

function createPostingError(orderNumber: string, line: StockLineRecord, orderLine: OrderLineRecord | undefined): StockroomError {
  const { itemId, lineNumber, orderLineId, stockQuantity } = line;
  const requirement = orderLine && listRequirements(orderLine).find((each) => each.itemId === itemId);
  const own = `Line ${String(lineNumber)} of the document`;
  const problem =
    orderLine === undefined
      ? `${own} fulfils a line that ${orderNumber} no longer has.`
      : requirement
        ? `${orderNumber} needs ${String(fromMicro(requirement.remaining))} more of ${formatNeed(orderLine)}, but line ${String(lineNumber)} of the document has ${String(fromMicro(stockQuantity))}.`
        : `${own} has a different item than line ${String(orderLine.lineNumber)} of ${orderNumber}.`;
  return new StockroomError('INVALID_STATE', problem, {
    details: { lineNumber, orderLineId, ...(requirement && { remaining: fromMicro(requirement.remaining) }) },
  });
}

/** Reopening an order resets the lines that only its completion had fulfilled. */
const clearCompletion = (line: OrderLineRecord): OrderLineRecord =>
  isPosted(line) || line.fulfilledQuantity === 0 ? line : { ...line, fulfilledQuantity: 0 };

/** Stores and records the update if anything changed. */
export async function saveOrderUpdate(tx: Tx, context: Context, { before, after, isReturn = false }: OrderUpdate): Promise<void> {
  const changedLines = after.lines.filter((line, index) => line !== before.lines[index]);
  const isListed = before.order.stockDocumentIds === after.order.stockDocumentIds;
  if (!isReturn && changedLines.length === 0 && isListed && before.order.status === after.order.status) return;
  await tx.orderLines.putMany(changedLines);
  await tx.orders.put(after.order);
  if (isReturn) return recordOrderReturned(tx, context, after.order);
  await recordOrderPosted(tx, context, before.order, after.order, changedLines.length > 0);
}
