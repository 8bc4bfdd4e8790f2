/** Handlers of orders, and their JSON in responses. */
import type { Order, OrderDetail, listOrders, orderOperations } from '../contract/resources/orders.ts';
import type { QueryOf } from '../contract/operation.ts';
import { toCalendarDay } from '../domain/kernel/context.ts';
import { checkVersion } from '../domain/kernel/versions.ts';
import { fromMinor } from '../domain/kernel/numbers.ts';
import { listOrderLines } from '../domain/orders/lines.ts';
import type { OrderLineRecord, OrderRecord } from '../domain/orders/records.ts';
import { getOrder } from '../domain/orders/orders.ts';
import { createOrder, updateOrder } from '../domain/fulfilment/order-changes.ts';
import { getDistinctIds, getRowsById } from '../domain/kernel/rows.ts';
import type { Condition, PageQuery, View } from '../domain/kernel/ports.ts';
import type { ReadTx } from '../domain/tables.ts';
import { ApiResponse, type Handlers, toEtag } from './handler.ts';
import { whereIn, whereEquals, toPageJson, toPageQuery, toPagination } from './pagination.ts';
import { presentOrderLines } from './order-lines.ts';
import { RowJson, completeRows, measureRowJson } from './row-json.ts';

export const orderHandlers: Handlers<typeof orderOperations> = {
  async 'orders.list'({ tx, caller, now, query }) {
    const today = toCalendarDay(caller.tenant.timezone, now);
    const { rows, total } = await tx.orders.listViewPage(orderView, toListQuery(query, today));
    return toPageJson(await addReferences(tx, rows), toPagination(query, total));
  },
  async 'orders.create'({ tx, context, body }) {
    const { order, lines } = await createOrder(tx, context, body);
    return new ApiResponse({ data: await presentOrder(tx, order, lines) }, { etag: toEtag(order), location: `/v1/orders/${order.id}` });
  },
  async 'orders.get'({ tx, params, query }) {
    const order = await getOrder(tx, params.order_id);
    const lines = query.include?.includes('lines') ? await listOrderLines(tx, order.id) : undefined;
    return new ApiResponse({ data: await presentOrder(tx, order, lines) }, { etag: toEtag(order) });
  },
  async 'orders.update'({ tx, context, params, body, ifMatch }) {
    checkVersion(ifMatch, (await getOrder(tx, params.order_id)).updatedAt);
    const { order, lines, cancelledDocuments } = await updateOrder(tx, context, params.order_id, body);
    const cancelled = cancelledDocuments.map(({ id, documentNumber }) => ({ id, documentNumber }));
    const data = { ...(await presentOrder(tx, order, lines)), ...(cancelled.length > 0 ? { cancelledDocuments: cancelled } : {}) };
    return new ApiResponse({ data }, { etag: toEtag(order) });
  },
};

function toListQuery(query: QueryOf<typeof listOrders>, today: string): PageQuery {
  const { due_before, due_after, overdue } = query;
  const page = toPageQuery(query, [
    whereEquals('module', query.module),
    whereIn('status', query.status),
    whereIn('contactId', query.contact_id),
    whereIn('siteId', query.site_id),
    whereIn('assignedTo', query.assigned_to),
    whereIn('priority', query.priority),
    whereIn('itemIds', query.item_id),
    due_before === undefined ? undefined : { field: 'dueDate', before: due_before },
    due_after === undefined ? undefined : { field: 'dueDate', after: due_after },
    whereOverdue(overdue, today),
  ]);
  if (page.search === undefined) return page;
  const { text } = page.search;
  // The search of contacts also matches company and email.
  return { ...page, search: { text, or: { field: 'contactId', in: { table: 'contacts', field: 'name', search: text } } } };
}

function whereOverdue(overdue: boolean | undefined, today: string): Condition | undefined {
  if (overdue === undefined) return undefined;
  return overdue ? { field: 'deadline', before: today } : { field: 'deadline', from: today };
}

type OrderJson = RowJson<Pick<OrderRecord, 'contactId' | 'siteId'>>;

const orderView: View<OrderRecord, OrderJson> = {
  name: 'order',
  measure: measureRowJson,
  compute(record) {
    const { contactId, siteId } = record;
    return new RowJson(JSON.stringify(presentOwnFields(record)), { contactId, siteId });
  },
};

function presentOwnFields(record: OrderRecord): Omit<Order, 'contact' | 'site'> {
  return {
    id: record.id,
    module: record.module,
    orderNumber: record.orderNumber,
    status: record.status,
    contactId: record.contactId,
    orderDate: record.orderDate,
    dueDate: record.dueDate,
    siteId: record.siteId,
    priority: record.priority,
    assignedTo: record.assignedTo,
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
  };
}

/** Appends contact and site, which may change while the order does not. */
const addReferences = (tx: ReadTx, rows: readonly OrderJson[]): Promise<readonly OrderJson[]> =>
  completeRows(rows, [tx.contacts, tx.sites], async (references) => {
    const present = await loadReferences(tx, references);
    return (reference) => JSON.stringify(present(reference)).slice(1);
  });

async function presentOrder(tx: ReadTx, record: OrderRecord, lines: readonly OrderLineRecord[] | undefined): Promise<OrderDetail> {
  const money = (minor: number) => fromMinor(minor, record.currencyExponent);
  const [presentReferences, presentedLines] = await Promise.all([
    loadReferences(tx, [record]),
    lines && presentOrderLines(tx, record, lines),
  ]);
  return {
    ...presentOwnFields(record),
    ...presentReferences(record),
    notes: record.notes,
    reference: record.reference,
    sourceOrderId: record.sourceOrderId,
    currency: record.currency,
    subtotal: money(record.subtotal),
    discountTotal: money(record.discountTotal),
    taxTotal: money(record.taxTotal),
    total: money(record.total),
    lineCount: record.lineCount,
    fulfilment: record.fulfilment,
    closedShort: record.closedShort,
    completedAt: record.completedAt,
    cancelledAt: record.cancelledAt,
    cancelReason: record.cancelReason,
    stockDocumentIds: record.stockDocumentIds,
    ...(record.returnDocumentIds?.length ? { returnDocumentIds: record.returnDocumentIds } : {}),
    ...(presentedLines ? { lines: presentedLines } : {}),
  };
}

/** The contact and site always exist: neither can be deleted while an order references it. */
async function loadReferences(tx: ReadTx, rows: readonly OrderJson['references'][]) {
  const [contacts, sites] = await Promise.all([
    getRowsById(tx.contacts, getDistinctIds(rows.map(({ contactId }) => contactId))),
    getRowsById(tx.sites, getDistinctIds(rows.map(({ siteId }) => siteId))),
  ]);
  return ({ contactId, siteId }: OrderJson['references']): Pick<Order, 'contact' | 'site'> => ({
    contact: { id: contactId, name: contacts.get(contactId)?.name ?? '' },
    site: siteId === null ? null : { id: siteId, name: sites.get(siteId)?.name ?? '' },
  });
}
