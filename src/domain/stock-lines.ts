/** The lines of a stock document: read, made with it, and added, changed and removed while it is a draft. */
import { STOCK_LINES_MAX } from '../contract/limits.ts';
import type { StockLineDraft, StockLinePatch } from '../contract/stock-lines.ts';
import { type Changes, differences } from './changes.ts';
import { type Context, nextTimestamp } from './context.ts';
import { StockroomError, notFound } from './errors.ts';
import { fromMicro } from './numbers.ts';
import { type StockLineFields, stockLineFields } from './stock-line-fields.ts';
import { stockLineReferences } from './stock-line-references.ts';
import { noteDocument } from './stock-notes.ts';
import type { StockDocumentRecord, StockLineRecord } from './stock-records.ts';
import { checkState } from './stock-states.ts';
import type { ReadTx, Tx } from './tables.ts';

/** The lines of a document, in their order. */
export async function documentLines(tx: ReadTx, documentId: string): Promise<StockLineRecord[]> {
  const where = [{ field: 'documentId', equals: documentId }];
  return (await tx.stockDocumentLines.after({ where, orderBy: 'line_number', limit: STOCK_LINES_MAX })).rows;
}

export async function getLine(tx: ReadTx, document: StockDocumentRecord, id: string): Promise<StockLineRecord> {
  const line = await tx.stockDocumentLines.get(id);
  if (line?.documentId !== document.id) throw notFound('line', `${id} on ${document.documentNumber}`);
  return line;
}

/** The lines of a document that is being made; the caller stores them. */
export async function newLines(
  tx: ReadTx,
  context: Context,
  document: Pick<StockDocumentRecord, 'id' | 'type' | 'orderId'>,
  drafts: readonly StockLineDraft[],
): Promise<StockLineRecord[]> {
  const references = await stockLineReferences(tx, document, drafts);
  const lines: StockLineRecord[] = [];
  for (const [at, draft] of drafts.entries()) {
    const path = `/lines/${String(at)}`;
    lines.push(newLine(context, document, at + 1, stockLineFields(document, references, draft, undefined, path)));
  }
  if (document.type === 'count') checkCountedOnce(lines);
  return lines;
}

/** Adds a line to a draft, behind its others. */
export async function addLine(tx: Tx, context: Context, document: StockDocumentRecord, draft: StockLineDraft): Promise<StockLineRecord> {
  checkState(document, ['draft'], 'take lines');
  if (document.lineCount >= STOCK_LINES_MAX) {
    throw new StockroomError('LIMIT_REACHED', `${document.documentNumber} has ${String(STOCK_LINES_MAX)} lines, the most there can be.`, {
      details: { limit: STOCK_LINES_MAX },
    });
  }
  const present = await documentLines(tx, document.id);
  const references = await stockLineReferences(tx, document, [draft]);
  const line = newLine(context, document, present.length + 1, stockLineFields(document, references, draft, undefined, ''));
  const lines = [...present, line];
  if (document.type === 'count') checkCountedOnce(lines);
  await tx.stockDocumentLines.put(line);
  const after = await putDocument(tx, context, document, lines);
  await noteLine(tx, context, 'added', document, after, line);
  return line;
}

/** Changes a line of a draft; the values that are there already change nothing. */
export async function updateLine(
  tx: Tx,
  context: Context,
  document: StockDocumentRecord,
  id: string,
  patch: StockLinePatch,
): Promise<StockLineRecord> {
  const before = await getLine(tx, document, id);
  if (saysTheSame(before, patch)) return before;
  const references = await stockLineReferences(tx, document, [patch], before);
  const fields = stockLineFields(document, references, patch, before, '');
  const changes = lineChanges(before, fields);
  if (Object.keys(changes).length === 0) return before;
  checkState(document, ['draft'], 'change its lines');
  const line = { ...before, ...fields, updatedAt: nextTimestamp(context.now, before.updatedAt) };
  const lines = (await documentLines(tx, document.id)).map((each) => (each.id === id ? line : each));
  if (document.type === 'count') checkCountedOnce(lines);
  await tx.stockDocumentLines.put(line);
  await noteLine(tx, context, 'updated', document, await putDocument(tx, context, document, lines), line, changes);
  return line;
}

/** Then nothing is looked at again: what the line names may have gone on since, and its document may be done. */
const saysTheSame = (line: StockLineRecord, patch: StockLinePatch): boolean =>
  (Object.keys(patch) as (keyof StockLinePatch)[]).every((field) => wireValue(line[field]) === patch[field]);

/** Removes a line from a draft; those behind it move up. */
export async function removeLine(tx: Tx, context: Context, document: StockDocumentRecord, id: string): Promise<void> {
  const line = await getLine(tx, document, id);
  checkState(document, ['draft'], 'lose lines');
  await tx.stockDocumentLines.remove(id);
  const lines = (await documentLines(tx, document.id)).map((each, at) =>
    each.lineNumber === at + 1 ? each : { ...each, lineNumber: at + 1, updatedAt: nextTimestamp(context.now, each.updatedAt) },
  );
  await tx.stockDocumentLines.putMany(lines.slice(line.lineNumber - 1));
  await noteLine(tx, context, 'removed', document, await putDocument(tx, context, document, lines), line);
}

/** What a document knows about its lines. */
export const lineSums = (lines: readonly StockLineRecord[]): Pick<StockDocumentRecord, 'lineCount' | 'itemIds'> => ({
  lineCount: lines.length,
  itemIds: [...new Set(lines.map(({ itemId }) => itemId))],
});

const UNPOSTED = { postedQuantity: null, postedUnitCost: null, onHandBefore: null, onHandAfter: null } as const;

function newLine(context: Context, { id: documentId }: Pick<StockDocumentRecord, 'id'>, lineNumber: number, fields: StockLineFields) {
  const at = context.now.toISOString();
  return { id: context.newId(), documentId, lineNumber, ...fields, ...UNPOSTED, createdAt: at, updatedAt: at };
}

/** Two counts of one item at one site would contradict each other (D-12). */
function checkCountedOnce(lines: readonly StockLineRecord[]): void {
  const counted = new Map<string, StockLineRecord>();
  for (const line of lines) {
    const first = counted.get(line.itemId);
    if (first) {
      const both = `Lines ${String(first.lineNumber)} and ${String(line.lineNumber)} count the same item`;
      throw new StockroomError('DUPLICATE_VALUE', `${both}; a count has one line per item.`, {
        details: { field: 'itemId', value: line.itemId, lineNumbers: [first.lineNumber, line.lineNumber] },
      });
    }
    counted.set(line.itemId, line);
  }
}

async function putDocument(
  tx: Tx,
  context: Context,
  before: StockDocumentRecord,
  lines: readonly StockLineRecord[],
): Promise<StockDocumentRecord> {
  const after = { ...before, ...lineSums(lines), updatedAt: nextTimestamp(context.now, before.updatedAt) };
  await tx.stockDocuments.put(after);
  return after;
}

async function noteLine(
  tx: Tx,
  context: Context,
  action: 'added' | 'updated' | 'removed',
  before: StockDocumentRecord,
  after: StockDocumentRecord,
  line: StockLineRecord,
  lineFieldChanges: Changes = {},
): Promise<void> {
  const { id: lineId, lineNumber, itemId } = line;
  const counts = differences(before, after, ['lineCount']);
  await noteDocument(tx, context, `stock_document.line.${action}`, 'stock_document.updated', after, {
    changes: { ...counts, ...lineFieldChanges },
    fields: ['lines', ...Object.keys(counts)],
    metadata: { lineId, lineNumber, itemId },
  });
}

const WIRE_FIELDS = ['itemId', 'direction', 'unitId', 'orderLineId', 'notes'] as const;
const MICRO_FIELDS = ['quantity', 'countedQuantity', 'expectedQuantity', 'stockQuantity', 'unitCost'] as const;

const wireValue = (value: unknown): unknown => (typeof value === 'number' ? fromMicro(value) : value);

/** What differs between two versions of a line, in wire values. */
function lineChanges(before: StockLineFields, after: StockLineFields): Changes {
  const numbers = Object.entries(differences(before, after, MICRO_FIELDS));
  return {
    ...differences(before, after, WIRE_FIELDS),
    ...Object.fromEntries(numbers.map(([field, { from, to }]) => [field, { from: wireValue(from), to: wireValue(to) }])),
  };
}
