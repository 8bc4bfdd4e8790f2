/** In which state a document takes what (D-14). */
import type { DocumentStatus } from '../contract/stock-documents.ts';
import { StockroomError } from './errors.ts';
import type { OrderRecord } from './order-records.ts';
import { isOutstanding } from './order-transitions.ts';
import type { StockDocumentRecord } from './stock-records.ts';

/** States of a document that has moved nothing and still may. */
export const UNPOSTED: readonly DocumentStatus[] = ['draft', 'submitted'];

/** 409 unless the document is in one of these states; `action` says what was wanted: `be approved`. */
export function checkState(
  { documentNumber, status }: Pick<StockDocumentRecord, 'documentNumber' | 'status'>,
  allowed: readonly DocumentStatus[],
  action: string,
): void {
  if (allowed.includes(status)) return;
  throw new StockroomError('INVALID_STATE', `${documentNumber} is ${status}; it can ${action} only while it is ${allowed.join(' or ')}.`, {
    details: { status, allowed },
  });
}

/** 409 unless work on the order is going on: only then do its lines wait for stock. */
export function checkOutstanding({ id, orderNumber, status }: OrderRecord): void {
  if (isOutstanding(status)) return;
  throw new StockroomError(
    'INVALID_STATE',
    `Order ${orderNumber} is ${status}; stock moves only for an order that is open or being worked on.`,
    {
      details: { orderId: id, status },
    },
  );
}
