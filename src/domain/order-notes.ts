/** What is told about a change of an order: one event, and an audit row for each side of it (D §7). */
import { type Changes, differences, note } from './changes.ts';
import type { Context } from './context.ts';
import { HEADER_FIELDS } from './order-fields.ts';
import type { LineSet } from './order-lines.ts';
import { fromMinor } from './numbers.ts';
import type { OrderRecord } from './order-records.ts';
import type { Tx } from './tables.ts';

const STATUS_FIELDS = ['status', 'closedShort', 'completedAt', 'cancelledAt', 'cancelReason', 'fulfilment', 'stockDocumentIds'] as const;
const AMOUNT_FIELDS = ['subtotal', 'discountTotal', 'taxTotal', 'total'] as const;
const SUM_FIELDS = [...AMOUNT_FIELDS, 'lineCount'] as const;

/** What has changed between two versions of an order, by side. */
export interface OrderChange {
  readonly header: Changes;
  readonly status: Changes;
  readonly sums: Changes;
}

export function orderChange(before: OrderRecord, after: OrderRecord): OrderChange {
  return {
    header: differences(before, after, HEADER_FIELDS),
    status: differences(before, after, STATUS_FIELDS),
    sums: wireSums(differences(before, after, SUM_FIELDS), after.currencyExponent),
  };
}

export async function noteCreated(tx: Tx, context: Context, order: OrderRecord): Promise<void> {
  await note(tx, context, {
    action: 'order.created',
    resourceType: 'order',
    resourceId: order.id,
    event: { name: 'order.created', resourceId: order.id, changes: [], data: eventData(order) },
  });
}

/** Notes a change; `lines` are what became of the lines when the body set them. */
export async function noteUpdated(
  tx: Tx,
  context: Context,
  before: OrderRecord,
  after: OrderRecord,
  change: OrderChange,
  lines: Omit<LineSet, 'lines'> | undefined,
): Promise<void> {
  const names = [...Object.keys(change.header), ...(lines ? ['lines'] : []), ...Object.keys(change.sums), ...Object.keys(change.status)];
  const previous = before.status === after.status ? {} : { previousStatus: before.status };
  let event = {
    event: { name: 'order.updated' as const, resourceId: after.id, changes: names, data: { ...eventData(after), ...previous } },
  };
  const add = async (action: string, changes: Changes, metadata: Readonly<Record<string, unknown>> = {}) => {
    await note(tx, context, { action, resourceType: 'order', resourceId: after.id, changes, metadata, ...event });
    // The event is one for all sides; the first row brings it.
    event = {} as typeof event;
  };
  if (Object.keys(change.header).length > 0) await add('order.updated', change.header);
  if (lines) {
    const counts = { added: lines.added.length, updated: lines.updated.length, removed: lines.removed.length };
    await add('order.lines_replaced', change.sums, { lines: counts });
  }
  if (Object.keys(change.status).length > 0) await add(statusAction(before, after), change.status);
}

/** Notes what a stock document did to the order: it fulfilled lines or, reversed, took that back, and perhaps reopened the order. */
export async function notePosted(tx: Tx, context: Context, before: OrderRecord, after: OrderRecord, isFulfilled: boolean): Promise<void> {
  const changes = differences(before, after, STATUS_FIELDS);
  const isReopened = before.status !== after.status;
  const names = [...new Set([...(isFulfilled ? ['fulfilment'] : []), ...Object.keys(changes)])];
  const previous = isReopened ? { previousStatus: before.status } : {};
  await note(tx, context, {
    action: isReopened ? 'order.reopened' : isFulfilled ? 'order.fulfilled' : 'order.updated',
    resourceType: 'order',
    resourceId: after.id,
    changes,
    event: { name: 'order.updated', resourceId: after.id, changes: names, data: { ...eventData(after), ...previous } },
  });
}

/** ours: completing and cancelling have names of their own and stand for `order.status_changed`. */
function statusAction(before: OrderRecord, after: OrderRecord): string {
  if (before.status === after.status) return 'order.updated';
  if (after.status === 'completed') return 'order.completed';
  return after.status === 'cancelled' ? 'order.cancelled' : 'order.status_changed';
}

function eventData(order: OrderRecord) {
  const { module, status, orderNumber, contactId, siteId, priority, orderDate, dueDate, lineCount } = order;
  const total = fromMinor(order.total, order.currencyExponent);
  return { module, status, orderNumber, contactId, siteId, priority, orderDate, dueDate, total, lineCount };
}

function wireSums(changes: Changes, exponent: number): Changes {
  const isAmount = (field: string): boolean => (AMOUNT_FIELDS as readonly string[]).includes(field);
  const wire = (field: string, value: unknown) => (isAmount(field) && typeof value === 'number' ? fromMinor(value, exponent) : value);
  return Object.fromEntries(
    Object.entries(changes).map(([field, { from, to }]) => [field, { from: wire(field, from), to: wire(field, to) }]),
  );
}
