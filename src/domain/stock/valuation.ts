/**
 * Stock valuation (D-16): a moving average per item and site. The value is stored and the average derived from it, so that rounding loses
 * nothing; at quantity 0 the value is 0. All numbers are in micro-units.
 */
import { NUMBER_BOUND } from '../../contract/limits.ts';
import { MICRO, multiplyMicro, scaleRounded } from '../kernel/numbers.ts';

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
  const valueAfter =
    onHandAfter > 0 ? stockValue - prorate(stockValue, quantity, onHand) : onHandAfter === 0 ? 0 : multiplyMicro(onHandAfter, average);
  const valueDelta = valueAfter - stockValue;
  return {
    holding: { onHand: onHandAfter, stockValue: valueAfter, averageCost: average },
    valueDelta,
    unitCost: onHandAfter < 0 ? average : toUnitCost(-valueDelta, quantity),
  };
}

/**
 * The change of the value of negative stock before a receipt of `quantity` with the total value `value`. ours: the part that the receipt
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
  const average = onHandAfter > 0 ? toUnitCost(valueAfter, onHandAfter) : (averageCost ?? unitCost);
  return { holding: { onHand: onHandAfter, stockValue: valueAfter, averageCost: average }, valueDelta: value, unitCost };
}

/** Changes the value without moving stock. The average cost of stock that is not on hand stays. */
export function revalueStock({ onHand, stockValue, averageCost }: Holding, valueDelta: number): HoldingChange {
  const valueAfter = stockValue + valueDelta;
  const average = onHand > 0 ? toUnitCost(valueAfter, onHand) : averageCost;
  return { holding: { onHand, stockValue: valueAfter, averageCost: average }, valueDelta, unitCost: 0 };
}

/**
 * Reverses quantity and value of an entry (D-15). ours: after other movements in between, the value of remaining stock is never negative,
 * and that of negative stock never positive.
 */
export function reverseMovement(
  holding: Holding,
  entry: { readonly quantityDelta: number; readonly valueDelta: number; readonly unitCost: number },
): HoldingChange {
  const onHandAfter = holding.onHand - entry.quantityDelta;
  const value = holding.stockValue - entry.valueDelta;
  const valueAfter = onHandAfter === 0 || (onHandAfter > 0 ? value < 0 : value > 0) ? 0 : value;
  const averageCost = onHandAfter === 0 ? holding.averageCost : toUnitCost(valueAfter, onHandAfter);
  return {
    holding: { onHand: onHandAfter, stockValue: valueAfter, averageCost },
    valueDelta: valueAfter - holding.stockValue,
    unitCost: entry.unitCost,
  };
}

/** `part ÷ whole` of a value, rounded once. */
const prorate = (value: number, part: number, whole: number): number => scaleRounded(value, part, whole);

const MAX_UNIT_COST = NUMBER_BOUND * MICRO - 1;

/** ours: limited to the largest cost of the API, which a very small quantity can exceed. Values do not depend on it while stock is on hand. */
const toUnitCost = (value: number, quantity: number): number =>
  Math.max(-MAX_UNIT_COST, Math.min(MAX_UNIT_COST, scaleRounded(value, MICRO, quantity)));
