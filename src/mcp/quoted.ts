/** JSON text and the same text once more in quotes, as bytes: for a page of rows, half the cost of `JSON.stringify` and of what follows it. */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_PRINTABLE = 0x20;

/**
 * The bytes of `before`, `json` in quotes, `between`, `json`, `after`. Without line breaks and other control characters, as
 * `JSON.stringify` writes it, `json` has only quotes and backslashes to escape; with them it is left to that.
 */
export function twice(before: string, json: string, between: string, after: string): Uint8Array {
  const source = Buffer.from(json, 'utf8');
  const { length } = source;
  const bytes = Buffer.allocUnsafe(Buffer.byteLength(before + between + after) + 3 * length);
  let at = bytes.write(before, 0);
  for (let from = 0; from < length; from += 1) {
    const byte = source[from] as number;
    if (byte === QUOTE || byte === BACKSLASH) {
      bytes[at] = BACKSLASH;
      at += 1;
    } else if (byte < FIRST_PRINTABLE) {
      return Buffer.from(before + JSON.stringify(json).slice(1, -1) + between + json + after);
    }
    bytes[at] = byte;
    at += 1;
  }
  at += bytes.write(between, at);
  at += source.copy(bytes, at);
  at += bytes.write(after, at);
  return bytes.subarray(0, at);
}
