/**
 * One indexed field of all rows of a partition, by slot.
 *
 * A column takes no memory while all of its keys are null, and is a list of values for few slots: thousands of tenants have a few rows in
 * each of many tables. Otherwise few different values are stored as codes. With more of them, a column of timestamps or ids of one form
 * stores them packed (values/packed-keys.ts), and any other a list of values. It never changes back.
 */
import type { Value } from '../../../domain/kernel/ports.ts';
import { CodedValues } from '../values/coded-values.ts';
import { compareValues, type Key, type Range, createRangeComparator } from '../../compare.ts';
import { PackedInstants } from '../values/packed-instants.ts';
import { type IdForm, PackedIds } from '../values/packed-ids.ts';
import type { PackedKeys } from '../values/packed-keys.ts';

/** A column with fewer slots is a list of values. */
const MIN_PACKED_SLOTS = 16;

export class Column {
  /** Whether keys may be packed, with enough slots. Case-folded texts never are, because a search reads them in tight loops. */
  #mayPack: boolean;
  #packed: PackedKeys | undefined;
  /** Undefined while all keys are null, coded or packed. */
  #keys: Key[] | undefined;
  #expectedSlots = 0;

  constructor(mayPack = true) {
    this.#mayPack = mayPack;
  }

  get(slot: number): Key {
    if (this.#keys !== undefined) return this.#keys[slot] ?? null;
    return this.#packed === undefined ? null : this.#packed.get(slot);
  }

  set(slot: number, key: Key): void {
    if (this.#isUnused && key === null) return;
    if (this.#packed === undefined && this.#mayPack && Math.max(slot + 1, this.#expectedSlots) >= MIN_PACKED_SLOTS) this.#packAll();
    if (this.#packed?.set(slot, key)) return;
    if (this.#packed instanceof CodedValues) {
      this.#repack(this.#packed, key);
      this.set(slot, key);
      return;
    }
    let keys = this.#keys ?? this.#unpack();
    // No holes: they would make reading the array slower.
    while (keys.length < slot) keys.push(null);
    // A short list is copied: one that grows in place gets room for 16 more keys.
    if (slot === keys.length && slot < MIN_PACKED_SLOTS) this.#keys = keys = keys.concat(null);
    keys[slot] = key;
  }

  /** Sets the keys of consecutive slots, above all others, to those of a checkpoint. */
  append(first: number, keys: readonly Key[]): void {
    for (let at = 0; at < keys.length; at++) this.set(first + at, keys[at]!);
  }

  /** Sets the keys of consecutive slots, above all others, to packed timestamps from a checkpoint. */
  appendInstants(first: number, instants: Float64Array): void {
    if (this.#isUnused && instants.some((instant) => !Number.isNaN(instant))) this.#pack(new PackedInstants());
    if (this.#packed instanceof PackedInstants) this.#packed.setConsecutive(first, instants);
    else if (!this.#isUnused) this.append(first, unpackAllInstants(instants));
  }

  /** Sets the keys of consecutive slots, above all others, to packed ids from a checkpoint. */
  appendIds(first: number, form: IdForm, words: Uint32Array): void {
    if (this.#isUnused && this.#mayPack) this.#pack(new PackedIds(form));
    if (this.#packed instanceof PackedIds && this.#packed.form === form) this.#packed.setConsecutive(first, words);
    else this.append(first, unpackAllIds(form, words));
  }

  /** Announces how many slots a checkpoint will load. */
  expectSlots(slots: number): void {
    this.#expectedSlots = slots;
  }

  /** The keys as packed timestamps, when the column holds nothing else. */
  get instants(): PackedInstants | undefined {
    return this.#packed instanceof PackedInstants ? this.#packed : undefined;
  }

  /** The keys as packed ids, when the column holds nothing else. */
  get ids(): PackedIds | undefined {
    return this.#packed instanceof PackedIds ? this.#packed : undefined;
  }

  /** Whether a slot holds this key. */
  hasKey(slot: number, key: Key): boolean {
    return this.#packed === undefined ? isSameKey(this.get(slot), key) : this.#packed.equals(slot, key);
  }

  compare(a: number, b: number): number {
    if (this.#packed !== undefined) return this.#packed.compare(a, b);
    const keys = this.#keys;
    if (keys === undefined) return 0;
    const keyA = keys[a] ?? null;
    const keyB = keys[b] ?? null;
    if (typeof keyA === 'string' && typeof keyB === 'string') return keyA < keyB ? -1 : keyA === keyB ? 0 : 1;
    return compareValues(keyA, keyB);
  }

  /** Creates a test for slots whose key is one of these values; an array key matches when it contains one. */
  createMatcher(values: readonly Value[]): (slot: number) => boolean {
    if (values.length === 1) {
      const only = values[0]!;
      const compare = this.#packed?.createValueComparator(only);
      if (compare !== undefined) return (slot) => compare(slot) === 0;
      return (slot) => {
        const key = this.get(slot);
        return key === only || (typeof key === 'object' && key !== null && key.includes(only));
      };
    }
    const set = new Set<Key>(values);
    return (slot) => {
      const key = this.get(slot);
      return set.has(key) || (typeof key === 'object' && key !== null && key.some((each) => set.has(each)));
    };
  }

  /** Creates a function that determines where slots lie relative to a range or prefix: before (-1), inside (0) or after (1). */
  createRangeComparator(range: Range, folded: boolean): (slot: number) => -1 | 0 | 1 {
    const packed = this.#packed?.createRangeComparator(range, folded);
    if (packed !== undefined) return packed;
    const compare = createRangeComparator(range, folded);
    return (slot) => compare(this.get(slot));
  }

  /** Creates a function that determines where slots lie relative to a value: negative before, 0 at, positive after. */
  createValueComparator(value: Value): (slot: number) => number {
    return this.#packed?.createValueComparator(value) ?? ((slot) => compareValues(this.get(slot), value));
  }

  /** All keys of a case-folded field by slot, for tight loops; empty when all are null. */
  getAllKeys(): readonly Key[] {
    return this.#keys ?? [];
  }

  get #isUnused(): boolean {
    return this.#packed === undefined && this.#keys === undefined;
  }

  /** Stores keys packed or as values, because the next one is one too many for codes. */
  #repack(coded: CodedValues, next: Key): void {
    const candidates = [PackedInstants.createFor(next), PackedIds.createFor(next)];
    const packed = candidates.find((each) => each !== undefined && coded.values.every((value) => each.set(0, value)));
    if (packed === undefined) {
      this.#unpack();
      return;
    }
    this.#pack(packed);
    for (let slot = 0; slot < coded.slotCount; slot++) packed.set(slot, coded.get(slot));
  }

  /** Stores the keys, so far a list of values, as codes. */
  #packAll(): void {
    const keys = this.#keys ?? [];
    this.#keys = undefined;
    this.#pack(new CodedValues());
    for (let slot = 0; slot < keys.length; slot++) this.set(slot, keys[slot]!);
  }

  #pack(packed: PackedKeys): void {
    packed.reserve(this.#expectedSlots);
    this.#packed = packed;
  }

  #unpack(): Key[] {
    const keys: Key[] = [];
    for (let slot = 0; slot < (this.#packed?.slotCount ?? 0); slot++) keys.push(this.get(slot));
    this.#packed = undefined;
    this.#keys = keys;
    this.#mayPack = false;
    return keys;
  }
}

function unpackAllInstants(instants: Float64Array): Key[] {
  const packed = new PackedInstants();
  packed.setConsecutive(0, instants);
  return Array.from(instants, (_, slot) => packed.get(slot));
}

function unpackAllIds(form: IdForm, words: Uint32Array): Key[] {
  const packed = new PackedIds(form);
  packed.setConsecutive(0, words);
  return Array.from({ length: packed.slotCount }, (_, slot) => packed.get(slot));
}

const isSameKey = (a: Key, b: Key): boolean =>
  a === b ||
  (typeof a === 'object' &&
    typeof b === 'object' &&
    a !== null &&
    b !== null &&
    a.length === b.length &&
    a.every((each, at) => each === b[at]));
