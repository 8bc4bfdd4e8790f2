/** One indexed field of all rows of a partition, by slot. */
import type { Value } from '../../domain/ports.ts';
import { compareValues, type Key, type Range, spanOf } from './compare.ts';
import { packInstant, unpackInstant } from './instants.ts';
import { packAll, PackedIds, unpackAll } from './packed-ids.ts';

/** Keys of consecutive slots that nobody has asked for yet. */
interface Block {
  readonly first: number;
  readonly end: number;
  readonly load: () => readonly Key[];
}

/** Pools of texts that hardly ever repeat are given up after this many. */
const POOL_TRIAL = 1024;

/**
 * Starts as packed instants (all null) and turns into plain values with the first key that is not one.
 * Repeated texts share one string. The column of the ids starts as packed ids instead, of the form of the first.
 */
export class Column {
  #instants: Float64Array | undefined;
  #ids: PackedIds | undefined;
  readonly #isIds: boolean;
  /** Undefined where keys still lie in a block of the checkpoint. */
  #values: (Key | undefined)[] = [];
  #blocks: Block[] = [];
  /** Slots below this may be in blocks; the array for them is made when the first is asked for. */
  #packed = 0;
  #expected = 0;
  #pool: Map<string, string> | undefined = new Map();
  #hits = 0;

  constructor(isIds = false) {
    this.#isIds = isIds;
    if (!isIds) this.#instants = new Float64Array(16).fill(Number.NaN);
  }

  get(slot: number): Key {
    const instants = this.#instants;
    if (instants === undefined) {
      if (this.#ids !== undefined) return this.#ids.get(slot);
      const value = this.#values[slot];
      return value === undefined ? this.#missing(slot) : value;
    }
    const packed = instants[slot] ?? Number.NaN;
    return Number.isNaN(packed) ? null : unpackInstant(packed);
  }

  set(slot: number, key: Key): void {
    if (this.#instants !== undefined) {
      const packed = typeof key === 'string' ? packInstant(key) : Number.NaN;
      if (key === null || !Number.isNaN(packed)) {
        this.#instant(slot, packed);
        return;
      }
      this.#becomePlain();
    } else if (this.#isIds && this.#setId(slot, key)) return;
    if (this.#values.length < this.#packed) this.#unfold();
    // No holes: an array with holes is slower to read.
    while (this.#values.length < slot) this.#values.push(null);
    this.#values[slot] = typeof key === 'string' ? this.#shared(key) : key;
  }

  /** Sets consecutive slots from packed instants, as a checkpoint holds them. */
  setInstants(slot: number, packed: Float64Array): void {
    if (this.#instants === undefined) {
      this.setLater(slot, packed.length, () => Array.from(packed, (each) => (Number.isNaN(each) ? null : unpackInstant(each))));
      return;
    }
    this.#reserve(Math.max(slot + packed.length, this.#expected));
    this.#instants.set(packed, slot);
  }

  /** Sets consecutive slots from packed ids, as a checkpoint holds them. */
  setIds(first: number, words: Uint32Array, width: number): void {
    if (this.#isEmpty()) {
      this.#ids = new PackedIds(width);
      this.#ids.reserve(this.#expected);
    }
    if (this.#ids?.width === width) this.#ids.fill(first, words);
    else this.#setLater(first, words.length / width, () => unpackAll(words, width));
  }

  /** Says how many slots a checkpoint will bring. */
  expect(slots: number): void {
    this.#expected = slots;
  }

  /** Leaves consecutive slots to be loaded when they are needed. They lie behind all others. */
  setLater(first: number, count: number, load: () => readonly Key[]): void {
    // Ids that an earlier release has left as text.
    const packed = this.#ids !== undefined || this.#isEmpty() ? packAll(load()) : undefined;
    if (packed === undefined) this.#setLater(first, count, load);
    else this.setIds(first, packed.words, packed.width);
  }

  #setLater(first: number, count: number, load: () => readonly Key[]): void {
    if (this.#instants !== undefined || this.#ids !== undefined) this.#becomePlain();
    this.#blocks.push({ first, end: first + count, load });
    this.#packed = first + count;
  }

  /** Loads some of what is left; false when nothing is. */
  loadSome(): boolean {
    const block = this.#blocks.pop();
    if (block !== undefined) this.#load(block);
    return block !== undefined;
  }

  /** One string for equal texts, as long as this field's texts repeat at all. */
  shared(text: string): string {
    return this.#shared(text);
  }

  /** The packed instants of slots, when the column holds nothing else. */
  instants(): Float64Array | undefined {
    return this.#instants;
  }

  /** The packed ids, when the column holds nothing else. */
  ids(): PackedIds | undefined {
    return this.#ids;
  }

  /** Whether a slot holds this id. */
  isId(slot: number, id: string): boolean {
    return this.#ids === undefined ? this.get(slot) === id : this.#ids.is(slot, id);
  }

  /** Whether a slot holds this key. */
  holds(slot: number, key: Key): boolean {
    if (this.#ids !== undefined && typeof key === 'string') return this.#ids.is(slot, key);
    const instants = this.#instants;
    if (instants === undefined) return sameKey(this.get(slot), key);
    const held = instants[slot] ?? Number.NaN;
    if (typeof key === 'string') return packInstant(key) === held;
    return key === null && Number.isNaN(held);
  }

  compare(a: number, b: number): number {
    const instants = this.#instants;
    if (instants === undefined) {
      if (this.#ids !== undefined) return this.#ids.compare(a, b);
      let v = this.#values[a];
      if (v === undefined) v = this.#missing(a);
      // Only now: what the first was missing may have brought the second.
      let w = this.#values[b];
      if (w === undefined) w = this.#missing(b);
      if (typeof v === 'string' && typeof w === 'string') return v < w ? -1 : v === w ? 0 : 1;
      return compareValues(v, w);
    }
    const x = instants[a]!;
    const y = instants[b]!;
    if (x < y) return -1;
    if (x > y) return 1;
    if (x === y) return 0;
    return Number(Number.isNaN(x)) - Number(Number.isNaN(y));
  }

  /** A test of slots against wanted values; an array key passes when it contains one. */
  tester(wanted: readonly Value[]): (slot: number) => boolean {
    const instants = this.#instants;
    if (instants !== undefined) {
      const packed = new Set(wanted.map((value) => (typeof value === 'string' ? packInstant(value) : Number.NaN)));
      if (!wanted.includes(null)) packed.delete(Number.NaN);
      return (slot) => packed.has(instants[slot] ?? Number.NaN);
    }
    if (wanted.length === 1) {
      const only = wanted[0]!;
      return (slot) => {
        const key = this.get(slot);
        return key === only || (typeof key === 'object' && key !== null && key.includes(only));
      };
    }
    const set = new Set<Key>(wanted);
    return (slot) => {
      const key = this.get(slot);
      return set.has(key) || (typeof key === 'object' && key !== null && key.some((each) => set.has(each)));
    };
  }

  /** Where slots lie relative to a range or prefix: before it, in it, behind it. */
  spans(range: Range, folded: boolean): (slot: number) => -1 | 0 | 1 {
    const instants = this.#instants;
    const packed = instants === undefined ? undefined : packedBounds(range);
    if (instants === undefined || packed === undefined) {
      const span = spanOf(range, folded);
      return (slot) => span(this.get(slot));
    }
    const { from, after, to, before } = packed;
    return (slot) => {
      const at = instants[slot] ?? Number.NaN;
      if (at < from || at <= after) return -1;
      // Not a number: null, which is behind everything.
      return at <= to && at < before ? 0 : 1;
    };
  }

  /** Where slots lie relative to a value: negative before it, 0 at it, positive behind it. */
  comparedWith(value: Value): (slot: number) => number {
    const instants = this.#instants;
    const packed = typeof value === 'string' ? packInstant(value) : Number.NaN;
    if (instants === undefined || Number.isNaN(packed)) return (slot) => compareValues(this.get(slot), value);
    return (slot) => {
      const at = instants[slot] ?? Number.NaN;
      return Number.isNaN(at) ? 1 : at - packed;
    };
  }

  /** The keys of a folded field by slot, all of them loaded, for loops that ask for very many; empty when all are null. Folded texts are never packed. */
  texts(): readonly (Key | undefined)[] {
    while (this.loadSome());
    return this.#values;
  }

  /** Whether the text of a slot contains another. */
  includes(slot: number, text: string): boolean {
    const key = this.get(slot);
    return typeof key === 'string' && key.includes(text);
  }

  #instant(slot: number, packed: number): void {
    this.#reserve(slot + 1);
    this.#instants![slot] = packed;
  }

  #reserve(length: number): void {
    const instants = this.#instants!;
    if (length <= instants.length) return;
    const grown = new Float64Array(Math.max(length, Math.ceil(instants.length * 1.5))).fill(Number.NaN, instants.length);
    grown.set(instants);
    this.#instants = grown;
  }

  #isEmpty(): boolean {
    return this.#isIds && this.#ids === undefined && this.#values.length === 0 && this.#packed === 0;
  }

  /** False when the id needs plain values. */
  #setId(slot: number, key: Key): boolean {
    if (typeof key === 'string' && this.#isEmpty()) this.#ids = PackedIds.like(key);
    if (this.#ids === undefined) return false;
    // Of a removed row: nobody asks for its id, and the slot gets a new one when it is used again.
    if (key === null) return true;
    if (typeof key === 'string' && this.#ids.set(slot, key)) return true;
    this.#becomePlain();
    return false;
  }

  #becomePlain(): void {
    if (this.#ids !== undefined) {
      const ids = this.#ids;
      this.#values = Array.from({ length: ids.slots }, (_, slot) => ids.get(slot));
      this.#ids = undefined;
      return;
    }
    const instants = this.#instants!;
    let used = instants.length;
    while (used > 0 && Number.isNaN(instants[used - 1])) used--;
    const values: Key[] = [];
    for (let slot = 0; slot < used; slot++) values.push(this.get(slot));
    this.#values = values;
    this.#instants = undefined;
  }

  #unfold(): void {
    const known = this.#values;
    // At once and filled: growing would copy it over and over, and holes are slow to read.
    this.#values = Array.from<Key | undefined>({ length: Math.max(this.#packed, this.#expected) });
    for (let slot = 0; slot < known.length; slot++) this.#values[slot] = known[slot];
  }

  #missing(slot: number): Key {
    if (this.#blocks.length === 0 || slot >= this.#packed) return null;
    let low = 0;
    let high = this.#blocks.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#blocks[middle]!.end <= slot) low = middle + 1;
      else high = middle;
    }
    const block = this.#blocks[low]!;
    if (slot < block.first || slot >= block.end) return null;
    this.#blocks.splice(low, 1);
    this.#load(block);
    return this.#values[slot] ?? null;
  }

  #load({ first, load }: Block): void {
    if (this.#values.length < this.#packed) this.#unfold();
    let slot = first;
    for (const key of load()) {
      // What has changed since stays.
      if (this.#values[slot] === undefined) this.#values[slot] = key;
      slot++;
    }
  }

  #shared(text: string): string {
    const pool = this.#pool;
    if (pool === undefined) return text;
    const known = pool.get(text);
    if (known !== undefined) {
      this.#hits++;
      return known;
    }
    if (pool.size >= POOL_TRIAL && this.#hits < pool.size) this.#pool = undefined;
    else pool.set(text, text);
    return text;
  }
}

const sameKey = (a: Key, b: Key): boolean =>
  a === b ||
  (typeof a === 'object' &&
    typeof b === 'object' &&
    a !== null &&
    b !== null &&
    a.length === b.length &&
    a.every((each, at) => each === b[at]));

/** The bounds of a range as numbers, where all of them are exact instants. */
function packedBounds(range: Range): { from: number; after: number; to: number; before: number } | undefined {
  if ('prefix' in range) return undefined;
  const bounds = [range.from, range.after, range.to, range.before];
  const [from, after, to, before] = bounds.map((bound) => (typeof bound === 'string' ? packInstant(bound) : undefined));
  const isPacked = bounds.every((bound) => bound === undefined || (typeof bound === 'string' && !Number.isNaN(packInstant(bound))));
  if (!isPacked || bounds.every((bound) => bound === undefined)) return undefined;
  return { from: from ?? -Infinity, after: after ?? -Infinity, to: to ?? Infinity, before: before ?? Infinity };
}
