import { Flags } from '@oclif/core';
import { usageError } from '../errors/failure.ts';

type Range = { readonly min?: number; readonly max?: number } & Record<string, unknown>;

/** A flag for an integer between `min` and `max`. */
export const integerFlag = Flags.custom<number, Range>({
  parse(text, _context, { name, min = -Infinity, max = Infinity }) {
    const value = /^-?\d+$/u.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max)) throw usageError(`Invalid --${name} "${text}". Expected an integer${describeRange(min, max)}`);
    return Promise.resolve(value);
  },
});

function describeRange(min: number, max: number): string {
  if (max !== Infinity) return ` from ${String(min)} to ${String(max)}`;
  return min === -Infinity ? '' : ` of at least ${String(min)}`;
}
