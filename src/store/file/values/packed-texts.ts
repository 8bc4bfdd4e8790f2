/**
 * Texts of one form, packed into a few 32-bit words of a typed array that sort the same: ids, pairs of ids, digests, timestamps. As strings
 * they would take three times as much, on the heap, where the garbage collector would have to mark and move each of them.
 *
 * The form of a text is its length, the positions of its hexadecimal digits, and the characters at all others. Most identifiers and
 * timestamps of a field have the same form.
 */
import type { Value } from '../../../domain/kernel/ports.ts';
import type { Key } from '../../compare.ts';
import type { Keys } from './keys.ts';

const DIGITS_PER_WORD = 8;
/** Longer texts, and those with few digits for their length, are not packed. */
const MAX_LENGTH = 80;
const MIN_DIGIT_RATIO = 0.5;
/** Each word of a slot without a text. Sorts last, as null does; a text of these digits is not packed. */
const NULL_WORD = 0xffff_ffff;

/** By character code: the value of a hexadecimal digit in lower case, -1 for other characters. */
const DIGIT_VALUES = new Int8Array(128).fill(-1);
/** The inverse. */
const DIGIT_CODES = Buffer.from('0123456789abcdef');
DIGIT_CODES.forEach((code, value) => (DIGIT_VALUES[code] = value));

const scratch = new Uint32Array(MAX_LENGTH / DIGITS_PER_WORD);
const text = Buffer.alloc(MAX_LENGTH);

export class PackedTexts implements Keys {
  /** By position: the code of a character that all texts have there, 0 for a digit. */
  readonly #form: Uint8Array;
  /** Words per text. */
  readonly #width: number;
  #words = new Uint32Array(0);

  private constructor(form: Uint8Array, digits: number) {
    this.#form = form;
    this.#width = Math.ceil(digits / DIGITS_PER_WORD);
  }

  /** Creates storage for texts of the same form as this one; undefined when it should not or cannot be packed. */
  static createFor(key: Key): PackedTexts | undefined {
    if (typeof key !== 'string' || key.length > MAX_LENGTH) return undefined;
    const form = new Uint8Array(key.length);
    let digits = 0;
    for (let at = 0; at < key.length; at++) {
      const code = key.charCodeAt(at);
      if (code === 0 || code > 127) return undefined;
      if (DIGIT_VALUES[code]! < 0) form[at] = code;
      else digits++;
    }
    if (digits < Math.max(DIGITS_PER_WORD, key.length * MIN_DIGIT_RATIO)) return undefined;
    const packed = new PackedTexts(form, digits);
    return packed.#pack(key, scratch) ? packed : undefined;
  }

  set(slot: number, key: Key): boolean {
    if (key === null) scratch.fill(NULL_WORD);
    else if (!this.#pack(key, scratch)) return false;
    const start = slot * this.#width;
    if (start >= this.#words.length) this.#grow(start + this.#width);
    for (let at = 0; at < this.#width; at++) this.#words[start + at] = scratch[at]!;
    return true;
  }

  copy(): PackedTexts {
    const copy = new PackedTexts(this.#form, this.#width * DIGITS_PER_WORD);
    copy.#words = this.#words.slice();
    return copy;
  }

  get(slot: number): string | null {
    const form = this.#form;
    let at = slot * this.#width;
    let [word, digits, isNull] = [0, 0, true];
    for (let position = 0; position < form.length; position++) {
      if (form[position] !== 0) {
        text[position] = form[position]!;
        continue;
      }
      if (digits++ % DIGITS_PER_WORD === 0) {
        word = this.#words[at++] ?? NULL_WORD;
        if (word !== NULL_WORD) isNull = false;
      }
      text[position] = DIGIT_CODES[word >>> 28]!;
      word <<= 4;
    }
    return isNull ? null : text.toString('latin1', 0, form.length);
  }

  equals(slot: number, key: Key): boolean {
    if (key === null) scratch.fill(NULL_WORD);
    else if (!this.#pack(key, scratch)) return false;
    return this.#compareTo(slot, scratch) === 0;
  }

  compare(a: number, b: number): number {
    const words = this.#words;
    const [first, second] = [a * this.#width, b * this.#width];
    for (let at = 0; at < this.#width; at++) {
      const difference = (words[first + at] ?? NULL_WORD) - (words[second + at] ?? NULL_WORD);
      if (difference !== 0) return difference;
    }
    return 0;
  }

  createValueComparator(value: Value): ((slot: number) => number) | undefined {
    const wanted = new Uint32Array(this.#width).fill(NULL_WORD);
    if (value !== null && !this.#pack(value, wanted)) return undefined;
    return (slot) => this.#compareTo(slot, wanted);
  }

  #compareTo(slot: number, wanted: Uint32Array): number {
    const start = slot * this.#width;
    for (let at = 0; at < this.#width; at++) {
      const difference = (this.#words[start + at] ?? NULL_WORD) - wanted[at]!;
      if (difference !== 0) return difference;
    }
    return 0;
  }

  /** Returns false when the key is no text of this form, or when its digits stand for null. */
  #pack(key: Key, into: Uint32Array): boolean {
    const form = this.#form;
    if (typeof key !== 'string' || key.length !== form.length) return false;
    let [word, digits, allBits, at] = [0, 0, -1, 0];
    for (let position = 0; position < form.length; position++) {
      const code = key.charCodeAt(position);
      if (form[position] !== 0) {
        if (code !== form[position]) return false;
        continue;
      }
      const value = code < 128 ? DIGIT_VALUES[code]! : -1;
      if (value < 0) return false;
      word = (word << 4) | value;
      if (++digits % DIGITS_PER_WORD !== 0) continue;
      into[at++] = word;
      allBits &= word;
    }
    const rest = digits % DIGITS_PER_WORD;
    if (rest === 0) return allBits !== -1;
    into[at] = word << (4 * (DIGITS_PER_WORD - rest));
    return true;
  }

  #grow(length: number): void {
    const grown = new Uint32Array(Math.max(length, Math.ceil((this.#words.length * 1.5) / this.#width) * this.#width));
    grown.set(this.#words);
    grown.fill(NULL_WORD, this.#words.length);
    this.#words = grown;
  }
}
