/**
 * What stock is worth (D-16): a moving average per item and site. The value is the truth and the average is told from it, so that nothing
 * is lost by rounding the average; at quantity 0 the value is 0. All numbers are micro-units.
 */
import { MICRO, multiplyMicro, scaleRounded } from './numbers.ts';

export interface Holding {
  readonly onHand: number;
  readonly stockValue: number;
  /** Null until something has come in or gone out. */
  readonly averageCost: number | null;
}

export interface Moved {
  readonly holding: Holding;
  readonly valueDelta: number;
  /** Per stock unit: what the entry tells, rounded. */
  readonly unitCost: number;
}

/**
 * `quantity` leaves at the average: its exact share of the value, so that the last piece takes the rest.
 * Below zero, where there is no value to share, what is owed counts at the average; `fallback` is the cost of an item without any.
 */
export function takeOut({ onHand, stockValue, averageCost }: Holding, quantity: number, fallback: number): Moved {
  const left = onHand - quantity;
  const average = averageCost ?? fallback;
  const valueAfter = left > 0 ? stockValue - share(stockValue, quantity, onHand) : left === 0 ? 0 : multiplyMicro(left, average);
  const valueDelta = valueAfter - stockValue;
  return {
    holding: { onHand: left, stockValue: valueAfter, averageCost: average },
    valueDelta,
    unitCost: left < 0 ? average : perUnit(-valueDelta, quantity),
  };
}

/**
 * `quantity` comes in, worth `value` in all. ours: what only makes up for stock that was owed replaces what was counted for it then, so
 * that the stock that remains is worth what it cost, and one delivery after a shortage does not spoil the average.
 */
export function bringIn({ onHand, stockValue, averageCost }: Holding, quantity: number, value: number): Moved {
  const after = onHand + quantity;
  const unitCost = perUnit(value, quantity);
  const average = after > 0 ? undefined : (averageCost ?? unitCost);
  const stockAfter =
    after < 0 ? multiplyMicro(after, average ?? 0) : after === 0 ? 0 : onHand < 0 ? share(value, after, quantity) : stockValue + value;
  return {
    holding: { onHand: after, stockValue: stockAfter, averageCost: average ?? perUnit(stockAfter, after) },
    valueDelta: stockAfter - stockValue,
    unitCost,
  };
}

/**
 * Undoes an entry: its quantity and its value the other way (D-15). ours: when other movements came between, what is left is never worth
 * less than nothing, nor what is owed more than nothing.
 */
export function mirror(
  holding: Holding,
  entry: { readonly quantityDelta: number; readonly valueDelta: number; readonly unitCost: number },
): Moved {
  const after = holding.onHand - entry.quantityDelta;
  const value = holding.stockValue - entry.valueDelta;
  const stockAfter = after === 0 || (after > 0 ? value < 0 : value > 0) ? 0 : value;
  const averageCost = after === 0 ? holding.averageCost : perUnit(stockAfter, after);
  return {
    holding: { onHand: after, stockValue: stockAfter, averageCost },
    valueDelta: stockAfter - holding.stockValue,
    unitCost: entry.unitCost,
  };
}

/** `part ÷ whole` of a value, rounded once. */
const share = (value: number, part: number, whole: number): number => scaleRounded(value, part, whole);

const perUnit = (value: number, quantity: number): number => scaleRounded(value, MICRO, quantity);
