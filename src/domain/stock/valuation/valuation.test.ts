import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MICRO } from '../../kernel/numbers.ts';
import { type Holding, getOwedStockRevaluation, issueStock, receiveStock, revalueStock, settleReversal } from './valuation.ts';
import { checkProperty } from '../../../../test/support/property.ts';

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
        const opposite = { quantity: out ? amount : -amount, value: -moved.valueDelta };
        const { averageCost, stockValue } = current;
        const bounds = averageCost === null ? null : { lowest: averageCost, highest: averageCost };
        const reversed = settleReversal(moved.holding, [opposite], { bounds, lastAverage: averageCost });
        expect([reversed.holding.onHand, reversed.holding.stockValue, reversed.variance]).toEqual([current.onHand, stockValue, 0]);
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

describe('settleReversal', () => {
  const bounds = (lowest: number, highest: number) => ({ lowest: lowest * MICRO, highest: highest * MICRO });
  const reverse = (
    from: Holding,
    quantity: number,
    value: number,
    remaining: ReturnType<typeof bounds> | null,
    lastAverage: number | null,
  ) => {
    const last = lastAverage === null ? null : lastAverage * MICRO;
    return settleReversal(from, [{ quantity: quantity * MICRO, value: value * MICRO }], { bounds: remaining, lastAverage: last });
  };
  test.each([
    {
      name: 'takes back the original value within the bounds',
      from: holding(20, 220, 11),
      out: -10,
      value: -200,
      left: holding(10, 20, 2),
      variance: 0,
    },
    {
      name: 'does not leave an average below what remains cost',
      from: holding(12, 218, 18.166667),
      out: -10,
      value: -1000,
      left: holding(2, 4, 2),
      variance: 786,
    },
    {
      name: 'does not leave an average above what remains cost',
      from: holding(11, 555.5, 50.5),
      out: -10,
      value: -10,
      left: holding(1, 100, 100),
      variance: -445.5,
    },
    { name: 'leaves no value at quantity 0', from: holding(10, 190, 19), out: -10, value: -1000, left: holding(0, 0, 10), variance: 810 },
    {
      name: 'splits at zero: stock owed has the last average',
      from: holding(9, 163.6, 18.2),
      out: -10,
      value: -1000,
      left: holding(-1, -10, 10),
      variance: 826.4,
    },
    {
      name: 'values stock owed at the last average',
      from: holding(-2, -4, 2),
      out: -3,
      value: -30,
      left: holding(-5, -50, 10),
      variance: -16,
    },
    {
      name: 'splits at zero: what is left of a return has its own cost',
      from: holding(-3, -60, 20),
      out: 15,
      value: 150,
      left: holding(12, 120, 10),
      variance: 30,
    },
  ])('$name', ({ from, out, value, left, variance }) => {
    const result = reverse(from, out, value, bounds(2, 100), 10);
    expect(result).toEqual({ holding: left, variance: Math.round(variance * MICRO) });
  });

  test('splits what one entry brings back across zero at the cost of that entry, not of the document', () => {
    // 2 on hand at 3.885: a gain of 1 at 0, then a loss of 4 at 2.59, both reversed.
    const opposites = [
      { quantity: 4 * MICRO, value: 10.36 * MICRO },
      { quantity: -MICRO, value: 0 },
    ];
    const restored = { holding: holding(2, 7.77, 3.885), variance: 0 };
    const costs = { bounds: bounds(0, 7.77), lastAverage: 3.885 * MICRO };
    expect(settleReversal(holding(-1, -2.59, 2.59), opposites, costs)).toEqual(restored);
    expect(settleReversal(holding(-1, -2.59, 2.59), opposites.toReversed(), costs)).toEqual(restored);
  });

  test('leaves no average without remaining entries', () => {
    expect(reverse(holding(10, 10_000, 1_000), -10, -10_000, null, null)).toEqual({ holding: NOTHING, variance: 0 });
  });
});
