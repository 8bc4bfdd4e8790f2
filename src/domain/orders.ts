/** Orders: creating and changing them. The rules stand in the files beside this one, each under its name. D-1 to D-9. */
import type { OrderDraft, OrderPatch } from '../contract/orders.ts';
import { type Context, nextTimestamp } from './context.ts';
import { StockroomError, duplicateValue, invalidField, notFound } from './errors.ts';
import { checkContactToOpen } from './order-contacts.ts';
import { HEADER_FIELDS, changedHeader, checkHeader, newHeader, rankOf } from './order-fields.ts';
import { checkFitToOpen, checkStaysFit } from './order-guards.ts';
import { type LineSet, linesOf, replaceLines, storeLines } from './order-lines.ts';
import { checkLineLocks, checkLocks } from './order-locks.ts';
import { noteCreated, noteUpdated, orderChange } from './order-notes.ts';
import { nextOrderNumber } from './order-numbers.ts';
import { announceOrder, cancelDocuments, checkNothingScrapped, checkUnnamed, completeOrder } from './order-posting.ts';
import type { OrderLineRecord, OrderRecord } from './order-records.ts';
import { settleStock } from './order-kits.ts';
import { fulfilmentOf } from './order-stock.ts';
import { orderTotals } from './order-totals.ts';
import { checkTransition, deadlineOf, isOutstanding } from './order-transitions.ts';
import { DuplicateKey } from './ports.ts';
import { supplierLinkId } from './suppliers.ts';
import type { ReadTx, Tx } from './tables.ts';
import { blankToNull } from './text.ts';

export interface OrderWithLines {
  readonly order: OrderRecord;
  readonly lines: readonly OrderLineRecord[];
}

export async function getOrder(tx: ReadTx, id: string): Promise<OrderRecord> {
  const order = await tx.orders.get(id);
  if (!order) throw notFound('order', id);
  return order;
}

export async function createOrder(tx: Tx, context: Context, draft: OrderDraft): Promise<OrderWithLines> {
  const { module, status } = draft;
  const { currency, currencyExponent } = context.tenant;
  const header = await newHeader(tx, context, draft, (contactId) => supplierLeadDays(tx, draft, contactId));
  const at = context.now.toISOString();
  const id = context.newId();
  await checkHeader(tx, module, id, header);
  const blank: OrderRecord = {
    id,
    module,
    orderNumber: draft.orderNumber ?? (await nextOrderNumber(tx, context, module)),
    status,
    ...header,
    priorityRank: rankOf(header),
    currency,
    currencyExponent,
    ...orderTotals([]),
    fulfilment: 'none',
    closedShort: false,
    completedAt: null,
    cancelledAt: null,
    cancelReason: null,
    stockDocumentIds: [],
    stockSiteId: null,
    itemIds: [],
    deadline: deadlineOf({ status, dueDate: header.dueDate }),
    createdAt: at,
    updatedAt: at,
  };
  const set = await replaceLines(tx, context, blank, [], draft.lines);
  const planned = withLines(blank, set.lines);
  if (status === 'open') await checkFitToOpen(tx, planned, set.lines, null);
  const { order, lines } = await settleStock(tx, context, planned, set.lines);
  await announceOrder(tx, context, undefined, { order, lines });
  await putOrder(tx, order);
  await storeLines(tx, { added: lines, updated: [], removed: [] });
  await noteCreated(tx, context, order);
  return { order, lines };
}

/** Changes header, lines and status in one step: either all of it happens or nothing. */
export async function updateOrder(tx: Tx, context: Context, id: string, patch: OrderPatch): Promise<OrderWithLines> {
  const before = await getOrder(tx, id);
  const status = patch.status ?? before.status;
  const cancelReason = cancelReasonOf(before, status, patch);
  if (patch.stock !== undefined && status !== 'completed') {
    throw invalidField('/stock', 'stock belongs to a change of status to completed', 'not_allowed');
  }
  const header = changedHeader(before, patch);
  checkLocks(
    before,
    HEADER_FIELDS.filter((field) => header[field] !== before[field]),
  );
  if (status !== before.status) {
    checkTransition(before, status);
    await checkNothingScrapped(tx, before, status);
  }
  await checkHeader(tx, before.module, id, header, before);

  const present = await linesOf(tx, id);
  // Without a site of its own it goes to the default site of now: that of then may be gone.
  const stockSiteId = header.siteId === null && before.siteId !== null ? null : before.stockSiteId;
  const planned: OrderRecord = { ...before, ...header, priorityRank: rankOf(header), stockSiteId };
  const set = patch.lines === undefined ? unchanged(present) : await replaceLines(tx, context, planned, present, patch.lines);
  const edited = set.added.length + set.updated.length + set.removed.length > 0;
  if (edited) {
    checkLineLocks(before, present, set);
    await checkUnnamed(tx, before, set.removed);
  }

  const isMoved = status !== before.status;
  const wanted: OrderRecord = { ...(edited ? withLines(planned, set.lines) : planned), status, cancelReason };
  if (before.status === 'draft' && status === 'open') await checkFitToOpen(tx, wanted, set.lines, before.status);
  const isSettled = !edited && !isMoved && stockSiteId === before.stockSiteId;
  const settled = isSettled ? { order: wanted, lines: set.lines } : await settleStock(tx, context, wanted, set.lines);
  let { order: after, lines } = settled;
  if (edited) after = { ...after, fulfilment: fulfilmentOf(lines) };
  const stamp = nextTimestamp(context.now, before.updatedAt);
  const was = { order: before, lines: present };
  if (isMoved && status === 'completed') {
    const { lines: fulfilled, ...outcome } = await completeOrder(tx, context, was, { order: after, lines }, patch.stock ?? 'auto');
    lines = fulfilled;
    after = { ...after, ...outcome, completedAt: stamp };
  } else {
    await announceOrder(tx, context, was, { order: after, lines });
  }
  if (isMoved && status === 'cancelled') {
    after = { ...after, cancelledAt: stamp };
    await cancelDocuments(tx, context, after);
  }
  if (isOutstanding(status) || status === 'completed') {
    if (edited) checkStaysFit(before, lines);
    if (after.contactId !== before.contactId) await checkContactToOpen(tx, after.module, after.contactId);
  }

  const change = orderChange(before, after);
  const isQuiet = Object.keys(change.header).length + Object.keys(change.status).length === 0 && !edited;
  if (isQuiet) return { order: before, lines: present };
  const order = { ...after, deadline: deadlineOf(after), updatedAt: stamp };
  await putOrder(tx, order);
  await storeLines(tx, { ...written(present, lines), removed: set.removed });
  await noteUpdated(tx, context, before, order, change, edited ? set : undefined);
  return { order, lines };
}

function unchanged(lines: readonly OrderLineRecord[]): LineSet {
  return { lines, added: [], updated: [], removed: [] };
}

/** The order with what it knows about its lines. */
function withLines(order: OrderRecord, lines: readonly OrderLineRecord[]): OrderRecord {
  const itemIds = [...new Set(lines.map((line) => line.itemId).filter((id) => id !== null))];
  return { ...order, ...orderTotals(lines), itemIds, fulfilment: fulfilmentOf(lines) };
}

/** What has to be written of the lines, so that they replace those that are there. */
function written(present: readonly OrderLineRecord[], lines: readonly OrderLineRecord[]): Pick<LineSet, 'added' | 'updated'> {
  const known = new Map(present.map((line) => [line.id, line]));
  return {
    added: lines.filter(({ id }) => !known.has(id)),
    updated: lines.filter((line) => known.has(line.id) && known.get(line.id) !== line),
  };
}

/** The longest time that the order's supplier takes for one of the items, in days. */
async function supplierLeadDays(tx: ReadTx, { module, lines }: OrderDraft, contactId: string): Promise<number> {
  if (module !== 'buy') return 0;
  const ids = lines.flatMap(({ itemId }) => (itemId ? [supplierLinkId(itemId, contactId)] : []));
  const links = await tx.supplierLinks.getMany(ids);
  return Math.max(0, ...links.map((link) => link?.leadTimeDays ?? 0));
}

function cancelReasonOf(before: OrderRecord, status: OrderRecord['status'], { cancelReason }: OrderPatch): string | null {
  if (cancelReason === undefined) return before.cancelReason;
  const reason = blankToNull(cancelReason);
  if (status !== 'cancelled' && reason !== null) {
    throw invalidField('/cancelReason', 'cancelReason belongs to a change of status to cancelled', 'not_allowed');
  }
  if (before.status === 'cancelled' && reason !== before.cancelReason) {
    throw new StockroomError('FIELD_LOCKED', `cancelReason cannot change any more: ${before.orderNumber} is cancelled.`, {
      details: { fields: ['cancelReason'], status: before.status },
    });
  }
  return reason;
}

async function putOrder(tx: Tx, order: OrderRecord): Promise<void> {
  try {
    await tx.orders.put(order);
  } catch (error) {
    throw error instanceof DuplicateKey ? duplicateValue('orderNumber', order.orderNumber, error.existingId) : error;
  }
}
