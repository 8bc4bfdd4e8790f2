/** Values of a field that has few different ones: a byte per slot, and each value once. */
import type { Value } from '../../../domain/kernel/ports.ts';
import { compareValues, type Key, type Range, createRangeComparator } from './compare.ts';
import type { PackedKeys } from './packed-keys.ts';

const MAX_VALUES = 256;
/** Fewer values are searched one by one, so that the columns of small tenants take little memory. */
const MIN_MAPPED_VALUES = 16;
/** Codes of fewer slots are an ordinary list: a typed array takes 200 bytes more. */
const MIN_TYPED_SLOTS = 16;
const NO_CODES: readonly number[] = [];

export class CodedValues implements PackedKeys {
  #codes: Uint8Array | number[] = NO_CODES as number[];
  /** By code. Code 0 stands for null. */
  #values: readonly Value[] = [null];
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
    // A list that grows by `push` gets room for 16 more values.
    if (code < MIN_MAPPED_VALUES) this.#values = this.#values.concat([value]);
    else (this.#values as Value[]).push(value);
    if (this.#codeOf !== undefined) this.#codeOf.set(value, code);
    else if (code >= MIN_MAPPED_VALUES) this.#codeOf = new Map(this.#values.map((each, at) => [each, at]));
    return code;
  }

  reserve(slots: number): void {
    if (slots <= this.#codes.length) return;
    if (slots < MIN_TYPED_SLOTS) {
      this.#codes = Array.from({ length: slots }, (_, slot) => this.#codes[slot] ?? 0);
      return;
    }
    const grown = new Uint8Array(Math.max(slots, Math.ceil(this.#codes.length * 1.5)));
    grown.set(this.#codes);
    this.#codes = grown;
  }
}
