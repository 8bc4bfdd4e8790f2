/** Values of a field that has few different ones: a byte per slot, and each value once. */
import type { Value } from '../../../domain/kernel/ports.ts';
import { compareValues, type Key, type Range, createRangeComparator } from '../../compare.ts';
import type { PackedKeys } from './packed-keys.ts';

const MAX_VALUES = 256;
/** Fewer values are searched one by one. */
const MIN_MAPPED_VALUES = 16;

export class CodedValues implements PackedKeys {
  #codes = new Uint8Array(0);
  /** By code. Code 0 stands for null. */
  readonly #values: Value[] = [null];
  #codeOf: Map<Value, number> | undefined;
  #slots = 0;

  get slotCount(): number {
    return this.#slots;
  }

  /** All values since the column was created. */
  get values(): readonly Value[] {
    return this.#values;
  }

  set(slot: number, key: Key): boolean {
    if (typeof key === 'object' && key !== null) return false;
    const code = this.#findCode(key) ?? this.#addValue(key);
    if (code === MAX_VALUES) return false;
    if (slot >= this.#slots) {
      if (code === 0) return true;
      this.reserve(slot + 1);
      this.#slots = slot + 1;
    }
    this.#codes[slot] = code;
    return true;
  }

  get(slot: number): Value {
    return this.#values[this.#codes[slot] ?? 0]!;
  }

  equals(slot: number, key: Key): boolean {
    return this.get(slot) === key;
  }

  compare(a: number, b: number): number {
    const [codeA, codeB] = [this.#codes[a] ?? 0, this.#codes[b] ?? 0];
    return codeA === codeB ? 0 : compareValues(this.#values[codeA]!, this.#values[codeB]!);
  }

  createValueComparator(value: Value): (slot: number) => number {
    const byCode = this.#values.map((each) => compareValues(each, value));
    return (slot) => byCode[this.#codes[slot] ?? 0]!;
  }

  createRangeComparator(range: Range, folded: boolean): (slot: number) => -1 | 0 | 1 {
    const byCode = this.#values.map(createRangeComparator(range, folded));
    return (slot) => byCode[this.#codes[slot] ?? 0]!;
  }

  #findCode(value: Value): number | undefined {
    if (this.#codeOf !== undefined) return this.#codeOf.get(value);
    const code = this.#values.indexOf(value);
    return code < 0 ? undefined : code;
  }

  /** Returns the new code, `MAX_VALUES` if there is none. */
  #addValue(value: Value): number {
    const code = this.#values.length;
    if (code === MAX_VALUES) return code;
    this.#values.push(value);
    if (this.#codeOf !== undefined) this.#codeOf.set(value, code);
    else if (code >= MIN_MAPPED_VALUES) this.#codeOf = new Map(this.#values.map((each, at) => [each, at]));
    return code;
  }

  reserve(slots: number): void {
    if (slots <= this.#codes.length) return;
    const grown = new Uint8Array(Math.max(slots, Math.ceil(this.#codes.length * 1.5)));
    grown.set(this.#codes);
    this.#codes = grown;
  }
}
