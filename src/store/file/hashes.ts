/**
 * From a value to its slot, in two typed arrays: open addressing with linear probing. A Map would do, but a million of its
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

export class HashIndex {
  /** 0 where nothing is. */
  #hashes = new Uint32Array(8);
  #slots = new Uint32Array(8);
  #count = 0;

  get size(): number {
    return this.#count;
  }

  /** The slot with this hash that `is` the one. */
  find(hash: number, is: (slot: number) => boolean): number | undefined {
    const mask = this.#hashes.length - 1;
    for (let at = hash & mask; this.#hashes[at] !== 0; at = (at + 1) & mask) {
      if (this.#hashes[at] === hash && is(this.#slots[at]!)) return this.#slots[at];
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
    const [hashes, slots] = [this.#hashes, this.#slots];
    const mask = hashes.length - 1;
    let count = 0;
    for (let each = 0; each < added.length; each++) {
      const hash = added[each]!;
      if (hash === 0) continue;
      let at = hash & mask;
      while (hashes[at] !== 0) at = (at + 1) & mask;
      hashes[at] = hash;
      slots[at] = first + each;
      count++;
    }
    this.#count += count;
  }

  remove(hash: number, slot: number): void {
    const hashes = this.#hashes;
    const mask = hashes.length - 1;
    let at = hash & mask;
    while (hashes[at] !== hash || this.#slots[at] !== slot) {
      if (hashes[at] === 0) return;
      at = (at + 1) & mask;
    }
    this.#count--;
    // Whatever was pushed on by this entry moves back, so that no search ends too early.
    for (let next = (at + 1) & mask; hashes[next] !== 0; next = (next + 1) & mask) {
      const home = hashes[next]! & mask;
      if (((next - home) & mask) < ((next - at) & mask)) continue;
      hashes[at] = hashes[next]!;
      this.#slots[at] = this.#slots[next]!;
      at = next;
    }
    hashes[at] = 0;
  }

  /** Makes room for so many at once. */
  reserve(count: number): void {
    let size = this.#hashes.length;
    while (count > size * 0.7) size *= 2;
    if (size === this.#hashes.length) return;
    const [hashes, slots] = [this.#hashes, this.#slots];
    this.#hashes = new Uint32Array(size);
    this.#slots = new Uint32Array(size);
    for (let at = 0; at < hashes.length; at++) if (hashes[at] !== 0) this.#place(hashes[at]!, slots[at]!);
  }

  #place(hash: number, slot: number): void {
    const mask = this.#hashes.length - 1;
    let at = hash & mask;
    while (this.#hashes[at] !== 0) at = (at + 1) & mask;
    this.#hashes[at] = hash;
    this.#slots[at] = slot;
  }
}
