/** The header of a stock document: its fields except lines and status. D-12, D-13. */
import type { DocumentType, StockDocumentDraft, StockDocumentPatch } from '../../contract/resources/stock-documents.ts';
import { type Context, addDays, toCalendarDay } from '../kernel/context.ts';
import { invalidField } from '../kernel/errors.ts';
import { getReferencedContact, checkContactActive } from '../contacts/order-roles.ts';
import { checkSite } from '../tenancy/sites.ts';
import type { LinkedOrder } from './linked-order.ts';
import type { StockDocumentRecord } from './records.ts';
import { checkOutstanding } from './document-states.ts';
import type { ReadTx } from '../tables.ts';
import { blankToNull } from '../kernel/text.ts';

/** The fields that a body can set, in the order of responses. */
export const HEADER_FIELDS = [
  'siteId',
  'toSiteId',
  'contactId',
  'orderId',
  'documentDate',
  'reference',
  'reason',
  'notes',
] as const satisfies readonly (keyof StockDocumentRecord)[];
export type HeaderField = (typeof HEADER_FIELDS)[number];
export type DocumentHeader = Pick<StockDocumentRecord, HeaderField>;

/** The validated header of a new document. Omitted fields come from its order or the tenant. */
export async function createDocumentHeader(tx: ReadTx, context: Context, draft: StockDocumentDraft): Promise<DocumentHeader> {
  const order = draft.orderId ? await tx.orders.get(draft.orderId) : undefined;
  const defaults: DocumentHeader = {
    siteId: '',
    toSiteId: null,
    contactId: order?.contactId ?? null,
    orderId: null,
    documentDate: toCalendarDay(context.tenant.timezone, context.now),
    reference: null,
    reason: null,
    notes: null,
  };
  return applyDocumentHeaderPatch(tx, context, draft.type, defaults, { ...draft, siteId: draft.siteId ?? null });
}

/** The header after a patch, with changed fields validated. Omitted fields are unchanged, null clears a field or restores its default. */
export async function applyDocumentHeaderPatch(
  tx: ReadTx,
  context: Context,
  type: DocumentType,
  before: DocumentHeader,
  patch: Pick<StockDocumentPatch, HeaderField>,
): Promise<DocumentHeader> {
  const orderId = patch.orderId === undefined ? before.orderId : patch.orderId;
  const order = orderId === null ? undefined : await tx.orders.get(orderId);
  const header: DocumentHeader = {
    siteId: patch.siteId === undefined ? before.siteId : (patch.siteId ?? getDefaultSiteId(context, order)),
    toSiteId: patch.toSiteId === undefined ? before.toSiteId : patch.toSiteId,
    contactId: patch.contactId === undefined ? before.contactId : patch.contactId,
    orderId,
    documentDate: patch.documentDate ?? before.documentDate,
    reference: patch.reference === undefined ? before.reference : blankToNull(patch.reference),
    reason: patch.reason === undefined ? before.reason : patch.reason,
    notes: patch.notes === undefined ? before.notes : blankToNull(patch.notes),
  };
  checkTypeFields(type, header);
  if (header.orderId !== null && header.orderId !== before.orderId) {
    if (!order) throw invalidField('/orderId', `No order ${header.orderId}. GET /v1/orders?module=… lists the orders.`);
    checkOutstanding(order);
  }
  if (header.siteId !== before.siteId) await checkDocumentSite(tx, header.siteId, '/siteId', order);
  if (header.toSiteId !== null && header.toSiteId !== before.toSiteId) await checkDocumentSite(tx, header.toSiteId, '/toSiteId');
  const isContactKnown = header.contactId === before.contactId || header.contactId === order?.contactId;
  if (header.contactId !== null && !isContactKnown) await checkContact(tx, header.contactId);
  if (header.documentDate !== before.documentDate) checkDate(context, header.documentDate);
  return header;
}

const getDefaultSiteId = ({ tenant }: Context, order: LinkedOrder | undefined): string =>
  order?.siteId ?? order?.stockSiteId ?? tenant.defaultSiteId;

/** Checks the fields that a type requires or does not allow (D-12). */
function checkTypeFields(type: DocumentType, { siteId, toSiteId, reason }: DocumentHeader): void {
  if (type === 'transfer') {
    if (toSiteId === null) throw invalidField('/toSiteId', 'toSiteId is required on a transfer', 'required');
    if (toSiteId === siteId) throw invalidField('/toSiteId', 'toSiteId must be a different site from siteId', 'not_allowed');
  } else if (toSiteId !== null) {
    throw invalidField('/toSiteId', `toSiteId is for transfers only; a ${type} has one site, siteId`, 'not_allowed');
  }
  if (type === 'adjustment' || type === 'revaluation') {
    if (reason === null) throw invalidField('/reason', `reason is required on ${type === 'adjustment' ? 'an' : 'a'} ${type}`, 'required');
  } else if (reason !== null) {
    throw invalidField('/reason', `reason is for adjustments and revaluations only; use notes on a ${type}`, 'not_allowed');
  }
}

/** Documents can continue an order at its site even if the site was deactivated since (D-20). */
async function checkDocumentSite(tx: ReadTx, id: string, path: string, order?: LinkedOrder): Promise<void> {
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

/** Contacts of any type are allowed, because returns come from customers and go to suppliers. */
async function checkContact(tx: ReadTx, id: string): Promise<void> {
  checkContactActive(await getReferencedContact(tx, id));
}

function checkDate({ tenant, now }: Context, documentDate: string): void {
  const latest = addDays(toCalendarDay(tenant.timezone, now), 1);
  if (documentDate > latest) {
    throw invalidField('/documentDate', `documentDate must not be after ${latest}: stock moves when the document is approved`, 'too_big');
  }
}
