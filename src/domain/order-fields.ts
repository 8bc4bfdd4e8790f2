/** The header of an order: what it says besides its lines and its status (D-3). */
import type { OrderDraft, OrderModule, OrderPatch } from '../contract/orders.ts';
import { ORDER_PRIORITIES } from '../contract/orders.ts';
import { type Context, addDays, dayIn } from './context.ts';
import { StockroomError, invalidField } from './errors.ts';
import { checkContact } from './order-contacts.ts';
import type { OrderRecord } from './order-records.ts';
import { NO_DEADLINE } from './order-transitions.ts';
import type { ReadTx } from './tables.ts';
import { blankToNull } from './text.ts';

/** The fields that a body may set, in the order in which replies show them. */
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

/** The header of a new order. `leadDays` are those of the suppliers of its lines. */
export async function newHeader(
  tx: ReadTx,
  context: Context,
  draft: OrderDraft,
  leadDays: (contactId: string) => Promise<number>,
): Promise<Header> {
  const { tenant, now } = context;
  const contactId = draft.contactId ?? (await defaultContact(tx, context, draft));
  const orderDate = draft.orderDate ?? dayIn(tenant.timezone, now);
  const blank: Header = {
    contactId,
    orderDate,
    dueDate: draft.dueDate ?? dueAfter(orderDate, tenant.defaultLeadDays + (await leadDays(contactId))),
    siteId: null,
    priority: draft.priority,
    assignedTo: null,
    notes: null,
    reference: null,
    sourceOrderId: null,
  };
  return changedHeader(blank, draft);
}

/** Days are written with four digits of the year, so the last of them is the latest there is. */
function dueAfter(orderDate: string, days: number): string {
  const day = addDays(orderDate, days);
  return day.startsWith('+') ? NO_DEADLINE : day;
}

/** The header after a change: an absent field stays, null clears. */
export function changedHeader(before: Header, patch: Pick<OrderPatch, HeaderField>): Header {
  const kept = <F extends 'siteId' | 'assignedTo' | 'sourceOrderId'>(field: F) => {
    const value = patch[field];
    return value === undefined ? before[field] : value;
  };
  const text = (field: 'notes' | 'reference') => {
    const value = patch[field];
    return value === undefined ? before[field] : blankToNull(value);
  };
  return {
    contactId: patch.contactId ?? before.contactId,
    orderDate: patch.orderDate ?? before.orderDate,
    dueDate: patch.dueDate ?? before.dueDate,
    siteId: kept('siteId'),
    priority: patch.priority ?? before.priority,
    assignedTo: kept('assignedTo'),
    notes: text('notes'),
    reference: text('reference'),
    sourceOrderId: kept('sourceOrderId'),
  };
}

export const rankOf = ({ priority }: Pick<Header, 'priority'>): number => ORDER_PRIORITIES.indexOf(priority);

/** Checks the fields that are not what they were; everything is new when there is no `before`. `orderId` is the order itself. */
export async function checkHeader(tx: ReadTx, module: OrderModule, orderId: string, header: Header, before?: Header): Promise<void> {
  const isNew = (field: HeaderField): boolean => header[field] !== before?.[field];
  if (isNew('contactId')) await checkContact(tx, module, header.contactId);
  if (isNew('orderDate') || isNew('dueDate')) checkDates(header, isNew('dueDate'));
  if (header.siteId !== null && isNew('siteId')) await checkSite(tx, header.siteId, '/siteId');
  if (header.assignedTo !== null && isNew('assignedTo')) await checkUser(tx, header.assignedTo);
  if (header.sourceOrderId !== null && isNew('sourceOrderId')) await checkSource(tx, module, orderId, header.sourceOrderId);
}

/** A site of the tenant in which work may begin; `path` names the field. */
export async function checkSite(tx: ReadTx, id: string, path: string): Promise<void> {
  const site = await tx.sites.get(id);
  if (!site) throw invalidField(path, `There is no site ${id}; 'stockroom sites list' shows the valid ids.`);
  if (!site.isActive) {
    throw new StockroomError(
      'INACTIVE_REFERENCE',
      `Site ${site.name} is inactive; choose an active one or leave ${path.slice(1).replaceAll('/', '.')} out.`,
      {
        details: { siteId: id },
      },
    );
  }
}

/** ours: orders without a contact of their own belong to the tenant's own company; a check order takes the contact of what it checks. */
async function defaultContact(tx: ReadTx, { tenant }: Context, { module, sourceOrderId }: OrderDraft): Promise<string> {
  if (module !== 'check' || !sourceOrderId) return tenant.houseContactId;
  const source = await tx.orders.get(sourceOrderId);
  const contact = source && (await tx.contacts.get(source.contactId));
  return contact?.isActive ? contact.id : tenant.houseContactId;
}

function checkDates({ orderDate, dueDate }: Header, dueIsNew: boolean): void {
  if (dueDate >= orderDate) return;
  throw dueIsNew
    ? invalidField('/dueDate', `dueDate ${dueDate} is before the order date ${orderDate}`, 'too_small')
    : invalidField('/orderDate', `orderDate ${orderDate} is after the due date ${dueDate}; send a later dueDate too`, 'too_big');
}

async function checkUser(tx: ReadTx, id: string): Promise<void> {
  const user = await tx.users.get(id);
  if (user && user.status !== 'deactivated') return;
  const what = user ? `${user.name} is deactivated` : `There is no user ${id}`;
  throw invalidField('/assignedTo', `${what}; 'stockroom users list' shows whom orders can be assigned to.`);
}

async function checkSource(tx: ReadTx, module: OrderModule, orderId: string, id: string): Promise<void> {
  if (module !== 'check' && module !== 'fix') {
    throw invalidField('/sourceOrderId', `sourceOrderId belongs to check and fix orders; this is a ${module} order`, 'not_allowed');
  }
  if (id === orderId) throw invalidField('/sourceOrderId', 'sourceOrderId must name another order');
  if (!(await tx.orders.get(id))) throw invalidField('/sourceOrderId', `There is no order ${id}; GET /v1/orders lists them by module.`);
}
