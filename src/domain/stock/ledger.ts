/**
 * Turns movements into ledger entries: each records the change of quantity and value of one item at one site (D-14, D-16), and updates the
 * level batch. Entries are numbered without gaps when they are written.
 */
import type { StockEffect } from '../../contract/resources/stock-documents.ts';
import { NUMBER_BOUND } from '../../contract/limits.ts';
import { takeNextNumbers } from '../kernel/counters.ts';
import type { Context } from '../kernel/context.ts';
import { StockroomError } from '../kernel/errors.ts';
import { MICRO, fromMicro, multiplyMicro, scaleRounded } from '../kernel/numbers.ts';
import { type LevelBatch, type LevelKey, toLevelId } from './levels.ts';
import type { LedgerRecord, StockDocumentRecord } from './records.ts';
import { type HoldingChange, receiveStock, reverseMovement, issueStock } from './valuation.ts';
import type { Movement } from './movements.ts';
import type { Tx } from '../tables.ts';

/** A ledger entry that is not numbered yet. */
export type Entry = Omit<LedgerRecord, 'id' | 'seq'>;

/** Applies a movement to its level. `value` is the total value of an incoming movement. */
export function postMovement(
  { now }: Context,
  levels: LevelBatch,
  { id: documentId, orderId }: StockDocumentRecord,
  { itemId, siteId, quantity, line }: Movement,
  value: number,
): Entry {
  const key = { itemId, siteId };
  const before = levels.get(key);
  const change =
    quantity < 0 ? issueStock(before, -quantity, levels.item(itemId).purchasePrice ?? 0) : receiveStock(before, quantity, value);
  const at = now.toISOString();
  return applyToLevel(levels, key, change, {
    postedAt: at,
    documentId,
    documentLineId: line.id,
    orderId,
    quantityDelta: quantity,
    reversalOf: null,
  });
}

/** Changes the value of the stock on hand by `value`, without a movement. */
export function postRevaluation(
  { now }: Context,
  levels: LevelBatch,
  { id: documentId, orderId }: StockDocumentRecord,
  { itemId, siteId, line }: Omit<Movement, 'quantity'>,
  value: number,
): Entry {
  const key = { itemId, siteId };
  const { onHand, stockValue } = levels.get(key);
  const valueAfter = stockValue + value;
  const holding = { onHand, stockValue: valueAfter, averageCost: scaleRounded(valueAfter, MICRO, onHand) };
  return applyToLevel(
    levels,
    key,
    { holding, unitCost: 0, valueDelta: value },
    { postedAt: now.toISOString(), documentId, documentLineId: line.id, orderId, quantityDelta: 0, reversalOf: null },
  );
}

/** Reverses an entry under the same document. */
export function postReversal({ now }: Context, levels: LevelBatch, entry: LedgerRecord): Entry {
  const { documentId, documentLineId, orderId, itemId, siteId, seq } = entry;
  const key = { itemId, siteId };
  const quantityDelta = 0 - entry.quantityDelta;
  const change = reverseMovement(levels.get(key), entry);
  return applyToLevel(levels, key, change, {
    postedAt: now.toISOString(),
    documentId,
    documentLineId,
    orderId,
    quantityDelta,
    reversalOf: seq,
  });
}

const BOUND = NUMBER_BOUND * MICRO;

function applyToLevel(
  levels: LevelBatch,
  key: LevelKey,
  { holding, unitCost, valueDelta }: HoldingChange,
  entry: Pick<Entry, 'postedAt' | 'documentId' | 'documentLineId' | 'orderId' | 'quantityDelta' | 'reversalOf'>,
): Entry {
  const { onHand, stockValue, averageCost } = holding;
  // Intermediate values between the lines of a document have the same bound.
  if ([onHand, stockValue, valueDelta, unitCost].some((value) => Math.abs(value) >= BOUND)) {
    throw new StockroomError(
      'LIMIT_REACHED',
      `Quantity, cost and value of ${levels.item(key.itemId).name} at one site must be below ${String(NUMBER_BOUND)}. Use smaller quantities or costs.`,
      {
        details: { limit: NUMBER_BOUND, itemId: key.itemId, siteId: key.siteId },
      },
    );
  }
  levels.change(key, { onHand, stockValue, averageCost, lastMovementAt: entry.postedAt });
  const { itemId, siteId } = key;
  return { ...entry, itemId, siteId, onHandAfter: onHand, unitCost, valueDelta, valueAfter: stockValue, averageAfter: averageCost ?? 0 };
}

/** The cost of a quantity. */
export const multiplyCost = (quantity: number, unitCost: number): number => multiplyMicro(quantity, unitCost);

/** Numbers the entries and appends them to the ledger. */
export async function writeEntries(tx: Tx, entries: readonly Entry[]): Promise<void> {
  const first = await takeNextNumbers(tx, 'ledger', entries.length);
  for (const [index, entry] of entries.entries()) {
    const seq = first + index;
    await tx.ledger.put({ id: String(seq), seq, ...entry });
  }
}

/** The net effect of entries on stock, per item and site, as in the API. */
export function toStockEffects(levels: LevelBatch, entries: readonly Entry[]): StockEffect[] {
  const effects = new Map<string, Entry>();
  for (const entry of entries) {
    if (entry.quantityDelta === 0) continue;
    const id = toLevelId(entry);
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
