/**
 * What orders do to stock (D-6), in one place. Stock documents do not exist yet: until they do, completing an order marks what remains as
 * fulfilled without moving any stock. The posting goes here: `completeOrder` will build the document of D-1 for what remains of every line
 * (buy a receipt, sell and fix an issue, make a production, check an adjustment of what is scrapped), approve it in the same commit, name
 * it in `stockDocumentIds`, and refuse with INSUFFICIENT_STOCK; `checkAvailable` will compare with the stock levels; cancelling an order
 * will cancel its draft and submitted documents from here.
 */
import type { Fulfilment, StockOption } from '../contract/orders.ts';
import { type Context, nextTimestamp } from './context.ts';
import type { OrderLineRecord, OrderRecord } from './order-records.ts';
import type { ReadTx, Tx } from './tables.ts';

export interface Completion {
  readonly lines: readonly OrderLineRecord[];
  /** Those of `lines` that the completion changed. */
  readonly changed: readonly OrderLineRecord[];
  readonly fulfilment: Fulfilment;
  readonly closedShort: boolean;
  readonly stockDocumentIds: readonly string[];
}

/** Guard C: fulfils what remains of every line (`auto`), or closes the order short of it (`none`). The caller stores the result. */
export function completeOrder(
  _tx: Tx,
  context: Context,
  order: OrderRecord,
  lines: readonly OrderLineRecord[],
  stock: StockOption,
): Promise<Completion> {
  const { stockDocumentIds } = order;
  if (stock === 'none') {
    const fulfilment = fulfilmentOf(lines);
    return Promise.resolve({ lines, changed: [], fulfilment, closedShort: fulfilment !== 'full', stockDocumentIds });
  }
  const changed: OrderLineRecord[] = [];
  const fulfilled = lines.map((line) => {
    if (line.fulfilledQuantity === line.quantity) return line;
    const done = { ...line, fulfilledQuantity: line.quantity, updatedAt: nextTimestamp(context.now, line.updatedAt) };
    changed.push(done);
    return done;
  });
  return Promise.resolve({ lines: fulfilled, changed, fulfilment: 'full', closedShort: false, stockDocumentIds });
}

/**
 * Before a sale opens: with `oversell: block` it must not promise more than is available. There are no stock levels to compare with yet,
 * so nothing is refused.
 */
export const checkAvailable = (_tx: ReadTx, _context: Context, _order: OrderRecord, _lines: readonly OrderLineRecord[]): Promise<void> =>
  Promise.resolve();

/** How much of an order's lines is fulfilled. */
export function fulfilmentOf(lines: readonly Pick<OrderLineRecord, 'quantity' | 'fulfilledQuantity'>[]): Fulfilment {
  if (lines.every((line) => line.fulfilledQuantity === 0)) return 'none';
  return lines.every((line) => line.fulfilledQuantity >= line.quantity) ? 'full' : 'partial';
}
