/**
 * JSON text and the same text once more in quotes, as bytes. A page of rows has a quote every eight bytes, so it is escaped two bytes at
 * a time from a table; with what the strings would cost afterwards that is six tenths of `JSON.stringify`.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_PRINTABLE = 0x20;
/** Two bytes become four at most. */
const PAIR_MAX_BYTES = 4;

interface Pairs {
  /** What a pair becomes, little-endian as the pair itself. */
  readonly escaped: Uint32Array;
  /** Of how many bytes that is; 0: a control character is in it. */
  readonly lengths: Uint8Array;
}
let pairs: Pairs | undefined;

/** The bytes of `before`, `json` in quotes, `between`, `json`, `after`. JSON that is set out with line breaks takes the longer way. */
export function twice(before: string, json: string, between: string, after: string): Uint8Array {
  const source = Buffer.from(json, 'utf8');
  const bytes = Buffer.allocUnsafe(Buffer.byteLength(before + between + after) + 3 * source.length + PAIR_MAX_BYTES);
  let at = escape(source, bytes, bytes.write(before));
  if (at === undefined) return Buffer.from(before + JSON.stringify(json).slice(1, -1) + between + json + after);
  at += bytes.write(between, at);
  at += source.copy(bytes, at);
  at += bytes.write(after, at);
  return bytes.subarray(0, at);
}

/** Writes `source` from `start` and returns where it ends, or undefined when quotes and backslashes are not all there is to escape. */
function escape(source: Buffer, target: Buffer, start: number): number | undefined {
  const { escaped, lengths } = (pairs ??= makePairs());
  const from = new DataView(source.buffer, source.byteOffset, source.length);
  const to = new DataView(target.buffer, target.byteOffset, target.length);
  const { length } = source;
  let at = start;
  for (let read = 0; read < length; read += 2) {
    // A blank makes a pair of the last byte, and is taken back below.
    const pair = read + 1 < length ? from.getUint16(read, true) : from.getUint8(read) | (FIRST_PRINTABLE << 8);
    const count = lengths[pair] as number;
    if (count === 0) return undefined;
    to.setUint32(at, escaped[pair] as number, true);
    at += count;
  }
  return at - (length % 2);
}

function makePairs(): Pairs {
  const escaped = new Uint32Array(0x1_00_00);
  const lengths = new Uint8Array(0x1_00_00);
  for (let pair = 0; pair < escaped.length; pair += 1) {
    const two = [pair & 0xff, pair >> 8];
    if (two.some((byte) => byte < FIRST_PRINTABLE)) continue;
    const written = two.flatMap((byte) => (byte === QUOTE || byte === BACKSLASH ? [BACKSLASH, byte] : [byte]));
    lengths[pair] = written.length;
    escaped[pair] = Buffer.from([...written, 0, 0]).readUInt32LE();
  }
  return { escaped, lengths };
}
