import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Part, explode } from './bom.ts';
import { StockroomError } from './errors.ts';
import type { IngredientRecord } from './ingredients.ts';
import type { ItemRecord } from './items.ts';
import { MICRO } from './numbers.ts';
import type { UnitRecord } from './settings.ts';

const SEED = 20260331;
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

interface Recipe {
  quantity: number;
  perQuantity?: number;
  wastePercent?: number;
}
/** A row in wire numbers. */
function part(
  { quantity, perQuantity = 1, wastePercent = 0 }: Recipe,
  written: UnitRecord | null,
  stockUnit: UnitRecord | null = written,
): Part {
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
const need = (recipe: Part, parents: number) => (explode([recipe], Math.round(parents * MICRO))[0]?.quantity ?? Number.NaN) / MICRO;

test.each([
  ['one carton for every 12, and 12 are exactly one', part({ quantity: 1, perQuantity: 12 }, PIECES), 12, 1],
  ['13 need a second carton', part({ quantity: 1, perQuantity: 12 }, PIECES), 13, 2],
  ['a third, three times, is one and not 1.000001', part({ quantity: 1, perQuantity: 3 }, KILOGRAM), 3, 1],
  ['roast loss comes on top', part({ quantity: 1, wastePercent: 17.647 }, KILOGRAM), 10, 11.7647],
  ['waste is rounded up with the rest, once', part({ quantity: 1, wastePercent: 5 }, PIECES), 10, 11],
  ['grams in the recipe, kilograms in stock', part({ quantity: 250 }, GRAM, KILOGRAM), 3, 0.75],
  ['kilograms in the recipe, grams in stock', part({ quantity: 0.0000005 * 2 }, KILOGRAM, GRAM), 1, 0.001],
  ['up to what the stock unit can tell', part({ quantity: 0.0015 }, GRAM), 1, 0.002],
  ['no unit tells six decimals', part({ quantity: 0.5, perQuantity: 3 }, null), 1, 0.166667],
  ['an ingredient that got a unit after the row was written', part({ quantity: 2 }, null, PIECES), 4, 8],
  ['no parents need nothing', part({ quantity: 2, wastePercent: 10 }, PIECES), 0, 0],
])('%s', (_what, recipe, parents, expected) => {
  expect(need(recipe, parents)).toBe(expected);
});

// Sizes whose needs stay inside the bounds of a quantity.
const parents = fc.integer({ min: 1, max: 100_000_000 });
const recipes = fc
  .record({
    quantity: fc.integer({ min: 1, max: 10_000_000 }),
    perQuantity: fc.integer({ min: 1_000, max: 100_000_000 }),
    wastePercent: fc.integer({ min: 0, max: 100 * MICRO }),
  })
  .chain((numbers) => fc.constantFrom(PIECES, KILOGRAM, GRAM).map((stock) => ({ numbers, stock })));

test('a need covers the exact need, by less than one step more, and grows with the parents (invariant 14)', () => {
  fc.assert(
    fc.property(recipes, parents, parents, ({ numbers, stock }, n, more) => {
      const recipe = part({ quantity: 1 }, GRAM, stock);
      const row = { ...recipe.row, ...numbers };
      const [a, b] = [n, n + more].map((count) => BigInt(explode([{ ...recipe, row }], count)[0]?.quantity ?? -1));
      const exactNumerator =
        BigInt(row.quantity) * BigInt(n) * BigInt(100 * MICRO + row.wastePercent) * BigInt(GRAM.factorNum) * BigInt(stock.factorDen);
      const exactDenominator = BigInt(row.perQuantity) * BigInt(100 * MICRO) * BigInt(GRAM.factorDen) * BigInt(stock.factorNum);
      const step = 10n ** BigInt(6 - stock.precision);
      const over = (a ?? 0n) * exactDenominator - exactNumerator;
      expect(over >= 0n && over < step * exactDenominator).toBe(true);
      expect((a ?? 0n) % step).toBe(0n);
      expect((b ?? 0n) >= (a ?? 0n)).toBe(true);
    }),
    { seed: SEED, numRuns: 1_000 },
  );
});

test('a need that no quantity can hold is a field error of the asking field', () => {
  const huge = part({ quantity: 999_999_999 }, KILOGRAM);
  expect(() => explode([huge], 2 * MICRO, '/lines/0/quantity')).toThrow(StockroomError);
  expect(() => explode([huge], 2 * MICRO, '/lines/0/quantity')).toThrow(
    expect.objectContaining({
      code: 'VALIDATION_FAILED',
      fields: [expect.objectContaining({ path: '/lines/0/quantity', code: 'too_big' })],
    }),
  );
  expect(need(huge, 1)).toBe(999_999_999);
});
