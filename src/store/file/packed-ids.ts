/**
 * Ids of one form as numbers that sort the same: 16 or 32 bytes in a typed array instead of a string on the heap, which the
 * collector would have to move and to mark. Two forms are known: UUIDs in lower case, and 64 hexadecimal digits in lower case.
 */

const UUID_LENGTH = 36;
const DIGEST_LENGTH = 64;
const WORD_DIGITS = 8;
const DASH = 45;
/** Where a UUID has its dashes. */
const DASHES = (1 << 8) | (1 << 13) | (1 << 18) | (1 << 23);

/** By character code: the value of a digit, -1 for everything else. */
const VALUES = new Int8Array(128).fill(-1);
/** Character codes of the two digits of a byte. */
const DIGITS = new Uint8Array(512);
for (let byte = 0; byte < 256; byte++) {
  const text = byte.toString(16).padStart(2, '0');
  DIGITS[byte * 2] = text.charCodeAt(0);
  DIGITS[byte * 2 + 1] = text.charCodeAt(1);
}
for (let value = 0; value < 16; value++) VALUES[value.toString(16).charCodeAt(0)] = value;

const scratch = new Uint32Array(DIGEST_LENGTH / WORD_DIGITS);
const text = Buffer.alloc(DIGEST_LENGTH);

export class PackedIds {
  /** Numbers per id: 4 for a UUID, 8 for a digest. */
  readonly width: number;
  #words: Uint32Array;
  #slots = 0;

  constructor(width: number) {
    this.width = width;
    this.#words = new Uint32Array(width * 16);
  }

  /** Room for ids of the form of this one; undefined when the form is not known. */
  static like(id: string): PackedIds | undefined {
    const width = id.length === UUID_LENGTH ? 4 : id.length === DIGEST_LENGTH ? 8 : 0;
    return width > 0 && pack(id, width, scratch, 0) ? new PackedIds(width) : undefined;
  }

  /** Slots that have had an id: those from here on never had. */
  get slots(): number {
    return this.#slots;
  }

  /** Sets the id of a slot; false, and nothing is changed, when it is of another form. */
  set(slot: number, id: string): boolean {
    if (!pack(id, this.width, scratch, 0)) return false;
    this.reserve(slot + 1);
    const start = slot * this.width;
    for (let at = 0; at < this.width; at++) this.#words[start + at] = scratch[at]!;
    if (slot >= this.#slots) this.#slots = slot + 1;
    return true;
  }

  /** Takes in the ids of consecutive slots. */
  fill(slot: number, words: Uint32Array): void {
    const end = slot + words.length / this.width;
    this.reserve(end);
    this.#words.set(words, slot * this.width);
    this.#slots = Math.max(this.#slots, end);
  }

  /** Copies the id of a slot. */
  copy(slot: number, into: Uint32Array, at: number): void {
    const start = slot * this.width;
    for (let each = 0; each < this.width; each++) into[at + each] = this.#words[start + each]!;
  }

  get(slot: number): string {
    return unpack(this.#words, slot * this.width, this.width);
  }

  is(slot: number, id: string): boolean {
    if (!pack(id, this.width, scratch, 0)) return false;
    const start = slot * this.width;
    for (let at = 0; at < this.width; at++) if (this.#words[start + at] !== scratch[at]) return false;
    return true;
  }

  compare(a: number, b: number): number {
    const words = this.#words;
    const [first, second] = [a * this.width, b * this.width];
    for (let at = 0; at < this.width; at++) {
      const difference = words[first + at]! - words[second + at]!;
      if (difference !== 0) return difference;
    }
    return 0;
  }

  reserve(slots: number): void {
    const length = slots * this.width;
    if (length <= this.#words.length) return;
    const grown = new Uint32Array(Math.max(length, Math.ceil((this.#words.length * 1.5) / this.width) * this.width));
    grown.set(this.#words);
    this.#words = grown;
  }
}

/** The ids of one form as numbers, or undefined when one of them is of another. */
export function packAll(ids: readonly unknown[]): { width: number; words: Uint32Array } | undefined {
  const width = typeof ids[0] === 'string' && ids[0].length === UUID_LENGTH ? 4 : 8;
  const words = new Uint32Array(ids.length * width);
  return ids.every((id, at) => typeof id === 'string' && pack(id, width, words, at * width)) ? { width, words } : undefined;
}

/** The ids behind numbers. */
export function unpackAll(words: Uint32Array, width: number): string[] {
  return Array.from({ length: words.length / width }, (_, at) => unpack(words, at * width, width));
}

function pack(id: string, width: number, into: Uint32Array, at: number): boolean {
  const dashes = width === 4 ? DASHES : 0;
  if (id.length !== (width === 4 ? UUID_LENGTH : DIGEST_LENGTH)) return false;
  let [word, digits] = [0, 0];
  for (let each = 0; each < id.length; each++) {
    const code = id.charCodeAt(each);
    if (each < 24 && (dashes >>> each) & 1) {
      if (code !== DASH) return false;
      continue;
    }
    const value = code < 128 ? VALUES[code]! : -1;
    if (value < 0) return false;
    word = (word << 4) | value;
    if (++digits % WORD_DIGITS === 0) into[at + digits / WORD_DIGITS - 1] = word;
  }
  return true;
}

function unpack(words: Uint32Array, start: number, width: number): string {
  let length = 0;
  for (let at = 0; at < width; at++) {
    const word = words[start + at]!;
    for (let shift = 24; shift >= 0; shift -= 8) {
      if (width === 4 && (length === 8 || length === 13 || length === 18 || length === 23)) text[length++] = DASH;
      const byte = (word >>> shift) & 255;
      text[length++] = DIGITS[byte * 2]!;
      text[length++] = DIGITS[byte * 2 + 1]!;
    }
  }
  return text.toString('latin1', 0, length);
}
