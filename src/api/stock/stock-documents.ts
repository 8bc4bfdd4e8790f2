/** Handlers of stock documents, and their JSON in responses. */
import type { QueryOf } from '../../contract/operation.ts';
import type { StockDocument, listStockDocuments, stockDocumentOperations } from '../../contract/resources/stock-documents.ts';
import type { ContactRecord } from '../../domain/contacts/records.ts';
import type { OrderRecord } from '../../domain/orders/records.ts';
import type { SiteRecord } from '../../domain/tenancy/records.ts';
import { checkVersion } from '../versions.ts';
import { presentExternalFields } from '../../domain/kernel/external-fields.ts';
import { fromMicro, fromMicroOrNull } from '../../domain/kernel/numbers.ts';
import { getReferencedRows, getRowsById } from '../../domain/kernel/rows.ts';
import type { PageQuery } from '../../domain/kernel/ports.ts';
import { cancelDocument } from '../../domain/fulfilment/document-cancellation.ts';
import { deleteDocument, getDocument, requireDocument, updateDocument } from '../../domain/stock/documents.ts';
import { createOrderDocument } from '../../domain/fulfilment/document-lines.ts';
import { submitDocument } from '../../domain/fulfilment/document-submission.ts';
import type { PostedDocument } from '../../domain/stock/posting.ts';
import type { DocumentWithLines, StockDocumentRecord, StockLineRecord } from '../../domain/stock/records.ts';
import { type LineValues, sumLineValues } from '../../domain/stock/valuation/line-values.ts';
import { listDocumentLines } from '../../domain/stock/lines.ts';
import { approveDocument } from '../../domain/fulfilment/document-approval.ts';
import type { ReadTx, Tx } from '../../domain/tables.ts';
import { type ApiResponse, type Handlers, respondWithRecord } from '../handler.ts';
import { whereExternalIds, whereInPeriod, whereUniqueValues } from '../lists/list-filters.ts';
import { listWithDeleted } from '../lists/tombstones.ts';
import { whereIn, toPageQuery } from '../lists/pagination.ts';
import { presentEffects } from '../item-lines.ts';
import { presentStockLines } from './stock-lines.ts';

export const stockDocumentHandlers: Handlers<typeof stockDocumentOperations> = {
  async 'stock_documents.list'({ tx, query }) {
    const selection = { page: await toListQuery(tx, query), event: 'stock_document.updated' } as const;
    const { rows, pagination, deleted } = await listWithDeleted(tx, 'stockDocuments', query, selection);
    const references = await loadReferences(tx, rows);
    return { data: rows.map((row) => presentDocument(row, references)), ...(deleted && { deleted }), pagination };
  },
  async 'stock_documents.create'({ tx, context, query, body }) {
    const created = await createOrderDocument(tx, context, body);
    const location = `/v1/stock-documents/${created.document.id}`;
    // A dry run shows the effects of posting it. Nothing is stored.
    if (query.dry_run === true || query.approve === true) {
      const { document, lines } = await submitDocument(tx, context, created.document.id);
      return toPostedResponse(tx, await approveDocument(tx, context, document, lines), location);
    }
    return toResponse(tx, created, location);
  },
  async 'stock_documents.get'({ tx, params, query }) {
    const document = await getDocument(tx, params.document_id);
    const lines = query.include?.includes('lines') ? await listDocumentLines(tx, document.id) : undefined;
    return respondWithRecord(document, { data: await presentDetail(tx, document, lines) });
  },
  async 'stock_documents.update'({ tx, context, params, body, ifMatch }) {
    await checkIfMatch(tx, params.document_id, ifMatch);
    return toResponse(tx, await updateDocument(tx, context, params.document_id, body));
  },
  async 'stock_documents.delete'({ tx, context, params, ifMatch }) {
    await checkIfMatch(tx, params.document_id, ifMatch);
    await deleteDocument(tx, context, params.document_id);
  },
  async 'stock_documents.submit'({ tx, context, params, ifMatch }) {
    await checkIfMatch(tx, params.document_id, ifMatch);
    return toResponse(tx, await submitDocument(tx, context, params.document_id));
  },
  async 'stock_documents.approve'({ tx, context, params, query, body, ifMatch }) {
    const { document_id: id } = params;
    const [found, lines] = await Promise.all([tx.stockDocuments.get(id), listDocumentLines(tx, id)]);
    const document = requireDocument(found, id);
    checkVersion(ifMatch, document.updatedAt);
    // A dry run of a draft shows the effects of submitting and approving it. Nothing is stored.
    const isDryRunOfDraft = query.dry_run === true && document.status === 'draft';
    const submitted = isDryRunOfDraft ? await submitDocument(tx, context, id) : { document, lines };
    return toPostedResponse(tx, await approveDocument(tx, context, submitted.document, submitted.lines, body.force));
  },
  async 'stock_documents.cancel'({ tx, context, params, body, ifMatch }) {
    await checkIfMatch(tx, params.document_id, ifMatch);
    return toPostedResponse(tx, await cancelDocument(tx, context, params.document_id, body.reason ?? null));
  },
};

async function checkIfMatch(tx: Tx, id: string, ifMatch: string | undefined): Promise<void> {
  checkVersion(ifMatch, (await getDocument(tx, id)).updatedAt);
}

async function toListQuery(tx: ReadTx, query: QueryOf<typeof listStockDocuments>): Promise<PageQuery> {
  const { date_from, date_to } = query;
  const approved = { since: query.approved_since, until: query.approved_until };
  return toPageQuery(query, [
    whereIn('type', query.type),
    whereIn('status', query.status),
    whereIn('id', query.id),
    await whereUniqueValues(tx.stockDocuments, 'number', 'documentNumber', query.document_number),
    await whereExternalIds(tx.stockDocuments, query.external_id),
    // A reversed document is cancelled, and keeps its time of approval.
    await whereInPeriod(tx.stockDocuments, 'approvedAt', ['approved', 'cancelled'], approved),
    whereIn('siteIds', query.site_id),
    whereIn('orderId', query.order_id),
    whereIn('itemIds', query.item_id),
    date_from === undefined ? undefined : { field: 'documentDate', from: date_from },
    date_to === undefined ? undefined : { field: 'documentDate', to: date_to },
  ]);
}

interface References {
  readonly sites: ReadonlyMap<string, SiteRecord>;
  readonly contacts: ReadonlyMap<string, ContactRecord>;
  readonly orders: ReadonlyMap<string, OrderRecord>;
}

/** All of them exist: none can be deleted while a document references it. */
async function loadReferences(tx: ReadTx, documents: readonly StockDocumentRecord[]): Promise<References> {
  const [sites, contacts, orders] = await Promise.all([
    getRowsById(
      tx.sites,
      documents.flatMap(({ siteId, toSiteId }) => [siteId, toSiteId]),
    ),
    getReferencedRows(tx.contacts, documents, ({ contactId }) => contactId),
    getReferencedRows(tx.orders, documents, ({ orderId }) => orderId),
  ]);
  return { sites, contacts, orders };
}

async function toResponse(
  tx: Tx,
  { document, lines }: DocumentWithLines,
  location?: string,
): Promise<ApiResponse<{ data: StockDocument }>> {
  return respondWithRecord(document, { data: await presentDetail(tx, document, lines) }, location);
}

/** With the effects on stock. */
async function toPostedResponse(
  tx: Tx,
  { document, lines, effects, entries }: PostedDocument,
  location?: string,
): Promise<ApiResponse<{ data: StockDocument }>> {
  const detail = await presentDetail(tx, document, lines, sumLineValues(lines, entries));
  return respondWithRecord(document, { data: { ...detail, stockEffects: await presentEffects(tx, effects) } }, location);
}

async function presentDetail(
  tx: ReadTx,
  record: StockDocumentRecord,
  lines: readonly StockLineRecord[] | undefined,
  values?: LineValues,
): Promise<StockDocument> {
  const [references, presentedLines] = await Promise.all([
    loadReferences(tx, [record]),
    lines && presentStockLines(tx, record, lines, values),
  ]);
  return { ...presentDocument(record, references), ...(presentedLines ? { lines: presentedLines } : {}) };
}

/** Drafts of earlier releases have no variance yet; what those posted is in the lines only. */
const presentTotalVariance = ({ totalVariance, approvedAt }: StockDocumentRecord): number | null =>
  totalVariance === undefined ? (approvedAt === null ? 0 : null) : fromMicro(totalVariance);

function presentDocument(record: StockDocumentRecord, { sites, contacts, orders }: References): StockDocument {
  const { siteId, toSiteId, contactId, orderId } = record;
  const presentSite = (id: string) => ({ id, name: sites.get(id)?.name ?? '' });
  return {
    id: record.id,
    documentNumber: record.documentNumber,
    type: record.type,
    status: record.status,
    siteId,
    toSiteId,
    contactId,
    orderId,
    documentDate: record.documentDate,
    reference: record.reference,
    reason: record.reason,
    notes: record.notes,
    lineCount: record.lineCount,
    totalCost: fromMicroOrNull(record.totalCost),
    totalVariance: presentTotalVariance(record),
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
    ...presentExternalFields(record),
    ...(typeof record.returnOf === 'string' ? { returnOf: record.returnOf } : {}),
    site: presentSite(siteId),
    toSite: toSiteId === null ? null : presentSite(toSiteId),
    contact: contactId === null ? null : { id: contactId, name: contacts.get(contactId)?.name ?? '' },
    order: orderId === null ? null : { id: orderId, orderNumber: orders.get(orderId)?.orderNumber ?? '' },
  };
}
