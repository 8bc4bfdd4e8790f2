import { expect, test } from 'vitest';
import { createCommonUnits } from './units.ts';

test('a new tenant counts in whole pieces and measures in base units and grams', () => {
  const units = createCommonUnits(() => 'id', '2026-01-01T00:00:00.000Z');
  expect(
    units.map(({ symbol, dimension, factorNum, factorDen, precision }) => [symbol, dimension, factorNum, factorDen, precision]),
  ).toEqual([
    ['pcs', 'count', 1, 1, 0],
    ['kg', 'mass', 1, 1, 6],
    ['g', 'mass', 1, 1_000, 3],
    ['l', 'volume', 1, 1, 6],
    ['m', 'length', 1, 1, 3],
    ['h', 'time', 1, 1, 2],
  ]);
});
