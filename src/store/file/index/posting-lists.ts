/**
 * An equality index of one field: a posting list of slots per value. Most values have few slots, so short lists stay compact. After a start
 * it is built in the background or on first use.
 */
import type { Value } from '../../../domain/kernel/ports.ts';
import type { Key } from '../values/compare.ts';
import { ChunkedIndex } from './ordered-index.ts';

const MAX_ARRAY_LENGTH = 32;
/** Slots to index between two checks of `shouldStop`. */
const SLOTS_PER_STEP = 256;
const bySlot = (a: number, b: number): number => a - b;

type PostingList = number | number[] | ChunkedIndex;

export class PostingLists {
  readonly #lists = new Map<Value, PostingList>();
  #hasArrays = false;
  /** Slots below this are indexed. Changes of the others are ignored: they are read when their turn comes. */
  #indexedUpTo = Infinity;

  /** Starts over with no slot indexed; `build` adds them. */
  startBuild(): void {
    this.#indexedUpTo = 0;
  }

  get isComplete(): boolean {
    return this.#indexedUpTo === Infinity;
  }

  /** Indexes slots until `shouldStop` is true; `getKey` returns what a slot holds, undefined for a free slot. */
  build(slots: number, getKey: (slot: number) => Key | undefined, shouldStop: () => boolean): void {
    while (this.#indexedUpTo < slots) {
      for (const to = Math.min(slots, this.#indexedUpTo + SLOTS_PER_STEP); this.#indexedUpTo < to;) {
        const slot = this.#indexedUpTo++;
        const key = getKey(slot);
        if (key !== undefined) this.add(key, slot);
      }
      if (shouldStop()) break;
    }
    if (this.#indexedUpTo >= slots) this.#indexedUpTo = Infinity;
  }

  /** Whether a slot may be in several lists, because its field holds an array. */
  get hasArrays(): boolean {
    return this.#hasArrays;
  }

  add(key: Key, slot: number): void {
    if (slot >= this.#indexedUpTo) return;
    if (typeof key === 'object' && key !== null) {
      this.#hasArrays = true;
      for (const value of new Set(key)) this.#addOne(value, slot);
    } else this.#addOne(key, slot);
  }

  remove(key: Key, slot: number): void {
    if (slot >= this.#indexedUpTo) return;
    if (typeof key === 'object' && key !== null) for (const value of new Set(key)) this.#removeOne(value, slot);
    else this.#removeOne(key, slot);
  }

  count(value: Value): number {
    const list = this.#lists.get(value);
    if (list === undefined) return 0;
    if (typeof list === 'number') return 1;
    return Array.isArray(list) ? list.length : list.size;
  }

  forEach(value: Value, visit: (slot: number) => void): void {
    const list = this.#lists.get(value);
    if (list === undefined) return;
    if (typeof list === 'number') visit(list);
    else if (Array.isArray(list)) list.forEach((slot) => visit(slot));
    else
      list.scan(0, (slot) => {
        visit(slot);
        return true;
      });
  }

  #addOne(value: Value, slot: number): void {
    const list = this.#lists.get(value);
    if (list === undefined) this.#lists.set(value, slot);
    else if (typeof list === 'number') this.#lists.set(value, [list, slot]);
    else if (!Array.isArray(list)) list.insert(slot);
    else if (list.length < MAX_ARRAY_LENGTH) list.push(slot);
    else this.#lists.set(value, new ChunkedIndex(bySlot, Uint32Array.from([...list, slot]).sort()));
  }

  #removeOne(value: Value, slot: number): void {
    const list = this.#lists.get(value);
    if (list === undefined || typeof list === 'number') {
      this.#lists.delete(value);
      return;
    }
    if (Array.isArray(list)) {
      const at = list.indexOf(slot);
      list[at] = list.at(-1)!;
      list.pop();
    } else list.remove(slot);
    if ((Array.isArray(list) ? list.length : list.size) === 0) this.#lists.delete(value);
  }
}
