/**
 * Packs ids of one form into 16 or 32 bytes of a typed array that sort the same, instead of strings on the heap, which the garbage
 * collector would have to mark and move. All digits are hexadecimal and in lower case; separators have fixed positions.
 */
import type { Value } from '../../../domain/kernel/ports.ts';
import type { Key } from '../../compare.ts';
import type { PackedKeys } from './packed-keys.ts';

const DIGITS_PER_WORD = 8;
/** Each word of a slot without an id. Sorts last, as null does; an id of these digits is not packed. */
const NULL_WORD = 0xffff_ffff;

/** The names are stored in checkpoints: do not change them. */
const FORMS = {
  uuid: createForm('xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx'),
  /** SHA-256. */
  digest: createForm('x'.repeat(64)),
  'uuid uuid': createForm('xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx'),
  'uuid:uuid': createForm('xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx:xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx'),
} as const;
export type IdForm = keyof typeof FORMS;
const FORM_NAMES = Object.keys(FORMS) as readonly IdForm[];

interface Form {
  readonly length: number;
  /** 32-bit words per id. */
  readonly width: number;
  /** By position: the character code of a separator, 0 for a digit. */
  readonly separators: Uint8Array;
}

/** `x` stands for a digit. */
function createForm(pattern: string): Form {
  const separators = Uint8Array.from(pattern, (character) => (character === 'x' ? 0 : character.charCodeAt(0)));
  return { length: pattern.length, width: separators.filter((code) => code === 0).length / DIGITS_PER_WORD, separators };
}

/** By character code: the value of a hexadecimal digit, -1 for other characters. */
const DIGIT_VALUES = new Int8Array(128).fill(-1);
/** Character codes of the two digits of each byte. */
const BYTE_DIGITS = new Uint8Array(512);
for (let byte = 0; byte < 256; byte++) {
  const digits = byte.toString(16).padStart(2, '0');
  BYTE_DIGITS[byte * 2] = digits.charCodeAt(0);
  BYTE_DIGITS[byte * 2 + 1] = digits.charCodeAt(1);
}
for (let value = 0; value < 16; value++) DIGIT_VALUES[value.toString(16).charCodeAt(0)] = value;

const scratch = new Uint32Array(8);
const text = Buffer.alloc(80);

export class PackedIds implements PackedKeys {
  readonly form: IdForm;
  /** 32-bit words per id. */
  readonly width: number;
  #words = new Uint32Array(0);
  #slots = 0;

  constructor(form: IdForm) {
    this.form = form;
    this.width = FORMS[form].width;
  }

  /** Creates storage for ids of the same form as this one; undefined when its form is not supported. */
  static createFor(id: Key): PackedIds | undefined {
    if (typeof id !== 'string') return undefined;
    const form = FORM_NAMES.find((name) => pack(id, FORMS[name], scratch, 0));
    return form && new PackedIds(form);
  }

  get slotCount(): number {
    return this.#slots;
  }

  set(slot: number, key: Key): boolean {
    if (key === null) {
      const start = slot * this.width;
      if (slot < this.#slots) this.#words.fill(NULL_WORD, start, start + this.width);
      return true;
    }
    if (typeof key !== 'string' || !pack(key, FORMS[this.form], scratch, 0)) return false;
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
    for (let each = 0; each < this.width; each++) into[at + each] = slot < this.#slots ? this.#words[start + each]! : NULL_WORD;
  }

  get(slot: number): string | null {
    return slot < this.#slots ? unpack(this.#words, slot * this.width, FORMS[this.form]) : null;
  }

  equals(slot: number, key: Key): boolean {
    if (key === null) return this.get(slot) === null;
    if (slot >= this.#slots || typeof key !== 'string' || !pack(key, FORMS[this.form], scratch, 0)) return false;
    const start = slot * this.width;
    for (let at = 0; at < this.width; at++) if (this.#words[start + at] !== scratch[at]) return false;
    return true;
  }

  compare(a: number, b: number): number {
    if (a >= this.#slots || b >= this.#slots) return Number(this.get(a) === null) - Number(this.get(b) === null);
    const words = this.#words;
    const [first, second] = [a * this.width, b * this.width];
    for (let at = 0; at < this.width; at++) {
      const difference = words[first + at]! - words[second + at]!;
      if (difference !== 0) return difference;
    }
    return 0;
  }

  createValueComparator(value: Value): ((slot: number) => number) | undefined {
    const { width } = this;
    const wanted = new Uint32Array(width).fill(NULL_WORD);
    if (value !== null && (typeof value !== 'string' || !pack(value, FORMS[this.form], wanted, 0))) return undefined;
    return (slot) => {
      const start = slot * width;
      for (let at = 0; at < width; at++) {
        const difference = (slot < this.#slots ? this.#words[start + at]! : NULL_WORD) - wanted[at]!;
        if (difference !== 0) return difference;
      }
      return 0;
    };
  }

  createRangeComparator(): undefined {
    return undefined;
  }

  reserve(slots: number): void {
    const length = slots * this.width;
    if (length <= this.#words.length) return;
    const grown = new Uint32Array(Math.max(length, Math.ceil((this.#words.length * 1.5) / this.width) * this.width));
    grown.set(this.#words);
    grown.fill(NULL_WORD, this.#words.length);
    this.#words = grown;
  }
}

/** The form of packed ids in the checkpoints of earlier releases, which stored only the number of words. */
export const getFormOfWidth = (width: number): IdForm => (width === FORMS.uuid.width ? 'uuid' : 'digest');

function pack(id: string, { length, separators }: Form, into: Uint32Array, at: number): boolean {
  if (id.length !== length) return false;
  let [word, digits, packed, allDigits] = [0, 0, at, -1];
  for (let each = 0; each < length; each++) {
    const code = id.charCodeAt(each);
    const separator = separators[each]!;
    if (separator !== 0) {
      if (code !== separator) return false;
      continue;
    }
    const value = code < 128 ? DIGIT_VALUES[code]! : -1;
    if (value < 0) return false;
    word = (word << 4) | value;
    if (++digits % DIGITS_PER_WORD !== 0) continue;
    into[packed++] = word;
    allDigits &= word;
  }
  // These digits stand for null.
  return allDigits !== -1;
}

/** Null when the words stand for it. */
function unpack(words: Uint32Array, start: number, { width, separators }: Form): string | null {
  let length = 0;
  let isNull = true;
  for (let at = 0; at < width; at++) {
    const word = words[start + at]!;
    if (word !== NULL_WORD) isNull = false;
    for (let shift = 24; shift >= 0; shift -= 8) {
      const byte = (word >>> shift) & 255;
      // Separators stand between bytes.
      if (separators[length] !== 0) text[length] = separators[length++]!;
      text[length++] = BYTE_DIGITS[byte * 2]!;
      text[length++] = BYTE_DIGITS[byte * 2 + 1]!;
    }
  }
  return isNull ? null : text.toString('latin1', 0, length);
}
