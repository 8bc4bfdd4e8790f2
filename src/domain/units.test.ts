import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DIMENSIONS } from '../contract/admin/units.ts';
import { type Unit, ratioOf, stepOf } from './units.ts';

const SEED = 20260331;
const unit = (id: string, factorNum: number, factorDen: number, dimension: (typeof DIMENSIONS)[number] = 'mass'): NonNullable<Unit> => ({
  id,
  dimension,
  factorNum,
  factorDen,
  precision: 6,
});
const GRAM = unit('g', 1, 1000);

const factor = fc.integer({ min: 1, max: 1_000_000 });
const units = fc.record({ factorNum: factor, factorDen: factor, dimension: fc.constantFrom(...DIMENSIONS) });

test('the same unit is the identity, whatever its factor (invariant 25)', () => {
  fc.assert(
    fc.property(units, (fields) => {
      const same = unit('u', fields.factorNum, fields.factorDen, fields.dimension);
      expect(ratioOf(same, { ...same })).toEqual({ numerator: 1n, denominator: 1n });
    }),
    { seed: SEED },
  );
  expect(ratioOf(null, null)).toEqual({ numerator: 1n, denominator: 1n });
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
});

test('the step of a quantity follows the precision of its unit; without unit it is the finest', () => {
  expect(stepOf({ ...GRAM, precision: 0 })).toBe(1_000_000n);
  expect(stepOf({ ...GRAM, precision: 3 })).toBe(1_000n);
  expect(stepOf(null)).toBe(1n);
});
