/** Checks which order line a stock document line can fulfil (D-1, D-6). */
import type { DocumentType } from '../../contract/resources/stock-documents.ts';
import { getStockFlow } from '../../contract/resources/order-lines.ts';
import type { Direction } from '../../contract/resources/stock-lines.ts';
import { invalidField } from '../kernel/errors.ts';
import type { LinkedOrder, LinkedOrderLine } from './linked-order.ts';
import type { StockLineReferences } from './line-references.ts';
import type { StockDocumentRecord } from './records.ts';

interface LineToMatch {
  readonly orderLineId: string;
  readonly direction: Direction | null;
  readonly itemId: string;
}

/** The order line that the document line fulfils. Throws a 400 for `path` if type, direction or item do not match. */
export function matchOrderLine(
  { type, orderId, returnOf }: Pick<StockDocumentRecord, 'type' | 'orderId' | 'returnOf'>,
  { order, orderLines }: StockLineReferences,
  { orderLineId, direction, itemId }: LineToMatch,
  path: string,
): LinkedOrderLine {
  const linkedId = returnOf ?? orderId;
  if (linkedId === null || !order) throw invalidField(path, `${path} is allowed only on a document with an orderId`, 'not_allowed');
  const line = orderLines.get(orderLineId);
  if (line?.orderId !== linkedId) throw invalidField(path, `${path}: order ${order.orderNumber} has no line ${orderLineId}`);
  const isReturn = typeof returnOf === 'string';
  const fulfilling = isReturn ? getReturningLine(order, line) : getFulfillingLine(order, line);
  if (fulfilling?.type !== type || fulfilling.direction !== direction) {
    const problem = fulfilling
      ? `is ${isReturn ? 'returned' : 'fulfilled'} by ${fulfilling.type} lines${fulfilling.direction ? ` with direction ${fulfilling.direction}` : ''}`
      : 'requires no stock';
    throw invalidField(path, `${path}: line ${String(line.lineNumber)} of ${order.orderNumber} ${problem}`, 'not_allowed');
  }
  if (!(line.kit ? line.kit.some((part) => part.itemId === itemId) : line.itemId === itemId)) {
    throw invalidField(path, `${path}: line ${String(line.lineNumber)} of ${order.orderNumber} requires another item`, 'not_allowed');
  }
  return line;
}

/** The type of the document lines that return goods of the order line: the opposite of what fulfils it. */
function getReturningLine(order: LinkedOrder, line: LinkedOrderLine): ReturnType<typeof getFulfillingLine> {
  const fulfilling = getFulfillingLine(order, line);
  return fulfilling === null ? null : { type: fulfilling.type === 'receipt' ? 'issue' : 'receipt', direction: null };
}

/** The type and direction of the document lines that fulfil the order line; null if it requires no stock. */
function getFulfillingLine({ module }: LinkedOrder, line: LinkedOrderLine): { type: DocumentType; direction: Direction | null } | null {
  const flow = line.kit?.length === 0 ? null : getStockFlow(module, line.kind);
  if (flow === null) return null;
  if (module === 'make') return { type: 'production', direction: flow === 'incoming' ? 'in' : 'out' };
  return { type: flow === 'incoming' ? 'receipt' : 'issue', direction: null };
}
