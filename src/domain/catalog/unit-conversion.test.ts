import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NUMBER_BOUND } from '../../contract/limits.ts';
import { checkPrecision, formatFactor, parseFactor, toLinePrice, convertToStock } from './unit-conversion.ts';
import type { UnitRecord } from './records.ts';
import { getUnitRatio } from './unit-ratios.ts';
import { checkProperty } from '../../../test/support/property.ts';

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
  convertToStock(quantity, getUnitRatio(from, to) ?? parseFactor('0'), to, '/quantity');

test('formatFactor writes the shortest exact fraction', async () => {
  expect(formatFactor({ numerator: 60_000_000n, denominator: 1_000_000n })).toBe('60');
  expect(formatFactor({ numerator: 45_359_237n, denominator: 100_000_000n })).toBe('45359237/100000000');
  expect(formatFactor({ numerator: 7n, denominator: 7n })).toBe('1');
  const positive = fc.bigInt({ min: 1n, max: 10n ** 20n });
  await checkProperty(
    fc.property(positive, positive, (numerator, denominator) => {
      const back = parseFactor(formatFactor({ numerator, denominator }));
      expect(back.numerator * denominator).toBe(numerator * back.denominator);
    }),
    { shortRuns: 100 },
  );
});

test('conversion rounds a quantity only once', () => {
  const pound = parseFactor('45359237/100000000');
  expect(convertToStock(1_000_000, pound, null, '/quantity')).toBe(453_592);
  expect(convertToStock(1_000_000_000, pound, null, '/quantity')).toBe(453_592_370);
  expect(convertToStock(123, parseFactor('1'), null, '/quantity')).toBe(123);
});

test.each([
  ['kilograms to grams', 1_250_000, KILOGRAM, GRAM, 1_250_000_000],
  ['grams to kilograms', 250_000_000, GRAM, KILOGRAM, 250_000],
  ['pounds to kilograms', 1_000_000, POUND, KILOGRAM, 453_592],
  ['2000 pounds in one step, not in 2000 rounded ones', 2_000_000_000, POUND, KILOGRAM, 907_184_740],
  ['half a millionth away from zero', 1_500, GRAM, KILOGRAM, 2],
])('%s', (_what, quantity, from, to, expected) => {
  expect(converted(quantity, from, to)).toBe(expected);
});

test('conversion is the exact fraction, rounded once half away from zero, or rejected', async () => {
  const factor = fc.integer({ min: 1, max: 1_000_000 });
  await checkProperty(
    fc.property(fc.integer({ min: 1, max: 1e15 - 1 }), factor, factor, factor, factor, (quantity, an, ad, bn, bd) => {
      const convert = () => converted(quantity, unit('a', an, ad), unit('b', bn, bd));
      const numerator = BigInt(quantity) * BigInt(an) * BigInt(bd);
      const denominator = BigInt(ad) * BigInt(bn);
      const half = 2n * numerator;
      // Half a millionth is not rounded up to one.
      if (numerator < denominator) expect(convert).toThrow('too small');
      else if (half >= denominator * (2n * BigInt(NUMBER_BOUND) * 1_000_000n - 1n)) expect(convert).toThrow('too large');
      else {
        const error = 2n * BigInt(convert()) * denominator - half;
        // Half a step up is allowed, half a step down is not.
        expect(error <= denominator && error > -denominator).toBe(true);
      }
    }),
    { shortRuns: 100, longRuns: 2_000 },
  );
});

test('conversion rejects quantities below the smallest quantity of the stock unit, or out of bounds', () => {
  const refused = expect.objectContaining({ code: 'VALIDATION_FAILED' });
  expect(() => convertToStock(1, parseFactor('1/10'), null, '/quantity')).toThrow(
    'quantity is too small in stock units: it must be at least 0.000001 after conversion.',
  );
  const coarse = { ...unit('kg', 1, 1), precision: 3 };
  const convert = (grams: number) => convertToStock(grams, parseFactor('1/1000'), coarse, '/quantity');
  for (const grams of [1, 500_000, 999_999])
    expect(() => convert(grams)).toThrow('quantity is too small in kg: it must be at least 0.001 after conversion.');
  expect([convert(1_000_000), convert(1_499_999), convert(1_500_000)]).toEqual([1_000, 1_000, 2_000]);
  expect(() => convertToStock(900_000_000 * 1_000_000, parseFactor('60'), null, '/quantity')).toThrow(refused);
});

test('a quantity has at most the decimals of its unit, and any without a unit', () => {
  const check = (quantity: number, precision: number) => () => checkPrecision(quantity, { ...GRAM, precision }, '/quantity');
  expect(check(1_500_000, 1)).not.toThrow();
  expect(check(1_550_000, 1)).toThrow('quantity must have at most 1 decimal in g.');
  expect(check(1_555_000, 2)).toThrow('quantity must have at most 2 decimals in g.');
  expect(check(1_500_000, 0)).toThrow('quantity must be a whole number in g.');
  expect(() => checkPrecision(1, null, '/quantity')).not.toThrow();
});

test('toLinePrice converts a price per stock unit to one per unit of the line', () => {
  expect(formatFactor(toLinePrice(parseFactor('12'), 350_000))).toBe('4200000');
  expect(formatFactor(toLinePrice(parseFactor('1/3'), 1_000_000))).toBe('1000000/3');
});
