/**
 * One indexed field of all rows of a partition, by slot.
 *
 * A column stores timestamps and ids packed in typed arrays as long as all of its values have that form, and plain values otherwise.
 * Repeated texts share one string. Keys loaded from a checkpoint are decoded on first access or in the background.
 */
import type { Value } from '../../../domain/kernel/ports.ts';
import { compareValues, type Key, type Range, createRangeComparator } from '../values/compare.ts';
import { packInstant, unpackInstant } from '../values/packed-instants.ts';
import { packAll, PackedIds, unpackAll } from '../values/packed-ids.ts';

/** Keys of consecutive slots that are still encoded. */
interface LazyBlock {
  readonly first: number;
  readonly end: number;
  readonly load: () => readonly Key[];
}

/** Once a column has this many distinct texts, stop interning them if fewer than half of its texts were repetitions. */
const INTERN_TRIAL_SIZE = 1024;

/**
 * Starts as packed instants (all null) and switches to plain values with the first key that is not one. The id column starts as packed ids
 * of the form of the first id instead.
 */
export class Column {
  #instants: Float64Array | undefined;
  #ids: PackedIds | undefined;
  readonly #holdsIds: boolean;
  /** Undefined for slots whose keys are still in a lazy block. */
  #keys: (Key | undefined)[] = [];
  #lazyBlocks: LazyBlock[] = [];
  /** Slots below this may be in lazy blocks; the array for them is allocated on first access. */
  #lazyEnd = 0;
  #expectedSlots = 0;
  #interned: Map<string, string> | undefined = new Map();
  #internHits = 0;

  constructor(holdsIds = false) {
    this.#holdsIds = holdsIds;
    if (!holdsIds) this.#instants = new Float64Array(16).fill(Number.NaN);
  }

  get(slot: number): Key {
    const instants = this.#instants;
    if (instants === undefined) {
      if (this.#ids !== undefined) return this.#ids.get(slot);
      const key = this.#keys[slot];
      return key === undefined ? this.#loadMissing(slot) : key;
    }
    const packed = instants[slot] ?? Number.NaN;
    return Number.isNaN(packed) ? null : unpackInstant(packed);
  }

  set(slot: number, key: Key): void {
    if (this.#instants !== undefined) {
      const packed = typeof key === 'string' ? packInstant(key) : Number.NaN;
      if (key === null || !Number.isNaN(packed)) {
        this.#setInstant(slot, packed);
        return;
      }
      this.#unpack();
    } else if (this.#holdsIds && this.#setId(slot, key)) return;
    if (this.#keys.length < this.#lazyEnd) this.#allocateKeys();
    // No holes: they would make reading the array slower.
    while (this.#keys.length < slot) this.#keys.push(null);
    this.#keys[slot] = typeof key === 'string' ? this.intern(key) : key;
  }

  /** Sets the keys of consecutive slots to packed instants from a checkpoint. */
  setPackedInstants(slot: number, packed: Float64Array): void {
    if (this.#instants === undefined) {
      this.setLazy(slot, packed.length, () => Array.from(packed, (each) => (Number.isNaN(each) ? null : unpackInstant(each))));
      return;
    }
    this.#growInstants(Math.max(slot + packed.length, this.#expectedSlots));
    this.#instants.set(packed, slot);
  }

  /** Sets the keys of consecutive slots to packed ids from a checkpoint. */
  setPackedIds(first: number, words: Uint32Array, width: number): void {
    if (this.#isUnused()) {
      this.#ids = new PackedIds(width);
      this.#ids.reserve(this.#expectedSlots);
    }
    if (this.#ids?.width === width) this.#ids.setConsecutive(first, words);
    else this.#addLazyBlock(first, words.length / width, () => unpackAll(words, width));
  }

  /** Announces how many slots a checkpoint will load. */
  expectSlots(slots: number): void {
    this.#expectedSlots = slots;
  }

  /** Sets the keys of consecutive slots, above all others, to be decoded when they are needed. */
  setLazy(first: number, count: number, load: () => readonly Key[]): void {
    // Earlier releases wrote ids as text.
    const packed = this.#ids !== undefined || this.#isUnused() ? packAll(load()) : undefined;
    if (packed === undefined) this.#addLazyBlock(first, count, load);
    else this.setPackedIds(first, packed.words, packed.width);
  }

  #addLazyBlock(first: number, count: number, load: () => readonly Key[]): void {
    if (this.#instants !== undefined || this.#ids !== undefined) this.#unpack();
    this.#lazyBlocks.push({ first, end: first + count, load });
    this.#lazyEnd = first + count;
  }

  /** Decodes one lazy block; false when none is left. */
  loadNextBlock(): boolean {
    const block = this.#lazyBlocks.pop();
    if (block !== undefined) this.#loadBlock(block);
    return block !== undefined;
  }

  /** Returns one string for equal texts, as long as texts of this column repeat at all. */
  intern(text: string): string {
    const interned = this.#interned;
    if (interned === undefined) return text;
    const existing = interned.get(text);
    if (existing !== undefined) {
      this.#internHits++;
      return existing;
    }
    if (interned.size >= INTERN_TRIAL_SIZE && this.#internHits < interned.size) this.#interned = undefined;
    else interned.set(text, text);
    return text;
  }

  /** The packed instants by slot, when the column holds nothing else. */
  getPackedInstants(): Float64Array | undefined {
    return this.#instants;
  }

  /** The packed ids, when the column holds nothing else. */
  getPackedIds(): PackedIds | undefined {
    return this.#ids;
  }

  /** Whether a slot holds this id. */
  hasId(slot: number, id: string): boolean {
    return this.#ids === undefined ? this.get(slot) === id : this.#ids.equals(slot, id);
  }

  /** Whether a slot holds this key. */
  hasKey(slot: number, key: Key): boolean {
    if (this.#ids !== undefined && typeof key === 'string') return this.#ids.equals(slot, key);
    const instants = this.#instants;
    if (instants === undefined) return isSameKey(this.get(slot), key);
    const held = instants[slot] ?? Number.NaN;
    if (typeof key === 'string') return packInstant(key) === held;
    return key === null && Number.isNaN(held);
  }

  compare(a: number, b: number): number {
    const instants = this.#instants;
    if (instants === undefined) {
      if (this.#ids !== undefined) return this.#ids.compare(a, b);
      let keyA = this.#keys[a];
      if (keyA === undefined) keyA = this.#loadMissing(a);
      // Read only now: loading the first key may have loaded the second.
      let keyB = this.#keys[b];
      if (keyB === undefined) keyB = this.#loadMissing(b);
      if (typeof keyA === 'string' && typeof keyB === 'string') return keyA < keyB ? -1 : keyA === keyB ? 0 : 1;
      return compareValues(keyA, keyB);
    }
    const x = instants[a]!;
    const y = instants[b]!;
    if (x < y) return -1;
    if (x > y) return 1;
    if (x === y) return 0;
    return Number(Number.isNaN(x)) - Number(Number.isNaN(y));
  }

  /** Creates a test for slots whose key is one of these values; an array key matches when it contains one. */
  createMatcher(values: readonly Value[]): (slot: number) => boolean {
    const instants = this.#instants;
    if (instants !== undefined) {
      const packed = new Set(values.map((value) => (typeof value === 'string' ? packInstant(value) : Number.NaN)));
      if (!values.includes(null)) packed.delete(Number.NaN);
      return (slot) => packed.has(instants[slot] ?? Number.NaN);
    }
    if (values.length === 1) {
      const only = values[0]!;
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
    const instants = this.#instants;
    const packed = instants === undefined ? undefined : packBounds(range);
    if (instants === undefined || packed === undefined) {
      const span = createRangeComparator(range, folded);
      return (slot) => span(this.get(slot));
    }
    const { from, after, to, before } = packed;
    return (slot) => {
      const at = instants[slot] ?? Number.NaN;
      if (at < from || at <= after) return -1;
      // NaN stands for null, which sorts last.
      return at <= to && at < before ? 0 : 1;
    };
  }

  /** Creates a function that determines where slots lie relative to a value: negative before, 0 at, positive after. */
  createValueComparator(value: Value): (slot: number) => number {
    const instants = this.#instants;
    const packed = typeof value === 'string' ? packInstant(value) : Number.NaN;
    if (instants === undefined || Number.isNaN(packed)) return (slot) => compareValues(this.get(slot), value);
    return (slot) => {
      const at = instants[slot] ?? Number.NaN;
      return Number.isNaN(at) ? 1 : at - packed;
    };
  }

  /** All keys of a case-folded field by slot, decoded, for tight loops; empty when all are null. Folded texts are never packed. */
  getAllKeys(): readonly (Key | undefined)[] {
    while (this.loadNextBlock());
    return this.#keys;
  }

  #setInstant(slot: number, packed: number): void {
    this.#growInstants(slot + 1);
    this.#instants![slot] = packed;
  }

  #growInstants(length: number): void {
    const instants = this.#instants!;
    if (length <= instants.length) return;
    const grown = new Float64Array(Math.max(length, Math.ceil(instants.length * 1.5))).fill(Number.NaN, instants.length);
    grown.set(instants);
    this.#instants = grown;
  }

  #isUnused(): boolean {
    return this.#holdsIds && this.#ids === undefined && this.#keys.length === 0 && this.#lazyEnd === 0;
  }

  /** False when the id cannot be packed. */
  #setId(slot: number, key: Key): boolean {
    if (typeof key === 'string' && this.#isUnused()) this.#ids = PackedIds.createFor(key);
    if (this.#ids === undefined) return false;
    // The row was removed. Its old id is never read, and the next row in this slot overwrites it.
    if (key === null) return true;
    if (typeof key === 'string' && this.#ids.set(slot, key)) return true;
    this.#unpack();
    return false;
  }

  #unpack(): void {
    if (this.#ids !== undefined) {
      const ids = this.#ids;
      this.#keys = Array.from({ length: ids.slotCount }, (_, slot) => ids.get(slot));
      this.#ids = undefined;
      return;
    }
    const instants = this.#instants!;
    let used = instants.length;
    while (used > 0 && Number.isNaN(instants[used - 1])) used--;
    const values: Key[] = [];
    for (let slot = 0; slot < used; slot++) values.push(this.get(slot));
    this.#keys = values;
    this.#instants = undefined;
  }

  #allocateKeys(): void {
    const existing = this.#keys;
    // Allocated at full length: growing would copy it repeatedly, and holes are slow to read.
    this.#keys = Array.from<Key | undefined>({ length: Math.max(this.#lazyEnd, this.#expectedSlots) });
    for (let slot = 0; slot < existing.length; slot++) this.#keys[slot] = existing[slot];
  }

  #loadMissing(slot: number): Key {
    if (this.#lazyBlocks.length === 0 || slot >= this.#lazyEnd) return null;
    let low = 0;
    let high = this.#lazyBlocks.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#lazyBlocks[middle]!.end <= slot) low = middle + 1;
      else high = middle;
    }
    const block = this.#lazyBlocks[low]!;
    if (slot < block.first || slot >= block.end) return null;
    this.#lazyBlocks.splice(low, 1);
    this.#loadBlock(block);
    return this.#keys[slot] ?? null;
  }

  #loadBlock({ first, load }: LazyBlock): void {
    if (this.#keys.length < this.#lazyEnd) this.#allocateKeys();
    let slot = first;
    for (const key of load()) {
      // Keep keys that were set since.
      if (this.#keys[slot] === undefined) this.#keys[slot] = key;
      slot++;
    }
  }
}

const isSameKey = (a: Key, b: Key): boolean =>
  a === b ||
  (typeof a === 'object' &&
    typeof b === 'object' &&
    a !== null &&
    b !== null &&
    a.length === b.length &&
    a.every((each, at) => each === b[at]));

/** The bounds of a range as packed instants; undefined unless all of them are exact instants. */
function packBounds(range: Range): { from: number; after: number; to: number; before: number } | undefined {
  if ('prefix' in range) return undefined;
  const bounds = [range.from, range.after, range.to, range.before];
  const [from, after, to, before] = bounds.map((bound) => (typeof bound === 'string' ? packInstant(bound) : undefined));
  const isPacked = bounds.every((bound) => bound === undefined || (typeof bound === 'string' && !Number.isNaN(packInstant(bound))));
  if (!isPacked || bounds.every((bound) => bound === undefined)) return undefined;
  return { from: from ?? -Infinity, after: after ?? -Infinity, to: to ?? Infinity, before: before ?? Infinity };
}
