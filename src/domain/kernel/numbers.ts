/**
 * Exact numbers (D-9). Quantities, prices, costs and values are stored as micro-units (× 10⁶), amounts of orders as minor units of the tenant's
 * currency; both are integers below 10¹⁵ and therefore safe. In JSON they are numbers with at most 6 decimals.
 */
import { NUMBER_BOUND, NUMBER_DECIMALS } from '../../contract/limits.ts';
import { invalidField } from './errors.ts';

export const MICRO = 1_000_000;
const MICRO_BIG = 1_000_000n;

/** The micro-units of a JSON number. Throws 400 for `path` at more than 6 decimals, tolerating binary rounding errors: 0.1 + 0.2 is 0.3. */
export function toMicro(value: number, path: string): number {
  const scaled = Math.round(value * MICRO);
  // Checked after rounding, because rounding may reach the bound.
  if (!Number.isFinite(value) || Math.abs(scaled) >= NUMBER_BOUND * MICRO) {
    throw invalidField(path, `${path} must be between -${String(NUMBER_BOUND)} and ${String(NUMBER_BOUND)}, both exclusive`, 'too_big');
  }
  if (Math.abs(value - scaled / MICRO) > 1e-9 * Math.max(1, Math.abs(value))) {
    throw invalidField(path, `${path} has more than ${String(NUMBER_DECIMALS)} decimals`, 'invalid');
  }
  return scaled === 0 ? 0 : scaled;
}

/** `toMicro` of a number that must still be greater than zero after rounding. */
export function toPositiveMicro(value: number, path: string): number {
  const micro = toMicro(value, path);
  if (micro <= 0) throw invalidField(path, `${path} must be greater than 0`, 'too_small');
  return micro;
}

/** The JSON number of micro-units. */
export const fromMicro = (micro: number): number => micro / MICRO;

export const fromMicroOrNull = (micro: number | null): number | null => (micro === null ? null : fromMicro(micro));

/** Rounds half away from zero: the only rounding rule. */
export function divideRounded(numerator: bigint, denominator: bigint): bigint {
  const negative = numerator < 0n !== denominator < 0n;
  const n = numerator < 0n ? -numerator : numerator;
  const d = denominator < 0n ? -denominator : denominator;
  const quotient = (2n * n + d) / (2n * d);
  return negative ? -quotient : quotient;
}

/** The product of two micro-unit numbers in micro-units, rounded once. */
export const multiplyMicro = (a: number, b: number): number => Number(divideRounded(BigInt(a) * BigInt(b), MICRO_BIG));

/** `value × numerator ÷ denominator`, rounded once; all integers. */
export const scaleRounded = (value: number, numerator: number | bigint, denominator: number | bigint): number =>
  Number(divideRounded(BigInt(value) * BigInt(numerator), BigInt(denominator)));

/** quantity × price (both micro-units; the price as a fraction) in minor units of a currency with `exponent` decimals, rounded once. */
export const multiplyToMinor = (
  quantityMicro: number,
  { numerator, denominator }: { readonly numerator: bigint; readonly denominator: bigint },
  exponent: number,
): number => Number(divideRounded(BigInt(quantityMicro) * numerator * 10n ** BigInt(exponent), MICRO_BIG * MICRO_BIG * denominator));

/** A percentage (micro-units of percent) of an amount of minor units, rounded once. */
export const scaleByPercent = (minor: number, percentMicro: number): number =>
  Number(divideRounded(BigInt(minor) * BigInt(percentMicro), 100n * MICRO_BIG));

/** Micro-units rounded to minor units of a currency with `exponent` decimals, as micro-units. */
export function roundToMinor(micro: number, exponent: number): number {
  const minorUnit = 10n ** BigInt(NUMBER_DECIMALS - exponent);
  return Number(divideRounded(BigInt(micro), minorUnit) * minorUnit);
}

/** The JSON number of minor units. */
export const fromMinor = (minor: number, exponent: number): number => minor / 10 ** exponent;
