/**
 * One indexed field of all rows of a partition, by slot.
 *
 * A column takes no memory while all of its keys are null, and is a list for few slots: thousands of tenants have a few rows in each of many
 * tables. Otherwise few different values are stored as codes. With more of them, a column of texts of one form stores them packed, and any
 * other a list. It never changes back.
 */
import type { Value } from '../../../domain/kernel/ports.ts';
import { compareValues, createRangeComparator, type Key, type Range } from '../../compare.ts';
import { CodedValues } from '../values/coded-values.ts';
import type { Keys } from '../values/keys.ts';
import { ListedKeys } from '../values/listed-keys.ts';
import { PackedTexts } from '../values/packed-texts.ts';

/** A column with fewer slots is a list. */
const MIN_CODED_SLOTS = 16;

export class Column {
  /** Undefined while all keys are null. */
  #keys: Keys | undefined;
  /** Slots from here on never had a key. */
  #slotCount = 0;
  /** Whether another column may have the same keys. */
  #isShared = false;

  /** Takes the keys of another column. Each of the two copies them before it changes. */
  share(source: Column): void {
    this.#keys = source.#keys;
    this.#slotCount = source.#slotCount;
    this.#isShared = source.#isShared = true;
  }

  get(slot: number): Key {
    return this.#keys === undefined ? null : this.#keys.get(slot);
  }

  set(slot: number, key: Key): void {
    if (slot >= this.#slotCount) {
      if (key === null) return;
      this.#unshare();
      if (this.#slotCount < MIN_CODED_SLOTS && slot + 1 >= MIN_CODED_SLOTS) this.#keys = this.#store(new CodedValues(), new ListedKeys());
      this.#slotCount = slot + 1;
    }
    this.#unshare();
    this.#keys ??= new ListedKeys();
    if (this.#keys.set(slot, key)) return;
    this.#keys = this.#store(PackedTexts.createFor(key), new ListedKeys());
    this.#keys.set(slot, key);
  }

  #unshare(): void {
    if (!this.#isShared) return;
    this.#isShared = false;
    this.#keys = this.#keys?.copy();
  }

  /** Whether a slot holds this key. */
  hasKey(slot: number, key: Key): boolean {
    return this.#keys === undefined ? key === null : this.#keys.equals(slot, key);
  }

  compare(a: number, b: number): number {
    return this.#keys === undefined ? 0 : this.#keys.compare(a, b);
  }

  /** Creates a test for slots whose key is one of these values; an array key matches when it contains one. */
  createMatcher(values: readonly Value[]): (slot: number) => boolean {
    const compare = values.length === 1 ? this.#keys?.createValueComparator?.(values[0]!) : undefined;
    if (compare !== undefined) return (slot) => compare(slot) === 0;
    const set = new Set<Key>(values);
    return (slot) => {
      const key = this.get(slot);
      return set.has(key) || (typeof key === 'object' && key !== null && key.some((each) => set.has(each)));
    };
  }

  /** Creates a function that determines where slots lie relative to a range or prefix: before (-1), inside (0) or after (1). */
  createRangeComparator(range: Range, folded: boolean): (slot: number) => -1 | 0 | 1 {
    const compare = createRangeComparator(range, folded);
    return (slot) => compare(this.get(slot));
  }

  /** Creates a function that determines where slots lie relative to a value: negative before, 0 at, positive after. */
  createValueComparator(value: Value): (slot: number) => number {
    return this.#keys?.createValueComparator?.(value) ?? ((slot) => compareValues(this.get(slot), value));
  }

  /** Copies the keys to the first of these that can store all of them and the next one. */
  #store(...candidates: readonly (Keys | undefined)[]): Keys {
    return candidates.find((each) => {
      for (let slot = 0; slot < this.#slotCount; slot++) if (each?.set(slot, this.get(slot)) !== true) return false;
      return each !== undefined;
    })!;
  }
}
