/** What a stock document does to its order when it is posted or reversed: lines are fulfilled or wait again, a completed order reopens (D-6). */
import { type Context, nextTimestamp } from './context.ts';
import { StockroomError } from './errors.ts';
import { linesOf } from './order-lines.ts';
import { notePosted } from './order-notes.ts';
import type { OrderLineRecord, OrderRecord } from './order-records.ts';
import { flowOf, fulfilmentOf, isPosted, requirementsOf, withPosting } from './order-stock.ts';
import { deadlineOf } from './order-transitions.ts';
import type { StockDocumentRecord, StockLineRecord } from './stock-records.ts';
import { checkOutstanding } from './stock-states.ts';
import type { Tx } from './tables.ts';

interface OrderState {
  readonly order: OrderRecord;
  readonly lines: readonly OrderLineRecord[];
}

export interface OrderStep {
  readonly before: OrderState;
  readonly after: OrderState;
}

/** The order after the document was posted (`sign` 1) or reversed (−1). Undefined when the document belongs to none. */
export async function orderStep(
  tx: Tx,
  { now }: Context,
  document: StockDocumentRecord,
  lines: readonly StockLineRecord[],
  sign: 1 | -1,
): Promise<OrderStep | undefined> {
  if (document.orderId === null) return undefined;
  const order = await tx.orders.get(document.orderId);
  if (!order) throw new Error(`the order of ${document.documentNumber} is not there`);
  if (sign === 1) checkOutstanding(order);
  const before = { order, lines: await linesOf(tx, order.id) };
  const posted = withPostings(order, before.lines, lines, sign);
  const reopens = order.status === 'completed' && (order.module === 'check' || posted.some((line, at) => line !== before.lines[at]));
  const states = (reopens ? posted.map((line) => withoutCompletion(order, line)) : posted).map((line, at) =>
    line === before.lines[at] ? line : { ...line, updatedAt: nextTimestamp(now, line.updatedAt) },
  );
  const { id } = document;
  const stockDocumentIds = order.stockDocumentIds.includes(id) ? order.stockDocumentIds : [...order.stockDocumentIds, id];
  const after: OrderRecord = {
    ...order,
    fulfilment: fulfilmentOf(states),
    stockDocumentIds,
    ...(reopens ? { status: 'in_progress', completedAt: null, closedShort: false } : {}),
    updatedAt: nextTimestamp(now, order.updatedAt),
  };
  return { before, after: { order: { ...after, deadline: deadlineOf(after) }, lines: states } };
}

/** The lines with what the document posted for them. Those that it does not touch are the very records they were. */
export function withPostings(
  { orderNumber }: OrderRecord,
  orderLines: readonly OrderLineRecord[],
  lines: readonly StockLineRecord[],
  sign: 1 | -1,
): OrderLineRecord[] {
  const states = new Map(orderLines.map((line) => [line.id, line]));
  for (const line of lines) {
    if (line.orderLineId === null) continue;
    const state = states.get(line.orderLineId);
    const after = state && withPosting(state, line, sign);
    if (!after) throw tooMuch(orderNumber, line, state);
    states.set(after.id, after);
  }
  return [...states.values()];
}

function tooMuch(orderNumber: string, line: StockLineRecord, orderLine: OrderLineRecord | undefined): StockroomError {
  const told = orderLine && `line ${String(orderLine.lineNumber)} of ${orderNumber}`;
  const isMeant = orderLine && requirementsOf(orderLine).some(({ itemId }) => itemId === line.itemId);
  const what =
    told === undefined
      ? `fulfils a line that ${orderNumber} does not have any more`
      : isMeant
        ? `posts more than ${told} still waits for`
        : `is of another item than ${told}`;
  return new StockroomError('INVALID_STATE', `Line ${String(line.lineNumber)} ${what}; change it first.`, {
    details: { lineNumber: line.lineNumber, orderLineId: line.orderLineId },
  });
}

/** What only completing fulfils waits again when the order is reopened. */
const withoutCompletion = (order: OrderRecord, line: OrderLineRecord): OrderLineRecord =>
  flowOf(order.module, line) === null && !isPosted(line) && line.fulfilledQuantity > 0 ? { ...line, fulfilledQuantity: 0 } : line;

/** Stores and notes the order when anything of it has changed. */
export async function saveOrderStep(tx: Tx, context: Context, { before, after }: OrderStep): Promise<void> {
  const changed = after.lines.filter((line, at) => line !== before.lines[at]);
  const isListed = before.order.stockDocumentIds === after.order.stockDocumentIds;
  if (changed.length === 0 && isListed && before.order.status === after.order.status) return;
  await tx.orderLines.putMany(changed);
  await tx.orders.put(after.order);
  await notePosted(tx, context, before.order, after.order, changed.length > 0);
}
