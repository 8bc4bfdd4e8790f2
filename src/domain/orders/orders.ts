/** Reads and stores orders. `fulfilment/order-changes.ts` creates and updates them. */
import { duplicateValue, notFound } from '../kernel/errors.ts';
import { DuplicateKey } from '../kernel/ports.ts';
import type { ReadTx, Tx } from '../tables.ts';
import type { OrderRecord } from './records.ts';

export async function getOrder(tx: ReadTx, id: string): Promise<OrderRecord> {
  const order = await tx.orders.get(id);
  if (!order) throw notFound('order', id);
  return order;
}

/** Stores the order; 409 when another order has its number or external id. */
export async function putOrder(tx: Tx, order: OrderRecord): Promise<void> {
  try {
    await tx.orders.put(order);
  } catch (error) {
    if (!(error instanceof DuplicateKey)) throw error;
    const field = error.key === 'externalId' ? 'externalId' : 'orderNumber';
    throw duplicateValue(field, order[field] ?? '', error.existingId);
  }
}
