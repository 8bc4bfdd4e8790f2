/**
 * Turns movements into ledger entries: each records the change of quantity and value of one item at one site (D-14, D-16), and updates the
 * level batch. Entries are numbered without gaps when they are written.
 */
import type { StockEffect } from '../../contract/resources/stock-effects.ts';
import { NUMBER_BOUND } from '../../contract/limits.ts';
import { getNextNumber, takeNextNumbers } from '../counters/counters.ts';
import type { Context } from '../kernel/context.ts';
import { StockroomError } from '../kernel/errors.ts';
import { MICRO, fromMicro } from '../kernel/numbers.ts';
import { type LevelBatch, type LevelKey, toLevelId } from './levels.ts';
import type { LedgerRecord, Revaluation, StockDocumentRecord } from './records.ts';
import {
  type Holding,
  type HoldingChange,
  type Opposite,
  getUnboundedCost,
  getOwedStockRevaluation,
  issueStock,
  receiveStock,
  revalueStock,
  setUnitCost,
  settleReversal,
} from './valuation/valuation.ts';
import { findRemainingCosts } from './valuation/remaining-costs.ts';
import type { Movement } from './movements.ts';
import type { ReadTx, Tx } from '../tables.ts';

/** A ledger entry that is not numbered yet. */
export type Entry = Omit<LedgerRecord, 'id' | 'seq'>;

const toSource = ({ now }: Context, { id, orderId }: StockDocumentRecord, { line }: Pick<Movement, 'line'>) => ({
  postedAt: now.toISOString(),
  documentId: id,
  documentLineId: line.id,
  orderId,
  reversalOf: null,
});

/**
 * Applies a movement to its level. `value` is the total value of an incoming movement. A receipt into negative stock has two entries: the
 * revaluation of the stock owed, then the movement, whose value is exactly `value`.
 */
export function postMovement(
  context: Context,
  levels: LevelBatch,
  document: StockDocumentRecord,
  movement: Movement,
  value: number,
): Entry[] {
  const { itemId, siteId, quantity } = movement;
  const key = { itemId, siteId };
  const entry = { ...toSource(context, document, movement), quantityDelta: quantity, revaluation: null };
  if (quantity < 0) {
    const defaultCost = levels.item(itemId).purchasePrice ?? 0;
    return [applyToLevel(levels, key, issueStock(levels.get(key), -quantity, defaultCost), entry)];
  }
  const owed = getOwedStockRevaluation(levels.get(key), quantity, value);
  const revaluations = owed === 0 ? [] : [postRevaluation(context, levels, document, movement, owed, 'owed_stock')];
  return [...revaluations, applyToLevel(levels, key, receiveStock(levels.get(key), quantity, value), entry)];
}

/** Changes the value of a level by `value`, without a movement. */
export function postRevaluation(
  context: Context,
  levels: LevelBatch,
  document: StockDocumentRecord,
  { itemId, siteId, line }: Omit<Movement, 'quantity'>,
  value: number,
  revaluation: Revaluation,
): Entry {
  const key = { itemId, siteId };
  const entry = { ...toSource(context, document, { line }), quantityDelta: 0, revaluation };
  return applyToLevel(levels, key, revalueStock(levels.get(key), value), entry);
}

/** Sets the cost per unit of a level. A level with nothing on hand has no value; its average becomes `unitCost`. */
export function postUnitCost(
  context: Context,
  levels: LevelBatch,
  document: StockDocumentRecord,
  { itemId, siteId, line }: Omit<Movement, 'quantity'>,
  unitCost: number | null,
): Entry {
  const key = { itemId, siteId };
  const entry = { ...toSource(context, document, { line }), quantityDelta: 0, revaluation: 'revaluation' as const };
  return applyToLevel(levels, key, setUnitCost(levels.get(key), unitCost), entry);
}

/**
 * Reverses the entries of a document, given last one first. Each gets its exact opposite; a variance per level follows if those would leave
 * a value that the remaining entries do not explain. Levels must be loaded.
 */
export async function postReversals(tx: ReadTx, context: Context, levels: LevelBatch, entries: readonly LedgerRecord[]): Promise<Entry[]> {
  const byLevel = [...Map.groupBy(entries, toLevelId).values()].flatMap((levelEntries) => {
    const [first] = levelEntries;
    return first ? [{ key: { itemId: first.itemId, siteId: first.siteId }, levelEntries, opposites: levelEntries.map(toOpposite) }] : [];
  });
  const costs = await findRemainingCosts(
    tx,
    byLevel.map(({ key, levelEntries, opposites }) => ({
      ...key,
      reversing: levelEntries.map(({ seq }) => seq),
      cost: getUnboundedCost(levels.get(key), opposites),
    })),
  );
  return byLevel.flatMap(({ key, levelEntries, opposites }) => {
    const settled = settleReversal(levels.get(key), opposites, costs.get(toLevelId(key)) ?? { bounds: null, lastAverage: null });
    const isExact = settled.variance === 0;
    const last = levelEntries.length - 1;
    // Without a variance, the last opposite entry leaves the final holding; otherwise the variance does.
    const reversals = levelEntries.map((entry, index) =>
      postOpposite(context, levels, entry, isExact && index === last ? settled.holding : undefined),
    );
    const carrier = levelEntries.findLast(({ quantityDelta }) => quantityDelta !== 0) ?? levelEntries.at(-1);
    return isExact || !carrier ? reversals : [...reversals, postReversalVariance(context, levels, carrier, settled)];
  });
}

const toOpposite = ({ quantityDelta, valueDelta }: LedgerRecord): Opposite => ({ quantity: 0 - quantityDelta, value: 0 - valueDelta });

/** `holding`: the final holding, for the last entry; earlier ones keep the old average. */
function postOpposite({ now }: Context, levels: LevelBatch, entry: LedgerRecord, holding: Holding | undefined): Entry {
  const { documentId, documentLineId, orderId, itemId, siteId, seq, unitCost, revaluation = null } = entry;
  const key = { itemId, siteId };
  const { quantity: quantityDelta, value: valueDelta } = toOpposite(entry);
  const { onHand, stockValue, averageCost } = levels.get(key);
  const intermediate = { onHand: onHand + quantityDelta, stockValue: stockValue + valueDelta, averageCost };
  return applyToLevel(
    levels,
    key,
    { holding: holding ?? intermediate, valueDelta, unitCost },
    { postedAt: now.toISOString(), documentId, documentLineId, orderId, quantityDelta, reversalOf: seq, revaluation },
  );
}

function postReversalVariance(
  { now }: Context,
  levels: LevelBatch,
  { documentId, documentLineId, orderId, itemId, siteId, seq }: LedgerRecord,
  { holding, variance }: { readonly holding: Holding; readonly variance: number },
): Entry {
  return applyToLevel(
    levels,
    { itemId, siteId },
    { holding, valueDelta: variance, unitCost: 0 },
    {
      postedAt: now.toISOString(),
      documentId,
      documentLineId,
      orderId,
      quantityDelta: 0,
      reversalOf: seq,
      revaluation: 'reversal_variance',
    },
  );
}

const BOUND = NUMBER_BOUND * MICRO;

function applyToLevel(
  levels: LevelBatch,
  key: LevelKey,
  { holding, unitCost, valueDelta }: HoldingChange,
  entry: Pick<Entry, 'postedAt' | 'documentId' | 'documentLineId' | 'orderId' | 'quantityDelta' | 'reversalOf' | 'revaluation'>,
): Entry {
  const { onHand, stockValue, averageCost } = holding;
  // Intermediate values between the lines of a document have the same bound.
  if ([onHand, stockValue, valueDelta].some((value) => Math.abs(value) >= BOUND)) {
    throw new StockroomError(
      'LIMIT_REACHED',
      `Quantity and value of ${levels.item(key.itemId).name} at one site must be below ${String(NUMBER_BOUND)}. Use smaller quantities or costs.`,
      {
        details: { limit: NUMBER_BOUND, itemId: key.itemId, siteId: key.siteId },
      },
    );
  }
  levels.change(key, { onHand, stockValue, averageCost, lastMovementAt: entry.postedAt });
  const { itemId, siteId } = key;
  return { ...entry, itemId, siteId, onHandAfter: onHand, unitCost, valueDelta, valueAfter: stockValue, averageAfter: averageCost };
}

/** Numbers the entries and appends them to the ledger. */
export async function writeEntries(tx: Tx, entries: readonly Entry[]): Promise<void> {
  const first = await takeNextNumbers(tx, 'ledger', entries.length);
  await tx.ledger.putMany(
    entries.map((entry, index) => {
      const seq = first + index;
      return { id: String(seq), seq, ...entry };
    }),
  );
}

/** Before entries of many documents are written: looks up their numbers together, for a store that would need a round trip for each. */
export async function loadNextEntries(tx: ReadTx, count: number): Promise<void> {
  const first = await getNextNumber(tx, 'ledger');
  await tx.ledger.getMany(Array.from({ length: count }, (_, at) => String(first + at)));
}

/** The changed levels of the batch whose availability changed without a movement, as in the API. */
export function toCommitmentEffects(levels: LevelBatch): StockEffect[] {
  return levels.listChanged().flatMap((key) => {
    const [before, { onHand, committed }] = [levels.before(key), levels.get(key)];
    return onHand === before.onHand && committed !== before.committed ? [toStockEffect(levels, key, 0, onHand)] : [];
  });
}

/** The effects of movements, then those on levels that only what is committed changed: an order line may wait at another site. */
export function addCommitmentEffects(levels: LevelBatch, effects: readonly StockEffect[]): StockEffect[] {
  const moved = new Set(effects.map(toLevelId));
  return [...effects, ...toCommitmentEffects(levels).filter((effect) => !moved.has(toLevelId(effect)))];
}

function toStockEffect(levels: LevelBatch, { itemId, siteId }: LevelKey, quantityDelta: number, onHandAfter: number): StockEffect {
  const { committed } = levels.get({ itemId, siteId });
  return {
    itemId,
    sku: levels.item(itemId).sku,
    siteId,
    quantityDelta: fromMicro(quantityDelta),
    onHandAfter: fromMicro(onHandAfter),
    committedAfter: fromMicro(committed),
    availableAfter: fromMicro(onHandAfter - committed),
  };
}

/** The net effect of entries on stock, per item and site, as in the API. */
export function toStockEffects(levels: LevelBatch, entries: readonly Entry[]): StockEffect[] {
  const effects = new Map<string, Entry>();
  for (const entry of entries) {
    if (entry.quantityDelta === 0) continue;
    const id = toLevelId(entry);
    effects.set(id, { ...entry, quantityDelta: entry.quantityDelta + (effects.get(id)?.quantityDelta ?? 0) });
  }
  return [...effects.values()].map((entry) => toStockEffect(levels, entry, entry.quantityDelta, entry.onHandAfter));
}
