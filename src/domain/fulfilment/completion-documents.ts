/** Creates the stock documents that completing an order posts: for the remaining quantities of its lines, and for scrapped items (D-1, D-6). */
import type { DocumentType } from '../../contract/resources/stock-documents.ts';
import { STOCK_LINES_MAX } from '../../contract/limits.ts';
import type { OrderModule } from '../../contract/resources/orders.ts';
import { type Context, toCalendarDay } from '../kernel/context.ts';
import { getReferencedRows, getRowsById } from '../kernel/rows.ts';
import type { OrderLineRecord, OrderRecord } from '../orders/records.ts';
import { getLineFlow, listRequirements, getLineSiteId } from '../orders/requirements.ts';
import { parseFactor, convertToStock } from '../catalog/unit-conversion.ts';
import { toLevelId } from '../stock/levels.ts';
import { listDocumentLines, summarizeLines } from '../stock/lines.ts';
import { nextDocumentNumber } from '../stock/document-numbering.ts';
import type { DocumentWithLines, StockLineRecord } from '../stock/records.ts';
import type { ReadTx, Tx } from '../tables.ts';

const DOCUMENT_TYPES: Readonly<Record<OrderModule, DocumentType>> = {
  buy: 'receipt',
  sell: 'issue',
  make: 'production',
  check: 'adjustment',
  fix: 'issue',
};

type PlannedLine = Pick<StockLineRecord, 'itemId' | 'direction' | 'quantity' | 'unitId' | 'stockQuantity' | 'orderLineId'> & {
  readonly siteId: string;
};

/**
 * Creates approved documents, which the caller posts. A document has one site and a maximum number of lines, so an order with lines at
 * several sites, or with more parts, completes with several documents.
 */
export async function createCompletionDocuments(
  tx: Tx,
  context: Context,
  order: OrderRecord,
  lines: readonly OrderLineRecord[],
): Promise<DocumentWithLines[]> {
  const plannedLines = order.module === 'check' ? await planScrapLines(tx, order, lines) : await planRemainingLines(tx, order, lines);
  const documents: DocumentWithLines[] = [];
  for (const [siteId, siteLines] of Map.groupBy(plannedLines, (line) => line.siteId)) {
    for (let from = 0; from < siteLines.length; from += STOCK_LINES_MAX) {
      documents.push(await createApprovedDocument(tx, context, order, siteId, siteLines.slice(from, from + STOCK_LINES_MAX)));
    }
  }
  return documents;
}

async function planRemainingLines(tx: ReadTx, order: OrderRecord, lines: readonly OrderLineRecord[]): Promise<PlannedLine[]> {
  const parts = lines.flatMap(({ kit }) => kit?.map(({ itemId }) => itemId) ?? []);
  const items = await getRowsById(tx.items, parts);
  return lines.flatMap((line) => {
    const flow = getLineFlow(order.module, line);
    if (flow === null) return [];
    const direction = order.module !== 'make' ? null : flow === 'incoming' ? ('in' as const) : ('out' as const);
    const siteId = getLineSiteId(order, line);
    return listRequirements(line)
      .filter(({ remaining }) => remaining > 0)
      .map(({ itemId, remaining }): PlannedLine => {
        const amounts = line.kit
          ? { quantity: remaining, unitId: items.get(itemId)?.unitId ?? null }
          : { quantity: line.quantity - line.posted.quantity, unitId: line.unitId };
        return { siteId, itemId, direction, ...amounts, stockQuantity: remaining, orderLineId: line.id };
      });
  });
}

/** Scrap lines have no orderLineId, because inspection lines require no stock. */
async function planScrapLines(tx: ReadTx, order: OrderRecord, lines: readonly OrderLineRecord[]): Promise<PlannedLine[]> {
  const items = await getReferencedRows(tx.items, lines, ({ itemId }) => itemId);
  const units = await getReferencedRows(tx.units, [...items.values()], ({ unitId }) => unitId);
  const scrappedByLevel = await sumScrapped(tx, order);
  return lines.flatMap((line): PlannedLine[] => {
    const { itemId, inspection, unitId, stockFactor, lineNumber } = line;
    const failed = inspection?.failedDisposition === 'scrap' ? inspection.failedQuantity : 0;
    const item = items.get(itemId ?? '');
    if (!item) return [];
    const path = `/lines/${String(lineNumber - 1)}/failedQuantity`;
    const stock = convertToStock(failed, parseFactor(stockFactor), units.get(item.unitId ?? '') ?? null, path);
    const siteId = getLineSiteId(order, line);
    const level = toLevelId({ itemId: item.id, siteId });
    const alreadyScrapped = Math.min(stock, scrappedByLevel.get(level) ?? 0);
    scrappedByLevel.set(level, (scrappedByLevel.get(level) ?? 0) - alreadyScrapped);
    if (alreadyScrapped === stock) return [];
    const amounts = alreadyScrapped === 0 ? { quantity: -failed, unitId } : { quantity: alreadyScrapped - stock, unitId: item.unitId };
    return [{ siteId, itemId: item.id, direction: null, ...amounts, stockQuantity: alreadyScrapped - stock, orderLineId: null }];
  });
}

/** The quantities scrapped by approved documents of the order, by level id. A reopened order scraps only the rest when completed again. */
async function sumScrapped(tx: ReadTx, { stockDocumentIds }: OrderRecord): Promise<Map<string, number>> {
  const scrappedByLevel = new Map<string, number>();
  const documents = await getRowsById(tx.stockDocuments, stockDocumentIds);
  const scraps = [...documents.values()].filter(({ reason, status }) => reason === 'scrap' && status === 'approved');
  const lines = await Promise.all(scraps.map(({ id }) => listDocumentLines(tx, id)));
  for (const [index, { siteId }] of scraps.entries()) {
    for (const { itemId, stockQuantity } of lines[index]!) {
      const level = toLevelId({ itemId, siteId });
      scrappedByLevel.set(level, (scrappedByLevel.get(level) ?? 0) + Math.max(0, -stockQuantity));
    }
  }
  return scrappedByLevel;
}

async function createApprovedDocument(
  tx: Tx,
  context: Context,
  order: OrderRecord,
  siteId: string,
  plannedLines: readonly PlannedLine[],
): Promise<DocumentWithLines> {
  const { actor, now, tenant } = context;
  const at = now.toISOString();
  const type = DOCUMENT_TYPES[order.module];
  const id = context.newId();
  const lines = plannedLines.map(({ siteId: _siteId, ...plannedLine }, index): StockLineRecord => {
    const uncounted = { countedQuantity: null, expectedQuantity: null, stockExpected: null, unitCost: null, notes: null };
    const unposted = { postedQuantity: null, postedUnitCost: null, onHandBefore: null, onHandAfter: null };
    return {
      id: context.newId(),
      documentId: id,
      lineNumber: index + 1,
      ...plannedLine,
      ...uncounted,
      ...unposted,
      createdAt: at,
      updatedAt: at,
    };
  });
  return {
    document: {
      id,
      documentNumber: await nextDocumentNumber(tx, context, type),
      type,
      status: 'approved',
      siteId,
      toSiteId: null,
      contactId: order.contactId,
      orderId: order.id,
      documentDate: toCalendarDay(tenant.timezone, now),
      reference: null,
      reason: type === 'adjustment' ? 'scrap' : null,
      notes: null,
      ...summarizeLines(lines),
      totalCost: null,
      totalVariance: 0,
      // Completing an order approves its documents, even if the tenant requires another approver.
      createdBy: actor,
      submittedAt: at,
      submittedBy: actor,
      approvedAt: at,
      approvedBy: actor,
      cancelledAt: null,
      cancelledBy: null,
      cancelReason: null,
      reversedAt: null,
      siteIds: [siteId],
      createdAt: at,
      updatedAt: at,
      returnOf: null,
    },
    lines,
  };
}
