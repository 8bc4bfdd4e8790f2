/** Which fields of an order can change in which status (D-5). Setting a field to its current value is not a change. */
import { OUTSTANDING_STATUSES, type OrderStatus } from '../../contract/resources/orders.ts';
import { StockroomError } from '../kernel/errors.ts';
import type { HeaderField } from './header.ts';
import type { LineSet } from './lines.ts';
import type { OrderLineRecord, OrderRecord } from './records.ts';
import { isPosted, getPartNeed } from './requirements.ts';

interface Lock {
  readonly editableIn: readonly OrderStatus[];
  /** Only while nothing is fulfilled. */
  readonly requiresUnfulfilled?: true;
}

const PLANNING_STATUSES = ['draft', 'open'] as const;
const ACTIVE_STATUSES: readonly OrderStatus[] = ['draft', ...OUTSTANDING_STATUSES];

const LOCKS: Readonly<Record<HeaderField | 'lines', Lock>> = {
  contactId: { editableIn: PLANNING_STATUSES, requiresUnfulfilled: true },
  siteId: { editableIn: PLANNING_STATUSES, requiresUnfulfilled: true },
  orderDate: { editableIn: PLANNING_STATUSES },
  // D-5 does not list it; treated like the order date.
  sourceOrderId: { editableIn: PLANNING_STATUSES },
  dueDate: { editableIn: ACTIVE_STATUSES },
  priority: { editableIn: ACTIVE_STATUSES },
  assignedTo: { editableIn: ACTIVE_STATUSES },
  lines: { editableIn: ACTIVE_STATUSES },
  reference: { editableIn: [...ACTIVE_STATUSES, 'completed'] },
  notes: { editableIn: [...ACTIVE_STATUSES, 'completed', 'cancelled'] },
};

/** Throws FIELD_LOCKED with each of `fields` that cannot change in the order's status. */
export function checkLocks(order: OrderRecord, fields: readonly (HeaderField | 'lines')[]): void {
  throwLockedError(
    order,
    fields.filter((field) => {
      const { editableIn, requiresUnfulfilled } = LOCKS[field];
      return !editableIn.includes(order.status) || (requiresUnfulfilled && order.fulfilment !== 'none');
    }),
  );
}

const FIELDS_FIXED_WHEN_FULFILLED = ['itemId', 'unitId', 'siteId'] as const;
const PRICE_FIELDS = ['unitPrice', 'discountPercent', 'taxPercent'] as const;

/** Throws FIELD_LOCKED for line changes that the order does not allow. `linesBefore` are the lines before the change. */
export function checkLineLocks(
  order: OrderRecord,
  linesBefore: readonly OrderLineRecord[],
  { updated, removed }: Pick<LineSet, 'updated' | 'removed'>,
): void {
  checkLocks(order, ['lines']);
  const linesById = new Map(linesBefore.map((line) => [line.id, line]));
  for (const line of updated) {
    const before = linesById.get(line.id);
    if (before)
      throwLockedError(
        order,
        findLockedFields(order, before, line).map((field) => `lines.${String(line.lineNumber - 1)}.${field}`),
      );
  }
  const lockedLines = removed.filter((line) => line.fulfilledQuantity > 0 || isPosted(line));
  if (lockedLines.length === 0) return;
  const numbers = lockedLines.map((line) => String(line.lineNumber)).join(', ');
  throw new StockroomError(
    'FIELD_LOCKED',
    `Line ${numbers} of ${order.orderNumber} cannot be removed: stock was posted for it. ${explainKept(lockedLines)}`,
    {
      details: { fields: ['lines'], status: order.status, lineIds: lockedLines.map((line) => line.id) },
    },
  );
}

/** What to do with lines that cannot be removed. */
export const explainKept = (lines: readonly OrderLineRecord[]): string =>
  lines.some(({ component }) => typeof component?.sourceIngredientId === 'string')
    ? 'Include it in lines, with isManual true if no output needs it.'
    : 'Include it in lines.';

function findLockedFields(order: OrderRecord, before: OrderLineRecord, after: OrderLineRecord): string[] {
  const isPriced = order.module === 'buy' || order.module === 'sell' || order.module === 'fix';
  const isInProgress = order.status === 'in_progress' || order.status === 'waiting';
  const fixed = [
    ...(before.fulfilledQuantity > 0 || isPosted(before) ? FIELDS_FIXED_WHEN_FULFILLED : []),
    ...(isInProgress && !isPriced ? PRICE_FIELDS : []),
  ];
  const locked: string[] = fixed.filter((field) => before[field] !== after[field]);
  const isBelowPosted = after.kit?.some((part) => part.posted > getPartNeed(part, after.stockQuantity)) ?? false;
  return after.quantity < before.fulfilledQuantity || isBelowPosted ? [...locked, 'quantity'] : locked;
}

function throwLockedError(order: OrderRecord, fields: readonly string[]): void {
  if (fields.length === 0) return;
  const reason = order.fulfilment === 'none' ? '' : `, fulfilment ${order.fulfilment}`;
  throw new StockroomError('FIELD_LOCKED', `${fields.join(', ')} can no longer change: ${order.orderNumber} is ${order.status}${reason}.`, {
    details: { fields, status: order.status },
  });
}
