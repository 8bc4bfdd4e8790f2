/** Which field of an order may change in which status (D-5). Writing the value that is there already is no change. */
import type { OrderStatus } from '../contract/orders.ts';
import { StockroomError } from './errors.ts';
import type { HeaderField } from './order-fields.ts';
import type { LineSet } from './order-lines.ts';
import type { OrderLineRecord, OrderRecord } from './order-records.ts';
import { isPosted, partNeed } from './order-stock.ts';
import { OUTSTANDING } from './order-transitions.ts';

interface Lock {
  readonly open: readonly OrderStatus[];
  /** Only as long as nothing is fulfilled. */
  readonly unfulfilled?: true;
}

const PLANNING = ['draft', 'open'] as const;
const WORKING: readonly OrderStatus[] = ['draft', ...OUTSTANDING];

const LOCKS: Readonly<Record<HeaderField | 'lines', Lock>> = {
  contactId: { open: PLANNING, unfulfilled: true },
  siteId: { open: PLANNING, unfulfilled: true },
  orderDate: { open: PLANNING },
  // ours: D-5 does not name it; it belongs to the plan like the order date.
  sourceOrderId: { open: PLANNING },
  dueDate: { open: WORKING },
  priority: { open: WORKING },
  assignedTo: { open: WORKING },
  lines: { open: WORKING },
  reference: { open: [...WORKING, 'completed'] },
  notes: { open: [...WORKING, 'completed', 'cancelled'] },
};

/** Throws FIELD_LOCKED naming each of `fields` that may not change now. */
export function checkLocks(order: OrderRecord, fields: readonly (HeaderField | 'lines')[]): void {
  refuse(
    order,
    fields.filter((field) => {
      const { open, unfulfilled } = LOCKS[field];
      return !open.includes(order.status) || (unfulfilled && order.fulfilment !== 'none');
    }),
  );
}

const FIXED_WHEN_FULFILLED = ['itemId', 'unitId', 'siteId'] as const;
const PRICES = ['unitPrice', 'discountPercent', 'taxPercent'] as const;

/** Throws FIELD_LOCKED for a change of the lines that the order does not allow now; `present` are the lines before it. */
export function checkLineLocks(
  order: OrderRecord,
  present: readonly OrderLineRecord[],
  { updated, removed }: Pick<LineSet, 'updated' | 'removed'>,
): void {
  checkLocks(order, ['lines']);
  const known = new Map(present.map((line) => [line.id, line]));
  for (const line of updated) {
    const before = known.get(line.id);
    if (before)
      refuse(
        order,
        lockedFields(order, before, line).map((field) => `lines.${String(line.lineNumber - 1)}.${field}`),
      );
  }
  const kept = removed.filter((line) => line.fulfilledQuantity > 0 || isPosted(line));
  if (kept.length === 0) return;
  const numbers = kept.map((line) => String(line.lineNumber)).join(', ');
  throw new StockroomError(
    'FIELD_LOCKED',
    `Stock has been posted for line ${numbers} of ${order.orderNumber}; list it in lines to keep it.`,
    {
      details: { fields: ['lines'], status: order.status, lineIds: kept.map((line) => line.id) },
    },
  );
}

function lockedFields(order: OrderRecord, before: OrderLineRecord, after: OrderLineRecord): string[] {
  const isPriced = order.module === 'buy' || order.module === 'sell' || order.module === 'fix';
  const isAtWork = order.status === 'in_progress' || order.status === 'waiting';
  const fixed = [
    ...(before.fulfilledQuantity > 0 || isPosted(before) ? FIXED_WHEN_FULFILLED : []),
    ...(isAtWork && !isPriced ? PRICES : []),
  ];
  const locked: string[] = fixed.filter((field) => before[field] !== after[field]);
  const isTooFew = after.kit?.some((part) => part.posted > partNeed(part, after.stockQuantity)) ?? false;
  return after.quantity < before.fulfilledQuantity || isTooFew ? [...locked, 'quantity'] : locked;
}

function refuse(order: OrderRecord, fields: readonly string[]): void {
  if (fields.length === 0) return;
  const reason = order.fulfilment === 'none' ? '' : `, fulfilment ${order.fulfilment}`;
  throw new StockroomError(
    'FIELD_LOCKED',
    `${fields.join(', ')} cannot change any more: ${order.orderNumber} is ${order.status}${reason}.`,
    {
      details: { fields, status: order.status },
    },
  );
}
