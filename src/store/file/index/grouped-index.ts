/**
 * An ordered index whose first field has few distinct values: the slots of each value form an index of their own. A new row that sorts last
 * among those of its value is inserted with one comparison, and the value need not be compared again to find a row.
 */
import type { BitSet } from './bit-set.ts';
import type { Key } from '../values/compare.ts';
import { type Compare, type OrderedIndex, ChunkedIndex, collectSlice } from './ordered-index.ts';

interface Group {
  readonly key: Key;
  readonly slots: ChunkedIndex;
}

export class GroupedIndex implements OrderedIndex {
  readonly compare: Compare;
  readonly #getKey: (slot: number) => Key;
  readonly #compareKeys: (a: Key, b: Key) => number;
  readonly #compareWithin: Compare;
  readonly #byKey = new Map<Key, Group>();
  /** In order; none of them is empty. */
  #groups: Group[] = [];
  #size = 0;

  /** `compareKeys` orders the values of the first field, `compareWithin` slots with the same value. */
  constructor(getKey: (slot: number) => Key, compareKeys: (a: Key, b: Key) => number, compareWithin: Compare) {
    this.#getKey = getKey;
    this.#compareKeys = compareKeys;
    this.#compareWithin = compareWithin;
    this.compare = (a, b) => compareKeys(getKey(a), getKey(b)) || compareWithin(a, b);
  }

  replaceAll(sorted: Uint32Array): void {
    this.#byKey.clear();
    this.#groups = [];
    this.#size = sorted.length;
    for (let at = 0; at < sorted.length;) {
      const key = this.#getKey(sorted[at]!);
      // Binary search, so that the values of most slots need not be loaded.
      let [low, high] = [at + 1, sorted.length];
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (this.#getKey(sorted[middle]!) === key) low = middle + 1;
        else high = middle;
      }
      this.#insertGroup({ key, slots: new ChunkedIndex(this.#compareWithin, sorted.subarray(at, low)) }, this.#groups.length);
      at = low;
    }
  }

  get size(): number {
    return this.#size;
  }

  insert(slot: number): void {
    const key = this.#getKey(slot);
    let group = this.#byKey.get(key);
    if (group === undefined) {
      group = { key, slots: new ChunkedIndex(this.#compareWithin) };
      this.#insertGroup(
        group,
        this.#findFirstGroup((each) => this.#compareKeys(each.key, key) > 0),
      );
    }
    group.slots.insert(slot);
    this.#size++;
  }

  remove(slot: number): void {
    const key = this.#getKey(slot);
    const group = this.#byKey.get(key);
    if (group === undefined) throw new Error(`slot ${slot} is missing from an ordered index: this is a bug`);
    group.slots.remove(slot);
    this.#size--;
    if (group.slots.size > 0) return;
    this.#byKey.delete(key);
    this.#groups.splice(this.#groups.indexOf(group), 1);
  }

  rank(isBefore: (slot: number) => boolean): number {
    const at = this.#findFirstGroup(({ slots }) => !isBefore(slots.lastSlot!));
    let rank = this.#groups[at]?.slots.rank(isBefore) ?? 0;
    for (let each = 0; each < at; each++) rank += this.#groups[each]!.slots.size;
    return rank;
  }

  slice(from: number, to: number): number[] {
    return collectSlice(this, from, to);
  }

  scan(from: number, visit: (slot: number) => boolean): boolean {
    let rest = from;
    for (const { slots } of this.#groups) {
      if (rest < slots.size && !slots.scan(rest, visit)) return false;
      rest = Math.max(0, rest - slots.size);
    }
    return true;
  }

  scanBackward(below: number, visit: (slot: number) => boolean): boolean {
    let rest = this.#size - below;
    for (const { slots } of this.#groups.toReversed()) {
      if (rest < slots.size && !slots.scanBackward(slots.size - rest, visit)) return false;
      rest = Math.max(0, rest - slots.size);
    }
    return true;
  }

  select(set: BitSet, skip: number, count: number, descending = false): number[] {
    const picked: number[] = [];
    if (count <= 0) return picked;
    let rest = skip;
    const visit = (slot: number): boolean => {
      if (!set.has(slot) || rest-- > 0) return true;
      return picked.push(slot) < count;
    };
    if (descending) this.scanBackward(this.#size, visit);
    else this.scan(0, visit);
    return picked;
  }

  toArray(): Uint32Array {
    const all = new Uint32Array(this.#size);
    let at = 0;
    for (const { slots } of this.#groups) {
      all.set(slots.toArray(), at);
      at += slots.size;
    }
    return all;
  }

  #insertGroup(group: Group, at: number): void {
    this.#byKey.set(group.key, group);
    this.#groups.splice(at, 0, group);
  }

  /** Index of the first group for which `matches` is true; it must be true for all after it. */
  #findFirstGroup(matches: (group: Group) => boolean): number {
    let [low, high] = [0, this.#groups.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (matches(this.#groups[middle]!)) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
