/**
 * From movements to ledger entries: each entry tells what the movement did to the quantity and to the value of one item at one site (D-14,
 * D-16), and changes the book of levels with it. The entries are numbered and written together, without gaps.
 */
import type { StockEffect } from '../contract/stock-documents.ts';
import { NUMBER_BOUND } from '../contract/limits.ts';
import { nextNumbers } from './changes.ts';
import type { Context } from './context.ts';
import { StockroomError } from './errors.ts';
import { MICRO, fromMicro, multiplyMicro, scaleRounded } from './numbers.ts';
import { type LevelBook, type Place, levelId } from './stock-levels.ts';
import type { LedgerRecord, StockDocumentRecord } from './stock-records.ts';
import { type Moved, bringIn, mirror, takeOut } from './stock-valuation.ts';
import type { Movement } from './stock-movements.ts';
import type { Tx } from './tables.ts';

export type Entry = Omit<LedgerRecord, 'id' | 'seq'>;

/** Takes the movement out of the level, or brings it in, worth `value` in all; tells the entry. */
export function enter(
  { now }: Context,
  levels: LevelBook,
  { id: documentId, orderId }: StockDocumentRecord,
  { itemId, siteId, quantity, line }: Movement,
  value: number,
): Entry {
  const place = { itemId, siteId };
  const before = levels.get(place);
  const moved = quantity < 0 ? takeOut(before, -quantity, levels.item(itemId).purchasePrice ?? 0) : bringIn(before, quantity, value);
  const at = now.toISOString();
  return apply(levels, place, moved, {
    postedAt: at,
    documentId,
    documentLineId: line.id,
    orderId,
    quantityDelta: quantity,
    reversalOf: null,
  });
}

/** Makes what is on hand worth more by `value`, or less by a negative one, without moving any of it. */
export function revalue(
  { now }: Context,
  levels: LevelBook,
  { id: documentId, orderId }: StockDocumentRecord,
  { itemId, siteId, line }: Omit<Movement, 'quantity'>,
  value: number,
): Entry {
  const place = { itemId, siteId };
  const { onHand, stockValue } = levels.get(place);
  const valueAfter = stockValue + value;
  const holding = { onHand, stockValue: valueAfter, averageCost: scaleRounded(valueAfter, MICRO, onHand) };
  return apply(
    levels,
    place,
    { holding, unitCost: 0, valueDelta: value },
    { postedAt: now.toISOString(), documentId, documentLineId: line.id, orderId, quantityDelta: 0, reversalOf: null },
  );
}

/** Undoes an entry by its mirror image, under the same document. */
export function undo({ now }: Context, levels: LevelBook, entry: LedgerRecord): Entry {
  const { documentId, documentLineId, orderId, itemId, siteId, seq } = entry;
  const place = { itemId, siteId };
  const quantityDelta = 0 - entry.quantityDelta;
  const moved = mirror(levels.get(place), entry);
  return apply(levels, place, moved, { postedAt: now.toISOString(), documentId, documentLineId, orderId, quantityDelta, reversalOf: seq });
}

const BOUND = NUMBER_BOUND * MICRO;

function apply(
  levels: LevelBook,
  place: Place,
  { holding, unitCost, valueDelta }: Moved,
  entry: Pick<Entry, 'postedAt' | 'documentId' | 'documentLineId' | 'orderId' | 'quantityDelta' | 'reversalOf'>,
): Entry {
  const { onHand, stockValue, averageCost } = holding;
  // Also what is only there between two lines of one document must be told exactly.
  if ([onHand, stockValue, valueDelta, unitCost].some((figure) => Math.abs(figure) >= BOUND)) {
    throw new StockroomError(
      'LIMIT_REACHED',
      `Quantity, cost and value of ${levels.item(place.itemId).name} must stay below ${String(NUMBER_BOUND)}.`,
      {
        details: { limit: NUMBER_BOUND, itemId: place.itemId, siteId: place.siteId },
      },
    );
  }
  levels.change(place, { onHand, stockValue, averageCost, lastMovementAt: entry.postedAt });
  const { itemId, siteId } = place;
  return { ...entry, itemId, siteId, onHandAfter: onHand, unitCost, valueDelta, valueAfter: stockValue, averageAfter: averageCost ?? 0 };
}

/** What a cost per stock unit makes of a quantity. */
export const worth = (quantity: number, unitCost: number): number => multiplyMicro(quantity, unitCost);

/** Writes the entries behind all that there are. */
export async function writeEntries(tx: Tx, entries: readonly Entry[]): Promise<void> {
  const first = await nextNumbers(tx, 'ledger', entries.length);
  for (const [at, entry] of entries.entries()) {
    const seq = first + at;
    await tx.ledger.put({ id: String(seq), seq, ...entry });
  }
}

/** What became of the stock, per item and site, in wire numbers. */
export function effectsOf(levels: LevelBook, entries: readonly Entry[]): StockEffect[] {
  const effects = new Map<string, Entry>();
  for (const entry of entries) {
    if (entry.quantityDelta === 0) continue;
    const id = levelId(entry);
    effects.set(id, { ...entry, quantityDelta: entry.quantityDelta + (effects.get(id)?.quantityDelta ?? 0) });
  }
  return [...effects.values()].map(({ itemId, siteId, quantityDelta, onHandAfter }) => ({
    itemId,
    sku: levels.item(itemId).sku,
    siteId,
    quantityDelta: fromMicro(quantityDelta),
    onHandAfter: fromMicro(onHandAfter),
  }));
}
