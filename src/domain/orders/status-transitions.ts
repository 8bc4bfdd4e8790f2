/**
 * The states of an order and their transitions (D-2).
 *
 * draft        in preparation, no effect on stock. To open or cancelled.
 * open         confirmed: counts as committed or incoming. To in_progress, waiting, completed, and, with nothing posted, to draft or
 *              cancelled.
 * in_progress  being worked on. To waiting, completed, and, with nothing posted, to open or cancelled.
 * waiting      blocked: buy by a delivery or payment, sell by stock, a payment or the customer, make by any obstacle, check by a sample,
 *              fix by parts. Same transitions as in_progress, and to in_progress.
 * completed    fulfilled, or closed short. Final, but reversing a stock document reopens the order as in_progress.
 * cancelled    final.
 *
 * Opening requires lines, a contact and active items: `guards.ts`.
 * "Nothing posted": no line is fulfilled (`checkTransition`) and no document of the order is approved (`fulfilment/order-stock-effects.ts`).
 * Completing posts what remains: `fulfilment/order-stock-effects.ts`.
 * Setting the current status is not a transition. A status change is one commit, so a crash leaves the order before or after it.
 */
import { ORDER_TRANSITIONS, type OrderStatus, isOutstanding } from '../../contract/resources/orders.ts';
import { StockroomError } from '../kernel/errors.ts';
import type { OrderRecord } from './records.ts';

/** The deadline of orders that cannot be overdue: later than every due date. */
export const NO_DEADLINE = '9999-12-31';
/** The last day before the order is overdue. */
export const getDeadline = ({ status, dueDate }: Pick<OrderRecord, 'status' | 'dueDate'>): string =>
  isOutstanding(status) ? dueDate : NO_DEADLINE;

/** The statuses that an order with this status can change to. */
export const listAllowedTransitions = (status: OrderStatus): readonly OrderStatus[] => ORDER_TRANSITIONS[status];

/** Throws INVALID_TRANSITION or ORDER_HAS_POSTED_STOCK unless the order can change to the status. */
export function checkTransition(order: OrderRecord, to: OrderStatus): void {
  const { status: from, orderNumber } = order;
  const allowed = listAllowedTransitions(from);
  if (!allowed.includes(to)) {
    const choices = allowed.length > 0 ? `Allowed: ${allowed.join(', ')}.` : `${from} is final.`;
    throw new StockroomError('INVALID_TRANSITION', `${orderNumber} cannot change from ${from} to ${to}. ${choices}`, {
      details: { from, to, allowed },
    });
  }
  if (requiresNothingPosted(from, to) && order.fulfilment !== 'none') throw createPostedStockError(order, to);
}

export function createPostedStockError(
  { orderNumber, status: from, fulfilment, stockDocumentIds }: OrderRecord,
  to: OrderStatus,
): StockroomError {
  return new StockroomError(
    'ORDER_HAS_POSTED_STOCK',
    `Stock was posted for ${orderNumber}. Cancel its stock documents first, or complete the order with stock "none".`,
    { details: { from, to, fulfilment, stockDocumentIds } },
  );
}

/** Whether the transition requires that nothing is posted: cancelling, and every transition back. */
export function requiresNothingPosted(from: OrderStatus, to: OrderStatus): boolean {
  return to === 'cancelled' || to === 'draft' || (to === 'open' && from !== 'draft');
}
