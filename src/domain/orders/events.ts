/** Records changes of orders: one event, and one audit row each for header, lines and status (D-23). */
import type { StockEffect } from '../../contract/resources/stock-effects.ts';
import { type Change, type Changes, diffFields, recordChange } from '../events/changes.ts';
import { recordEvents } from '../events/record-events.ts';
import { toEventEffects } from '../events/stock-effects.ts';
import type { Context } from '../kernel/context.ts';
import { EXTERNAL_FIELDS } from '../kernel/external-fields.ts';
import { HEADER_FIELDS } from './header.ts';
import type { LineSet } from './lines.ts';
import { fromMinor } from '../kernel/numbers.ts';
import type { OrderRecord } from './records.ts';
import type { Tx } from '../tables.ts';

const STATUS_FIELDS = ['status', 'closedShort', 'completedAt', 'cancelledAt', 'cancelReason', 'fulfilment', 'stockDocumentIds'] as const;
const AMOUNT_FIELDS = ['subtotal', 'discountTotal', 'taxTotal', 'total'] as const;
const TOTAL_FIELDS = [...AMOUNT_FIELDS, 'lineCount'] as const;

/** The changed fields between two versions of an order. */
export interface OrderDiff {
  readonly header: Changes;
  readonly status: Changes;
  readonly totals: Changes;
}

export function diffOrders(before: OrderRecord, after: OrderRecord): OrderDiff {
  return {
    header: diffFields(before, after, [...HEADER_FIELDS, ...EXTERNAL_FIELDS]),
    status: diffFields(before, after, STATUS_FIELDS),
    totals: toWireTotals(diffFields(before, after, TOTAL_FIELDS), after.currencyExponent),
  };
}

export async function recordOrderCreated(
  tx: Tx,
  context: Context,
  order: OrderRecord,
  stockEffects: readonly StockEffect[],
): Promise<void> {
  await recordChange(tx, context, {
    action: 'order.created',
    resourceType: 'order',
    resourceId: order.id,
    event: {
      name: 'order.created',
      resourceId: order.id,
      updatedAt: order.updatedAt,
      changes: [],
      data: { ...toEventData(order), ...toEffects(stockEffects) },
    },
  });
}

interface OrderUpdateDetails {
  /** Given when the body replaced the lines. */
  readonly lines: Omit<LineSet, 'lines'> | undefined;
  /** Changes of availability that no event of a stock document reports. */
  readonly stockEffects: readonly StockEffect[];
}

/** Records an update. */
export async function recordOrderUpdated(
  tx: Tx,
  context: Context,
  before: OrderRecord,
  after: OrderRecord,
  change: OrderDiff,
  { lines, stockEffects }: OrderUpdateDetails,
): Promise<void> {
  const changedFields = [
    ...Object.keys(change.header),
    ...(lines ? ['lines'] : []),
    ...Object.keys(change.totals),
    ...Object.keys(change.status),
  ];
  const previous = before.status === after.status ? {} : { previousStatus: before.status };
  const data = { ...toEventData(after), ...previous, ...toEffects(stockEffects) };
  const event = { name: 'order.updated' as const, resourceId: after.id, updatedAt: after.updatedAt, changes: changedFields, data };
  const rows: Pick<Change, 'action' | 'changes' | 'metadata'>[] = [];
  if (Object.keys(change.header).length > 0) rows.push({ action: 'order.updated', changes: change.header });
  if (lines) {
    const counts = { added: lines.added.length, updated: lines.updated.length, removed: lines.removed.length };
    rows.push({ action: 'order.lines_replaced', changes: change.totals, metadata: { lines: counts } });
  }
  if (Object.keys(change.status).length > 0) rows.push({ action: toStatusAction(before, after), changes: change.status });
  // All audit rows share one event.
  for (const [index, row] of rows.entries())
    await recordChange(tx, context, { ...row, resourceType: 'order', resourceId: after.id, ...(index === 0 && { event }) });
  if (lines) await recordLinesDeleted(tx, context, after, lines.removed);
}

/** Readers of the lines of an order learn what was removed from these events. */
const recordLinesDeleted = (tx: Tx, context: Context, { updatedAt }: OrderRecord, removed: LineSet['removed']): Promise<void> =>
  recordEvents(
    tx,
    context,
    removed.map(({ id, orderId, itemId }) => ({
      name: 'order_line.deleted',
      resourceId: id,
      updatedAt,
      changes: ['deleted'],
      data: { orderId, itemId, deletedAt: updatedAt },
    })),
  );

/** Records the effect of a posted or reversed stock document: changed fulfilment, and a reopened order. */
export async function recordOrderPosted(
  tx: Tx,
  context: Context,
  before: OrderRecord,
  after: OrderRecord,
  hasChangedLines: boolean,
): Promise<void> {
  const changes = diffFields(before, after, STATUS_FIELDS);
  const isReopened = before.status !== after.status;
  const changedFields = [...new Set([...(hasChangedLines ? ['fulfilment'] : []), ...Object.keys(changes)])];
  const previous = isReopened ? { previousStatus: before.status } : {};
  await recordChange(tx, context, {
    action: isReopened ? 'order.reopened' : hasChangedLines ? 'order.fulfilled' : 'order.updated',
    resourceType: 'order',
    resourceId: after.id,
    changes,
    event: {
      name: 'order.updated',
      resourceId: after.id,
      updatedAt: after.updatedAt,
      changes: changedFields,
      data: { ...toEventData(after), ...previous },
    },
  });
}

/** Records that a return was posted or reversed. */
export async function recordOrderReturned(tx: Tx, context: Context, after: OrderRecord): Promise<void> {
  await recordChange(tx, context, {
    action: 'order.returned',
    resourceType: 'order',
    resourceId: after.id,
    event: {
      name: 'order.updated',
      resourceId: after.id,
      updatedAt: after.updatedAt,
      changes: ['lines', 'returnDocumentIds'],
      data: toEventData(after),
    },
  });
}

/** Completing and cancelling have their own actions instead of `order.status_changed`. */
function toStatusAction(before: OrderRecord, after: OrderRecord): string {
  if (before.status === after.status) return 'order.updated';
  if (after.status === 'completed') return 'order.completed';
  return after.status === 'cancelled' ? 'order.cancelled' : 'order.status_changed';
}

/** Most changes of orders have none, and their events no field for them. */
const toEffects = (stockEffects: readonly StockEffect[]) => toEventEffects(stockEffects.length === 0 ? undefined : stockEffects);

function toEventData(order: OrderRecord) {
  const { module, status, orderNumber, contactId, siteId, priority, orderDate, dueDate, lineCount } = order;
  const total = fromMinor(order.total, order.currencyExponent);
  return { module, status, orderNumber, contactId, siteId, priority, orderDate, dueDate, total, lineCount };
}

function toWireTotals(changes: Changes, exponent: number): Changes {
  const isAmount = (field: string): boolean => (AMOUNT_FIELDS as readonly string[]).includes(field);
  const toWireValue = (field: string, value: unknown) =>
    isAmount(field) && typeof value === 'number' ? fromMinor(value, exponent) : value;
  return Object.fromEntries(
    Object.entries(changes).map(([field, { from, to }]) => [field, { from: toWireValue(field, from), to: toWireValue(field, to) }]),
  );
}
