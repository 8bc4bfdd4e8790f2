/** The order line that a document line fulfils: it must wait for just this (D-1, D-6). */
import type { DocumentType } from '../contract/stock-documents.ts';
import type { Direction } from '../contract/stock-lines.ts';
import { invalidField } from './errors.ts';
import type { OrderLineRecord, OrderRecord } from './order-records.ts';
import { flowOf } from './order-stock.ts';
import type { StockLineReferences } from './stock-line-references.ts';
import type { StockDocumentRecord } from './stock-records.ts';

interface Wanted {
  readonly orderLineId: string;
  readonly direction: Direction | null;
  readonly itemId: string;
}

/** The order line, or a 400 for `path`. */
export function orderLineOf(
  { type, orderId }: Pick<StockDocumentRecord, 'type' | 'orderId'>,
  { order, orderLines }: StockLineReferences,
  { orderLineId, direction, itemId }: Wanted,
  path: string,
): OrderLineRecord {
  if (orderId === null || !order) throw invalidField(path, `${path} belongs to a document with an orderId`, 'not_allowed');
  const line = orderLines.get(orderLineId);
  if (line?.orderId !== orderId) throw invalidField(path, `${path}: order ${order.orderNumber} has no line ${orderLineId}`);
  const filler = fillerOf(order, line);
  if (filler?.type !== type || filler.direction !== direction) {
    const by = filler
      ? `is fulfilled by a ${filler.type} line${filler.direction ? ` with direction ${filler.direction}` : ''}`
      : 'waits for no stock';
    throw invalidField(path, `${path}: line ${String(line.lineNumber)} of ${order.orderNumber} ${by}`, 'not_allowed');
  }
  if (!(line.kit ? line.kit.some((part) => part.itemId === itemId) : line.itemId === itemId)) {
    throw invalidField(path, `${path}: line ${String(line.lineNumber)} of ${order.orderNumber} waits for another item`, 'not_allowed');
  }
  return line;
}

/** What kind of document line fulfils the order line; null: none does. */
function fillerOf({ module }: OrderRecord, line: OrderLineRecord): { type: DocumentType; direction: Direction | null } | null {
  const flow = flowOf(module, line);
  if (flow === null) return null;
  if (module === 'make') return { type: 'production', direction: flow === 'incoming' ? 'in' : 'out' };
  return { type: flow === 'incoming' ? 'receipt' : 'issue', direction: null };
}
