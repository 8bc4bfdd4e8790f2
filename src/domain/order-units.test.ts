import fc from 'fast-check';
import { expect, test } from 'vitest';
import { factorText, parseFactor, priceIn, toStock } from './order-units.ts';

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

test('a quantity that would be nothing, or out of bounds, in the stock unit is refused', () => {
  const refused = expect.objectContaining({ code: 'VALIDATION_FAILED' });
  expect(() => toStock(1, parseFactor('1/10'), null, '/quantity')).toThrow('quantity is too small to be told in stock units.');
  expect(() => toStock(900_000_000 * 1_000_000, parseFactor('60'), null, '/quantity')).toThrow(refused);
});

test('a price per stock unit becomes one per unit of the line', () => {
  expect(priceIn(parseFactor('12'), 350_000)).toBe(4_200_000);
  expect(priceIn(parseFactor('1/3'), 1_000_000)).toBe(333_333);
});
