/** Creates and updates orders with their effects on stock in one transaction. D-1 to D-9. */
import { type OrderDraft, type OrderPatch, isOutstanding } from '../../contract/resources/orders.ts';
import { type Context, getNextTimestamp } from '../kernel/context.ts';
import { StockroomError, invalidField } from '../kernel/errors.ts';
import type { StockEffect } from '../../contract/resources/stock-documents.ts';
import { checkContactForOpening } from '../contacts/order-roles.ts';
import { HEADER_FIELDS, applyOrderHeaderPatch, checkHeader, createOrderHeader, getPriorityRank } from '../orders/header.ts';
import { checkCanOpen, checkRemainsOpenable } from '../orders/guards.ts';
import { type LineSet, listOrderLines, replaceLines, storeLines } from '../orders/lines.ts';
import { checkLineLocks, checkLocks } from '../orders/field-locks.ts';
import { recordOrderCreated, recordOrderUpdated, diffOrders } from '../orders/events.ts';
import { nextOrderNumber } from '../orders/numbering.ts';
import {
  updateOrderClaims,
  cancelUnpostedDocuments,
  checkNothingPosted,
  checkNotReferenced,
  completeOrder,
} from './order-stock-effects.ts';
import type { OrderLineRecord, OrderRecord, OrderWithLines } from '../orders/records.ts';
import { snapshotStock } from '../orders/kits.ts';
import { getFulfilment } from '../orders/requirements.ts';
import { calculateOrderTotals } from '../orders/totals.ts';
import { checkTransition, getDeadline } from '../orders/status-transitions.ts';
import { toSupplierLinkId } from '../catalog/suppliers.ts';
import type { ReadTx, Tx } from '../tables.ts';
import { blankToNull } from '../kernel/text.ts';
import { getOrder, putOrder } from '../orders/orders.ts';

export async function createOrder(tx: Tx, context: Context, draft: OrderDraft): Promise<OrderWithLines> {
  const { module, status } = draft;
  const { currency, currencyExponent } = context.tenant;
  const header = await createOrderHeader(tx, context, draft, (contactId) => getSupplierLeadDays(tx, draft, contactId));
  const at = context.now.toISOString();
  const id = context.newId();
  await checkHeader(tx, module, id, header);
  const emptyOrder: OrderRecord = {
    id,
    module,
    orderNumber: draft.orderNumber ?? (await nextOrderNumber(tx, context, module)),
    status,
    ...header,
    priorityRank: getPriorityRank(header),
    currency,
    currencyExponent,
    ...calculateOrderTotals([]),
    fulfilment: 'none',
    closedShort: false,
    completedAt: null,
    cancelledAt: null,
    cancelReason: null,
    stockDocumentIds: [],
    stockSiteId: null,
    itemIds: [],
    deadline: getDeadline({ status, dueDate: header.dueDate }),
    createdAt: at,
    updatedAt: at,
  };
  const lineSet = await replaceLines(tx, context, emptyOrder, [], draft.lines);
  const plannedOrder = applyLines(emptyOrder, lineSet.lines);
  if (status === 'open') await checkCanOpen(tx, plannedOrder, lineSet.lines, null);
  const { order, lines } = await snapshotStock(tx, context, plannedOrder, lineSet.lines);
  const stockEffects = await updateOrderClaims(tx, context, undefined, { order, lines });
  await putOrder(tx, order);
  await storeLines(tx, { added: lines, updated: [], removed: [] });
  await recordOrderCreated(tx, context, order, stockEffects);
  return { order, lines };
}

/** Updates header, lines and status together. */
export async function updateOrder(tx: Tx, context: Context, id: string, patch: OrderPatch): Promise<OrderWithLines> {
  const before = await getOrder(tx, id);
  const status = patch.status ?? before.status;
  const cancelReason = resolveCancelReason(before, status, patch);
  if (patch.stock !== undefined && status !== 'completed') {
    throw invalidField('/stock', 'stock is allowed only when status changes to completed', 'not_allowed');
  }
  const header = applyOrderHeaderPatch(before, patch);
  checkLocks(
    before,
    HEADER_FIELDS.filter((field) => header[field] !== before[field]),
  );
  if (status !== before.status) {
    checkTransition(before, status);
    await checkNothingPosted(tx, before, status);
  }
  await checkHeader(tx, before.module, id, header, before);

  const linesBefore = await listOrderLines(tx, id);
  // An order that loses its site gets the current default site: the stored one may be deleted.
  const stockSiteId = header.siteId === null && before.siteId !== null ? null : before.stockSiteId;
  const plannedOrder: OrderRecord = { ...before, ...header, priorityRank: getPriorityRank(header), stockSiteId };
  const lineSet =
    patch.lines === undefined ? toUnchangedLineSet(linesBefore) : await replaceLines(tx, context, plannedOrder, linesBefore, patch.lines);
  const hasLineChanges = lineSet.added.length + lineSet.updated.length + lineSet.removed.length > 0;
  if (hasLineChanges) {
    checkLineLocks(before, linesBefore, lineSet);
    await checkNotReferenced(tx, before, lineSet.removed);
  }

  const isStatusChanged = status !== before.status;
  const changedOrder: OrderRecord = { ...(hasLineChanges ? applyLines(plannedOrder, lineSet.lines) : plannedOrder), status, cancelReason };
  if (before.status === 'draft' && status === 'open') await checkCanOpen(tx, changedOrder, lineSet.lines, before.status);
  const isStockUnaffected = !hasLineChanges && !isStatusChanged && stockSiteId === before.stockSiteId;
  const snapshot = isStockUnaffected
    ? { order: changedOrder, lines: lineSet.lines }
    : await snapshotStock(tx, context, changedOrder, lineSet.lines);
  let { order: after, lines } = snapshot;
  if (hasLineChanges) after = { ...after, fulfilment: getFulfilment(lines) };
  const updatedAt = getNextTimestamp(context.now, before.updatedAt);
  const beforeWithLines = { order: before, lines: linesBefore };
  let stockEffects: readonly StockEffect[];
  if (isStatusChanged && status === 'completed') {
    const {
      lines: fulfilled,
      stockEffects: completionEffects,
      ...outcome
    } = await completeOrder(tx, context, beforeWithLines, { order: after, lines }, patch.stock ?? 'auto');
    lines = fulfilled;
    stockEffects = completionEffects;
    after = { ...after, ...outcome, completedAt: updatedAt };
  } else {
    stockEffects = await updateOrderClaims(tx, context, beforeWithLines, { order: after, lines });
  }
  if (isStatusChanged && status === 'cancelled') {
    after = { ...after, cancelledAt: updatedAt };
    await cancelUnpostedDocuments(tx, context, after);
  }
  if (isOutstanding(status) || status === 'completed') {
    if (hasLineChanges) checkRemainsOpenable(before, lines);
    if (after.contactId !== before.contactId) await checkContactForOpening(tx, after.module, after.contactId);
  }

  const change = diffOrders(before, after);
  const isUnchanged = Object.keys(change.header).length + Object.keys(change.status).length === 0 && !hasLineChanges;
  if (isUnchanged) return { order: before, lines: linesBefore };
  const order = { ...after, deadline: getDeadline(after), updatedAt };
  await putOrder(tx, order);
  await storeLines(tx, { ...toLineWrites(linesBefore, lines), removed: lineSet.removed });
  await recordOrderUpdated(tx, context, before, order, change, { lines: hasLineChanges ? lineSet : undefined, stockEffects });
  return { order, lines };
}

function toUnchangedLineSet(lines: readonly OrderLineRecord[]): LineSet {
  return { lines, added: [], updated: [], removed: [] };
}

/** The order with the fields derived from its lines. */
function applyLines(order: OrderRecord, lines: readonly OrderLineRecord[]): OrderRecord {
  const itemIds = [...new Set(lines.map((line) => line.itemId).filter((id) => id !== null))];
  return { ...order, ...calculateOrderTotals(lines), itemIds, fulfilment: getFulfilment(lines) };
}

/** The lines to write. Removed lines are not included. */
function toLineWrites(linesBefore: readonly OrderLineRecord[], lines: readonly OrderLineRecord[]): Pick<LineSet, 'added' | 'updated'> {
  const idsBefore = new Map(linesBefore.map((line) => [line.id, line]));
  return {
    added: lines.filter(({ id }) => !idsBefore.has(id)),
    updated: lines.filter((line) => idsBefore.has(line.id) && idsBefore.get(line.id) !== line),
  };
}

/** The longest lead time of the supplier for the items, in days. */
async function getSupplierLeadDays(tx: ReadTx, { module, lines }: OrderDraft, contactId: string): Promise<number> {
  if (module !== 'buy') return 0;
  const ids = lines.flatMap(({ itemId }) => (itemId ? [toSupplierLinkId(itemId, contactId)] : []));
  const links = await tx.supplierLinks.getMany(ids);
  return Math.max(0, ...links.map((link) => link?.leadTimeDays ?? 0));
}

function resolveCancelReason(before: OrderRecord, status: OrderRecord['status'], { cancelReason }: OrderPatch): string | null {
  if (cancelReason === undefined) return before.cancelReason;
  const reason = blankToNull(cancelReason);
  if (status !== 'cancelled' && reason !== null) {
    throw invalidField('/cancelReason', 'cancelReason is allowed only when status changes to cancelled', 'not_allowed');
  }
  if (before.status === 'cancelled' && reason !== before.cancelReason) {
    throw new StockroomError('FIELD_LOCKED', `cancelReason can no longer change: ${before.orderNumber} is cancelled.`, {
      details: { fields: ['cancelReason'], status: before.status },
    });
  }
  return reason;
}
