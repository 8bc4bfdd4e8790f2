/** Posting documents: their movements become ledger entries, levels change, and each line keeps what it did (D-12 to D-16). */
import type { StockEffect } from '../contract/stock-documents.ts';
import { NUMBER_BOUND } from '../contract/limits.ts';
import { type Context, nextTimestamp } from './context.ts';
import { StockroomError } from './errors.ts';
import { MICRO, fromMicro } from './numbers.ts';
import type { OrderLineRecord } from './order-records.ts';
import { netWorth } from './order-stock.ts';
import { type Entry, effectsOf, enter, revalue, worth, writeEntries } from './stock-ledger.ts';
import type { LevelBook } from './stock-levels.ts';
import { type Movement, checkStock, movementsOf, netOf, placesOf } from './stock-movements.ts';
import { isAllMade, madeBefore, sharesOf, unmade } from './stock-production.ts';
import type { StockDocumentRecord, StockLineRecord } from './stock-records.ts';
import type { Tx } from './tables.ts';

export interface Postable {
  readonly document: StockDocumentRecord;
  readonly lines: readonly StockLineRecord[];
}

export interface PostedDocument extends Postable {
  /** What became of the stock, in wire numbers. */
  readonly effects: readonly StockEffect[];
}

interface Step {
  readonly document: StockDocumentRecord;
  readonly movement: Movement;
}

/**
 * Posts documents of one type together: all of them or, with the complete list of what is missing, none. The claims in the book are
 * those afterwards. `orderLines` are those that the documents fulfil, `completes` whether they fulfil all that is left of them; documents
 * and levels are for the caller to store.
 */
export async function postDocuments(
  tx: Tx,
  context: Context,
  levels: LevelBook,
  documents: readonly Postable[],
  orderLines: ReadonlyMap<string, OrderLineRecord>,
  completes = false,
): Promise<PostedDocument[]> {
  await levels.load(documents.flatMap(({ document, lines }) => placesOf(document, lines)));
  for (const { document, lines } of documents) checkCounts(levels, document, lines);
  const planned = documents.map(({ document, lines }) => ({ document, type: document.type, moves: movementsOf(document, lines, levels) }));
  checkStock(context.tenant, levels, netOf(planned));

  const steps = planned.flatMap(({ document, moves }) => moves.map((movement): Step => ({ document, movement })));
  const entries = await enterAll(tx, context, levels, steps, orderLines, completes);
  await writeEntries(tx, entries);
  return documents.map(({ document, lines }) => {
    const own = entries.filter((entry) => entry.documentId === document.id);
    const moved = own.filter(({ siteId, quantityDelta }) => siteId === document.siteId && quantityDelta !== 0);
    const atHome = new Map(moved.map((entry) => [entry.documentLineId, entry]));
    return {
      document: { ...document, totalCost: totalCost(document, own) },
      lines: lines.map((line) => withProof(context, levels, document, line, atHome.get(line.id))),
      effects: effectsOf(levels, own),
    };
  });
}

async function enterAll(
  tx: Tx,
  context: Context,
  levels: LevelBook,
  steps: readonly Step[],
  orderLines: ReadonlyMap<string, OrderLineRecord>,
  completes: boolean,
): Promise<Entry[]> {
  const isMade = ({ document, movement }: Step): boolean => document.type === 'production' && movement.quantity > 0;
  const made = steps.filter(isMade);
  const entries: Entry[] = [];
  for (const step of steps) {
    if (isMade(step)) continue;
    const { document, movement } = step;
    const value = movement.quantity < 0 ? 0 : valueOf(levels, step, orderLines.get(movement.line.orderLineId ?? ''), entries.at(-1));
    entries.push(enter(context, levels, document, movement, value));
  }
  const { document: last, movement: lastMove } = steps.at(-1) ?? {};
  if (last?.type !== 'production' || !lastMove) return entries;
  const used = entries.reduce((sum, { valueDelta }) => sum - valueDelta, await unmade(tx, last.orderId));
  const shares = sharesOf(
    Math.max(0, used),
    made.map(({ movement }) => movement.quantity),
  );
  for (const [at, { document, movement }] of made.entries()) entries.push(enter(context, levels, document, movement, shares[at] ?? 0));
  const left = made.length === 0 ? used : Math.min(0, used);
  if (left === 0 || !(completes || isAllMade([...orderLines.values()]))) return entries;
  return [...entries, ...(await revaluation(tx, context, levels, last, lastMove, left))];
}

/**
 * Parts of which nothing is made any more give their value to what their order has made before; only on-hand stock can take it. Less than
 * nothing is what parts were worth that have been taken back and posted again cheaper: that much goes from it, as far as it is there.
 */
async function revaluation(
  tx: Tx,
  context: Context,
  levels: LevelBook,
  document: StockDocumentRecord,
  { line }: Movement,
  value: number,
): Promise<Entry[]> {
  const made = document.orderId === null ? [] : await madeBefore(tx, document.orderId);
  await levels.load(made);
  const there = made.filter((each) => levels.get(each).onHand > 0);
  const worths = there.map((each) => Math.max(0, levels.get(each).stockValue));
  const shares =
    value > 0
      ? sharesOf(
          value,
          there.map(({ quantity }) => quantity),
        )
      : // By what each is worth, so that none would be worth less than nothing while another could bear it.
        sharesOf(Math.max(value, -sum(worths)), worths);
  return there.flatMap((place, at) => {
    const share = shares[at] ?? 0;
    return share === 0 ? [] : [revalue(context, levels, document, { ...place, line }, share)];
  });
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** What comes in is worth what the line says, else what D-12 says; a transfer arrives with the value with which it has just left. */
function valueOf(levels: LevelBook, { document, movement }: Step, orderLine: OrderLineRecord | undefined, last: Entry | undefined): number {
  const { line, quantity } = movement;
  if (document.type === 'transfer') return Math.max(0, -(last?.valueDelta ?? 0));
  const { purchasePrice } = levels.item(movement.itemId);
  const { averageCost } = levels.get(movement);
  const found = document.type === 'receipt' ? (purchasePrice ?? averageCost) : (averageCost ?? purchasePrice);
  const ordered = orderLine && line.unitCost === null ? netWorth(orderLine, quantity) : null;
  return ordered ?? worth(quantity, line.unitCost ?? found ?? 0);
}

/** Compare and swap (D-12): a count that names what it expects is refused when something else is there by now. */
function checkCounts(levels: LevelBook, { siteId, documentNumber }: StockDocumentRecord, lines: readonly StockLineRecord[]): void {
  const stale = lines.flatMap(({ itemId, lineNumber, stockExpected }) => {
    const { onHand } = levels.get({ itemId, siteId });
    if (stockExpected === null || stockExpected === onHand) return [];
    const { sku } = levels.item(itemId);
    return [{ lineNumber, itemId, sku, siteId, expected: fromMicro(stockExpected), onHand: fromMicro(onHand) }];
  });
  const [first] = stale;
  if (!first) return;
  const what = `line ${String(first.lineNumber)} expects ${String(first.expected)} of ${first.sku ?? first.itemId}, on hand are ${String(first.onHand)}`;
  const more = stale.length > 1 ? `, and ${String(stale.length - 1)} more lines are stale` : '';
  throw new StockroomError('STALE_COUNT', `${documentNumber} was counted before stock moved: ${what}${more}. Recall it and count again.`, {
    details: { stale },
  });
}

/** What came in, went out, was moved or used up; on adjustments and counts the net change. */
function totalCost({ type }: StockDocumentRecord, entries: readonly Entry[]): number {
  const worthOf = (of: readonly Entry[]): number => sum(of.map(({ valueDelta }) => valueDelta));
  const out = entries.filter(({ quantityDelta }) => quantityDelta < 0);
  const isNet = type === 'adjustment' || type === 'count' || type === 'receipt';
  const total = isNet || out.length === 0 ? worthOf(entries) : Math.abs(worthOf(out));
  if (Math.abs(total) < NUMBER_BOUND * MICRO) return total;
  throw new StockroomError('LIMIT_REACHED', `The document is worth ${String(NUMBER_BOUND)} or more; post it in parts.`, {
    details: { limit: NUMBER_BOUND },
  });
}

/** The line with what it did at the document's own site. */
function withProof(
  { now }: Context,
  levels: LevelBook,
  { siteId }: StockDocumentRecord,
  line: StockLineRecord,
  entry: Entry | undefined,
): StockLineRecord {
  const updatedAt = nextTimestamp(now, line.updatedAt);
  if (entry) {
    const { quantityDelta, unitCost, onHandAfter } = entry;
    const onHandBefore = onHandAfter - quantityDelta;
    return { ...line, postedQuantity: quantityDelta, postedUnitCost: unitCost, onHandBefore, onHandAfter, updatedAt };
  }
  const { onHand, averageCost } = levels.get({ itemId: line.itemId, siteId });
  return { ...line, postedQuantity: 0, postedUnitCost: averageCost, onHandBefore: onHand, onHandAfter: onHand, updatedAt };
}
