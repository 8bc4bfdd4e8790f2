import type { QueryOf } from '../contract/operation.ts';
import type { StockDocument, StockEffect, listStockDocuments, stockDocumentOperations } from '../contract/stock-documents.ts';
import { checkVersion } from '../domain/items.ts';
import { fromMicro } from '../domain/numbers.ts';
import type { PageQuery, View } from '../domain/ports.ts';
import { cancelDocument } from '../domain/stock-cancel.ts';
import {
  type DocumentWithLines,
  createDocument,
  deleteDocument,
  getDocument,
  submitDocument,
  updateDocument,
} from '../domain/stock-documents.ts';
import { documentLines } from '../domain/stock-lines.ts';
import { approveDocument } from '../domain/stock-posting.ts';
import type { StockDocumentRecord, StockLineRecord } from '../domain/stock-records.ts';
import type { ReadTx, Tx } from '../domain/tables.ts';
import { Answer, type Handlers, etagOf } from './call.ts';
import { among, joinPage, pageQuery, paginationOf } from './lists.ts';
import { RowText, completed } from './row-text.ts';
import { presentStockLines } from './stock-lines.ts';

export const stockDocumentHandlers: Handlers<typeof stockDocumentOperations> = {
  async 'stock_documents.list'({ tx, query }) {
    const { rows, total } = await tx.stockDocuments.pageView(documentView, listQueryOf(query));
    return joinPage(await withReferences(tx, rows), paginationOf(query, total));
  },
  async 'stock_documents.create'({ tx, context, body }) {
    const made = await createDocument(tx, context, body);
    return answer(tx, made, undefined, `/v1/stock-documents/${made.document.id}`);
  },
  async 'stock_documents.get'({ tx, params, query }) {
    const document = await getDocument(tx, params.document_id);
    const lines = query.include?.includes('lines') ? await documentLines(tx, document.id) : undefined;
    return new Answer({ data: await presentDocument(tx, document, lines) }, { etag: etagOf(document) });
  },
  async 'stock_documents.update'({ tx, context, params, body, ifMatch }) {
    await checkedDocument(tx, params.document_id, ifMatch);
    return answer(tx, await updateDocument(tx, context, params.document_id, body));
  },
  async 'stock_documents.delete'({ tx, context, params, ifMatch }) {
    await checkedDocument(tx, params.document_id, ifMatch);
    await deleteDocument(tx, context, params.document_id);
  },
  async 'stock_documents.submit'({ tx, context, params, ifMatch }) {
    await checkedDocument(tx, params.document_id, ifMatch);
    return answer(tx, await submitDocument(tx, context, params.document_id));
  },
  async 'stock_documents.approve'({ tx, context, params, query, ifMatch }) {
    let document = await checkedDocument(tx, params.document_id, ifMatch);
    // ours: a dry run tells of a draft what submitting and approving it would do; nothing of it is kept.
    if (query.dry_run === true && document.status === 'draft') ({ document } = await submitDocument(tx, context, document.id));
    const { effects, ...approved } = await approveDocument(tx, context, document, await documentLines(tx, document.id));
    return answer(tx, approved, effects);
  },
  async 'stock_documents.cancel'({ tx, context, params, body, ifMatch }) {
    await checkedDocument(tx, params.document_id, ifMatch);
    const { effects, ...cancelled } = await cancelDocument(tx, context, params.document_id, body.reason ?? null);
    return answer(tx, cancelled, effects);
  },
};

async function checkedDocument(tx: Tx, id: string, ifMatch: string | undefined): Promise<StockDocumentRecord> {
  const document = await getDocument(tx, id);
  checkVersion(ifMatch, document.updatedAt);
  return document;
}

function listQueryOf(query: QueryOf<typeof listStockDocuments>): PageQuery {
  const { date_from, date_to } = query;
  return pageQuery(query, [
    among('type', query.type),
    among('status', query.status),
    among('siteIds', query.site_id),
    among('orderId', query.order_id),
    among('itemIds', query.item_id),
    date_from === undefined ? undefined : { field: 'documentDate', from: date_from },
    date_to === undefined ? undefined : { field: 'documentDate', to: date_to },
  ]);
}

type References = Pick<StockDocument, 'site' | 'toSite' | 'contact' | 'order'>;
type ReferenceIds = Pick<StockDocumentRecord, 'siteId' | 'toSiteId' | 'contactId' | 'orderId'>;

type DocumentText = RowText<ReferenceIds>;

const documentView: View<StockDocumentRecord, DocumentText> = {
  name: 'document',
  of(record) {
    const { siteId, toSiteId, contactId, orderId } = record;
    return new RowText(JSON.stringify(ownFields(record)), { siteId, toSiteId, contactId, orderId });
  },
};

/** Puts the references behind each text: they may be renamed without the document. */
const withReferences = (tx: ReadTx, rows: readonly DocumentText[]): Promise<readonly DocumentText[]> =>
  completed(rows, [tx.sites, tx.contacts, tx.orders], async (ids) => JSON.stringify(await referencesOf(tx, ids)).slice(1));

/** Sites, contacts and orders that documents name cannot be deleted. */
async function referencesOf(tx: ReadTx, { siteId, toSiteId, contactId, orderId }: ReferenceIds): Promise<References> {
  const site = async (id: string) => ({ id, name: (await tx.sites.get(id))?.name ?? '' });
  return {
    site: await site(siteId),
    toSite: toSiteId === null ? null : await site(toSiteId),
    contact: contactId === null ? null : { id: contactId, name: (await tx.contacts.get(contactId))?.name ?? '' },
    order: orderId === null ? null : { id: orderId, orderNumber: (await tx.orders.get(orderId))?.orderNumber ?? '' },
  };
}

async function answer(
  tx: Tx,
  { document, lines }: DocumentWithLines,
  effects?: readonly StockEffect[],
  location?: string,
): Promise<Answer<{ data: StockDocument }>> {
  const data = { ...(await presentDocument(tx, document, lines)), ...(effects ? { stockEffects: [...effects] } : {}) };
  return new Answer({ data }, { etag: etagOf(document), ...(location === undefined ? {} : { location }) });
}

async function presentDocument(
  tx: ReadTx,
  record: StockDocumentRecord,
  lines: readonly StockLineRecord[] | undefined,
): Promise<StockDocument> {
  return {
    ...ownFields(record),
    ...(await referencesOf(tx, record)),
    ...(lines ? { lines: await presentStockLines(tx, lines) } : {}),
  };
}

function ownFields(record: StockDocumentRecord): Omit<StockDocument, keyof References | 'lines' | 'stockEffects'> {
  return {
    id: record.id,
    documentNumber: record.documentNumber,
    type: record.type,
    status: record.status,
    siteId: record.siteId,
    toSiteId: record.toSiteId,
    contactId: record.contactId,
    orderId: record.orderId,
    documentDate: record.documentDate,
    reference: record.reference,
    reason: record.reason,
    notes: record.notes,
    lineCount: record.lineCount,
    totalCost: record.totalCost === null ? null : fromMicro(record.totalCost),
    createdBy: record.createdBy,
    submittedAt: record.submittedAt,
    submittedBy: record.submittedBy,
    approvedAt: record.approvedAt,
    approvedBy: record.approvedBy,
    cancelledAt: record.cancelledAt,
    cancelledBy: record.cancelledBy,
    cancelReason: record.cancelReason,
    reversedAt: record.reversedAt,
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
  };
}
