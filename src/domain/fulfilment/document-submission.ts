/** Submits a document, checked against the order that it fulfils (D-6, D-14). */
import type { Context } from '../kernel/context.ts';
import { listOrderLines } from '../orders/lines.ts';
import { submitDraft } from '../stock/documents.ts';
import type { DocumentWithLines } from '../stock/records.ts';
import type { Tx } from '../tables.ts';
import { applyPostings } from './order-progress.ts';
import { checkReturn } from './order-returns.ts';
import { checkReceiptLines } from './receipt-matching.ts';

/** Submits a draft. Throws a 409 also when a line exceeds what is left of its order line, as approving it would. */
export async function submitDocument(tx: Tx, context: Context, id: string): Promise<DocumentWithLines> {
  const submitted = await submitDraft(tx, context, id);
  const { document, lines } = submitted;
  const order = document.orderId === null ? undefined : await tx.orders.get(document.orderId);
  if (typeof document.returnOf === 'string') await checkReturn(tx, lines, document.returnOf);
  await checkReceiptLines(tx, submitted);
  if (order) applyPostings(order, await listOrderLines(tx, order.id), lines, 1);
  return submitted;
}
