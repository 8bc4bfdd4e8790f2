import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NUMBER_BOUND } from '../contract/limits.ts';
import { factorText, parseFactor, priceIn, toStock } from './order-units.ts';
import type { UnitRecord } from './settings.ts';
import { ratioOf } from './units.ts';

const unit = (symbol: string, factorNum: number, factorDen: number): UnitRecord => ({
  id: symbol,
  name: symbol,
  symbol,
  dimension: 'mass',
  factorNum,
  factorDen,
  precision: 6,
  isActive: true,
  createdAt: '',
  updatedAt: '',
});
const GRAM = unit('g', 1, 1000);
const KILOGRAM = unit('kg', 1, 1);
// The international pound is 0.45359237 kg exactly.
const POUND = unit('lb', 45_359_237, 100_000_000);

/** A quantity of one unit in stock units of another of its dimension. */
const converted = (quantity: number, from: UnitRecord, to: UnitRecord): number =>
  toStock(quantity, ratioOf(from, to) ?? parseFactor('0'), to, '/quantity');

test('a factor is kept as the shortest exact text', () => {
  expect(factorText({ numerator: 60_000_000n, denominator: 1_000_000n })).toBe('60');
  expect(factorText({ numerator: 45_359_237n, denominator: 100_000_000n })).toBe('45359237/100000000');
  expect(factorText({ numerator: 7n, denominator: 7n })).toBe('1');
  const positive = fc.bigInt({ min: 1n, max: 10n ** 20n });
  fc.assert(
    fc.property(positive, positive, (numerator, denominator) => {
      const back = parseFactor(factorText({ numerator, denominator }));
      expect(back.numerator * denominator).toBe(numerator * back.denominator);
    }),
    { seed: 8, numRuns: 200 },
  );
});

test('a quantity is converted with one rounding, never there and back', () => {
  const pound = parseFactor('45359237/100000000');
  expect(toStock(1_000_000, pound, null, '/quantity')).toBe(453_592);
  expect(toStock(1_000_000_000, pound, null, '/quantity')).toBe(453_592_370);
  expect(toStock(123, parseFactor('1'), null, '/quantity')).toBe(123);
});

test.each([
  ['kilograms to grams', 1_250_000, KILOGRAM, GRAM, 1_250_000_000],
  ['grams to kilograms', 250_000_000, GRAM, KILOGRAM, 250_000],
  ['pounds to kilograms', 1_000_000, POUND, KILOGRAM, 453_592],
  ['2000 pounds in one step, not in 2000 rounded ones', 2_000_000_000, POUND, KILOGRAM, 907_184_740],
  ['half a millionth away from zero', 500, GRAM, KILOGRAM, 1],
])('%s', (_what, quantity, from, to, expected) => {
  expect(converted(quantity, from, to)).toBe(expected);
});

test('a conversion is the exact fraction, rounded once, half away from zero, or refused (invariant 25)', () => {
  const factor = fc.integer({ min: 1, max: 1_000_000 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e15 - 1 }), factor, factor, factor, factor, (quantity, an, ad, bn, bd) => {
      const convert = () => converted(quantity, unit('a', an, ad), unit('b', bn, bd));
      const numerator = BigInt(quantity) * BigInt(an) * BigInt(bd);
      const denominator = BigInt(ad) * BigInt(bn);
      const half = 2n * numerator;
      if (half < denominator) expect(convert).toThrow('too small');
      else if (half >= denominator * (2n * BigInt(NUMBER_BOUND) * 1_000_000n - 1n)) expect(convert).toThrow('too large');
      else {
        const error = 2n * BigInt(convert()) * denominator - half;
        // Half a step up is allowed, half a step down is not.
        expect(error <= denominator && error > -denominator).toBe(true);
      }
    }),
    { seed: 20_260_331, numRuns: 2_000 },
  );
});

test('a quantity that would be nothing, or out of bounds, in the stock unit is refused', () => {
  const refused = expect.objectContaining({ code: 'VALIDATION_FAILED' });
  expect(() => toStock(1, parseFactor('1/10'), null, '/quantity')).toThrow('quantity is too small to be told in stock units.');
  expect(() => toStock(900_000_000 * 1_000_000, parseFactor('60'), null, '/quantity')).toThrow(refused);
});

test('a price per stock unit becomes one per unit of the line', () => {
  expect(priceIn(parseFactor('12'), 350_000)).toBe(4_200_000);
  expect(priceIn(parseFactor('1/3'), 1_000_000)).toBe(333_333);
});
