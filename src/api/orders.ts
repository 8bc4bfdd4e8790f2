/** Handlers of orders, and their JSON in responses. */
import { ALL_MODULES, type Order, type OrderDetail, type listOrders, type orderOperations } from '../contract/resources/orders.ts';
import type { QueryOf, ResultOf } from '../contract/operation.ts';
import { toCalendarDay } from '../domain/kernel/context.ts';
import { checkVersion } from './versions.ts';
import { fromMinor } from '../domain/kernel/numbers.ts';
import type { ContactRecord } from '../domain/contacts/records.ts';
import type { SiteRecord } from '../domain/tenancy/records.ts';
import { listOrderLines } from '../domain/orders/lines.ts';
import type { OrderLineRecord, OrderRecord } from '../domain/orders/records.ts';
import { getOrder } from '../domain/orders/orders.ts';
import { createOrder, updateOrder } from '../domain/fulfilment/order-changes.ts';
import { presentExternalFields } from '../domain/kernel/external-fields.ts';
import { getReferencedRows } from '../domain/kernel/rows.ts';
import type { Condition, PageQuery } from '../domain/kernel/ports.ts';
import type { ReadTx } from '../domain/tables.ts';
import { type Handlers, respondWithRecord } from './handler.ts';
import { whereExternalIds, whereInPeriod, whereUniqueValues } from './lists/list-filters.ts';
import { listPage } from './lists/list-page.ts';
import { whereIn, whereEquals, toPageQuery } from './lists/pagination.ts';
import { presentEffects } from './item-lines.ts';
import { presentLinesByOrder, presentOrderLines } from './order-lines.ts';

export const orderHandlers: Handlers<typeof orderOperations> = {
  'orders.list': ({ tx, caller, now, query }) => listOrderPage(tx, query, toCalendarDay(caller.tenant.timezone, now)),
  async 'orders.create'({ tx, context, query, body }) {
    const { order, lines, stockEffects } = await createOrder(tx, context, body);
    const data = {
      ...(await presentOrderDetail(tx, order, lines)),
      ...(query.dry_run === true && { stockEffects: await presentEffects(tx, stockEffects) }),
    };
    return respondWithRecord(order, { data }, `/v1/orders/${order.id}`);
  },
  async 'orders.get'({ tx, params, query }) {
    const order = await getOrder(tx, params.order_id);
    const lines = query.include?.includes('lines') ? await listOrderLines(tx, order.id) : undefined;
    return respondWithRecord(order, { data: await presentOrderDetail(tx, order, lines) });
  },
  async 'orders.update'({ tx, context, params, query, body, ifMatch }) {
    checkVersion(ifMatch, (await getOrder(tx, params.order_id)).updatedAt);
    const { order, lines, stockEffects, postedEffects, cancelledDocuments } = await updateOrder(tx, context, params.order_id, body);
    const cancelled = cancelledDocuments.map(({ id, documentNumber }) => ({ id, documentNumber }));
    const detail = await presentOrderDetail(tx, order, lines);
    const more = {
      ...(cancelled.length > 0 && { cancelledDocuments: cancelled }),
      ...(query.dry_run === true && { stockEffects: await presentEffects(tx, [...postedEffects, ...stockEffects]) }),
    };
    return respondWithRecord(order, { data: { ...detail, ...more } });
  },
};

/** `today`: the calendar day of the tenant. */
export async function listOrderPage(tx: ReadTx, query: QueryOf<typeof listOrders>, today: string): Promise<ResultOf<typeof listOrders>> {
  const { rows, pagination } = await listPage(tx, 'orders', query, await toListQuery(tx, query, today));
  const [references, lines] = await Promise.all([
    loadReferences(tx, rows),
    query.include?.includes('lines') === true ? presentLinesByOrder(tx, rows) : undefined,
  ]);
  const present = selectPresentation(query.include);
  return { data: rows.map((row) => ({ ...present(row, references), ...(lines && { lines: lines.get(row.id) ?? [] }) })), pagination };
}

async function toListQuery(tx: ReadTx, query: QueryOf<typeof listOrders>, today: string): Promise<PageQuery> {
  const { due_before, due_after, overdue } = query;
  const page = toPageQuery(query, [
    whereEquals('module', query.module === ALL_MODULES ? undefined : query.module),
    whereIn('status', query.status),
    whereIn('id', query.id),
    await whereUniqueValues(tx.orders, 'orderNumber', 'orderNumber', query.order_number),
    await whereExternalIds(tx.orders, query.external_id),
    await whereInPeriod(tx.orders, 'completedAt', ['completed'], { since: query.completed_since, until: query.completed_until }),
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

interface References {
  readonly contacts: ReadonlyMap<string, ContactRecord>;
  readonly sites: ReadonlyMap<string, SiteRecord>;
}

/** The contact and site always exist: neither can be deleted while an order references it. */
async function loadReferences(tx: ReadTx, orders: readonly OrderRecord[]): Promise<References> {
  const [contacts, sites] = await Promise.all([
    getReferencedRows(tx.contacts, orders, ({ contactId }) => contactId),
    getReferencedRows(tx.sites, orders, ({ siteId }) => siteId),
  ]);
  return { contacts, sites };
}

function presentOrder(record: OrderRecord, { contacts, sites }: References): Order {
  const { contactId, siteId } = record;
  return {
    id: record.id,
    module: record.module,
    orderNumber: record.orderNumber,
    status: record.status,
    contactId,
    orderDate: record.orderDate,
    dueDate: record.dueDate,
    siteId,
    priority: record.priority,
    assignedTo: record.assignedTo,
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
    ...presentExternalFields(record),
    contact: { id: contactId, name: contacts.get(contactId)?.name ?? '' },
    site: siteId === null ? null : { id: siteId, name: sites.get(siteId)?.name ?? '' },
  };
}

function selectPresentation(include: QueryOf<typeof listOrders>['include']): (record: OrderRecord, references: References) => Order {
  if (include?.includes('details') === true) return presentDetails;
  return include?.includes('totals') === true ? presentOrderWithTotal : presentOrder;
}

function presentOrderWithTotal(record: OrderRecord, references: References) {
  return { ...presentOrder(record, references), contact: presentContact(record, references), ...presentTotals(record) };
}

function presentTotals(record: OrderRecord) {
  const money = (minor: number) => fromMinor(minor, record.currencyExponent);
  const { currency, fulfilment, completedAt } = record;
  return {
    currency,
    subtotal: money(record.subtotal),
    discountTotal: money(record.discountTotal),
    taxTotal: money(record.taxTotal),
    total: money(record.total),
    fulfilment,
    completedAt,
  };
}

function presentContact({ contactId: id }: OrderRecord, { contacts }: References): OrderDetail['contact'] {
  const contact = contacts.get(id);
  return { id, name: contact?.name ?? '', company: contact?.company ?? '' };
}

async function presentOrderDetail(tx: ReadTx, record: OrderRecord, lines: readonly OrderLineRecord[] | undefined): Promise<OrderDetail> {
  const [references, presentedLines] = await Promise.all([loadReferences(tx, [record]), lines && presentOrderLines(tx, record, lines)]);
  return { ...presentDetails(record, references), ...(presentedLines ? { lines: presentedLines } : {}) };
}

/** All fields of an order except its lines. */
function presentDetails(record: OrderRecord, references: References) {
  return {
    ...presentOrder(record, references),
    contact: presentContact(record, references),
    notes: record.notes,
    reference: record.reference,
    sourceOrderId: record.sourceOrderId,
    ...presentTotals(record),
    lineCount: record.lineCount,
    closedShort: record.closedShort,
    cancelledAt: record.cancelledAt,
    cancelReason: record.cancelReason,
    stockDocumentIds: record.stockDocumentIds,
    ...(record.returnDocumentIds?.length ? { returnDocumentIds: record.returnDocumentIds } : {}),
  };
}
