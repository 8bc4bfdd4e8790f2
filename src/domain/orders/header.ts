/** The header of an order: its fields except lines and status (D-3). */
import type { OrderDraft, OrderModule, OrderPatch } from '../../contract/resources/orders.ts';
import { ORDER_PRIORITIES } from '../../contract/resources/orders.ts';
import { type Context, addDays, toCalendarDay } from '../kernel/context.ts';
import { invalidField } from '../kernel/errors.ts';
import { checkOrderContact } from '../contacts/order-roles.ts';
import { checkSite } from '../tenancy/sites.ts';
import type { OrderRecord } from './records.ts';
import { NO_DEADLINE } from './status-transitions.ts';
import type { ReadTx } from '../tables.ts';
import { blankToNull } from '../kernel/text.ts';

/** The fields that a body can set, in the order of responses. */
export const HEADER_FIELDS = [
  'contactId',
  'orderDate',
  'dueDate',
  'siteId',
  'priority',
  'assignedTo',
  'notes',
  'reference',
  'sourceOrderId',
] as const satisfies readonly (keyof OrderRecord)[];
export type HeaderField = (typeof HEADER_FIELDS)[number];
export type Header = Pick<OrderRecord, HeaderField>;

/** The header of a new order. `getLeadDays` returns the supplier's longest lead time for the lines, in days. */
export async function createOrderHeader(
  tx: ReadTx,
  context: Context,
  draft: OrderDraft,
  getLeadDays: (contactId: string) => Promise<number>,
): Promise<Header> {
  const { tenant, now } = context;
  const contactId = draft.contactId ?? (await getDefaultContactId(tx, context, draft));
  const orderDate = draft.orderDate ?? toCalendarDay(tenant.timezone, now);
  const defaults: Header = {
    contactId,
    orderDate,
    dueDate: draft.dueDate ?? toDueDate(orderDate, tenant.defaultLeadDays + (await getLeadDays(contactId))),
    siteId: null,
    priority: draft.priority,
    assignedTo: null,
    notes: null,
    reference: null,
    sourceOrderId: null,
  };
  return applyOrderHeaderPatch(defaults, draft);
}

/** Years have four digits, so later days become the last day of the year 9999. */
function toDueDate(orderDate: string, days: number): string {
  const day = addDays(orderDate, days);
  return day.startsWith('+') ? NO_DEADLINE : day;
}

/** The header after a patch: omitted fields are unchanged, null clears a field. */
export function applyOrderHeaderPatch(before: Header, patch: Pick<OrderPatch, HeaderField>): Header {
  const resolveValue = <F extends 'siteId' | 'assignedTo' | 'sourceOrderId'>(field: F) => {
    const value = patch[field];
    return value === undefined ? before[field] : value;
  };
  const resolveText = (field: 'notes' | 'reference') => {
    const value = patch[field];
    return value === undefined ? before[field] : blankToNull(value);
  };
  return {
    contactId: patch.contactId ?? before.contactId,
    orderDate: patch.orderDate ?? before.orderDate,
    dueDate: patch.dueDate ?? before.dueDate,
    siteId: resolveValue('siteId'),
    priority: patch.priority ?? before.priority,
    assignedTo: resolveValue('assignedTo'),
    notes: resolveText('notes'),
    reference: resolveText('reference'),
    sourceOrderId: resolveValue('sourceOrderId'),
  };
}

export const getPriorityRank = ({ priority }: Pick<Header, 'priority'>): number => ORDER_PRIORITIES.indexOf(priority);

/** Checks the changed fields; without `before`, all fields. */
export async function checkHeader(tx: ReadTx, module: OrderModule, orderId: string, header: Header, before?: Header): Promise<void> {
  const isNew = (field: HeaderField): boolean => header[field] !== before?.[field];
  if (isNew('contactId')) await checkOrderContact(tx, module, header.contactId);
  if (isNew('orderDate') || isNew('dueDate')) checkDates(header, isNew('dueDate'));
  if (header.siteId !== null && isNew('siteId')) await checkSite(tx, header.siteId, '/siteId');
  if (header.assignedTo !== null && isNew('assignedTo')) await checkUser(tx, header.assignedTo);
  if (header.sourceOrderId !== null && isNew('sourceOrderId')) await checkSourceOrder(tx, module, orderId, header.sourceOrderId);
}

/** The default contact is the house contact, which stands for the tenant itself; for a check order, the contact of its source order. */
async function getDefaultContactId(tx: ReadTx, { tenant }: Context, { module, sourceOrderId }: OrderDraft): Promise<string> {
  if (module !== 'check' || !sourceOrderId) return tenant.houseContactId;
  const source = await tx.orders.get(sourceOrderId);
  const contact = source && (await tx.contacts.get(source.contactId));
  return contact?.isActive ? contact.id : tenant.houseContactId;
}

function checkDates({ orderDate, dueDate }: Header, isDueDateNew: boolean): void {
  if (dueDate >= orderDate) return;
  throw isDueDateNew
    ? invalidField('/dueDate', `dueDate ${dueDate} is before orderDate ${orderDate}`, 'too_small')
    : invalidField('/orderDate', `orderDate ${orderDate} is after dueDate ${dueDate}. Set a later dueDate as well`, 'too_big');
}

async function checkUser(tx: ReadTx, id: string): Promise<void> {
  const user = await tx.users.get(id);
  if (user && user.status !== 'deactivated') return;
  const problem = user ? `User ${user.name} is deactivated` : `There is no user ${id}`;
  throw invalidField('/assignedTo', `${problem}.`);
}

async function checkSourceOrder(tx: ReadTx, module: OrderModule, orderId: string, id: string): Promise<void> {
  if (module !== 'check' && module !== 'fix') {
    throw invalidField('/sourceOrderId', `sourceOrderId is for check and fix orders only; this is a ${module} order`, 'not_allowed');
  }
  if (id === orderId) throw invalidField('/sourceOrderId', 'sourceOrderId must be another order');
  if (!(await tx.orders.get(id))) throw invalidField('/sourceOrderId', `No order ${id}. GET /v1/orders?module=… lists the orders.`);
}
