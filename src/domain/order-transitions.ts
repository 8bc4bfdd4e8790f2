/**
 * The life of an order (D-2).
 *
 * draft        being written; has no effect anywhere. Leaves to open (guard A) or cancelled.
 * open         promised: counts as committed or incoming. Leaves to in_progress, waiting, completed (guard C), and, while nothing of it
 *              is fulfilled (guard B), back to draft or to cancelled.
 * in_progress  being worked on. Leaves to waiting, completed (guard C), and under guard B to open or cancelled.
 * waiting      held up: buy for a delivery or a payment, sell for stock, a payment or the customer, make for what blocks it, check for a
 *              sample, fix for parts. Leaves like in_progress, and to in_progress.
 * completed    done: everything fulfilled, or closed short. Only the reversal of a stock document reopens it, as in_progress.
 * cancelled    given up. Nothing leaves it.
 *
 * Guard A: the order is fit to be promised, see `order-guards.ts`. Guard B: nothing is fulfilled, otherwise stock has moved for it.
 * Guard C: completing itself, see `order-posting.ts`. The status an order has already is no transition. A change of status is one commit,
 * so a crash leaves the order in the status before or after it, never between.
 */
import type { OrderStatus } from '../contract/orders.ts';
import { StockroomError } from './errors.ts';
import type { OrderRecord } from './order-records.ts';

const TRANSITIONS: Readonly<Record<OrderStatus, readonly OrderStatus[]>> = {
  draft: ['open', 'cancelled'],
  open: ['draft', 'in_progress', 'waiting', 'completed', 'cancelled'],
  in_progress: ['open', 'waiting', 'completed', 'cancelled'],
  waiting: ['open', 'in_progress', 'completed', 'cancelled'],
  completed: [],
  cancelled: [],
};

/** Statuses in which the order counts as committed or incoming. */
export const OUTSTANDING: readonly OrderStatus[] = ['open', 'in_progress', 'waiting'];
export const isOutstanding = (status: OrderStatus): boolean => OUTSTANDING.includes(status);

/** Later than every due date. */
export const NO_DEADLINE = '9999-12-31';
/** The day after which the order is overdue. */
export const deadlineOf = ({ status, dueDate }: Pick<OrderRecord, 'status' | 'dueDate'>): string =>
  isOutstanding(status) ? dueDate : NO_DEADLINE;

/** The statuses the order may be given now. */
export const allowedFrom = (status: OrderStatus): readonly OrderStatus[] => TRANSITIONS[status];

/** Throws INVALID_TRANSITION or ORDER_HAS_POSTED_STOCK when the order may not go to another status. */
export function checkTransition(order: OrderRecord, to: OrderStatus): void {
  const { status: from, orderNumber } = order;
  const allowed = allowedFrom(from);
  if (!allowed.includes(to)) {
    const choice = allowed.length > 0 ? `it can become ${allowed.join(', ')}` : 'that is final';
    throw new StockroomError('INVALID_TRANSITION', `${orderNumber} is ${from} and cannot become ${to}; ${choice}.`, {
      details: { from, to, allowed },
    });
  }
  if (needsNothingPosted(from, to) && order.fulfilment !== 'none') throw hasPostedStock(order, to);
}

export function hasPostedStock({ orderNumber, status: from, fulfilment, stockDocumentIds }: OrderRecord, to: OrderStatus): StockroomError {
  return new StockroomError(
    'ORDER_HAS_POSTED_STOCK',
    `Stock has been posted for ${orderNumber}: reverse its stock documents first, or complete it with stock "none".`,
    { details: { from, to, fulfilment, stockDocumentIds } },
  );
}

/** Guard B stands before cancelling and before every way back. */
export function needsNothingPosted(from: OrderStatus, to: OrderStatus): boolean {
  return to === 'cancelled' || to === 'draft' || (to === 'open' && from !== 'draft');
}
