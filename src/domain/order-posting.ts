/** What orders do to stock (D-6): they announce it while they are outstanding, move it when they are completed, and let it go when cancelled. */
import { type Context, nextTimestamp } from './context.ts';
import type { Fulfilment, OrderStatus, StockOption } from '../contract/orders.ts';
import { StockroomError } from './errors.ts';
import { completionDocuments } from './order-documents.ts';
import type { OrderLineRecord, OrderRecord } from './order-records.ts';
import { flowOf, fulfilmentOf } from './order-stock.ts';
import { hasPostedStock, needsNothingPosted } from './order-transitions.ts';
import { moveClaims, orderClaims } from './stock-claims.ts';
import { withdrawDocument } from './stock-documents.ts';
import { openLevels } from './stock-levels.ts';
import { documentLines } from './stock-lines.ts';
import { checkPromises } from './stock-movements.ts';
import { noteDocument } from './stock-notes.ts';
import { withPostings } from './stock-order.ts';
import { postDocuments } from './stock-post.ts';
import { savePosted } from './stock-posting.ts';
import { UNPOSTED } from './stock-states.ts';
import type { ReadTx, Tx } from './tables.ts';

/** An order with all its lines, at one moment. */
export interface OrderState {
  readonly order: OrderRecord;
  readonly lines: readonly OrderLineRecord[];
}

export interface Completion {
  readonly lines: readonly OrderLineRecord[];
  readonly fulfilment: Fulfilment;
  readonly closedShort: boolean;
  readonly stockDocumentIds: readonly string[];
}

/**
 * Guard C: posts what remains of every line (`auto`), or closes the order short of it (`none`). `after` is the order as it is about to be,
 * completed; the caller stores it. Throws INSUFFICIENT_STOCK with every shortage.
 */
export async function completeOrder(
  tx: Tx,
  context: Context,
  before: OrderState,
  after: OrderState,
  stock: StockOption,
): Promise<Completion> {
  const { order, lines } = after;
  const levels = openLevels(tx, context);
  await moveClaims(levels, orderClaims(before.order, before.lines), []);
  const closes = stock === 'none';
  const documents = closes ? [] : await completionDocuments(tx, context, order, lines);
  const posted = await postDocuments(tx, context, levels, documents, new Map(lines.map((line) => [line.id, line])), true);
  await levels.save();
  for (const each of posted) {
    await savePosted(tx, each);
    await noteDocument(tx, context, 'stock_document.created', 'stock_document.created', each.document);
    await noteDocument(tx, context, 'stock_document.approved', 'stock_document.updated', each.document, { stockEffects: each.effects });
  }
  const stockDocumentIds = [...order.stockDocumentIds, ...posted.map(({ document }) => document.id)];
  if (closes) {
    const fulfilment = fulfilmentOf(lines);
    return { lines, fulfilment, closedShort: fulfilment !== 'full', stockDocumentIds };
  }
  const fulfilled = withPostings(
    order,
    lines,
    posted.flatMap((each) => each.lines),
    1,
  ).map((line, at) => {
    // What waits for no stock, as work and inspections do, is fulfilled by completing.
    const done =
      flowOf(order.module, line) === null && line.fulfilledQuantity < line.quantity ? { ...line, fulfilledQuantity: line.quantity } : line;
    const known = lines[at];
    return done === known ? done : { ...done, updatedAt: nextTimestamp(context.now, known?.updatedAt) };
  });
  return { lines: fulfilled, fulfilment: fulfilmentOf(fulfilled), closedShort: false, stockDocumentIds };
}

/** Announces what remains of the order now in place of what it announced before. With `oversell: block` a sale promises only what is available. */
export async function announceOrder(tx: Tx, context: Context, before: OrderState | undefined, after: OrderState): Promise<void> {
  const levels = openLevels(tx, context);
  const promised = await moveClaims(levels, before ? orderClaims(before.order, before.lines) : [], orderClaims(after.order, after.lines));
  if (after.order.module === 'sell') checkPromises(context.tenant, levels, promised);
  await levels.save();
}

/** Cancels the documents of an order that are not posted, with its reason. */
export async function cancelDocuments(tx: Tx, context: Context, { id, cancelReason }: OrderRecord): Promise<void> {
  const where = [
    { field: 'orderId', equals: id },
    { field: 'status', in: UNPOSTED },
  ];
  const { rows } = await tx.stockDocuments.after({ where, limit: Number.MAX_SAFE_INTEGER });
  for (const document of rows) await withdrawDocument(tx, context, document, await documentLines(tx, document.id), cancelReason);
}

/** Guard B of an inspection, whose lines are not fulfilled by stock: what it has scrapped is not taken back by cancelling it. */
export async function checkNothingScrapped(tx: ReadTx, order: OrderRecord, to: OrderStatus): Promise<void> {
  if (order.module !== 'check' || !needsNothingPosted(order.status, to)) return;
  const documents = await tx.stockDocuments.getMany(order.stockDocumentIds);
  if (documents.some((document) => document?.status === 'approved' && document.reason === 'scrap')) throw hasPostedStock(order, to);
}

/** ours: a line that a stock document names stays, also when the document is cancelled, so that its history can be followed. */
export async function checkUnnamed(tx: ReadTx, { orderNumber, status }: OrderRecord, removed: readonly OrderLineRecord[]): Promise<void> {
  const named: OrderLineRecord[] = [];
  for (const line of removed) {
    if ((await tx.stockDocumentLines.count({ where: [{ field: 'orderLineId', equals: line.id }] })) > 0) named.push(line);
  }
  if (named.length === 0) return;
  const numbers = named.map(({ lineNumber }) => String(lineNumber)).join(', ');
  throw new StockroomError('FIELD_LOCKED', `Stock documents name line ${numbers} of ${orderNumber}; list it in lines to keep it.`, {
    details: { fields: ['lines'], status, lineIds: named.map(({ id }) => id) },
  });
}
