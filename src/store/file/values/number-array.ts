/** Unsigned 32-bit numbers by position. */
export type NumberArray = Uint32Array | number[];

/** Typed arrays take some 400 bytes more than lists, which is much for thousands of tenants with a few rows. */
const MIN_TYPED_LENGTH = 64;

/** An array of zeros. */
export const createNumberArray = (length: number): NumberArray =>
  length < MIN_TYPED_LENGTH ? Array.from({ length }, () => 0) : new Uint32Array(length);
