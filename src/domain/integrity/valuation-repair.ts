/** Corrects levels that earlier releases distorted: a revaluation document per site sets their average, and the difference is a variance. */
import { STOCK_LINES_MAX } from '../../contract/limits.ts';
import { type Context, toCalendarDay } from '../kernel/context.ts';
import { nextDocumentNumber } from '../stock/document-numbering.ts';
import { recordDocumentChange } from '../stock/document-events.ts';
import { openLevelBatch, toLevelId } from '../stock/levels.ts';
import { summarizeLines } from '../stock/lines.ts';
import { postDocuments, savePostedDocument } from '../stock/posting.ts';
import type { DocumentWithLines, StockLineRecord } from '../stock/records.ts';
import { type TenantReader, readPages } from './table-walk.ts';
import { type DistortedLevel, findDistortedLevels, loadEntriesByLevel } from './valuation-check.ts';
import type { Tx } from '../tables.ts';

/** All distorted levels of a tenant. */
export async function listDistortedLevels(read: TenantReader): Promise<DistortedLevel[]> {
  const distorted: DistortedLevel[] = [];
  const pages = readPages(read, 'stockLevels', async (tx, rows) => findDistortedLevels(tx, rows, await loadEntriesByLevel(tx, rows)));
  for await (const { result } of pages) distorted.push(...result);
  return distorted;
}

/** A corrected level, with the document that corrected it. */
export interface RepairedLevel extends DistortedLevel {
  readonly documentNumber: string;
}

/** Corrects those of the levels that are still distorted. */
export async function repairLevels(tx: Tx, context: Context, levels: readonly DistortedLevel[]): Promise<RepairedLevel[]> {
  const rows = (await tx.stockLevels.getMany(levels.map(toLevelId))).filter((row) => row !== undefined);
  const distorted = await findDistortedLevels(tx, rows, await loadEntriesByLevel(tx, rows));
  const repaired: RepairedLevel[] = [];
  for (const [siteId, ofSite] of Map.groupBy(distorted, (level) => level.siteId)) {
    for (let start = 0; start < ofSite.length; start += STOCK_LINES_MAX) {
      const chunk = ofSite.slice(start, start + STOCK_LINES_MAX);
      const documentNumber = await revalue(tx, context, siteId, chunk);
      repaired.push(...chunk.map((level) => ({ ...level, documentNumber })));
    }
  }
  return repaired;
}

/** Posts a revaluation of levels at one site, and returns its number. */
async function revalue(tx: Tx, context: Context, siteId: string, distorted: readonly DistortedLevel[]): Promise<string> {
  const levels = openLevelBatch(tx, context);
  const [posted] = await postDocuments(tx, context, levels, [await createRevaluation(tx, context, siteId, distorted)]);
  if (!posted) throw new Error('the revaluation was not posted');
  await levels.save();
  await savePostedDocument(tx, posted);
  await recordDocumentChange(tx, context, 'stock_document.created', 'stock_document.created', posted.document);
  await recordDocumentChange(tx, context, 'stock_document.approved', 'stock_document.updated', posted.document, {
    fields: ['status', 'submittedAt', 'submittedBy', 'approvedAt', 'approvedBy', 'totalCost', 'totalVariance', 'lines'],
    stockEffects: posted.effects,
  });
  return posted.document.documentNumber;
}

async function createRevaluation(
  tx: Tx,
  context: Context,
  siteId: string,
  distorted: readonly DistortedLevel[],
): Promise<DocumentWithLines> {
  const { actor, now, tenant } = context;
  const [at, id] = [now.toISOString(), context.newId()];
  const items = await tx.items.getMany(distorted.map(({ itemId }) => itemId));
  const lines = distorted.map((level, index) => {
    const line = toLine(level, items[index]?.unitId ?? null);
    return { ...line, id: context.newId(), documentId: id, lineNumber: index + 1, createdAt: at, updatedAt: at };
  });
  const document = {
    id,
    documentNumber: await nextDocumentNumber(tx, context, 'revaluation'),
    type: 'revaluation',
    status: 'approved',
    siteId,
    toSiteId: null,
    contactId: null,
    orderId: null,
    documentDate: toCalendarDay(tenant.timezone, now),
    reference: null,
    reason: 'correction',
    notes: 'Average costs that an earlier release distorted, corrected by doctor --repair',
    ...summarizeLines(lines),
    totalCost: null,
    totalVariance: 0,
    returnOf: null,
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
  } as const;
  return { document, lines };
}

type LineOfDocument = 'id' | 'documentId' | 'lineNumber' | 'createdAt' | 'updatedAt';

const toLine = ({ itemId, explained }: DistortedLevel, unitId: string | null): Omit<StockLineRecord, LineOfDocument> => ({
  itemId,
  direction: null,
  quantity: null,
  countedQuantity: null,
  expectedQuantity: null,
  unitId,
  stockQuantity: 0,
  stockExpected: null,
  unitCost: explained,
  orderLineId: null,
  notes: null,
  postedQuantity: null,
  postedUnitCost: null,
  onHandBefore: null,
  onHandAfter: null,
});
