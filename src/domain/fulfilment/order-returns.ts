/**
 * Returns (D-6): a receipt takes goods of a completed sale back, an issue sends goods of a completed purchase back to the supplier. The lines
 * name order lines, which count what was returned.
 */
import type { OrderModule } from '../../contract/resources/orders.ts';
import type { DocumentType, StockDocumentDraft } from '../../contract/resources/stock-documents.ts';
import { type Context, getNextTimestamp } from '../kernel/context.ts';
import { StockroomError, invalidField } from '../kernel/errors.ts';
import { fromMicro, scaleRounded } from '../kernel/numbers.ts';
import { listOrderLines } from '../orders/lines.ts';
import { getOrder } from '../orders/orders.ts';
import type { OrderLineRecord, OrderRecord, OrderWithLines } from '../orders/records.ts';
import { formatNeed } from '../orders/requirements.ts';
import { listReturnable } from '../orders/returns.ts';
import type { DocumentWithLines, StockDocumentRecord, StockLineRecord } from '../stock/records.ts';
import { getRowsById } from '../kernel/rows.ts';
import type { ReadTx } from '../tables.ts';
import type { OrderUpdate } from './order-update.ts';

const RETURN_TYPES: Readonly<Partial<Record<OrderModule, DocumentType>>> = { sell: 'receipt', buy: 'issue' };

/** The draft of a return, with site and contact of the order. Throws 400 or 409 if it cannot be a return of the order. */
export async function prepareReturn(tx: ReadTx, draft: StockDocumentDraft): Promise<StockDocumentDraft> {
  if (typeof draft.returnOf !== 'string') return draft;
  const order = await tx.orders.get(draft.returnOf);
  if (!order) throw invalidField('/returnOf', `No order ${draft.returnOf}. GET /v1/orders?module=… lists the orders.`);
  if (typeof draft.orderId === 'string')
    throw invalidField('/orderId', 'orderId cannot be combined with returnOf: a return fulfils no order', 'not_allowed');
  const type = RETURN_TYPES[order.module];
  if (type !== draft.type) {
    const problem =
      type === undefined
        ? `a ${order.module} order has no returns; only buy and sell orders have them`
        : `a return of a ${order.module} order is a document of type ${type}`;
    throw invalidField('/returnOf', `returnOf: ${problem}`, 'not_allowed');
  }
  checkCompleted(order);
  return { ...draft, siteId: draft.siteId ?? order.siteId ?? order.stockSiteId, contactId: draft.contactId ?? order.contactId };
}

function checkCompleted({ id, orderNumber, status }: OrderRecord): void {
  if (status === 'completed') return;
  throw new StockroomError(
    'INVALID_STATE',
    `Order ${orderNumber} is ${status}. Goods can be returned once it is completed; until then, cancel its stock documents.`,
    { details: { orderId: id, status } },
  );
}

/** The order before and after the return is posted (`sign` 1) or reversed (−1). Throws 409 if a line returns more than was posted. */
export async function buildReturnUpdate(
  tx: ReadTx,
  { now }: Context,
  { document, lines }: DocumentWithLines,
  orderId: string,
  sign: 1 | -1,
): Promise<OrderUpdate> {
  const order = await getOrder(tx, orderId);
  if (sign === 1) checkCompleted(order);
  const before = { order, lines: await listOrderLines(tx, order.id) };
  const linesAfter = applyReturns(order, before.lines, lines, sign).map((line, index) =>
    line === before.lines[index] ? line : { ...line, updatedAt: getNextTimestamp(now, line.updatedAt) },
  );
  const earlier = order.returnDocumentIds ?? [];
  const returnDocumentIds = earlier.includes(document.id) ? earlier : [...earlier, document.id];
  return {
    before,
    after: { order: { ...order, returnDocumentIds, updatedAt: getNextTimestamp(now, order.updatedAt) }, lines: linesAfter },
    isReturn: true,
  };
}

/** The order lines after the return. Unchanged lines are the same objects. */
function applyReturns(
  { orderNumber }: OrderRecord,
  orderLines: readonly OrderLineRecord[],
  lines: readonly StockLineRecord[],
  sign: 1 | -1,
): OrderLineRecord[] {
  const orderLinesById = new Map(orderLines.map((line) => [line.id, line]));
  for (const { orderLineId, itemId, stockQuantity, lineNumber } of lines) {
    const orderLine = orderLinesById.get(orderLineId ?? '');
    const returnable = orderLine && listReturnable(orderLine).find((part) => part.itemId === itemId);
    const left = returnable ? returnable.posted - returnable.returned : 0;
    if (!orderLine || !returnable || (sign === 1 && stockQuantity > left)) {
      throw new StockroomError(
        'INVALID_STATE',
        `${orderNumber} has ${String(fromMicro(left))} of ${orderLine ? formatNeed(orderLine) : 'this item'} left to return, but line ${String(lineNumber)} of the document has ${String(fromMicro(stockQuantity))}.`,
        { details: { lineNumber, orderLineId, returnable: fromMicro(left) } },
      );
    }
    const returned = { ...orderLine.returned, [itemId]: returnable.returned + sign * stockQuantity };
    orderLinesById.set(orderLine.id, { ...orderLine, returned });
  }
  return [...orderLinesById.values()];
}

/** Throws 409 unless the return could be posted now. */
export async function checkReturn(tx: ReadTx, lines: readonly StockLineRecord[], orderId: string): Promise<void> {
  const order = await getOrder(tx, orderId);
  checkCompleted(order);
  applyReturns(order, await listOrderLines(tx, order.id), lines, 1);
}

/**
 * The cost of goods that come back: what they cost when they left, net of what came back before. The function is called once for each line of
 * the return, in their order. Micro-units.
 */
export async function loadReturnCosts(
  tx: ReadTx,
  { order, lines }: OrderWithLines,
): Promise<(orderLineId: string, quantity: number, itemId: string) => number | null> {
  const toKey = (orderLineId: string | null, itemId: string): string => `${String(orderLineId)} ${itemId}`;
  const documents = await getRowsById(tx.stockDocuments, order.stockDocumentIds);
  const approved = [...documents.values()].filter(({ status }) => status === 'approved');
  const left = await sumPosted(tx, approved, toKey);
  const returned = new Map(lines.flatMap((line) => listReturnable(line).map((part) => [toKey(line.id, part.itemId), part.returned])));
  return (orderLineId, quantity, itemId) => {
    const key = toKey(orderLineId, itemId);
    const posted = left.get(key);
    if (posted === undefined) return null;
    const before = returned.get(key) ?? 0;
    returned.set(key, before + quantity);
    // The differences of the shares add up to the whole value.
    const share = (of: number) => scaleRounded(posted.value, of, posted.quantity);
    return share(before + quantity) - share(before);
  };
}

/** What left with the documents, by order line and item. */
async function sumPosted(
  tx: ReadTx,
  documents: readonly StockDocumentRecord[],
  toKey: (orderLineId: string | null, itemId: string) => string,
): Promise<Map<string, { quantity: number; value: number }>> {
  if (documents.length === 0) return new Map();
  const where = [{ field: 'documentId', in: documents.map(({ id }) => id) }];
  const [{ rows: documentLines }, { rows: entries }] = await Promise.all([
    tx.stockDocumentLines.listAfter({ where, limit: Number.MAX_SAFE_INTEGER }),
    tx.ledger.listAfter({ where, limit: Number.MAX_SAFE_INTEGER }),
  ]);
  const orderLineIds = new Map(documentLines.map(({ id, orderLineId }) => [id, orderLineId]));
  const sums = new Map<string, { quantity: number; value: number }>();
  for (const { documentLineId, itemId, quantityDelta, valueDelta } of entries) {
    if (quantityDelta >= 0) continue;
    const key = toKey(orderLineIds.get(documentLineId) ?? null, itemId);
    const { quantity, value } = sums.get(key) ?? { quantity: 0, value: 0 };
    sums.set(key, { quantity: quantity - quantityDelta, value: value - valueDelta });
  }
  return sums;
}
