import fc from 'fast-check';
import { expect, test } from 'vitest';
import { calculateLineAmounts, calculateOrderTotals } from './totals.ts';
import { checkProperty } from '../../../test/support/property.ts';

const MICRO = 1_000_000;
const line = (quantity: number, unitPrice: number | null, discount = 0, tax = 0, exponent = 2) =>
  calculateLineAmounts(
    {
      quantity: quantity * MICRO,
      unitPrice: unitPrice === null ? null : unitPrice * MICRO,
      exactPrice: null,
      discountPercent: discount * MICRO,
      taxPercent: tax * MICRO,
    },
    exponent,
    '/lines/0',
  );

test('calculateLineAmounts rounds subtotal, discount and tax once each, half away from zero', () => {
  expect(line(3, 0.335)).toEqual({ lineSubtotal: 101, lineDiscount: 0, lineTax: 0, lineTotal: 101 });
  expect(line(1, 9.99, 12.5, 23)).toEqual({ lineSubtotal: 999, lineDiscount: 125, lineTax: 201, lineTotal: 1075 });
  expect(line(1, 0.005)).toMatchObject({ lineTotal: 1 });
  expect(line(1, 0.004999)).toMatchObject({ lineTotal: 0 });
});

test('calculateLineAmounts uses the decimals of the currency', () => {
  expect(line(3, 10.5, 0, 10, 0)).toEqual({ lineSubtotal: 32, lineDiscount: 0, lineTax: 3, lineTotal: 35 });
  expect(line(1, 1.2345, 0, 0, 3).lineTotal).toBe(1235);
});

test('calculateLineAmounts counts a missing price as 0', () => {
  expect(line(5, null, 10, 23)).toEqual({ lineSubtotal: 0, lineDiscount: 0, lineTax: 0, lineTotal: 0 });
});

test('amounts and totals of more than 15 digits are rejected', () => {
  const tooLarge = (path: string) =>
    expect.objectContaining({ code: 'VALIDATION_FAILED', message: `${path} must result in an amount of at most 15 digits.` });
  expect(() => line(999_999_999, 999_999_999)).toThrow(tooLarge('lines.0.unitPrice'));
  const large = line(10_000, 990_000_000);
  expect(large.lineTotal).toBe(990_000_000_000_000);
  expect(() => line(20_000, 500_000_000)).toThrow(expect.objectContaining({ code: 'VALIDATION_FAILED' }));
  expect(() => calculateOrderTotals([large, large])).toThrow(tooLarge('lines'));
});

test('totals are safe integers, equal the sums of the lines, and differ from exact amounts by rounding only', async () => {
  const percent = fc.integer({ min: 0, max: 1_000_000 }).map((value) => value * 100);
  const priced = fc.record({
    quantity: fc.integer({ min: 1, max: 1_000 * MICRO }),
    unitPrice: fc.option(fc.integer({ min: 0, max: 10_000 * MICRO })),
    discountPercent: percent,
    taxPercent: percent,
  });
  await checkProperty(
    fc.property(fc.array(priced, { maxLength: 20 }), (rows) => {
      const lines = rows.map((row) => calculateLineAmounts({ ...row, exactPrice: null }, 2, '/lines/0'));
      const totals = calculateOrderTotals(lines);
      expect(totals.total).toBe(lines.reduce((sum, { lineTotal }) => sum + lineTotal, 0));
      expect(totals.total).toBe(totals.subtotal - totals.discountTotal + totals.taxTotal);
      for (const [index, { lineSubtotal, lineDiscount, lineTotal }] of lines.entries()) {
        const { quantity, unitPrice } = rows[index] ?? { quantity: 0, unitPrice: 0 };
        const distance = BigInt(lineSubtotal) * 10n ** 10n - BigInt(quantity) * BigInt(unitPrice ?? 0);
        expect(distance < 0n ? -distance : distance).toBeLessThanOrEqual(5n * 10n ** 9n);
        expect(lineDiscount).toBeLessThanOrEqual(lineSubtotal);
        expect(lineTotal).toBeGreaterThanOrEqual(0);
        expect(Number.isSafeInteger(lineTotal)).toBe(true);
      }
    }),
    { shortRuns: 100, longRuns: 1_000 },
  );
});

test('the subtotal has the limit of the total, even if a discount takes all of it', () => {
  const free = line(10_000, 990_000_000, 100);
  expect(free.lineTotal).toBe(0);
  expect(() => calculateOrderTotals([free, free])).toThrow(expect.objectContaining({ code: 'VALIDATION_FAILED' }));
});
