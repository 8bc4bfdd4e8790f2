import type { Order, OrderDetail, listOrders, orderOperations } from '../contract/orders.ts';
import type { QueryOf } from '../contract/operation.ts';
import { dayIn } from '../domain/context.ts';
import { checkVersion } from '../domain/items.ts';
import { fromMinor } from '../domain/numbers.ts';
import { linesOf } from '../domain/order-lines.ts';
import type { OrderLineRecord, OrderRecord } from '../domain/order-records.ts';
import { createOrder, getOrder, updateOrder } from '../domain/orders.ts';
import type { Condition, PageQuery, View } from '../domain/ports.ts';
import type { ReadTx } from '../domain/tables.ts';
import { Answer, type Handlers, etagOf } from './call.ts';
import { among, equal, joinPage, pageQuery, paginationOf } from './lists.ts';
import { presentLines } from './order-lines.ts';
import { RowText, completed } from './row-text.ts';

export const orderHandlers: Handlers<typeof orderOperations> = {
  async 'orders.list'({ tx, caller, now, query }) {
    const today = dayIn(caller.tenant.timezone, now);
    const { rows, total } = await tx.orders.pageView(orderView, await listQueryOf(tx, query, today));
    return joinPage(await withReferences(tx, rows), paginationOf(query, total));
  },
  async 'orders.create'({ tx, context, body }) {
    const { order, lines } = await createOrder(tx, context, body);
    return new Answer({ data: await presentOrder(tx, order, lines) }, { etag: etagOf(order), location: `/v1/orders/${order.id}` });
  },
  async 'orders.get'({ tx, params, query }) {
    const order = await getOrder(tx, params.order_id);
    const lines = query.include?.includes('lines') ? await linesOf(tx, order.id) : undefined;
    return new Answer({ data: await presentOrder(tx, order, lines) }, { etag: etagOf(order) });
  },
  async 'orders.update'({ tx, context, params, body, ifMatch }) {
    checkVersion(ifMatch, (await getOrder(tx, params.order_id)).updatedAt);
    const { order, lines } = await updateOrder(tx, context, params.order_id, body);
    return new Answer({ data: await presentOrder(tx, order, lines) }, { etag: etagOf(order) });
  },
};

async function listQueryOf(tx: ReadTx, query: QueryOf<typeof listOrders>, today: string): Promise<PageQuery> {
  const { due_before, due_after, overdue } = query;
  const page = pageQuery(query, [
    equal('module', query.module),
    among('status', query.status),
    among('contactId', query.contact_id),
    among('siteId', query.site_id),
    among('assignedTo', query.assigned_to),
    among('priority', query.priority),
    among('itemIds', query.item_id),
    due_before === undefined ? undefined : { field: 'dueDate', before: due_before },
    due_after === undefined ? undefined : { field: 'dueDate', after: due_after },
    overdueWhen(overdue, today),
  ]);
  if (page.search === undefined) return page;
  const named = await contactsNamed(tx, page.search.text);
  return { ...page, search: { ...page.search, or: { field: 'contactId', in: named } } };
}

function overdueWhen(overdue: boolean | undefined, today: string): Condition | undefined {
  if (overdue === undefined) return undefined;
  return overdue ? { field: 'deadline', before: today } : { field: 'deadline', from: today };
}

/** Contacts with the text in their name; their own search also looks at company and e-mail. */
async function contactsNamed(tx: ReadTx, text: string): Promise<string[]> {
  const folded = (value: string) => value.normalize('NFC').toLowerCase();
  const wanted = folded(text);
  const { rows } = await tx.contacts.after({ search: { text }, limit: Number.MAX_SAFE_INTEGER });
  return rows.filter(({ name }) => folded(name).includes(wanted)).map(({ id }) => id);
}

type OrderText = RowText<Pick<OrderRecord, 'contactId' | 'siteId'>>;

const orderView: View<OrderRecord, OrderText> = {
  name: 'order',
  of(record) {
    const { contactId, siteId } = record;
    return new RowText(JSON.stringify(ownFields(record)), { contactId, siteId });
  },
};

function ownFields(record: OrderRecord): Omit<Order, 'contact' | 'site'> {
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

/** Puts contact and site behind each text: they may change without the order. */
const withReferences = (tx: ReadTx, rows: readonly OrderText[]): Promise<readonly OrderText[]> =>
  completed(rows, [tx.contacts, tx.sites], async (about) => JSON.stringify(await referencesOf(tx, about)).slice(1));

async function presentOrder(tx: ReadTx, record: OrderRecord, lines: readonly OrderLineRecord[] | undefined): Promise<OrderDetail> {
  const money = (minor: number) => fromMinor(minor, record.currencyExponent);
  return {
    ...ownFields(record),
    ...(await referencesOf(tx, record)),
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
    ...(lines ? { lines: await presentLines(tx, record, lines) } : {}),
  };
}

/** A contact and a site that orders name cannot be deleted. */
async function referencesOf(tx: ReadTx, { contactId, siteId }: OrderText['about']): Promise<Pick<Order, 'contact' | 'site'>> {
  return {
    contact: { id: contactId, name: (await tx.contacts.get(contactId))?.name ?? '' },
    site: siteId === null ? null : { id: siteId, name: (await tx.sites.get(siteId))?.name ?? '' },
  };
}
