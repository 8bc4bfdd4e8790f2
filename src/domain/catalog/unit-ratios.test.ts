import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DIMENSIONS } from '../../contract/resources/setting-records.ts';
import { type Unit, getUnitRatio, getUnitStep } from './unit-ratios.ts';
import { checkProperty } from '../../../test/support/property.ts';

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

test('getUnitRatio is 1 for the same unit, whatever its factor', async () => {
  await checkProperty(
    fc.property(units, (fields) => {
      const same = unit('u', fields.factorNum, fields.factorDen, fields.dimension);
      expect(getUnitRatio(same, { ...same })).toEqual({ numerator: 1n, denominator: 1n });
    }),
    { shortRuns: 100 },
  );
  expect(getUnitRatio(null, null)).toEqual({ numerator: 1n, denominator: 1n });
});

test('getUnitRatio is undefined for different dimensions, and between a unit and none', async () => {
  await checkProperty(
    fc.property(units, units, (a, b) => {
      const [from, to] = [unit('a', a.factorNum, a.factorDen, a.dimension), unit('b', b.factorNum, b.factorDen, b.dimension)];
      expect(getUnitRatio(from, to) === undefined).toBe(a.dimension !== b.dimension);
      expect(getUnitRatio(from, null)).toBeUndefined();
      expect(getUnitRatio(null, to)).toBeUndefined();
    }),
    { shortRuns: 100 },
  );
});

test('getUnitStep follows the precision of the unit, and is the smallest without a unit', () => {
  expect(getUnitStep({ ...GRAM, precision: 0 })).toBe(1_000_000n);
  expect(getUnitStep({ ...GRAM, precision: 3 })).toBe(1_000n);
  expect(getUnitStep(null)).toBe(1n);
});
