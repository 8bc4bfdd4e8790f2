import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type IngredientLine, explodeIngredients } from './ingredient-needs.ts';
import { StockroomError } from '../kernel/errors.ts';
import type { IngredientRecord, ItemRecord, UnitRecord } from './records.ts';
import { MICRO } from '../kernel/numbers.ts';
import { checkProperty } from '../../../test/support/property.ts';

const AT = '2026-03-31T14:00:00.000Z';
const unit = (id: string, factorNum: number, factorDen: number, precision: number): UnitRecord => ({
  id,
  name: id,
  symbol: id,
  dimension: 'mass',
  factorNum,
  factorDen,
  precision,
  isActive: true,
  createdAt: AT,
  updatedAt: AT,
});
const PIECES = unit('pcs', 1, 1, 0);
const KILOGRAM = unit('kg', 1, 1, 6);
const GRAM = unit('g', 1, 1000, 3);
const ITEM = { id: 'child', name: 'child' } as ItemRecord;

interface Ratio {
  quantity: number;
  perQuantity?: number;
  wastePercent?: number;
}
/** Takes decimal numbers. */
function createLine(
  { quantity, perQuantity = 1, wastePercent = 0 }: Ratio,
  written: UnitRecord | null,
  stockUnit: UnitRecord | null = written,
): IngredientLine {
  const row: IngredientRecord = {
    id: 'row',
    itemId: 'parent',
    ingredientItemId: ITEM.id,
    quantity: Math.round(quantity * MICRO),
    perQuantity: Math.round(perQuantity * MICRO),
    unitId: written?.id ?? null,
    wastePercent: Math.round(wastePercent * MICRO),
    position: 1,
    notes: null,
    createdAt: AT,
    updatedAt: AT,
  };
  return { row, item: ITEM, unit: written, stockUnit };
}
const need = (line: IngredientLine, parents: number) =>
  (explodeIngredients([line], Math.round(parents * MICRO))[0]?.quantity ?? Number.NaN) / MICRO;

test.each([
  ['1 per 12 needs exactly 1 for 12', createLine({ quantity: 1, perQuantity: 12 }, PIECES), 12, 1],
  ['1 per 12 needs 2 for 13', createLine({ quantity: 1, perQuantity: 12 }, PIECES), 13, 2],
  ['1 per 3 needs 1 for 3, not 1.000001', createLine({ quantity: 1, perQuantity: 3 }, KILOGRAM), 3, 1],
  ['waste is added to the need', createLine({ quantity: 1, wastePercent: 17.647 }, KILOGRAM), 10, 11.7647],
  ['waste is rounded up once, with the need', createLine({ quantity: 1, wastePercent: 5 }, PIECES), 10, 11],
  ['grams per parent become kilograms in stock', createLine({ quantity: 250 }, GRAM, KILOGRAM), 3, 0.75],
  ['kilograms per parent become grams in stock', createLine({ quantity: 0.0000005 * 2 }, KILOGRAM, GRAM), 1, 0.001],
  ['the need is rounded up to the precision of the stock unit', createLine({ quantity: 0.0015 }, GRAM), 1, 0.002],
  ['without a unit the need has six decimals', createLine({ quantity: 0.5, perQuantity: 3 }, null), 1, 0.166667],
  ['a row without a unit counts in the unit that its item got later', createLine({ quantity: 2 }, null, PIECES), 4, 8],
  ['zero parents need zero', createLine({ quantity: 2, wastePercent: 10 }, PIECES), 0, 0],
])('explodeIngredients: %s', (_case, line, parents, expected) => {
  expect(need(line, parents)).toBe(expected);
});

// Sizes whose needs stay inside the bounds of a quantity.
const parents = fc.integer({ min: 1, max: 100_000_000 });
const lines = fc
  .record({
    quantity: fc.integer({ min: 1, max: 10_000_000 }),
    perQuantity: fc.integer({ min: 1_000, max: 100_000_000 }),
    wastePercent: fc.integer({ min: 0, max: 100 * MICRO }),
  })
  .chain((numbers) => fc.constantFrom(PIECES, KILOGRAM, GRAM).map((stock) => ({ numbers, stock })));

test('explodeIngredients rounds the exact need up by less than one step, and grows with the parents', async () => {
  await checkProperty(
    fc.property(lines, parents, parents, ({ numbers, stock }, n, more) => {
      const line = createLine({ quantity: 1 }, GRAM, stock);
      const row = { ...line.row, ...numbers };
      const [a, b] = [n, n + more].map((count) => BigInt(explodeIngredients([{ ...line, row }], count)[0]?.quantity ?? -1));
      const exactNumerator =
        BigInt(row.quantity) * BigInt(n) * BigInt(100 * MICRO + row.wastePercent) * BigInt(GRAM.factorNum) * BigInt(stock.factorDen);
      const exactDenominator = BigInt(row.perQuantity) * BigInt(100 * MICRO) * BigInt(GRAM.factorDen) * BigInt(stock.factorNum);
      const step = 10n ** BigInt(6 - stock.precision);
      const over = (a ?? 0n) * exactDenominator - exactNumerator;
      expect(over >= 0n && over < step * exactDenominator).toBe(true);
      expect((a ?? 0n) % step).toBe(0n);
      expect((b ?? 0n) >= (a ?? 0n)).toBe(true);
    }),
    { shortRuns: 100, longRuns: 1_000 },
  );
});

test('explodeIngredients reports a need out of bounds for the given field', () => {
  const huge = createLine({ quantity: 999_999_999 }, KILOGRAM);
  expect(() => explodeIngredients([huge], 2 * MICRO, '/lines/0/quantity')).toThrow(StockroomError);
  expect(() => explodeIngredients([huge], 2 * MICRO, '/lines/0/quantity')).toThrow(
    expect.objectContaining({
      code: 'VALIDATION_FAILED',
      message: 'The needed quantity of ingredient child must be below 1000000000; use a smaller quantity.',
      fields: [expect.objectContaining({ path: '/lines/0/quantity', code: 'too_big' })],
    }),
  );
  expect(need(huge, 1)).toBe(999_999_999);
});
