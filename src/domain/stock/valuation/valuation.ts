/**
 * Stock valuation (D-15, D-16): a moving average per item and site. All numbers are in micro-units.
 *
 * - The value is stored and the average derived from it, so that rounding loses nothing. At quantity 0 the value is 0.
 * - What comes in has a cost of its own; what goes out takes its share at the average. A movement that crosses zero is split there: stock
 *   that is owed (below zero) is valued at the last average, stock on hand at what it cost.
 * - A reversal posts the opposite of the entries, exactly. The result must be a value that the entries which are not reversed explain: an
 *   average between the lowest and the highest cost of what came in, 0 at quantity 0, the last average below zero. What differs from that
 *   is a variance, in an entry of its own. So all levels and variances together never gain or lose value.
 */
import { NUMBER_BOUND } from '../../../contract/limits.ts';
import { MICRO, multiplyMicro, scaleRounded } from '../../kernel/numbers.ts';

/** Quantity and value of one item at one site. */
export interface Holding {
  readonly onHand: number;
  readonly stockValue: number;
  /** Null before the first movement. */
  readonly averageCost: number | null;
}

/** The result of a movement. */
export interface HoldingChange {
  readonly holding: Holding;
  readonly valueDelta: number;
  /** Per stock unit, rounded, for the ledger entry. */
  readonly unitCost: number;
}

/**
 * Issues `quantity` at the average cost: its exact share of the value, so that the last piece takes the remainder.
 * Negative stock is valued at the average cost, or at `defaultCost` if there is none.
 */
export function issueStock({ onHand, stockValue, averageCost }: Holding, quantity: number, defaultCost: number): HoldingChange {
  const onHandAfter = onHand - quantity;
  const average = averageCost ?? defaultCost;
  // Below zero the average is rounded, and an issue must not add value.
  const owed = Math.min(stockValue, multiplyMicro(onHandAfter, average));
  const valueAfter = onHandAfter > 0 ? stockValue - prorate(stockValue, quantity, onHand) : onHandAfter === 0 ? 0 : owed;
  const valueDelta = valueAfter - stockValue;
  return {
    holding: { onHand: onHandAfter, stockValue: valueAfter, averageCost: average },
    valueDelta,
    unitCost: onHandAfter < 0 ? average : toUnitCost(-valueDelta, quantity),
  };
}

/**
 * The change of the value of negative stock before a receipt of `quantity` with the total value `value`. The part that the receipt
 * covers is revalued at the cost of the receipt, so that the remaining stock is worth what it cost, and a receipt after a shortage does not
 * distort the average.
 */
export function getOwedStockRevaluation({ onHand, stockValue, averageCost }: Holding, quantity: number, value: number): number {
  if (onHand >= 0) return 0;
  const onHandAfter = onHand + quantity;
  const valueAfter =
    onHandAfter > 0 ? prorate(value, onHandAfter, quantity) : multiplyMicro(onHandAfter, averageCost ?? toUnitCost(value, quantity));
  return valueAfter - value - stockValue;
}

/** Receives `quantity` with the total value `value`. The value of negative stock must include `getOwedStockRevaluation`. */
export function receiveStock({ onHand, stockValue, averageCost }: Holding, quantity: number, value: number): HoldingChange {
  const onHandAfter = onHand + quantity;
  const valueAfter = stockValue + value;
  const unitCost = toUnitCost(value, quantity);
  const previous = averageCost === null || onHand <= 0 ? unitCost : averageCost;
  // The rounding of earlier issues must not move the average beyond both costs.
  const bounds = { lowest: Math.min(previous, unitCost), highest: Math.max(previous, unitCost) };
  const average = onHandAfter > 0 ? clampCost(toUnitCost(valueAfter, onHandAfter), bounds) : (averageCost ?? unitCost);
  return { holding: { onHand: onHandAfter, stockValue: valueAfter, averageCost: average }, valueDelta: value, unitCost };
}

/** Changes the value without moving stock. The average cost of stock that is not on hand stays. */
export function revalueStock({ onHand, stockValue, averageCost }: Holding, valueDelta: number): HoldingChange {
  const valueAfter = stockValue + valueDelta;
  const average = onHand > 0 ? toUnitCost(valueAfter, onHand) : averageCost;
  return { holding: { onHand, stockValue: valueAfter, averageCost: average }, valueDelta, unitCost: 0 };
}

/** Values stock, or stock owed, at `unitCost`. */
export function setUnitCost({ onHand, stockValue }: Holding, unitCost: number | null): HoldingChange {
  const valueAfter = multiplyMicro(onHand, unitCost ?? 0);
  return {
    holding: { onHand, stockValue: valueAfter, averageCost: unitCost },
    valueDelta: valueAfter - stockValue,
    unitCost: unitCost ?? 0,
  };
}

/** The lowest and the highest cost per stock unit. */
export interface CostBounds {
  readonly lowest: number;
  readonly highest: number;
}

/** What the entries of a level that are not reversed say about its cost. */
export interface RemainingCosts {
  /** The costs of what came in; null if nothing did. */
  readonly bounds: CostBounds | null;
  /** The average after the last of these entries; null without entries. */
  readonly lastAverage: number | null;
}

/** The opposite of an entry that is reversed. */
export interface Opposite {
  readonly quantity: number;
  readonly value: number;
}

/** The cost per unit of what a reversal leaves on hand if it takes back the original value; null if nothing is on hand after it. */
export function getUnboundedCost(holding: Holding, opposites: readonly Opposite[]): number | null {
  const onHandAfter = holding.onHand + sumOpposites(opposites).quantity;
  return onHandAfter > 0 ? toUnitCost(getUnboundedValue(holding, opposites), onHandAfter) : null;
}

/** The holding after a reversal of entries at one level. `variance` is how much more value it has than the opposite entries leave. */
export function settleReversal(
  holding: Holding,
  opposites: readonly Opposite[],
  { bounds, lastAverage }: RemainingCosts,
): { readonly holding: Holding; readonly variance: number } {
  const opposite = sumOpposites(opposites);
  const onHand = holding.onHand + opposite.quantity;
  const settled = (stockValue: number, averageCost: number | null) => ({
    holding: { onHand, stockValue, averageCost },
    variance: stockValue - (holding.stockValue + opposite.value),
  });
  if (onHand === 0) return settled(0, lastAverage);
  if (onHand < 0) {
    const [total, owed] = [holding.stockValue + opposite.value, multiplyMicro(onHand, lastAverage ?? 0)];
    return settled(Math.abs(total - owed) <= getRounding(onHand) ? total : owed, lastAverage ?? 0);
  }
  const value = getUnboundedValue(holding, opposites);
  const unitCost = toUnitCost(value, onHand);
  const bounded = bounds === null ? Math.max(0, unitCost) : clampCost(unitCost, bounds);
  const boundedValue = multiplyMicro(onHand, bounded);
  const isRounding = (exact: number): boolean => Math.abs(value - exact) <= getRounding(onHand);
  if (bounded !== unitCost && !isRounding(boundedValue)) return settled(boundedValue, bounded);
  // Issues since the last average have rounded the value, so it would give a slightly different one.
  return settled(value, lastAverage !== null && isRounding(multiplyMicro(onHand, lastAverage)) ? lastAverage : bounded);
}

/** By how much issues may have rounded a value: a micro-unit, and one for each unit on hand. */
const getRounding = (quantity: number): number => 1 + Math.ceil(Math.abs(quantity) / MICRO);

export const clampCost = (cost: number, { lowest, highest }: CostBounds): number => Math.max(lowest, Math.min(highest, cost));

const sumOpposites = (opposites: readonly Opposite[]): Opposite => ({
  quantity: opposites.reduce((sum, { quantity }) => sum + quantity, 0),
  value: opposites.reduce((sum, { value }) => sum + value, 0),
});

/**
 * The value of what a reversal leaves on hand. What covers stock that was owed is split off at its own cost. That is the cost of the entry
 * that crosses zero: a document can have others with other costs at the level. What comes back counts first, because what the document
 * brought in may be part of it.
 */
function getUnboundedValue(holding: Holding, opposites: readonly Opposite[]): number {
  const ordered = [...opposites.filter(({ quantity }) => quantity > 0), ...opposites.filter(({ quantity }) => quantity <= 0)];
  return ordered.reduce(addOpposite, { onHand: holding.onHand, stockValue: holding.stockValue }).stockValue;
}

function addOpposite({ onHand, stockValue }: Pick<Holding, 'onHand' | 'stockValue'>, { quantity, value }: Opposite) {
  const [onHandAfter, total] = [onHand + quantity, stockValue + value];
  if (onHand >= 0 || onHandAfter <= 0) return { onHand: onHandAfter, stockValue: total };
  const split = prorate(value, onHandAfter, quantity);
  return { onHand: onHandAfter, stockValue: Math.abs(split - total) <= getRounding(quantity) ? total : split };
}

/** `part ÷ whole` of a value, rounded once. */
const prorate = (value: number, part: number, whole: number): number => scaleRounded(value, part, whole);

const MAX_UNIT_COST = NUMBER_BOUND * MICRO - 1;

/** Limited to the largest cost of the API, which a very small quantity can exceed. Values do not depend on it while stock is on hand. */
export const toUnitCost = (value: number, quantity: number): number =>
  Math.max(-MAX_UNIT_COST, Math.min(MAX_UNIT_COST, scaleRounded(value, MICRO, quantity)));
