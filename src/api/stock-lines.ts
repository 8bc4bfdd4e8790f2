import type { StockLine, stockLineOperations } from '../contract/stock-lines.ts';
import { checkVersion } from '../domain/items.ts';
import { fromMicro } from '../domain/numbers.ts';
import { byId } from '../domain/order-line-references.ts';
import { getDocument } from '../domain/stock-documents.ts';
import { addLine, getLine, removeLine, updateLine } from '../domain/stock-lines.ts';
import type { StockDocumentRecord, StockLineRecord } from '../domain/stock-records.ts';
import type { ReadTx } from '../domain/tables.ts';
import { foldCase } from '../domain/text.ts';
import { Answer, type Handlers, etagOf } from './call.ts';
import { presentItemRef } from './items.ts';
import { among, equal, pageQuery, paginationOf } from './lists.ts';

export const stockLineHandlers: Handlers<typeof stockLineOperations> = {
  async 'stock_documents.lines.list'({ tx, params, query }) {
    const document = await getDocument(tx, params.document_id);
    const { search: text, ...page } = pageQuery(query, [equal('documentId', document.id), among('itemId', query.item_id)]);
    const named = text && { field: 'itemId', in: await itemsNamed(tx, document, text.text) };
    const { rows, total } = await tx.stockDocumentLines.page(named ? { ...page, where: [...(page.where ?? []), named] } : page);
    return { data: await presentStockLines(tx, rows), pagination: paginationOf(query, total) };
  },
  async 'stock_documents.lines.create'({ tx, context, params, body }) {
    const document = await getDocument(tx, params.document_id);
    const line = await addLine(tx, context, document, body);
    return answer(tx, line, `/v1/stock-documents/${document.id}/lines/${line.id}`);
  },
  async 'stock_documents.lines.update'({ tx, context, params, body, ifMatch }) {
    const document = await getDocument(tx, params.document_id);
    checkVersion(ifMatch, (await getLine(tx, document, params.line_id)).updatedAt);
    return answer(tx, await updateLine(tx, context, document, params.line_id, body));
  },
  async 'stock_documents.lines.delete'({ tx, context, params, ifMatch }) {
    const document = await getDocument(tx, params.document_id);
    checkVersion(ifMatch, (await getLine(tx, document, params.line_id)).updatedAt);
    await removeLine(tx, context, document, params.line_id);
  },
};

/** The items of the document with the text in their name or SKU, which lines do not keep. */
async function itemsNamed(tx: ReadTx, { itemIds }: StockDocumentRecord, text: string): Promise<string[]> {
  const wanted = foldCase(text);
  const items = (await tx.items.getMany(itemIds)).filter((item) => item !== undefined);
  return items.filter(({ name, sku }) => [name, sku ?? ''].some((each) => foldCase(each).includes(wanted))).map(({ id }) => id);
}

async function answer(tx: ReadTx, line: StockLineRecord, location?: string): Promise<Answer<{ data: StockLine }>> {
  const [data] = await presentStockLines(tx, [line]);
  if (!data) throw new Error('a line was not presented');
  return new Answer({ data }, { etag: etagOf(line), ...(location === undefined ? {} : { location }) });
}

/** Lines with their items and units as they are now. */
export async function presentStockLines(tx: ReadTx, lines: readonly StockLineRecord[]): Promise<StockLine[]> {
  const items = await byId(tx.items, [...new Set(lines.map(({ itemId }) => itemId))]);
  const units = await byId(tx.units, [...new Set(lines.map(({ unitId }) => unitId).filter((id) => id !== null))]);
  return lines.map((line) => {
    const item = items.get(line.itemId);
    if (!item) throw new Error(`the item ${line.itemId} of line ${line.id} is gone`);
    const unit = line.unitId === null ? undefined : units.get(line.unitId);
    return {
      ...ownFields(line),
      item: presentItemRef(item),
      unit: unit ? { id: unit.id, name: unit.name, symbol: unit.symbol } : null,
    };
  });
}

const wire = (micro: number | null): number | null => (micro === null ? null : fromMicro(micro));

function ownFields(line: StockLineRecord): Omit<StockLine, 'item' | 'unit'> {
  return {
    id: line.id,
    documentId: line.documentId,
    lineNumber: line.lineNumber,
    itemId: line.itemId,
    direction: line.direction,
    quantity: wire(line.quantity),
    countedQuantity: wire(line.countedQuantity),
    expectedQuantity: wire(line.expectedQuantity),
    unitId: line.unitId,
    stockQuantity: fromMicro(line.stockQuantity),
    unitCost: wire(line.unitCost),
    orderLineId: line.orderLineId,
    notes: line.notes,
    postedQuantity: wire(line.postedQuantity),
    postedUnitCost: wire(line.postedUnitCost),
    onHandBefore: wire(line.onHandBefore),
    onHandAfter: wire(line.onHandAfter),
    createdAt: line.createdAt,
    updatedAt: line.updatedAt,
  };
}
