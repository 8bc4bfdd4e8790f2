/** Creates and updates orders with their effects on stock in one transaction. D-1 to D-9. */
import { type OrderDraft, type OrderPatch, isOutstanding } from '../../contract/resources/orders.ts';
import { type Context, getNextTimestamp } from '../kernel/context.ts';
import { StockroomError, invalidField } from '../kernel/errors.ts';
import type { StockEffect } from '../../contract/resources/stock-effects.ts';
import { checkContactForOpening } from '../contacts/order-roles.ts';
import { HEADER_FIELDS, type Header, applyOrderHeaderPatch, checkHeader, createOrderHeader, getPriorityRank } from '../orders/header.ts';
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
import type { StockDocumentRecord } from '../stock/records.ts';
import { snapshotStock } from '../orders/stock-snapshot.ts';
import { getFulfilment } from '../orders/requirements.ts';
import { calculateOrderTotals } from '../orders/totals.ts';
import { checkTransition, getDeadline } from '../orders/status-transitions.ts';
import { toSupplierLinkId } from '../catalog/suppliers.ts';
import { applyExternalFields } from '../kernel/external-fields.ts';
import type { ReadTx, Tx } from '../tables.ts';
import { blankToNull } from '../kernel/text.ts';
import { getOrder, putOrder } from '../orders/orders.ts';

export async function createOrder(tx: Tx, context: Context, draft: OrderDraft): Promise<ChangedOrder> {
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
    returnDocumentIds: [],
  };
  const lineSet = await replaceLines(tx, context, emptyOrder, [], draft.lines);
  const plannedOrder = applyLines(applyExternalFields(emptyOrder, draft), lineSet.lines);
  if (status === 'open') await checkCanOpen(tx, plannedOrder, lineSet.lines, null);
  const { order, lines } = await snapshotStock(tx, context, plannedOrder, lineSet);
  const stockEffects = await updateOrderClaims(tx, context, undefined, { order, lines });
  await putOrder(tx, order);
  await storeLines(tx, { added: lines, updated: [], removed: [] });
  await recordOrderCreated(tx, context, order, stockEffects);
  return { order, lines, stockEffects };
}

export interface ChangedOrder extends OrderWithLines {
  /** Changes of availability not reported by events of its stock documents. */
  readonly stockEffects: readonly StockEffect[];
}

export interface UpdatedOrder extends ChangedOrder {
  /** Those of the documents that its completion has posted. */
  readonly postedEffects: readonly StockEffect[];
  /** The order's documents that were not posted, and were cancelled because the order has ended. */
  readonly cancelledDocuments: readonly StockDocumentRecord[];
}

/** Updates header, lines and status together. */
export async function updateOrder(tx: Tx, context: Context, id: string, patch: OrderPatch): Promise<UpdatedOrder> {
  const orderBefore = await getOrder(tx, id);
  const { header, status, cancelReason } = await planHeader(tx, orderBefore, patch);
  const before: OrderWithLines = { order: orderBefore, lines: await listOrderLines(tx, id) };
  const plannedOrder: OrderRecord = applyExternalFields({ ...orderBefore, ...header }, patch);
  const lineSet = await planLines(tx, context, before, plannedOrder, patch.lines);
  const hasLineChanges = isLineSetChanged(lineSet);
  const changedOrder: OrderRecord = { ...(hasLineChanges ? applyLines(plannedOrder, lineSet.lines) : plannedOrder), status, cancelReason };
  if (orderBefore.status === 'draft' && status === 'open') await checkCanOpen(tx, changedOrder, lineSet.lines, orderBefore.status);

  const planned = await updateStockSnapshot(tx, context, orderBefore, changedOrder, lineSet);
  const updatedAt = getNextTimestamp(context.now, orderBefore.updatedAt);
  const {
    order: after,
    lines,
    stockEffects,
    postedEffects,
    cancelledDocuments,
  } = await applyToStock(tx, context, before, planned, patch.stock, updatedAt);
  if (isOutstanding(status) || status === 'completed') {
    if (hasLineChanges) checkRemainsOpenable(orderBefore, lines);
    if (after.contactId !== orderBefore.contactId) await checkContactForOpening(tx, after.module, after.contactId);
  }

  const change = diffOrders(orderBefore, after);
  const isUnchanged = Object.keys(change.header).length + Object.keys(change.status).length === 0 && !hasLineChanges;
  if (isUnchanged) return { ...before, stockEffects, postedEffects, cancelledDocuments };
  const order = { ...after, deadline: getDeadline(after), updatedAt };
  await putOrder(tx, order);
  await storeLines(tx, { ...toLineWrites(before.lines, lines), removed: lineSet.removed });
  await recordOrderUpdated(tx, context, orderBefore, order, change, { lines: hasLineChanges ? lineSet : undefined, stockEffects });
  return { order, lines, stockEffects, postedEffects, cancelledDocuments };
}

type PlannedHeader = Pick<OrderRecord, 'status' | 'cancelReason'> & {
  readonly header: Header & Pick<OrderRecord, 'priorityRank' | 'stockSiteId'>;
};

/** Checks the changes of header and status. */
async function planHeader(tx: ReadTx, before: OrderRecord, patch: OrderPatch): Promise<PlannedHeader> {
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
  await checkHeader(tx, before.module, before.id, header, before);
  // Clearing the site also clears the stored default site, which may be deleted; `snapshotStock` stores the current one.
  const stockSiteId = header.siteId === null && before.siteId !== null ? null : before.stockSiteId;
  return { status, cancelReason, header: { ...header, priorityRank: getPriorityRank(header), stockSiteId } };
}

/** Checks the changes of lines. `order`: with its new header and its old status. */
async function planLines(
  tx: ReadTx,
  context: Context,
  before: OrderWithLines,
  order: OrderRecord,
  patches: OrderPatch['lines'],
): Promise<LineSet> {
  if (patches === undefined) return { lines: before.lines, added: [], updated: [], removed: [] };
  const lineSet = await replaceLines(tx, context, order, before.lines, patches);
  if (isLineSetChanged(lineSet)) {
    checkLineLocks(before.order, before.lines, lineSet);
    await checkNotReferenced(tx, before.order, lineSet.removed);
  }
  return lineSet;
}

const isLineSetChanged = ({ added, updated, removed }: LineSet): boolean => added.length + updated.length + removed.length > 0;

/** The order and its lines with what they store about stock: site and parts of combos. */
async function updateStockSnapshot(
  tx: ReadTx,
  context: Context,
  before: OrderRecord,
  order: OrderRecord,
  lineSet: LineSet,
): Promise<OrderWithLines> {
  const hasLineChanges = isLineSetChanged(lineSet);
  if (!hasLineChanges && order.status === before.status && order.stockSiteId === before.stockSiteId) return { order, lines: lineSet.lines };
  const snapshot = await snapshotStock(tx, context, order, lineSet);
  if (!hasLineChanges) return snapshot;
  return { order: { ...snapshot.order, fulfilment: getFulfilment(snapshot.lines) }, lines: snapshot.lines };
}

/** Changes claims and stock documents for the new lines and status. */
async function applyToStock(
  tx: Tx,
  context: Context,
  before: OrderWithLines,
  planned: OrderWithLines,
  stock: OrderPatch['stock'],
  updatedAt: string,
): Promise<UpdatedOrder> {
  const { status } = planned.order;
  const isStatusChanged = status !== before.order.status;
  if (isStatusChanged && status === 'completed') {
    const { fulfilment, closedShort, stockDocumentIds, ...changes } = await completeOrder(tx, context, before, planned, stock ?? 'auto');
    return { ...changes, order: { ...planned.order, fulfilment, closedShort, stockDocumentIds, completedAt: updatedAt } };
  }
  const isCancelled = isStatusChanged && status === 'cancelled';
  // Before the claims of the order: its event is the last, so its effects must be the levels after both.
  const cancelledDocuments = isCancelled ? await cancelUnpostedDocuments(tx, context, planned.order, planned.order.cancelReason) : [];
  const stockEffects = await updateOrderClaims(tx, context, before, planned);
  const order = isCancelled ? { ...planned.order, cancelledAt: updatedAt } : planned.order;
  return { order, lines: planned.lines, stockEffects, postedEffects: [], cancelledDocuments };
}

/** The order with the fields derived from its lines. */
function applyLines(order: OrderRecord, lines: readonly OrderLineRecord[]): OrderRecord {
  const itemIds = [...new Set(lines.map((line) => line.itemId).filter((id) => id !== null))];
  return { ...order, ...calculateOrderTotals(lines), itemIds, fulfilment: getFulfilment(lines) };
}

/** The lines to write. Removed lines are not included. */
function toLineWrites(linesBefore: readonly OrderLineRecord[], lines: readonly OrderLineRecord[]): Pick<LineSet, 'added' | 'updated'> {
  const linesBeforeById = new Map(linesBefore.map((line) => [line.id, line]));
  return {
    added: lines.filter(({ id }) => !linesBeforeById.has(id)),
    updated: lines.filter((line) => (linesBeforeById.get(line.id) ?? line) !== line),
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
