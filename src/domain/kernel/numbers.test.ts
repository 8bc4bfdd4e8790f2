import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  divideRounded,
  fromMicro,
  multiplyToMinor,
  multiplyMicro,
  roundToMinor,
  scaleByPercent,
  scaleRounded,
  toMicro,
} from './numbers.ts';
import { checkProperty } from '../../../test/support/property.ts';

const micro = fc.integer({ min: -999_999_999_999_999, max: 999_999_999_999_999 });

describe('number conversion', () => {
  it('survives a round trip through JSON', async () => {
    await checkProperty(
      fc.property(micro, (value) => {
        const wire = JSON.parse(JSON.stringify(fromMicro(value))) as number;
        expect(toMicro(wire, '/x')).toBe(value);
      }),
      { shortRuns: 1_000, longRuns: 20_000 },
    );
  });
  it('tolerates rounding errors of binary fractions', () => {
    expect(toMicro(0.1 + 0.2, '/x')).toBe(300_000);
    expect(toMicro(1.1 * 3, '/x')).toBe(3_300_000);
  });
  it('rejects a significant seventh decimal, naming the field', () => {
    expect(() => toMicro(1.234_567_8, '/quantity')).toThrow(/quantity has more than 6 decimals/u);
  });
  it('rejects NaN and values out of bounds', () => {
    for (const value of [1e9, -1e9, 999_999_999.999_999_9, -999_999_999.999_999_9, 1e21, Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => toMicro(value, '/x')).toThrow(/between/u);
  });
  it('stores negative zero as zero', () => {
    expect(Object.is(toMicro(-0, '/x'), 0)).toBe(true);
  });
  it('rounds half away from zero, in both directions', () => {
    expect(divideRounded(5n, 2n)).toBe(3n);
    expect(divideRounded(-5n, 2n)).toBe(-3n);
    expect(divideRounded(5n, -2n)).toBe(-3n);
    expect(divideRounded(4n, 3n)).toBe(1n);
  });
  it('rounds micro-units to the minor unit of a currency', () => {
    expect([0, 2, 3, 4].map((exponent) => roundToMinor(1_005_050, exponent))).toEqual([1_000_000, 1_010_000, 1_005_000, 1_005_100]);
    expect(roundToMinor(-1_005_000, 2)).toBe(-1_010_000);
    expect(roundToMinor(-4_999, 2)).toBe(0);
    expect(roundToMinor(999_999_999_999_999, 2)).toBe(1_000_000_000_000_000);
  });
  it('rounds products once, at the end', () => {
    expect(multiplyMicro(333_333, 3_000_000)).toBe(999_999);
    expect(multiplyToMinor(3_000_000, { numerator: 333_333n, denominator: 1n }, 2)).toBe(100);
    expect(multiplyToMinor(1_000_000, { numerator: 1_005_000n, denominator: 1n }, 2)).toBe(101);
    expect(multiplyToMinor(3_000_000, { numerator: 1_000_000n, denominator: 3n }, 2)).toBe(100);
    expect(scaleByPercent(10_050, 23_000_000)).toBe(2312);
    expect(scaleRounded(1, 1, 2)).toBe(1);
    expect(scaleRounded(-500, 1, 1000)).toBe(-1);
  });
});
