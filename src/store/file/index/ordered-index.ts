/**
 * Ordered indexes: slots in one of the orders of a table, or by the value of a filter. They are kept in sorted chunks of a few KB, so that an
 * insert moves little and a rank is found by adding up counts.
 *
 * The index folder in short. All indexes map keys to slots and live in memory; a partition (partition.ts) owns one of each:
 *   hash-index       id or unique value -> slot (unique-indexes.ts checks the unique keys)
 *   ordered-index    the slots in each order and by each filter
 *   posting-lists    element of an array field -> its slots
 *   search-index     substring search, on trigram-index.ts
 * A checkpoint stores the hashes and the ordered indexes. Posting lists are created at a start, trigrams in the background after it
 * (background-indexing.ts); until then searches are exact, but slower.
 */
import type { BitSet } from './bit-set.ts';

const CHUNK_CAPACITY = 1024;
/** Initial fill of a chunk, because full chunks would all be split by the first inserts after a start. */
const INITIAL_CHUNK_FILL = 768;

export type Compare = (a: number, b: number) => number;

/** Slots in an order. While a slot is in the index, the keys of its row must stay as they were when it was inserted. */
export class OrderedIndex {
  readonly compare: Compare;
  #chunks: Uint32Array[] = [];
  #counts: number[] = [];
  /** The last slot of each chunk, so that finding a chunk touches none of them. */
  #lastSlots: number[] = [];
  #size = 0;

  constructor(compare: Compare, sorted?: Uint32Array) {
    this.compare = compare;
    if (sorted !== undefined) this.replaceAll(sorted);
  }

  /** Replaces the contents with slots that are already in order. */
  replaceAll(sorted: Uint32Array): void {
    this.#chunks = [];
    this.#counts = [];
    this.#lastSlots = [];
    this.#size = sorted.length;
    for (let at = 0; at < sorted.length; at += INITIAL_CHUNK_FILL) {
      const part = sorted.subarray(at, at + INITIAL_CHUNK_FILL);
      const chunk = new Uint32Array(sorted.length <= INITIAL_CHUNK_FILL ? Math.max(8, part.length + 8) : CHUNK_CAPACITY);
      chunk.set(part);
      this.#chunks.push(chunk);
      this.#counts.push(part.length);
      this.#lastSlots.push(part.at(-1)!);
    }
  }

  get size(): number {
    return this.#size;
  }

  insert(slot: number): void {
    const last = this.#chunks.length - 1;
    if (last < 0) {
      this.#insertChunk(0, Uint32Array.of(slot, 0, 0, 0), 1);
      this.#size = 1;
      return;
    }
    // In orders by time, new rows usually sort last.
    const appends = this.compare(this.#lastSlots[last]!, slot) < 0;
    const at = appends ? last : this.#findChunkOfSlot(slot);
    const position = appends ? this.#counts[last]! : this.#findPositionOfSlot(at, slot);
    this.#size++;
    if (this.#counts[at]! < CHUNK_CAPACITY) this.#insertAt(at, position, slot);
    else if (appends) this.#insertChunk(at + 1, Uint32Array.of(slot, 0, 0, 0), 1);
    else this.#split(at, position, slot);
  }

  remove(slot: number): void {
    const at = this.#findChunkOfSlot(slot);
    const position = at < 0 ? 0 : this.#findPositionOfSlot(at, slot);
    const chunk = this.#chunks[at];
    if (chunk === undefined || chunk[position] !== slot || position >= this.#counts[at]!)
      throw new Error(`slot ${slot} is missing from an ordered index: this is a bug`);
    const count = this.#counts[at]!;
    chunk.copyWithin(position, position + 1, count);
    this.#counts[at] = count - 1;
    this.#size--;
    if (count === 1) {
      this.#chunks.splice(at, 1);
      this.#counts.splice(at, 1);
      this.#lastSlots.splice(at, 1);
      return;
    }
    this.#lastSlots[at] = chunk[count - 2]!;
    this.#mergeIfSmall(at);
  }

  /** Number of slots before the first for which `isBefore` is false. Along the order, `isBefore` must be true first and then false. */
  rank(isBefore: (slot: number) => boolean): number {
    const at = this.#findChunk(isBefore);
    if (at < 0) return 0;
    let rank = this.#findPosition(at, isBefore);
    for (let each = 0; each < at; each++) rank += this.#counts[each]!;
    return rank;
  }

  /** Slots from rank `from` up to, but not including, rank `to`. */
  slice(from: number, to: number): number[] {
    const slots: number[] = [];
    if (to > from) this.scan(from, (slot) => slots.push(slot) < to - from);
    return slots;
  }

  /** Visits slots from a rank upwards until `visit` returns false. Returns false when it was stopped. */
  scan(from: number, visit: (slot: number) => boolean): boolean {
    let rest = from;
    for (let at = 0; at < this.#chunks.length; at++) {
      const count = this.#counts[at]!;
      if (rest >= count) {
        rest -= count;
        continue;
      }
      const chunk = this.#chunks[at]!;
      for (let position = rest; position < count; position++) if (!visit(chunk[position]!)) return false;
      rest = 0;
    }
    return true;
  }

  /** Visits the slots below a rank downwards until `visit` returns false. Returns false when it was stopped. */
  scanBackward(below: number, visit: (slot: number) => boolean): boolean {
    let rest = this.#size - below;
    for (let at = this.#chunks.length - 1; at >= 0; at--) {
      const count = this.#counts[at]!;
      if (rest >= count) {
        rest -= count;
        continue;
      }
      const chunk = this.#chunks[at]!;
      for (let position = count - 1 - rest; position >= 0; position--) if (!visit(chunk[position]!)) return false;
      rest = 0;
    }
    return true;
  }

  /** Selects slots of a set in this order or in reverse: at most `count`, after the first `skip`. */
  select(set: BitSet, skip: number, count: number, descending = false): number[] {
    const picked: number[] = [];
    const { words } = set;
    let rest = skip;
    for (let each = 0; each < this.#chunks.length && picked.length < count; each++) {
      const at = descending ? this.#chunks.length - 1 - each : each;
      const chunk = this.#chunks[at]!;
      const length = this.#counts[at]!;
      for (let step = 0; step < length; step++) {
        const slot = chunk[descending ? length - 1 - step : step]!;
        if ((words[slot >>> 5]! & (1 << (slot & 31))) === 0) continue;
        if (rest > 0) rest--;
        else if (picked.push(slot) === count) break;
      }
    }
    return picked;
  }

  /** All slots, copied. */
  toArray(): Uint32Array {
    const all = new Uint32Array(this.#size);
    let at = 0;
    this.#chunks.forEach((chunk, each) => {
      all.set(chunk.subarray(0, this.#counts[each]), at);
      at += this.#counts[each]!;
    });
    return all;
  }

  /** The first chunk whose last slot is not before the position; the last chunk when there is none. */
  #findChunk(isBefore: (slot: number) => boolean): number {
    let [low, high] = [0, this.#chunks.length - 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore(this.#lastSlots[middle]!)) low = middle + 1;
      else high = middle;
    }
    return high;
  }

  #findPosition(at: number, isBefore: (slot: number) => boolean): number {
    const chunk = this.#chunks[at]!;
    let [low, high] = [0, this.#counts[at]!];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore(chunk[middle]!)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** `#findChunk` for a slot, without a closure: every write runs this for every order. */
  #findChunkOfSlot(slot: number): number {
    let low = 0;
    let high = this.#chunks.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.compare(this.#lastSlots[middle]!, slot) < 0) low = middle + 1;
      else high = middle;
    }
    return high;
  }

  /** `#findPosition` for a slot, without a closure. */
  #findPositionOfSlot(at: number, slot: number): number {
    const chunk = this.#chunks[at]!;
    let low = 0;
    let high = this.#counts[at]!;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.compare(chunk[middle]!, slot) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #insertAt(at: number, position: number, slot: number): void {
    const count = this.#counts[at]!;
    let chunk = this.#chunks[at]!;
    if (count === chunk.length) {
      const grown = new Uint32Array(Math.min(CHUNK_CAPACITY, chunk.length * 2));
      grown.set(chunk);
      this.#chunks[at] = chunk = grown;
    }
    if (position < count) chunk.copyWithin(position + 1, position, count);
    else this.#lastSlots[at] = slot;
    chunk[position] = slot;
    this.#counts[at] = count + 1;
  }

  #insertChunk(at: number, chunk: Uint32Array, count: number): void {
    this.#chunks.splice(at, 0, chunk);
    this.#counts.splice(at, 0, count);
    this.#lastSlots.splice(at, 0, chunk[count - 1]!);
  }

  #split(at: number, position: number, slot: number): void {
    const half = CHUNK_CAPACITY / 2;
    const upper = new Uint32Array(CHUNK_CAPACITY);
    upper.set(this.#chunks[at]!.subarray(half));
    this.#counts[at] = half;
    this.#lastSlots[at] = this.#chunks[at]![half - 1]!;
    this.#insertChunk(at + 1, upper, CHUNK_CAPACITY - half);
    if (position <= half) this.#insertAt(at, position, slot);
    else this.#insertAt(at + 1, position - half, slot);
  }

  #mergeIfSmall(at: number): void {
    const count = this.#counts[at]!;
    const next = this.#counts[at + 1];
    if (count > CHUNK_CAPACITY / 8 || next === undefined || count + next > CHUNK_CAPACITY / 2) return;
    const merged = new Uint32Array(CHUNK_CAPACITY);
    merged.set(this.#chunks[at]!.subarray(0, count));
    merged.set(this.#chunks[at + 1]!.subarray(0, next), count);
    this.#chunks.splice(at, 2, merged);
    this.#counts.splice(at, 2, count + next);
    this.#lastSlots.splice(at, 1);
  }
}
