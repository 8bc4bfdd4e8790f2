/** Checks that a stock document, or its order, has a status that allows an action (D-14). */
import { isOutstanding } from '../../contract/resources/orders.ts';
import { formatAlternatives } from '../../contract/schema/record-kinds.ts';
import type { DocumentStatus } from '../../contract/resources/stock-documents.ts';
import { StockroomError } from '../kernel/errors.ts';
import type { LinkedOrder } from './linked-order.ts';
import type { StockDocumentRecord } from './records.ts';

/** The statuses of a document before it is posted. */
export const UNPOSTED_STATUSES: readonly DocumentStatus[] = ['draft', 'submitted'];

/** Throws a 409 unless the document has one of these statuses. `action` completes the message: `be approved`. */
export function checkDocumentStatus(
  { documentNumber, status }: Pick<StockDocumentRecord, 'documentNumber' | 'status'>,
  allowed: readonly DocumentStatus[],
  action: string,
): void {
  if (allowed.includes(status)) return;
  throw new StockroomError(
    'INVALID_STATE',
    `${documentNumber} is ${status} and cannot ${action}. Required status: ${formatAlternatives(allowed)}.`,
    {
      details: { status, allowed },
    },
  );
}

/** Throws a 409 unless the order is outstanding. */
export function checkOutstanding({ id, orderNumber, status }: Pick<LinkedOrder, 'id' | 'orderNumber' | 'status'>): void {
  if (isOutstanding(status)) return;
  throw new StockroomError('INVALID_STATE', `Order ${orderNumber} is ${status}. Its status must be open, in_progress or waiting.`, {
    details: { orderId: id, status },
  });
}
