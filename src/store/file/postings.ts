/**
 * Equality index of one field: the slots that hold a value. Most values of most fields have few, so small sets stay small.
 * After a start it is built in the background, or when it is first asked.
 */
import type { Value } from '../../domain/ports.ts';
import type { Key } from './compare.ts';
import { Ordered } from './ordered.ts';

const SMALL = 32;
/** Slots that are looked at in a row. */
const STEP = 256;
const bySlot = (a: number, b: number): number => a - b;

type Posting = number | number[] | Ordered;

export class Postings {
  readonly #sets = new Map<Value, Posting>();
  #arrays = false;
  /** Slots below have been looked at; what becomes of the others is not told but read when it is their turn. */
  #seen = Infinity;

  /** Nothing of what is there now is in it: `build` sees to that. */
  begin(): void {
    this.#seen = 0;
  }

  get isComplete(): boolean {
    return this.#seen === Infinity;
  }

  /** Looks at the slots in use, some at a time until `enough`; `keyOf` says what a slot holds, undefined when it holds nothing. */
  build(slots: number, keyOf: (slot: number) => Key | undefined, enough: () => boolean): void {
    while (this.#seen < slots) {
      for (const to = Math.min(slots, this.#seen + STEP); this.#seen < to;) {
        const slot = this.#seen++;
        const key = keyOf(slot);
        if (key !== undefined) this.add(key, slot);
      }
      if (enough()) break;
    }
    if (this.#seen >= slots) this.#seen = Infinity;
  }

  /** Whether a slot can be under several values at once. */
  get hasArrays(): boolean {
    return this.#arrays;
  }

  add(key: Key, slot: number): void {
    if (slot >= this.#seen) return;
    if (typeof key === 'object' && key !== null) {
      this.#arrays = true;
      for (const value of new Set(key)) this.#addOne(value, slot);
    } else this.#addOne(key, slot);
  }

  remove(key: Key, slot: number): void {
    if (slot >= this.#seen) return;
    if (typeof key === 'object' && key !== null) for (const value of new Set(key)) this.#removeOne(value, slot);
    else this.#removeOne(key, slot);
  }

  count(value: Value): number {
    const set = this.#sets.get(value);
    if (set === undefined) return 0;
    if (typeof set === 'number') return 1;
    return Array.isArray(set) ? set.length : set.size;
  }

  each(value: Value, visit: (slot: number) => void): void {
    const set = this.#sets.get(value);
    if (set === undefined) return;
    if (typeof set === 'number') visit(set);
    else if (Array.isArray(set)) set.forEach((slot) => visit(slot));
    else
      set.walk(0, (slot) => {
        visit(slot);
        return true;
      });
  }

  #addOne(value: Value, slot: number): void {
    const set = this.#sets.get(value);
    if (set === undefined) this.#sets.set(value, slot);
    else if (typeof set === 'number') this.#sets.set(value, [set, slot]);
    else if (!Array.isArray(set)) set.insert(slot);
    else if (set.length < SMALL) set.push(slot);
    else this.#sets.set(value, new Ordered(bySlot, Uint32Array.from([...set, slot]).sort()));
  }

  #removeOne(value: Value, slot: number): void {
    const set = this.#sets.get(value);
    if (set === undefined || typeof set === 'number') {
      this.#sets.delete(value);
      return;
    }
    if (Array.isArray(set)) {
      const at = set.indexOf(slot);
      set[at] = set.at(-1)!;
      set.pop();
    } else set.remove(slot);
    if ((Array.isArray(set) ? set.length : set.size) === 0) this.#sets.delete(value);
  }
}
