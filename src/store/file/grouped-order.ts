/**
 * Slots in an order whose first field has few values: those of each value are an order of their own. So a row is put behind the others of
 * its value by one comparison, and found among them without comparing the value again.
 */
import type { Bits } from './bits.ts';
import type { Key } from './compare.ts';
import { type Compare, type Order, Ordered, sliceOf } from './ordered.ts';

interface Group {
  readonly key: Key;
  readonly slots: Ordered;
}

export class GroupedOrder implements Order {
  readonly compare: Compare;
  readonly #keyOf: (slot: number) => Key;
  readonly #compareKeys: (a: Key, b: Key) => number;
  readonly #within: Compare;
  readonly #byKey = new Map<Key, Group>();
  /** None of them empty. */
  #groups: Group[] = [];
  #size = 0;

  /** `compareKeys` orders the values of the first field, `within` the slots that have the same. */
  constructor(keyOf: (slot: number) => Key, compareKeys: (a: Key, b: Key) => number, within: Compare) {
    this.#keyOf = keyOf;
    this.#compareKeys = compareKeys;
    this.#within = within;
    this.compare = (a, b) => compareKeys(keyOf(a), keyOf(b)) || within(a, b);
  }

  replaceAll(sorted: Uint32Array): void {
    this.#byKey.clear();
    this.#groups = [];
    this.#size = sorted.length;
    for (let at = 0; at < sorted.length;) {
      const key = this.#keyOf(sorted[at]!);
      // Looked for by halves: the values of most slots need not be loaded.
      let [low, high] = [at + 1, sorted.length];
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (this.#keyOf(sorted[middle]!) === key) low = middle + 1;
        else high = middle;
      }
      this.#add({ key, slots: new Ordered(this.#within, sorted.subarray(at, low)) }, this.#groups.length);
      at = low;
    }
  }

  get size(): number {
    return this.#size;
  }

  insert(slot: number): void {
    const key = this.#keyOf(slot);
    let group = this.#byKey.get(key);
    if (group === undefined) {
      group = { key, slots: new Ordered(this.#within) };
      this.#add(
        group,
        this.#first((each) => this.#compareKeys(each.key, key) > 0),
      );
    }
    group.slots.insert(slot);
    this.#size++;
  }

  remove(slot: number): void {
    const key = this.#keyOf(slot);
    const group = this.#byKey.get(key);
    if (group === undefined) throw new Error(`slot ${slot} is missing from an order: a bug`);
    group.slots.remove(slot);
    this.#size--;
    if (group.slots.size > 0) return;
    this.#byKey.delete(key);
    this.#groups.splice(this.#groups.indexOf(group), 1);
  }

  rank(before: (slot: number) => boolean): number {
    const at = this.#first(({ slots }) => !before(slots.last!));
    let rank = this.#groups[at]?.slots.rank(before) ?? 0;
    for (let each = 0; each < at; each++) rank += this.#groups[each]!.slots.size;
    return rank;
  }

  slice(from: number, to: number): number[] {
    return sliceOf(this, from, to);
  }

  walk(from: number, visit: (slot: number) => boolean): boolean {
    let rest = from;
    for (const { slots } of this.#groups) {
      if (rest < slots.size && !slots.walk(rest, visit)) return false;
      rest = Math.max(0, rest - slots.size);
    }
    return true;
  }

  walkBack(below: number, visit: (slot: number) => boolean): boolean {
    let rest = this.#size - below;
    for (const { slots } of this.#groups.toReversed()) {
      if (rest < slots.size && !slots.walkBack(slots.size - rest, visit)) return false;
      rest = Math.max(0, rest - slots.size);
    }
    return true;
  }

  pick(set: Bits, skip: number, count: number, descending = false): number[] {
    const picked: number[] = [];
    if (count <= 0) return picked;
    let rest = skip;
    const visit = (slot: number): boolean => {
      if (!set.has(slot) || rest-- > 0) return true;
      return picked.push(slot) < count;
    };
    if (descending) this.walkBack(this.#size, visit);
    else this.walk(0, visit);
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

  #add(group: Group, at: number): void {
    this.#byKey.set(group.key, group);
    this.#groups.splice(at, 0, group);
  }

  /** Index of the first group that `is`; all behind it are, too. */
  #first(is: (group: Group) => boolean): number {
    let [low, high] = [0, this.#groups.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (is(this.#groups[middle]!)) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
