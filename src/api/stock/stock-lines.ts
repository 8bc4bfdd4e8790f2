/** Handlers of stock document lines, and their JSON in responses. */
import { foldForSearch } from '../../contract/search-text.ts';
import type { StockLine, stockLineOperations } from '../../contract/resources/stock-lines.ts';
import { loadLineCatalog } from '../../domain/catalog/item-lines.ts';
import { checkVersion } from '../versions.ts';
import { fromMicro, fromMicroOrNull } from '../../domain/kernel/numbers.ts';
import { addOrderDocumentLine } from '../../domain/fulfilment/document-lines.ts';
import { getDocument } from '../../domain/stock/documents.ts';
import { type LineValue, type LineValues, loadLineValues } from '../../domain/stock/valuation/line-values.ts';
import { getLine, removeLine, updateLine } from '../../domain/stock/lines.ts';
import type { StockDocumentRecord, StockLineRecord } from '../../domain/stock/records.ts';
import type { ReadTx } from '../../domain/tables.ts';
import { type ApiResponse, type Handlers, respondWithRecord } from '../handler.ts';
import { presentItemAndUnit } from '../item-lines.ts';
import { listPage } from '../lists/list-page.ts';
import { whereIn, whereEquals, toPageQuery } from '../lists/pagination.ts';

export const stockLineHandlers: Handlers<typeof stockLineOperations> = {
  async 'stock_documents.lines.list'({ tx, params, query }) {
    const document = await getDocument(tx, params.document_id);
    const { search: text, ...page } = toPageQuery(query, [whereEquals('documentId', document.id), whereIn('itemId', query.item_id)]);
    const whereItem = text && { field: 'itemId', in: await findItemIdsByText(tx, document, text.text) };
    const selected = whereItem ? { ...page, where: [...(page.where ?? []), whereItem] } : page;
    const { rows, pagination } = await listPage(tx, 'stockDocumentLines', query, selected);
    return { data: await presentStockLines(tx, document, rows), pagination };
  },
  async 'stock_documents.lines.create'({ tx, context, params, body }) {
    const document = await getDocument(tx, params.document_id);
    const line = await addOrderDocumentLine(tx, context, document, body);
    return toResponse(tx, document, line, `/v1/stock-documents/${document.id}/lines/${line.id}`);
  },
  async 'stock_documents.lines.update'({ tx, context, params, body, ifMatch }) {
    const document = await getDocument(tx, params.document_id);
    checkVersion(ifMatch, (await getLine(tx, document, params.line_id)).updatedAt);
    return toResponse(tx, document, await updateLine(tx, context, document, params.line_id, body));
  },
  async 'stock_documents.lines.delete'({ tx, context, params, ifMatch }) {
    const document = await getDocument(tx, params.document_id);
    checkVersion(ifMatch, (await getLine(tx, document, params.line_id)).updatedAt);
    await removeLine(tx, context, document, params.line_id);
  },
};

/** The ids of the document's items whose name or SKU contains the text. Lines store neither. */
async function findItemIdsByText(tx: ReadTx, { itemIds }: StockDocumentRecord, text: string): Promise<string[]> {
  const foldedText = foldForSearch(text);
  const items = (await tx.items.getMany(itemIds)).filter((item) => item !== undefined);
  return items.filter(({ name, sku }) => [name, sku ?? ''].some((value) => foldForSearch(value).includes(foldedText))).map(({ id }) => id);
}

async function toResponse(
  tx: ReadTx,
  document: StockDocumentRecord,
  line: StockLineRecord,
  location?: string,
): Promise<ApiResponse<{ data: StockLine }>> {
  const [data] = await presentStockLines(tx, document, [line]);
  if (!data) throw new Error(`line ${line.id} was not presented`);
  return respondWithRecord(line, { data }, location);
}

/** Lines of a stock document, with the current state of their items and units. `values`, when known, are those from the ledger. */
export async function presentStockLines(
  tx: ReadTx,
  document: StockDocumentRecord,
  lines: readonly StockLineRecord[],
  values?: LineValues,
): Promise<StockLine[]> {
  const [lineValues, references] = await Promise.all([values ?? loadLineValues(tx, document, lines), loadLineCatalog(tx, lines)]);
  return lines.map((line) => {
    const { item, unit } = presentItemAndUnit(line, references);
    if (!item) throw new Error(`item ${line.itemId} of line ${line.id} does not exist`);
    return { ...presentOwnFields(line, document, lineValues.get(line.id) ?? []), item, unit };
  });
}

type Values = Pick<StockLine, 'postedValue' | 'reversedValue' | 'postedVariance' | 'reversedVariance' | 'otherLevels'>;

const NO_VALUE = { posted: 0, reversed: 0, postedVariance: 0, reversedVariance: 0 };

function presentValues({ itemId }: StockLineRecord, document: StockDocumentRecord, values: readonly LineValue[]): Values {
  const { siteId, approvedAt, reversedAt } = document;
  const isOwn = (value: LineValue): boolean => value.itemId === itemId && value.siteId === siteId;
  const present = ({ posted, reversed, postedVariance, reversedVariance }: typeof NO_VALUE = NO_VALUE) => ({
    postedValue: approvedAt === null ? null : fromMicro(posted),
    reversedValue: reversedAt === null ? null : fromMicro(reversed),
    postedVariance: approvedAt === null ? null : fromMicro(postedVariance),
    reversedVariance: reversedAt === null ? null : fromMicro(reversedVariance),
  });
  const hasValue = ({ posted, reversed, postedVariance, reversedVariance }: LineValue): boolean =>
    [posted, reversed, postedVariance, reversedVariance].some((value) => value !== 0);
  const others = values.filter((value) => !isOwn(value) && hasValue(value));
  return {
    ...present(values.find(isOwn)),
    otherLevels: others.map((value) => ({ itemId: value.itemId, siteId: value.siteId, ...present(value) })),
  };
}

function presentOwnFields(
  line: StockLineRecord,
  document: StockDocumentRecord,
  values: readonly LineValue[],
): Omit<StockLine, 'item' | 'unit'> {
  return {
    id: line.id,
    documentId: line.documentId,
    lineNumber: line.lineNumber,
    itemId: line.itemId,
    direction: line.direction,
    quantity: fromMicroOrNull(line.quantity),
    countedQuantity: fromMicroOrNull(line.countedQuantity),
    expectedQuantity: fromMicroOrNull(line.expectedQuantity),
    unitId: line.unitId,
    stockQuantity: fromMicro(line.stockQuantity),
    unitCost: fromMicroOrNull(line.unitCost),
    orderLineId: line.orderLineId,
    notes: line.notes,
    postedQuantity: fromMicroOrNull(line.postedQuantity),
    postedUnitCost: fromMicroOrNull(line.postedUnitCost),
    onHandBefore: fromMicroOrNull(line.onHandBefore),
    onHandAfter: fromMicroOrNull(line.onHandAfter),
    ...presentValues(line, document, values),
    createdAt: line.createdAt,
    updatedAt: line.updatedAt,
  };
}
