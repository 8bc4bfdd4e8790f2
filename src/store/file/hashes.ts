/**
 * From a value to its slot, in a typed array: open addressing with linear probing. A Map would do, but a million of its
 * entries cost 45 MB and have to be put in one by one at every start; hashes can be kept in a file.
 */
import type { Value } from '../../domain/ports.ts';

/** A number above zero for a value; the same for equal values and equal seeds. */
export function hashOf(value: Value, seed: number): number {
  const text = typeof value === 'string' ? value : `${typeof value}:${value}`;
  let hash = seed ^ text.length;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0 || 1;
}

/** Numbers in an entry: a hash, 0 where nothing is, and its slot. */
const ENTRY = 2;

export class HashIndex {
  /** Hash and slot side by side: to find one is to have the other at hand. */
  #entries = new Uint32Array(8 * ENTRY);
  #count = 0;

  get size(): number {
    return this.#count;
  }

  /** The slot with this hash that `is` the one. */
  find(hash: number, is: (slot: number) => boolean): number | undefined {
    const entries = this.#entries;
    const mask = entries.length - 1;
    for (let at = (hash << 1) & mask; entries[at] !== 0; at = (at + ENTRY) & mask) {
      if (entries[at] === hash && is(entries[at + 1]!)) return entries[at + 1];
    }
    return undefined;
  }

  /** The caller knows that it is not there. */
  add(hash: number, slot: number): void {
    this.reserve(this.#count + 1);
    this.#place(hash, slot);
    this.#count++;
  }

  /** Adds consecutive slots from `first` on; none for a hash of 0. There is room for them. */
  addAll(added: Uint32Array, first: number): void {
    const entries = this.#entries;
    const mask = entries.length - 1;
    let count = 0;
    for (let each = 0; each < added.length; each++) {
      const hash = added[each]!;
      if (hash === 0) continue;
      let at = (hash << 1) & mask;
      while (entries[at] !== 0) at = (at + ENTRY) & mask;
      entries[at] = hash;
      entries[at + 1] = first + each;
      count++;
    }
    this.#count += count;
  }

  remove(hash: number, slot: number): void {
    const entries = this.#entries;
    const mask = entries.length - 1;
    let at = (hash << 1) & mask;
    while (entries[at] !== hash || entries[at + 1] !== slot) {
      if (entries[at] === 0) return;
      at = (at + ENTRY) & mask;
    }
    this.#count--;
    // Whatever was pushed on by this entry moves back, so that no search ends too early.
    for (let next = (at + ENTRY) & mask; entries[next] !== 0; next = (next + ENTRY) & mask) {
      const home = (entries[next]! << 1) & mask;
      if (((next - home) & mask) < ((next - at) & mask)) continue;
      entries[at] = entries[next]!;
      entries[at + 1] = entries[next + 1]!;
      at = next;
    }
    entries[at] = 0;
  }

  /** Makes room for so many at once. */
  reserve(count: number): void {
    let size = this.#entries.length / ENTRY;
    while (count > size * 0.7) size *= 2;
    if (size * ENTRY === this.#entries.length) return;
    const entries = this.#entries;
    this.#entries = new Uint32Array(size * ENTRY);
    for (let at = 0; at < entries.length; at += ENTRY) if (entries[at] !== 0) this.#place(entries[at]!, entries[at + 1]!);
  }

  #place(hash: number, slot: number): void {
    const entries = this.#entries;
    const mask = entries.length - 1;
    let at = (hash << 1) & mask;
    while (entries[at] !== 0) at = (at + ENTRY) & mask;
    entries[at] = hash;
    entries[at + 1] = slot;
  }
}
