import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { divideRounded, fromMicro, moneyOf, multiplyMicro, percentOf, scaleRounded, toMicro } from './numbers.ts';

const SEED = 20_261_121;
const micro = fc.integer({ min: -999_999_999_999_999, max: 999_999_999_999_999 });

describe('exact numbers', () => {
  it('every micro-unit number survives the wire unchanged', () => {
    fc.assert(
      fc.property(micro, (value) => {
        const wire = JSON.parse(JSON.stringify(fromMicro(value))) as number;
        expect(toMicro(wire, '/x')).toBe(value);
      }),
      { seed: SEED, numRuns: 20_000 },
    );
  });
  it('the dust of binary fractions is taken for what was meant', () => {
    expect(toMicro(0.1 + 0.2, '/x')).toBe(300_000);
    expect(toMicro(1.1 * 3, '/x')).toBe(3_300_000);
  });
  it('a seventh decimal that means something is refused with the field', () => {
    expect(() => toMicro(1.234_567_8, '/quantity')).toThrow(/quantity has more than 6 decimals/u);
  });
  it('values outside the bounds and NaN are refused', () => {
    for (const value of [1e9, -1e9, 999_999_999.999_999_9, -999_999_999.999_999_9, 1e21, Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => toMicro(value, '/x')).toThrow(/between/u);
  });
  it('negative zero is stored as zero', () => {
    expect(Object.is(toMicro(-0, '/x'), 0)).toBe(true);
  });
  it('rounds half away from zero, in both directions', () => {
    expect(divideRounded(5n, 2n)).toBe(3n);
    expect(divideRounded(-5n, 2n)).toBe(-3n);
    expect(divideRounded(5n, -2n)).toBe(-3n);
    expect(divideRounded(4n, 3n)).toBe(1n);
  });
  it('products are exact before their one rounding', () => {
    expect(multiplyMicro(333_333, 3_000_000)).toBe(999_999);
    expect(moneyOf(3_000_000, 333_333, 2)).toBe(100);
    expect(moneyOf(1_000_000, 1_005_000, 2)).toBe(101);
    expect(percentOf(10_050, 23_000_000)).toBe(2312);
    expect(scaleRounded(1, 1, 2)).toBe(1);
    expect(scaleRounded(-500, 1, 1000)).toBe(-1);
  });
});
