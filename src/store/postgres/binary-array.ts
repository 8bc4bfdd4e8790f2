/**
 * Arrays in the binary format of PostgreSQL, for statements with many rows: as text, each value would be escaped here and read character by
 * character there. `array_recv` of the server defines the format.
 */

/** Sends one value after the place of its length, and returns how many bytes it has. */
interface ElementType {
  /** As in pg_type; the same in every server. */
  readonly oid: number;
  readonly getMaxBytes: (value: unknown) => number;
  readonly write: (buffer: Buffer, value: unknown, offset: number) => number;
}

const MAX_BYTES_PER_CODE_UNIT = 3;

const createTextType = (oid: number): ElementType => ({
  oid,
  getMaxBytes: (value) => (value as string).length * MAX_BYTES_PER_CODE_UNIT,
  write: (buffer, value, offset) => buffer.write(value as string, offset, 'utf8'),
});

const ELEMENT_TYPES = {
  text: createTextType(25),
  json: createTextType(114),
  'double precision': {
    oid: 701,
    getMaxBytes: () => 8,
    write: (buffer, value, offset) => buffer.writeDoubleBE(value as number, offset) - offset,
  },
  smallint: { oid: 21, getMaxBytes: () => 2, write: (buffer, value, offset) => buffer.writeInt16BE(value as number, offset) - offset },
} as const satisfies Record<string, ElementType>;

export type ElementTypeName = keyof typeof ELEMENT_TYPES;

export const isElementType = (name: string): name is ElementTypeName => Object.hasOwn(ELEMENT_TYPES, name);

const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;
const NULL_LENGTH = -1;

/** Where arrays are written whose size is known afterwards: with a buffer of the maximum size for each, V8 would collect garbage more often. */
const scratch = Buffer.allocUnsafeSlow(262_144);

/** An array of one dimension, which must not be empty. JSON values are given as text. */
export function toBinaryArray(name: ElementTypeName, values: readonly unknown[]): Buffer {
  const type: ElementType = ELEMENT_TYPES[name];
  let maxBytes = HEADER_BYTES;
  for (const value of values) maxBytes += LENGTH_BYTES + (value === null ? 0 : type.getMaxBytes(value));
  const buffer = maxBytes > scratch.length ? Buffer.allocUnsafe(maxBytes) : scratch;
  const header = [1, values.includes(null) ? 1 : 0, type.oid, values.length, 1];
  let offset = header.reduce((at, field) => buffer.writeInt32BE(field, at), 0);
  for (const value of values) {
    const start = offset + LENGTH_BYTES;
    const length = value === null ? NULL_LENGTH : type.write(buffer, value, start);
    buffer.writeInt32BE(length, offset);
    offset = start + Math.max(0, length);
  }
  return Buffer.from(buffer.subarray(0, offset));
}
