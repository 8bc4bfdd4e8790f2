/**
 * Packs ids of one form into 16 or 32 bytes of a typed array that sort the same, instead of strings on the heap, which the garbage
 * collector would have to mark and move. Two forms are supported: UUIDs in lower case, and 64 hexadecimal digits in lower case (SHA-256
 * digests).
 */

const UUID_LENGTH = 36;
const DIGEST_LENGTH = 64;
const DIGITS_PER_WORD = 8;
const DASH = 45;
/** Positions of the dashes in a UUID, as bits. */
const UUID_DASHES = (1 << 8) | (1 << 13) | (1 << 18) | (1 << 23);

/** By character code: the value of a hexadecimal digit, -1 for other characters. */
const DIGIT_VALUES = new Int8Array(128).fill(-1);
/** Character codes of the two digits of each byte. */
const BYTE_DIGITS = new Uint8Array(512);
for (let byte = 0; byte < 256; byte++) {
  const text = byte.toString(16).padStart(2, '0');
  BYTE_DIGITS[byte * 2] = text.charCodeAt(0);
  BYTE_DIGITS[byte * 2 + 1] = text.charCodeAt(1);
}
for (let value = 0; value < 16; value++) DIGIT_VALUES[value.toString(16).charCodeAt(0)] = value;

const scratch = new Uint32Array(DIGEST_LENGTH / DIGITS_PER_WORD);
const text = Buffer.alloc(DIGEST_LENGTH);

export class PackedIds {
  /** 32-bit words per id: 4 for a UUID, 8 for a digest. */
  readonly width: number;
  #words: Uint32Array;
  #slots = 0;

  constructor(width: number) {
    this.width = width;
    this.#words = new Uint32Array(width * 16);
  }

  /** Creates storage for ids of the same form as this one; undefined when its form is not supported. */
  static createFor(id: string): PackedIds | undefined {
    const width = id.length === UUID_LENGTH ? 4 : id.length === DIGEST_LENGTH ? 8 : 0;
    return width > 0 && pack(id, width, scratch, 0) ? new PackedIds(width) : undefined;
  }

  /** Slots from here on never had an id. */
  get slotCount(): number {
    return this.#slots;
  }

  /** Sets the id of a slot. Returns false, changing nothing, when the id has another form. */
  set(slot: number, id: string): boolean {
    if (!pack(id, this.width, scratch, 0)) return false;
    this.reserve(slot + 1);
    const start = slot * this.width;
    for (let at = 0; at < this.width; at++) this.#words[start + at] = scratch[at]!;
    if (slot >= this.#slots) this.#slots = slot + 1;
    return true;
  }

  /** Sets the ids of consecutive slots. */
  setConsecutive(slot: number, words: Uint32Array): void {
    const end = slot + words.length / this.width;
    this.reserve(end);
    this.#words.set(words, slot * this.width);
    this.#slots = Math.max(this.#slots, end);
  }

  /** Copies the packed id of a slot. */
  copyTo(slot: number, into: Uint32Array, at: number): void {
    const start = slot * this.width;
    for (let each = 0; each < this.width; each++) into[at + each] = this.#words[start + each]!;
  }

  get(slot: number): string {
    return unpack(this.#words, slot * this.width, this.width);
  }

  equals(slot: number, id: string): boolean {
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

/** Packs ids; undefined when one of them has another form. */
export function packAll(ids: readonly unknown[]): { width: number; words: Uint32Array } | undefined {
  const width = typeof ids[0] === 'string' && ids[0].length === UUID_LENGTH ? 4 : 8;
  const words = new Uint32Array(ids.length * width);
  return ids.every((id, at) => typeof id === 'string' && pack(id, width, words, at * width)) ? { width, words } : undefined;
}

/** Unpacks ids. */
export function unpackAll(words: Uint32Array, width: number): string[] {
  return Array.from({ length: words.length / width }, (_, at) => unpack(words, at * width, width));
}

function pack(id: string, width: number, into: Uint32Array, at: number): boolean {
  const dashes = width === 4 ? UUID_DASHES : 0;
  if (id.length !== (width === 4 ? UUID_LENGTH : DIGEST_LENGTH)) return false;
  let [word, digits] = [0, 0];
  for (let each = 0; each < id.length; each++) {
    const code = id.charCodeAt(each);
    if (each < 24 && (dashes >>> each) & 1) {
      if (code !== DASH) return false;
      continue;
    }
    const value = code < 128 ? DIGIT_VALUES[code]! : -1;
    if (value < 0) return false;
    word = (word << 4) | value;
    if (++digits % DIGITS_PER_WORD === 0) into[at + digits / DIGITS_PER_WORD - 1] = word;
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
      text[length++] = BYTE_DIGITS[byte * 2]!;
      text[length++] = BYTE_DIGITS[byte * 2 + 1]!;
    }
  }
  return text.toString('latin1', 0, length);
}
