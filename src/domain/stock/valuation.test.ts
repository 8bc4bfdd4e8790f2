import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MICRO } from '../kernel/numbers.ts';
import { type Holding, getOwedStockRevaluation, issueStock, receiveStock, revalueStock, reverseMovement } from './valuation.ts';
import { checkProperty } from '../../../test/support/property.ts';

const NOTHING: Holding = { onHand: 0, stockValue: 0, averageCost: null };
const holding = (onHand: number, stockValue: number, averageCost: number | null = null): Holding => ({
  onHand: onHand * MICRO,
  stockValue: stockValue * MICRO,
  averageCost: averageCost === null ? null : averageCost * MICRO,
});

describe('receiveStock', () => {
  test('updates the average cost by the received value', () => {
    const first = receiveStock(NOTHING, 10 * MICRO, 20 * MICRO);
    expect(first).toEqual({ holding: holding(10, 20, 2), valueDelta: 20 * MICRO, unitCost: 2 * MICRO });
    expect(receiveStock(first.holding, 10 * MICRO, 40 * MICRO).holding).toEqual(holding(20, 60, 3));
  });

  test.each([
    { name: 'all of it', quantity: 3, value: 30, revaluation: -24, after: holding(0, 0, 2) },
    { name: 'all of it, with stock left over', quantity: 5, value: 20, revaluation: -6, after: holding(2, 8, 4) },
    { name: 'a part of it', quantity: 1, value: 20, revaluation: -18, after: holding(-2, -4, 2) },
  ])('adds its value after negative stock was revalued: it covers $name', ({ quantity, value, revaluation, after }) => {
    const negative = holding(-3, -6, 2);
    expect(getOwedStockRevaluation(negative, quantity * MICRO, value * MICRO)).toBe(revaluation * MICRO);
    const revalued = revalueStock(negative, revaluation * MICRO).holding;
    expect(receiveStock(revalued, quantity * MICRO, value * MICRO)).toMatchObject({ holding: after, valueDelta: value * MICRO });
  });
});

describe('issueStock', () => {
  test('takes an exact share of the value, and the remainder with the last piece', () => {
    let current: Holding = { onHand: 3 * MICRO, stockValue: 10 * MICRO, averageCost: 3_333_333 };
    const issuedValues = [1, 2, 3].map(() => {
      const { holding: after, valueDelta } = issueStock(current, MICRO, 0);
      current = after;
      return -valueDelta;
    });
    expect(issuedValues.reduce((sum, value) => sum + value, 0)).toBe(10 * MICRO);
    expect(current).toMatchObject({ onHand: 0, stockValue: 0 });
  });

  test('values negative stock at the average cost, or at the cost of the item without an average', () => {
    expect(issueStock(holding(1, 5, 5), 3 * MICRO, 9 * MICRO).holding).toEqual(holding(-2, -10, 5));
    expect(issueStock(NOTHING, 2 * MICRO, 9 * MICRO)).toEqual({
      holding: holding(-2, -18, 9),
      valueDelta: -18 * MICRO,
      unitCost: 9 * MICRO,
    });
  });
});

test('any sequence of movements keeps the sum of deltas, value 0 at quantity 0, and reversible last movements', async () => {
  const movement = fc.record({
    quantity: fc.integer({ min: 1, max: 50_000_000_000 }),
    value: fc.integer({ min: 0, max: 100_000_000_000 }),
    isOut: fc.boolean(),
    takesAll: fc.boolean(),
  });
  await checkProperty(
    fc.property(fc.array(movement, { maxLength: 30 }), (movements) => {
      let [current, sum] = [NOTHING, 0];
      for (const { quantity, value, isOut, takesAll } of movements) {
        const out = isOut && current.onHand > 0;
        const amount = out ? (takesAll ? current.onHand : Math.min(quantity, current.onHand)) : quantity;
        const moved = out ? issueStock(current, amount, 0) : receiveStock(current, amount, value);
        const reversed = reverseMovement(moved.holding, {
          quantityDelta: out ? -amount : amount,
          valueDelta: moved.valueDelta,
          unitCost: moved.unitCost,
        });
        expect([reversed.holding.onHand, reversed.holding.stockValue]).toEqual([current.onHand, current.stockValue]);
        sum += moved.valueDelta;
        current = moved.holding;
        expect(current.stockValue).toBe(sum);
        expect(current.stockValue).toBeGreaterThanOrEqual(0);
        if (current.onHand === 0) expect(current.stockValue).toBe(0);
      }
    }),
    { shortRuns: 50, longRuns: 1_000 },
  );
});

test('reversing an earlier movement never leaves stock with a negative value', () => {
  const expensive = receiveStock(NOTHING, 10 * MICRO, 100 * MICRO);
  const { holding: mixed } = receiveStock(expensive.holding, 10 * MICRO, 0);
  const { holding: rest } = issueStock(mixed, 10 * MICRO, 0);
  const reversed = reverseMovement(rest, { quantityDelta: 5 * MICRO, valueDelta: 100 * MICRO, unitCost: 20 * MICRO });
  expect(reversed).toEqual({
    holding: { onHand: 5 * MICRO, stockValue: 0, averageCost: 0 },
    valueDelta: -50 * MICRO,
    unitCost: 20 * MICRO,
  });
});
