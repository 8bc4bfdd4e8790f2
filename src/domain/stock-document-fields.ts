/** The head of a stock document: what it says besides its lines and its status. D-12, D-13. */
import type { DocumentType, StockDocumentDraft, StockDocumentPatch } from '../contract/stock-documents.ts';
import { type Context, addDays, dayIn } from './context.ts';
import { invalidField } from './errors.ts';
import { contactNamed, refuseInactive } from './order-contacts.ts';
import { checkSite } from './order-fields.ts';
import type { OrderRecord } from './order-records.ts';
import type { StockDocumentRecord } from './stock-records.ts';
import { checkOutstanding } from './stock-states.ts';
import type { ReadTx } from './tables.ts';
import { blankToNull } from './text.ts';

/** The fields that a body may set, in the order in which replies show them. */
export const HEAD_FIELDS = [
  'siteId',
  'toSiteId',
  'contactId',
  'orderId',
  'documentDate',
  'reference',
  'reason',
  'notes',
] as const satisfies readonly (keyof StockDocumentRecord)[];
export type HeadField = (typeof HEAD_FIELDS)[number];
export type Head = Pick<StockDocumentRecord, HeadField>;

/** The head of a new document, checked. What it does not say comes from its order, else from the tenant. */
export async function newHead(tx: ReadTx, context: Context, draft: StockDocumentDraft): Promise<Head> {
  const order = draft.orderId ? await tx.orders.get(draft.orderId) : undefined;
  const blank: Head = {
    siteId: '',
    toSiteId: null,
    contactId: order?.contactId ?? null,
    orderId: null,
    documentDate: dayIn(context.tenant.timezone, context.now),
    reference: null,
    reason: null,
    notes: null,
  };
  return changedHead(tx, context, draft.type, blank, { ...draft, siteId: draft.siteId ?? null });
}

/** The head after a change, checked where it is not what it was: an absent field stays, null clears or goes back to the default. */
export async function changedHead(
  tx: ReadTx,
  context: Context,
  type: DocumentType,
  before: Head,
  patch: Pick<StockDocumentPatch, HeadField>,
): Promise<Head> {
  const orderId = patch.orderId === undefined ? before.orderId : patch.orderId;
  const order = orderId === null ? undefined : await tx.orders.get(orderId);
  const head: Head = {
    siteId: patch.siteId === undefined ? before.siteId : (patch.siteId ?? defaultSite(context, order)),
    toSiteId: patch.toSiteId === undefined ? before.toSiteId : patch.toSiteId,
    contactId: patch.contactId === undefined ? before.contactId : patch.contactId,
    orderId,
    documentDate: patch.documentDate ?? before.documentDate,
    reference: patch.reference === undefined ? before.reference : blankToNull(patch.reference),
    reason: patch.reason === undefined ? before.reason : patch.reason,
    notes: patch.notes === undefined ? before.notes : blankToNull(patch.notes),
  };
  checkType(type, head);
  if (head.orderId !== null && head.orderId !== before.orderId) {
    if (!order) throw invalidField('/orderId', `There is no order ${head.orderId}; GET /v1/orders lists them by module.`);
    checkOutstanding(order);
  }
  if (head.siteId !== before.siteId) await checkPlace(tx, head.siteId, '/siteId', order);
  if (head.toSiteId !== null && head.toSiteId !== before.toSiteId) await checkPlace(tx, head.toSiteId, '/toSiteId');
  const isKnown = head.contactId === before.contactId || head.contactId === order?.contactId;
  if (head.contactId !== null && !isKnown) await checkContact(tx, head.contactId);
  if (head.documentDate !== before.documentDate) checkDate(context, head.documentDate);
  return head;
}

const defaultSite = ({ tenant }: Context, order: OrderRecord | undefined): string =>
  order?.siteId ?? order?.stockSiteId ?? tenant.defaultSiteId;

/** What a type must say and what it may not (D-12). */
function checkType(type: DocumentType, { siteId, toSiteId, reason }: Head): void {
  if (type === 'transfer') {
    if (toSiteId === null) throw invalidField('/toSiteId', 'toSiteId is required on a transfer', 'required');
    if (toSiteId === siteId) throw invalidField('/toSiteId', 'toSiteId must be another site than siteId', 'not_allowed');
  } else if (toSiteId !== null) {
    throw invalidField('/toSiteId', `toSiteId belongs to transfers; a ${type} has one site, siteId`, 'not_allowed');
  }
  if (type === 'adjustment') {
    if (reason === null) throw invalidField('/reason', 'reason is required on an adjustment', 'required');
  } else if (reason !== null) {
    throw invalidField('/reason', `reason belongs to adjustments; say in notes why a ${type} was made`, 'not_allowed');
  }
}

/** ours: what an order has promised at a site goes on there, also when the site has been deactivated since (D-20). */
async function checkPlace(tx: ReadTx, id: string, path: string, order?: OrderRecord): Promise<void> {
  const site = await tx.sites.get(id);
  if (site && !site.isActive && order) {
    if (order.siteId === id || order.stockSiteId === id) return;
    const where = [
      { field: 'orderId', equals: order.id },
      { field: 'siteId', equals: id },
    ];
    if ((await tx.orderLines.count({ where })) > 0) return;
  }
  await checkSite(tx, id, path);
}

/** ours: any contact will do, whatever its type: returns come from customers, and go to suppliers. */
async function checkContact(tx: ReadTx, id: string): Promise<void> {
  refuseInactive(await contactNamed(tx, id));
}

function checkDate({ tenant, now }: Context, documentDate: string): void {
  const latest = addDays(dayIn(tenant.timezone, now), 1);
  if (documentDate > latest) {
    throw invalidField('/documentDate', `documentDate must be ${latest} or earlier: stock moves when the document is approved`, 'too_big');
  }
}
