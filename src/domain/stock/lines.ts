/** Lines of stock documents: reading them, and adding, updating and removing them while the document is a draft. */
import { STOCK_LINES_MAX } from '../../contract/limits.ts';
import type { DocumentType } from '../../contract/resources/stock-documents.ts';
import type { StockLineDraft, StockLinePatch } from '../../contract/resources/stock-lines.ts';
import { type Changes, diffFields } from '../events/changes.ts';
import { type Context, getNextTimestamp } from '../kernel/context.ts';
import { StockroomError, notFound } from '../kernel/errors.ts';
import { fromMicro } from '../kernel/numbers.ts';
import { type StockLineFields, buildStockLineFields } from './line-fields.ts';
import { loadStockLineReferences } from './line-references.ts';
import { recordDocumentChange } from './document-events.ts';
import type { StockDocumentRecord, StockLineRecord } from './records.ts';
import { checkDocumentStatus } from './document-states.ts';
import type { ReadTx, Tx } from '../tables.ts';

/** The lines of a document, by line number. */
export async function listDocumentLines(tx: ReadTx, documentId: string): Promise<StockLineRecord[]> {
  const where = [{ field: 'documentId', equals: documentId }];
  return (await tx.stockDocumentLines.listAfter({ where, orderBy: 'line_number', limit: STOCK_LINES_MAX })).rows;
}

export async function getLine(tx: ReadTx, document: StockDocumentRecord, id: string): Promise<StockLineRecord> {
  const line = await tx.stockDocumentLines.get(id);
  if (line?.documentId !== document.id) throw notFound('line', `${id} on ${document.documentNumber}`);
  return line;
}

/** Creates the lines of a new document. The caller stores them. */
export async function createLines(
  tx: ReadTx,
  context: Context,
  document: Pick<StockDocumentRecord, 'id' | 'type' | 'siteId' | 'orderId' | 'returnOf'>,
  drafts: readonly StockLineDraft[],
): Promise<StockLineRecord[]> {
  const references = await loadStockLineReferences(tx, document, drafts);
  const lines: StockLineRecord[] = [];
  for (const [index, draft] of drafts.entries()) {
    const path = `/lines/${String(index)}`;
    lines.push(createLine(context, document, index + 1, buildStockLineFields(document, references, draft, undefined, path)));
  }
  checkListedOnce(document.type, lines);
  return lines;
}

/** Appends a line to a draft. */
export async function addLine(tx: Tx, context: Context, document: StockDocumentRecord, draft: StockLineDraft): Promise<StockLineRecord> {
  checkDocumentStatus(document, ['draft'], 'get new lines');
  if (document.lineCount >= STOCK_LINES_MAX) {
    throw new StockroomError(
      'LIMIT_REACHED',
      `${document.documentNumber} has the maximum of ${String(STOCK_LINES_MAX)} lines. Create another document for the rest.`,
      {
        details: { limit: STOCK_LINES_MAX },
      },
    );
  }
  const linesBefore = await listDocumentLines(tx, document.id);
  const references = await loadStockLineReferences(tx, document, [draft]);
  const line = createLine(context, document, linesBefore.length + 1, buildStockLineFields(document, references, draft, undefined, ''));
  const lines = [...linesBefore, line];
  checkListedOnce(document.type, lines);
  await tx.stockDocumentLines.put(line);
  const after = await saveDocument(tx, context, document, lines);
  await recordLineChange(tx, context, 'added', document, after, line);
  return line;
}

/** Updates a line of a draft. */
export async function updateLine(
  tx: Tx,
  context: Context,
  document: StockDocumentRecord,
  id: string,
  patch: StockLinePatch,
): Promise<StockLineRecord> {
  const before = await getLine(tx, document, id);
  if (isUnchanged(before, patch)) return before;
  const references = await loadStockLineReferences(tx, document, [patch], before);
  const fields = buildStockLineFields(document, references, patch, before, '');
  const changes = diffLines(before, fields);
  if (Object.keys(changes).length === 0) return before;
  checkDocumentStatus(document, ['draft'], 'have its lines changed');
  const line = { ...before, ...fields, updatedAt: getNextTimestamp(context.now, before.updatedAt) };
  const lines = (await listDocumentLines(tx, document.id)).map((other) => (other.id === id ? line : other));
  checkListedOnce(document.type, lines);
  await tx.stockDocumentLines.put(line);
  await recordLineChange(tx, context, 'updated', document, await saveDocument(tx, context, document, lines), line, changes);
  return line;
}

/** A patch that changes nothing is accepted even if the document or the referenced records no longer allow a change. */
export const isUnchanged = (line: StockLineRecord, patch: StockLinePatch): boolean =>
  (Object.keys(patch) as (keyof StockLinePatch)[]).every((field) => toWireValue(line[field]) === patch[field]);

/** Removes a line from a draft and renumbers the following lines. */
export async function removeLine(tx: Tx, context: Context, document: StockDocumentRecord, id: string): Promise<void> {
  const line = await getLine(tx, document, id);
  checkDocumentStatus(document, ['draft'], 'have lines removed');
  await tx.stockDocumentLines.remove(id);
  const lines = (await listDocumentLines(tx, document.id)).map((other, index) =>
    other.lineNumber === index + 1 ? other : { ...other, lineNumber: index + 1, updatedAt: getNextTimestamp(context.now, other.updatedAt) },
  );
  await tx.stockDocumentLines.putMany(lines.slice(line.lineNumber - 1));
  await recordLineChange(tx, context, 'removed', document, await saveDocument(tx, context, document, lines), line);
}

/** The fields of a document that are derived from its lines. */
export const summarizeLines = (lines: readonly StockLineRecord[]): Pick<StockDocumentRecord, 'lineCount' | 'itemIds'> => ({
  lineCount: lines.length,
  itemIds: [...new Set(lines.map(({ itemId }) => itemId))],
});

const UNPOSTED_FIELDS = { postedQuantity: null, postedUnitCost: null, onHandBefore: null, onHandAfter: null } as const;

function createLine(context: Context, { id: documentId }: Pick<StockDocumentRecord, 'id'>, lineNumber: number, fields: StockLineFields) {
  const at = context.now.toISOString();
  return { id: context.newId(), documentId, lineNumber, ...fields, ...UNPOSTED_FIELDS, createdAt: at, updatedAt: at };
}

const ONCE_PER_ITEM: Partial<Record<DocumentType, string>> = { count: 'count', revaluation: 'revalue' };

/** A count or revaluation has one line per item: two of one item would contradict each other (D-12). */
function checkListedOnce(type: DocumentType, lines: readonly StockLineRecord[]): void {
  const verb = ONCE_PER_ITEM[type];
  if (verb === undefined) return;
  const byItem = new Map<string, StockLineRecord>();
  for (const line of lines) {
    const first = byItem.get(line.itemId);
    if (first) {
      const both = `Lines ${String(first.lineNumber)} and ${String(line.lineNumber)} ${verb} the same item`;
      throw new StockroomError('DUPLICATE_VALUE', `${both}; a ${type} has one line per item.`, {
        details: { field: 'itemId', value: line.itemId, lineNumbers: [first.lineNumber, line.lineNumber] },
      });
    }
    byItem.set(line.itemId, line);
  }
}

async function saveDocument(
  tx: Tx,
  context: Context,
  before: StockDocumentRecord,
  lines: readonly StockLineRecord[],
): Promise<StockDocumentRecord> {
  const after = { ...before, ...summarizeLines(lines), updatedAt: getNextTimestamp(context.now, before.updatedAt) };
  await tx.stockDocuments.put(after);
  return after;
}

async function recordLineChange(
  tx: Tx,
  context: Context,
  action: 'added' | 'updated' | 'removed',
  before: StockDocumentRecord,
  after: StockDocumentRecord,
  line: StockLineRecord,
  lineFieldChanges: Changes = {},
): Promise<void> {
  const { id: lineId, lineNumber, itemId } = line;
  const counts = diffFields(before, after, ['lineCount']);
  await recordDocumentChange(tx, context, `stock_document.line.${action}`, 'stock_document.updated', after, {
    changes: { ...counts, ...lineFieldChanges },
    fields: ['lines', ...Object.keys(counts)],
    metadata: { lineId, lineNumber, itemId },
  });
}

const WIRE_FIELDS = ['itemId', 'direction', 'unitId', 'orderLineId', 'notes'] as const;
const MICRO_FIELDS = ['quantity', 'countedQuantity', 'expectedQuantity', 'stockQuantity', 'unitCost'] as const;

const toWireValue = (value: unknown): unknown => (typeof value === 'number' ? fromMicro(value) : value);

/** The changed fields between two versions of a line, as in the API. */
function diffLines(before: StockLineFields, after: StockLineFields): Changes {
  const numbers = Object.entries(diffFields(before, after, MICRO_FIELDS));
  return {
    ...diffFields(before, after, WIRE_FIELDS),
    ...Object.fromEntries(numbers.map(([field, { from, to }]) => [field, { from: toWireValue(from), to: toWireValue(to) }])),
  };
}
