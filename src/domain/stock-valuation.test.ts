import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MICRO } from './numbers.ts';
import { type Holding, bringIn, mirror, takeOut } from './stock-valuation.ts';

const NOTHING: Holding = { onHand: 0, stockValue: 0, averageCost: null };
const holding = (onHand: number, stockValue: number, averageCost: number | null = null): Holding => ({
  onHand: onHand * MICRO,
  stockValue: stockValue * MICRO,
  averageCost: averageCost === null ? null : averageCost * MICRO,
});

describe('what comes in', () => {
  test('moves the average by its value', () => {
    const first = bringIn(NOTHING, 10 * MICRO, 20 * MICRO);
    expect(first).toEqual({ holding: holding(10, 20, 2), valueDelta: 20 * MICRO, unitCost: 2 * MICRO });
    expect(bringIn(first.holding, 10 * MICRO, 40 * MICRO).holding).toEqual(holding(20, 60, 3));
  });

  test('what only makes up for a shortage leaves nothing of the old value', () => {
    const owed = holding(-3, -6, 2);
    expect(bringIn(owed, 3 * MICRO, 30 * MICRO).holding).toEqual(holding(0, 0, 2));
    expect(bringIn(owed, 5 * MICRO, 20 * MICRO).holding).toEqual(holding(2, 8, 4));
    expect(bringIn(owed, 1 * MICRO, 20 * MICRO).holding).toEqual(holding(-2, -4, 2));
  });
});

describe('what goes out', () => {
  test('takes its exact share, and the last piece the rest', () => {
    let now: Holding = { onHand: 3 * MICRO, stockValue: 10 * MICRO, averageCost: 3_333_333 };
    const taken = [1, 2, 3].map(() => {
      const { holding: after, valueDelta } = takeOut(now, MICRO, 0);
      now = after;
      return -valueDelta;
    });
    expect(taken.reduce((sum, value) => sum + value, 0)).toBe(10 * MICRO);
    expect(now).toMatchObject({ onHand: 0, stockValue: 0 });
  });

  test('what is not there counts at the average, or at the cost of the item when there has never been any', () => {
    expect(takeOut(holding(1, 5, 5), 3 * MICRO, 9 * MICRO).holding).toEqual(holding(-2, -10, 5));
    expect(takeOut(NOTHING, 2 * MICRO, 9 * MICRO)).toEqual({ holding: holding(-2, -18, 9), valueDelta: -18 * MICRO, unitCost: 9 * MICRO });
  });
});

test('whatever comes and goes, deltas add up, nothing on hand is worth nothing, and the mirror of the last movement undoes it', () => {
  const movement = fc.record({
    quantity: fc.integer({ min: 1, max: 50_000_000_000 }),
    value: fc.integer({ min: 0, max: 100_000_000_000 }),
    isOut: fc.boolean(),
    takesAll: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(movement, { maxLength: 30 }), (movements) => {
      let [now, sum] = [NOTHING, 0];
      for (const { quantity, value, isOut, takesAll } of movements) {
        const out = isOut && now.onHand > 0;
        const amount = out ? (takesAll ? now.onHand : Math.min(quantity, now.onHand)) : quantity;
        const moved = out ? takeOut(now, amount, 0) : bringIn(now, amount, value);
        const undone = mirror(moved.holding, {
          quantityDelta: out ? -amount : amount,
          valueDelta: moved.valueDelta,
          unitCost: moved.unitCost,
        });
        expect([undone.holding.onHand, undone.holding.stockValue]).toEqual([now.onHand, now.stockValue]);
        sum += moved.valueDelta;
        now = moved.holding;
        expect(now.stockValue).toBe(sum);
        expect(now.stockValue).toBeGreaterThanOrEqual(0);
        if (now.onHand === 0) expect(now.stockValue).toBe(0);
      }
    }),
    { seed: 20_261_121, numRuns: 500 },
  );
});

test('the mirror of an earlier movement never leaves stock with less than no value', () => {
  const dear = bringIn(NOTHING, 10 * MICRO, 100 * MICRO);
  const { holding: mixed } = bringIn(dear.holding, 10 * MICRO, 0);
  const { holding: rest } = takeOut(mixed, 10 * MICRO, 0);
  const undone = mirror(rest, { quantityDelta: 5 * MICRO, valueDelta: 100 * MICRO, unitCost: 20 * MICRO });
  expect(undone).toEqual({ holding: { onHand: 5 * MICRO, stockValue: 0, averageCost: 0 }, valueDelta: -50 * MICRO, unitCost: 20 * MICRO });
});
