import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DIMENSIONS } from '../contract/admin/units.ts';
import { type Unit, convertQuantity, ratioOf, stepOf } from './units.ts';

const SEED = 20260331;
const unit = (id: string, factorNum: number, factorDen: number, dimension: (typeof DIMENSIONS)[number] = 'mass'): NonNullable<Unit> => ({
  id,
  dimension,
  factorNum,
  factorDen,
  precision: 6,
});
const GRAM = unit('g', 1, 1000);
const KILOGRAM = unit('kg', 1, 1);
// The international pound is 0.45359237 kg exactly.
const POUND = unit('lb', 45_359_237, 100_000_000);

const micro = fc.integer({ min: -1e15, max: 1e15 });
const factor = fc.integer({ min: 1, max: 1_000_000 });
const units = fc.record({ factorNum: factor, factorDen: factor, dimension: fc.constantFrom(...DIMENSIONS) });

test.each([
  ['kilograms to grams', 1_250_000, KILOGRAM, GRAM, 1_250_000_000],
  ['grams to kilograms', 250_000_000, GRAM, KILOGRAM, 250_000],
  ['pounds to kilograms', 1_000_000, POUND, KILOGRAM, 453_592],
  ['2000 pounds in one step, not in 2000 rounded ones', 2_000_000_000, POUND, KILOGRAM, 907_184_740],
  ['half a millionth away from zero', 500, GRAM, KILOGRAM, 1],
  ['and on the other side of zero', -500, GRAM, KILOGRAM, -1],
])('%s', (_what, quantity, from, to, expected) => {
  expect(convertQuantity(quantity, from, to)).toBe(expected);
});

test('a conversion is the exact fraction, rounded once, half away from zero (invariant 25)', () => {
  fc.assert(
    fc.property(micro, factor, factor, factor, factor, (quantity, an, ad, bn, bd) => {
      const result = convertQuantity(quantity, unit('a', an, ad), unit('b', bn, bd)) ?? Number.NaN;
      // A result past the safe integers is none that a quantity can have.
      fc.pre(Number.isSafeInteger(result));
      const numerator = BigInt(quantity) * BigInt(an) * BigInt(bd);
      const denominator = BigInt(ad) * BigInt(bn);
      const error = 2n * (BigInt(result) * denominator - numerator);
      const size = error < 0n ? -error : error;
      expect(size <= denominator).toBe(true);
      if (size === denominator) expect(error > 0n).toBe(quantity > 0);
    }),
    { seed: SEED, numRuns: 2_000 },
  );
});

test('the same unit is the identity, whatever its factor (invariant 25)', () => {
  fc.assert(
    fc.property(micro, units, (quantity, fields) => {
      const same = unit('u', fields.factorNum, fields.factorDen, fields.dimension);
      expect(convertQuantity(quantity, same, { ...same })).toBe(quantity);
    }),
    { seed: SEED },
  );
});

test('units of different dimensions do not convert, nor does a unit to none', () => {
  fc.assert(
    fc.property(units, units, (a, b) => {
      const [from, to] = [unit('a', a.factorNum, a.factorDen, a.dimension), unit('b', b.factorNum, b.factorDen, b.dimension)];
      expect(ratioOf(from, to) === undefined).toBe(a.dimension !== b.dimension);
      expect(ratioOf(from, null)).toBeUndefined();
      expect(ratioOf(null, to)).toBeUndefined();
    }),
    { seed: SEED },
  );
  expect(convertQuantity(7, null, null)).toBe(7);
});

test('the step of a quantity follows the precision of its unit; without unit it is the finest', () => {
  expect(stepOf({ ...GRAM, precision: 0 })).toBe(1_000_000n);
  expect(stepOf({ ...GRAM, precision: 3 })).toBe(1_000n);
  expect(stepOf(null)).toBe(1n);
});
