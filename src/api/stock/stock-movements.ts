/** Handlers of stock movements. D-17. */
import type { QueryOf } from '../../contract/operation.ts';
import {
  SEQUENCE,
  type StockMovement,
  type listStockMovements,
  type stockMovementOperations,
} from '../../contract/resources/stock-movements.ts';
import { fromMicro, fromMicroOrNull } from '../../domain/kernel/numbers.ts';
import type { Condition, PageQuery } from '../../domain/kernel/ports.ts';
import { getReferencedRows } from '../../domain/kernel/rows.ts';
import { findLastSequence } from '../../domain/stock/ledger-time.ts';
import type { LedgerRecord } from '../../domain/stock/records.ts';
import type { ReadTx } from '../../domain/tables.ts';
import type { Handlers } from '../handler.ts';
import { presentUnitRef } from '../ingredients.ts';
import { presentItemRef } from '../items.ts';
import { listPage } from '../lists/list-page.ts';
import { joinConditions, toPageQuery, toUtc, whereIn } from '../lists/pagination.ts';

export const stockMovementHandlers: Handlers<typeof stockMovementOperations> = {
  async 'stock_movements.list'({ tx, query }) {
    const { rows, pagination } = await listPage(tx, 'ledger', query, await toListQuery(tx, query));
    return { data: await presentMovements(tx, rows), pagination };
  },
};

type MovementQuery = QueryOf<typeof listStockMovements>;

async function toListQuery(tx: ReadTx, query: MovementQuery): Promise<PageQuery> {
  const { sort, since, until } = query;
  const [after, to] = await Promise.all([
    since === undefined ? undefined : findLastSequence(tx, toUtc(since), 'before'),
    until === undefined ? undefined : findLastSequence(tx, toUtc(until), 'before'),
  ]);
  const where = [
    whereIn('itemId', query.item_id),
    whereIn('siteId', query.site_id),
    await whereDocuments(tx, query),
    after === undefined ? undefined : { field: 'seq', after },
    to === undefined ? undefined : { field: 'seq', to },
  ];
  return { ...toPageQuery(query, where), orderBy: 'seq', descending: sort !== SEQUENCE };
}

/** Entries have the id of their document only, so orders and types select documents. */
async function whereDocuments(tx: ReadTx, { document_id, order_id, type }: MovementQuery): Promise<Condition | undefined> {
  if (order_id === undefined && type === undefined) return whereIn('documentId', document_id);
  const where = joinConditions(whereIn('id', document_id), whereIn('orderId', order_id), whereIn('type', type));
  const { ids } = await tx.stockDocuments.listIdsAfter({ where, limit: Number.MAX_SAFE_INTEGER });
  return { field: 'documentId', in: ids };
}

/** All referenced records exist: none can be deleted while an entry refers to it. */
async function presentMovements(tx: ReadTx, rows: readonly LedgerRecord[]): Promise<StockMovement[]> {
  const [items, sites, documents, orders] = await Promise.all([
    getReferencedRows(tx.items, rows, ({ itemId }) => itemId),
    getReferencedRows(tx.sites, rows, ({ siteId }) => siteId),
    getReferencedRows(tx.stockDocuments, rows, ({ documentId }) => documentId),
    getReferencedRows(tx.orders, rows, ({ orderId }) => orderId),
  ]);
  const units = await getReferencedRows(tx.units, [...items.values()], ({ unitId }) => unitId);
  return rows.flatMap((row) => {
    const { id, seq, postedAt, itemId, siteId, documentId, documentLineId, orderId, averageAfter, reversalOf } = row;
    const [item, document] = [items.get(itemId), documents.get(documentId)];
    if (!item || !document) return [];
    return {
      id,
      sequence: seq,
      postedAt,
      type: document.type,
      itemId,
      item: presentItemRef(item),
      siteId,
      site: { id: siteId, name: sites.get(siteId)?.name ?? '' },
      unit: presentUnitRef(units.get(item.unitId ?? '')),
      documentId,
      document: { id: documentId, documentNumber: document.documentNumber },
      documentLineId,
      orderId,
      order: orderId === null ? null : { id: orderId, orderNumber: orders.get(orderId)?.orderNumber ?? '' },
      quantity: fromMicro(row.quantityDelta),
      onHandAfter: fromMicro(row.onHandAfter),
      unitCost: fromMicro(row.unitCost),
      value: fromMicro(row.valueDelta),
      stockValueAfter: fromMicro(row.valueAfter),
      averageCostAfter: fromMicroOrNull(averageAfter),
      revaluation: row.revaluation ?? null,
      reversalOf,
    };
  });
}
