/**
 * The size of JSON text, found without parsing it: building tens of thousands of objects and fields takes long enough to delay the requests
 * of all other clients.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

export interface JsonLimits {
  /** Fields and list entries together, at all depths. An empty object or list counts as one more. */
  readonly values: number;
  /** Levels of nested arrays and objects. */
  readonly depth: number;
}

/** The first limit that the text exceeds. Only exact for valid JSON; the parser rejects everything else. */
export function findExceededLimit(text: Uint8Array, { values, depth }: JsonLimits): keyof JsonLimits | undefined {
  // A value takes at least two characters, and so does a level.
  if (text.length <= 2 * Math.min(values, depth)) return undefined;
  let seenValues = 0;
  let level = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text[at]) {
      case QUOTE:
        at = findStringEnd(text, at + 1);
        break;
      case OPEN_BRACKET:
      case OPEN_BRACE:
        if ((level += 1) > depth) return 'depth';
        if ((seenValues += 1) > values) return 'values';
        break;
      case COMMA:
        if ((seenValues += 1) > values) return 'values';
        break;
      case CLOSE_BRACKET:
      case CLOSE_BRACE:
        level -= 1;
        break;
      default:
    }
  }
  return undefined;
}

/** The position of the quote that ends a string, or the end of the text. */
function findStringEnd(text: Uint8Array, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== QUOTE) at += text[at] === BACKSLASH ? 2 : 1;
  return at;
}
