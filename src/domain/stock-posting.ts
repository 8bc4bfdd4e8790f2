/** Approving a submitted document, which posts it, and reversing a posted one by mirror entries (D-14, D-15). */
import { differences } from './changes.ts';
import { type Context, nextTimestamp } from './context.ts';
import { StockroomError } from './errors.ts';
import { documentClaims, moveClaims, orderClaims } from './stock-claims.ts';
import { effectsOf, undo, writeEntries } from './stock-ledger.ts';
import { type LevelBook, openLevels } from './stock-levels.ts';
import { checkStock, netOf } from './stock-movements.ts';
import { noteDocument } from './stock-notes.ts';
import { type OrderStep, orderStep, saveOrderStep } from './stock-order.ts';
import { type PostedDocument, postDocuments } from './stock-post.ts';
import type { LedgerRecord, StockDocumentRecord, StockLineRecord } from './stock-records.ts';
import { checkState } from './stock-states.ts';
import type { ReadTx, Tx } from './tables.ts';

/**
 * Posts a submitted document to the ledger. Throws INVALID_STATE, SAME_APPROVER, STALE_COUNT, INSUFFICIENT_STOCK with every shortage,
 * or LIMIT_REACHED; then nothing has changed.
 */
export async function approveDocument(
  tx: Tx,
  context: Context,
  before: StockDocumentRecord,
  lines: readonly StockLineRecord[],
): Promise<PostedDocument> {
  checkState(before, ['submitted'], 'be approved');
  checkApprover(context, before);
  const at = nextTimestamp(context.now, before.updatedAt);
  const approved: StockDocumentRecord = { ...before, status: 'approved', approvedAt: at, approvedBy: context.actor, updatedAt: at };
  const levels = openLevels(tx, context);
  const step = await orderStep(tx, context, approved, lines, 1);
  await claim(levels, { document: before, lines }, { document: approved, lines }, step);
  const orderLines = new Map(step?.before.lines.map((line) => [line.id, line]));
  const [posted] = await postDocuments(tx, context, levels, [{ document: approved, lines }], orderLines);
  if (!posted) throw new Error(`${before.documentNumber} was not posted`);
  await levels.save();
  await savePosted(tx, posted);
  await noteDocument(tx, context, 'stock_document.approved', 'stock_document.updated', posted.document, {
    changes: differences(before, posted.document, ['status']),
    previousStatus: before.status,
    stockEffects: posted.effects,
  });
  if (step) await saveOrderStep(tx, context, step);
  return posted;
}

/** Undoes an approved document: every entry the other way, the last one first. What it fulfilled waits again. */
export async function reverseDocument(
  tx: Tx,
  context: Context,
  before: StockDocumentRecord,
  lines: readonly StockLineRecord[],
  reason: string | null,
): Promise<PostedDocument> {
  checkState(before, ['approved'], 'be reversed');
  const at = nextTimestamp(context.now, before.updatedAt);
  const cancelled = { status: 'cancelled', cancelledAt: at, cancelledBy: context.actor, cancelReason: reason, reversedAt: at } as const;
  const document: StockDocumentRecord = { ...before, ...cancelled, updatedAt: at };
  const levels = openLevels(tx, context);
  const step = await orderStep(tx, context, document, lines, -1);
  await claim(levels, { document: before, lines }, { document, lines }, step);
  const entries = (await entriesOf(tx, document.id)).toReversed();
  await levels.load(entries);
  checkStock(context.tenant, levels, netOfMirrors(lines, entries));
  const mirrored = entries.map((entry) => undo(context, levels, entry));
  await writeEntries(tx, mirrored);
  await levels.save();
  await tx.stockDocuments.put(document);
  const effects = effectsOf(levels, mirrored);
  await noteDocument(tx, context, 'stock_document.reversed', 'stock_document.updated', document, {
    changes: differences(before, document, ['status', 'cancelReason']),
    previousStatus: before.status,
    stockEffects: effects,
  });
  if (step) await saveOrderStep(tx, context, step);
  return { document, lines, effects };
}

/** Stores documents that were posted, with their lines. */
export async function savePosted(tx: Tx, { document, lines }: PostedDocument): Promise<void> {
  await tx.stockDocuments.put(document);
  await tx.stockDocumentLines.putMany(lines);
}

interface State {
  readonly document: StockDocumentRecord;
  readonly lines: readonly StockLineRecord[];
}

/** What was announced is posted now, or waits again. */
async function claim(levels: LevelBook, before: State, after: State, step: OrderStep | undefined): Promise<void> {
  await moveClaims(
    levels,
    [...documentClaims(before.document, before.lines), ...(step ? orderClaims(step.before.order, step.before.lines) : [])],
    [...documentClaims(after.document, after.lines), ...(step ? orderClaims(step.after.order, step.after.lines) : [])],
  );
}

function checkApprover({ tenant, actor }: Context, { documentNumber, submittedBy }: StockDocumentRecord): void {
  if (!tenant.fourEyes || submittedBy?.type !== actor.type || submittedBy.id !== actor.id) return;
  throw new StockroomError('SAME_APPROVER', `${documentNumber} was submitted by the same key or user; somebody else has to approve it.`, {
    details: { submittedBy },
  });
}

/** The entries of a document that is not reversed yet, in their order. */
async function entriesOf(tx: ReadTx, documentId: string): Promise<LedgerRecord[]> {
  const where = [{ field: 'documentId', equals: documentId }];
  return (await tx.ledger.after({ where, orderBy: 'seq', limit: Number.MAX_SAFE_INTEGER })).rows;
}

function netOfMirrors(lines: readonly StockLineRecord[], entries: readonly LedgerRecord[]) {
  const known = new Map(lines.map((line) => [line.id, line]));
  const moves = entries.flatMap(({ itemId, siteId, quantityDelta, documentLineId }) => {
    const line = known.get(documentLineId);
    return line ? [{ line, itemId, siteId, quantity: -quantityDelta }] : [];
  });
  // What was made leaves and what was used up comes back at once: no order among them, as in an adjustment.
  return netOf([{ type: 'adjustment', moves }]);
}
