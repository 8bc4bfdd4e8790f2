/** Values of a field that has few different ones: a byte per slot, and each value once. */
import type { Value } from '../../../domain/kernel/ports.ts';
import { compareValues, type Key } from '../../compare.ts';
import type { Keys } from './keys.ts';

const MAX_VALUES = 256;
/** With fewer slots a value is searched in the list: maps take kilobytes, which is much for thousands of tenants with a few rows. */
const MIN_MAPPED_SLOTS = 256;

export class CodedValues implements Keys {
  #codes = new Uint8Array(32);
  /** By code. Code 0 stands for null. */
  #values: Value[] = [null];
  /** Undefined with few slots. */
  #codeOf: Map<Value, number> | undefined;

  set(slot: number, key: Key): boolean {
    if (typeof key === 'object' && key !== null) return false;
    let code = this.#findCode(key);
    if (code === undefined) {
      code = this.#values.length;
      if (code === MAX_VALUES) return false;
      this.#values.push(key);
      this.#codeOf?.set(key, code);
    }
    if (slot >= this.#codes.length) {
      const grown = new Uint8Array(Math.ceil((slot + 1) * 1.5));
      grown.set(this.#codes);
      this.#codes = grown;
    }
    this.#codes[slot] = code;
    return true;
  }

  copy(): CodedValues {
    const copy = new CodedValues();
    copy.#codes = this.#codes.slice();
    copy.#values = this.#values.slice();
    return copy;
  }

  #findCode(key: Value): number | undefined {
    if (this.#codes.length < MIN_MAPPED_SLOTS) {
      const code = this.#values.indexOf(key);
      return code === -1 ? undefined : code;
    }
    this.#codeOf ??= new Map(this.#values.map((value, code) => [value, code]));
    return this.#codeOf.get(key);
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
}
