/** The stock documents that completing an order posts: what remains of its lines, and what its inspection scraps (D-1, D-6). */
import type { DocumentType } from '../contract/stock-documents.ts';
import { STOCK_LINES_MAX } from '../contract/limits.ts';
import type { OrderModule } from '../contract/orders.ts';
import { type Context, dayIn } from './context.ts';
import { byId } from './order-line-references.ts';
import type { OrderLineRecord, OrderRecord } from './order-records.ts';
import { flowOf, requirementsOf, siteOfLine } from './order-stock.ts';
import { parseFactor, toStock } from './order-units.ts';
import { levelId } from './stock-levels.ts';
import { documentLines, lineSums } from './stock-lines.ts';
import { nextDocumentNumber } from './stock-numbers.ts';
import type { Postable } from './stock-post.ts';
import type { StockLineRecord } from './stock-records.ts';
import type { ReadTx, Tx } from './tables.ts';

const TYPES: Readonly<Record<OrderModule, DocumentType>> = {
  buy: 'receipt',
  sell: 'issue',
  make: 'production',
  check: 'adjustment',
  fix: 'issue',
};

type Wish = Pick<StockLineRecord, 'itemId' | 'direction' | 'quantity' | 'unitId' | 'stockQuantity' | 'orderLineId'> & {
  readonly siteId: string;
};

/**
 * The documents, approved and not posted yet. ours: a document has one site and so many lines at most, so an order whose lines are at
 * several sites, or have more parts, completes with several documents.
 */
export async function completionDocuments(
  tx: Tx,
  context: Context,
  order: OrderRecord,
  lines: readonly OrderLineRecord[],
): Promise<Postable[]> {
  const wishes = order.module === 'check' ? await scrapOf(tx, order, lines) : await remainderOf(tx, order, lines);
  const documents: Postable[] = [];
  for (const [siteId, atSite] of Map.groupBy(wishes, (wish) => wish.siteId)) {
    for (let from = 0; from < atSite.length; from += STOCK_LINES_MAX) {
      documents.push(await documentOf(tx, context, order, siteId, atSite.slice(from, from + STOCK_LINES_MAX)));
    }
  }
  return documents;
}

async function remainderOf(tx: ReadTx, order: OrderRecord, lines: readonly OrderLineRecord[]): Promise<Wish[]> {
  const parts = lines.flatMap(({ kit }) => kit?.map(({ itemId }) => itemId) ?? []);
  const items = await byId(tx.items, [...new Set(parts)]);
  return lines.flatMap((line) => {
    const flow = flowOf(order.module, line);
    if (flow === null) return [];
    const direction = order.module !== 'make' ? null : flow === 'incoming' ? ('in' as const) : ('out' as const);
    const siteId = siteOfLine(order, line);
    return requirementsOf(line)
      .filter(({ remaining }) => remaining > 0)
      .map(({ itemId, remaining }): Wish => {
        const own = line.kit
          ? { quantity: remaining, unitId: items.get(itemId)?.unitId ?? null }
          : { quantity: line.quantity - line.posted.quantity, unitId: line.unitId };
        return { siteId, itemId, direction, ...own, stockQuantity: remaining, orderLineId: line.id };
      });
  });
}

/** ours: scrapping names no order line, because an inspection waits for no stock. */
async function scrapOf(tx: ReadTx, order: OrderRecord, lines: readonly OrderLineRecord[]): Promise<Wish[]> {
  const scrapped = lines.filter(({ inspection }) => inspection?.failedDisposition === 'scrap' && inspection.failedQuantity > 0);
  const items = await byId(tx.items, [...new Set(scrapped.map(({ itemId }) => itemId).filter((id) => id !== null))]);
  const units = await byId(tx.units, [...new Set([...items.values()].map(({ unitId }) => unitId).filter((id) => id !== null))]);
  const done = await scrappedBefore(tx, order);
  return scrapped.flatMap((line): Wish[] => {
    const { itemId, inspection, unitId, stockFactor, lineNumber } = line;
    const failed = inspection?.failedQuantity ?? 0;
    const item = items.get(itemId ?? '');
    if (!item) return [];
    const path = `/lines/${String(lineNumber - 1)}/failedQuantity`;
    const stock = toStock(failed, parseFactor(stockFactor), units.get(item.unitId ?? '') ?? null, path);
    const siteId = siteOfLine(order, line);
    const place = levelId({ itemId: item.id, siteId });
    const known = Math.min(stock, done.get(place) ?? 0);
    done.set(place, (done.get(place) ?? 0) - known);
    if (known === stock) return [];
    const own = known === 0 ? { quantity: -failed, unitId } : { quantity: known - stock, unitId: item.unitId };
    return [{ siteId, itemId: item.id, direction: null, ...own, stockQuantity: known - stock, orderLineId: null }];
  });
}

/** What documents of the order have scrapped and not taken back, by place: a reopened order is completed again, and scraps the rest. */
async function scrappedBefore(tx: ReadTx, { stockDocumentIds }: OrderRecord): Promise<Map<string, number>> {
  const done = new Map<string, number>();
  for (const document of await tx.stockDocuments.getMany(stockDocumentIds)) {
    if (document?.reason !== 'scrap' || document.status !== 'approved') continue;
    for (const { itemId, stockQuantity } of await documentLines(tx, document.id)) {
      const place = levelId({ itemId, siteId: document.siteId });
      done.set(place, (done.get(place) ?? 0) + Math.max(0, -stockQuantity));
    }
  }
  return done;
}

async function documentOf(tx: Tx, context: Context, order: OrderRecord, siteId: string, wishes: readonly Wish[]): Promise<Postable> {
  const { actor, now, tenant } = context;
  const at = now.toISOString();
  const type = TYPES[order.module];
  const id = context.newId();
  const lines = wishes.map(({ siteId: _siteId, ...wish }, index): StockLineRecord => {
    const uncounted = { countedQuantity: null, expectedQuantity: null, stockExpected: null, unitCost: null, notes: null };
    const unposted = { postedQuantity: null, postedUnitCost: null, onHandBefore: null, onHandAfter: null };
    return { id: context.newId(), documentId: id, lineNumber: index + 1, ...wish, ...uncounted, ...unposted, createdAt: at, updatedAt: at };
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
      documentDate: dayIn(tenant.timezone, now),
      reference: null,
      reason: type === 'adjustment' ? 'scrap' : null,
      notes: null,
      ...lineSums(lines),
      totalCost: null,
      // ours: who completes the order answers for its documents, also where documents need a second pair of eyes.
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
    },
    lines,
  };
}
