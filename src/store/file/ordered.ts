/** Slots kept in order: sorted chunks of a few KB, so that inserting moves little and a rank is found by adding up counts. */
import type { Bits } from './bits.ts';

const CAPACITY = 1024;
/** Freshly built chunks leave room, or the first inserts after a start would split them all. */
const FILL = 768;

export type Compare = (a: number, b: number) => number;

/** Slots in an order. A row's keys must be as they were when its slot was inserted until it has been removed. */
export interface Order {
  readonly compare: Compare;
  readonly size: number;
  /** Takes slots that are in order already, instead of what was there. */
  replaceAll(sorted: Uint32Array): void;
  insert(slot: number): void;
  remove(slot: number): void;
  /** How many slots come before the first for which `before` is false; `before` must be true, then false, along the order. */
  rank(before: (slot: number) => boolean): number;
  /** Slots from one rank up to another, exclusive. */
  slice(from: number, to: number): number[];
  /** Visits slots from a rank upwards until `visit` returns false; then so does this. */
  walk(from: number, visit: (slot: number) => boolean): boolean;
  /** Visits the slots below a rank, downwards, until `visit` returns false; then so does this. */
  walkBack(below: number, visit: (slot: number) => boolean): boolean;
  /** The slots of a set in this order or against it: at most `count`, behind the first `skip`. */
  pick(set: Bits, skip: number, count: number, descending?: boolean): number[];
  /** All slots, copied. */
  toArray(): Uint32Array;
}

export function sliceOf(order: Pick<Order, 'walk'>, from: number, to: number): number[] {
  const slots: number[] = [];
  if (to > from) order.walk(from, (slot) => slots.push(slot) < to - from);
  return slots;
}

export class Ordered implements Order {
  readonly compare: Compare;
  #chunks: Uint32Array[] = [];
  #counts: number[] = [];
  /** The last slot of each chunk: to find a chunk, none of them is touched. */
  #lasts: number[] = [];
  #size = 0;

  constructor(compare: Compare, sorted?: Uint32Array) {
    this.compare = compare;
    if (sorted !== undefined) this.replaceAll(sorted);
  }

  replaceAll(sorted: Uint32Array): void {
    this.#chunks = [];
    this.#counts = [];
    this.#lasts = [];
    this.#size = sorted.length;
    for (let at = 0; at < sorted.length; at += FILL) {
      const part = sorted.subarray(at, at + FILL);
      const chunk = new Uint32Array(sorted.length <= FILL ? Math.max(8, part.length + 8) : CAPACITY);
      chunk.set(part);
      this.#chunks.push(chunk);
      this.#counts.push(part.length);
      this.#lasts.push(part.at(-1)!);
    }
  }

  get size(): number {
    return this.#size;
  }

  get last(): number | undefined {
    return this.#lasts.at(-1);
  }

  insert(slot: number): void {
    const last = this.#chunks.length - 1;
    if (last < 0) {
      this.#add(0, Uint32Array.of(slot, 0, 0, 0), 1);
      this.#size = 1;
      return;
    }
    // New rows usually sort last in time orders.
    const appends = this.compare(this.#lasts[last]!, slot) < 0;
    const at = appends ? last : this.#chunkFor(slot);
    const position = appends ? this.#counts[last]! : this.#positionFor(at, slot);
    this.#size++;
    if (this.#counts[at]! < CAPACITY) this.#place(at, position, slot);
    else if (appends) this.#add(at + 1, Uint32Array.of(slot, 0, 0, 0), 1);
    else this.#split(at, position, slot);
  }

  remove(slot: number): void {
    const at = this.#chunkFor(slot);
    const position = at < 0 ? 0 : this.#positionFor(at, slot);
    const chunk = this.#chunks[at];
    if (chunk === undefined || chunk[position] !== slot || position >= this.#counts[at]!)
      throw new Error(`slot ${slot} is missing from an order: a bug`);
    const count = this.#counts[at]!;
    chunk.copyWithin(position, position + 1, count);
    this.#counts[at] = count - 1;
    this.#size--;
    if (count === 1) {
      this.#chunks.splice(at, 1);
      this.#counts.splice(at, 1);
      this.#lasts.splice(at, 1);
      return;
    }
    this.#lasts[at] = chunk[count - 2]!;
    this.#mergeIfSmall(at);
  }

  rank(before: (slot: number) => boolean): number {
    const at = this.#chunkOf(before);
    if (at < 0) return 0;
    let rank = this.#within(at, before);
    for (let each = 0; each < at; each++) rank += this.#counts[each]!;
    return rank;
  }

  slice(from: number, to: number): number[] {
    return sliceOf(this, from, to);
  }

  walk(from: number, visit: (slot: number) => boolean): boolean {
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

  walkBack(below: number, visit: (slot: number) => boolean): boolean {
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

  pick(set: Bits, skip: number, count: number, descending = false): number[] {
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

  toArray(): Uint32Array {
    const all = new Uint32Array(this.#size);
    let at = 0;
    this.#chunks.forEach((chunk, each) => {
      all.set(chunk.subarray(0, this.#counts[each]), at);
      at += this.#counts[each]!;
    });
    return all;
  }

  /** The first chunk whose last slot is not `before`; the last chunk when there is none. */
  #chunkOf(before: (slot: number) => boolean): number {
    let [low, high] = [0, this.#chunks.length - 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (before(this.#lasts[middle]!)) low = middle + 1;
      else high = middle;
    }
    return high;
  }

  #within(at: number, before: (slot: number) => boolean): number {
    const chunk = this.#chunks[at]!;
    let [low, high] = [0, this.#counts[at]!];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (before(chunk[middle]!)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** `chunkOf` and `within` once more for a slot, without a closure: this is what every write does for every order. */
  #chunkFor(slot: number): number {
    let low = 0;
    let high = this.#chunks.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.compare(this.#lasts[middle]!, slot) < 0) low = middle + 1;
      else high = middle;
    }
    return high;
  }

  #positionFor(at: number, slot: number): number {
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

  #place(at: number, position: number, slot: number): void {
    const count = this.#counts[at]!;
    let chunk = this.#chunks[at]!;
    if (count === chunk.length) {
      const grown = new Uint32Array(Math.min(CAPACITY, chunk.length * 2));
      grown.set(chunk);
      this.#chunks[at] = chunk = grown;
    }
    if (position < count) chunk.copyWithin(position + 1, position, count);
    else this.#lasts[at] = slot;
    chunk[position] = slot;
    this.#counts[at] = count + 1;
  }

  #add(at: number, chunk: Uint32Array, count: number): void {
    this.#chunks.splice(at, 0, chunk);
    this.#counts.splice(at, 0, count);
    this.#lasts.splice(at, 0, chunk[count - 1]!);
  }

  #split(at: number, position: number, slot: number): void {
    const half = CAPACITY / 2;
    const upper = new Uint32Array(CAPACITY);
    upper.set(this.#chunks[at]!.subarray(half));
    this.#counts[at] = half;
    this.#lasts[at] = this.#chunks[at]![half - 1]!;
    this.#add(at + 1, upper, CAPACITY - half);
    if (position <= half) this.#place(at, position, slot);
    else this.#place(at + 1, position - half, slot);
  }

  #mergeIfSmall(at: number): void {
    const count = this.#counts[at]!;
    const next = this.#counts[at + 1];
    if (count > CAPACITY / 8 || next === undefined || count + next > CAPACITY / 2) return;
    const merged = new Uint32Array(CAPACITY);
    merged.set(this.#chunks[at]!.subarray(0, count));
    merged.set(this.#chunks[at + 1]!.subarray(0, next), count);
    this.#chunks.splice(at, 2, merged);
    this.#counts.splice(at, 2, count + next);
    this.#lasts.splice(at, 1);
  }
}
