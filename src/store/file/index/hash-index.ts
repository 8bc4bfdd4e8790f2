/**
 * A hash index from values to slots in one typed array: open addressing with linear probing. A million entries of a Map would take 45 MB.
 */
import type { Value } from '../../../domain/kernel/ports.ts';
import { createNumberArray } from '../values/number-array.ts';

/** Hashes a value to a 32-bit number above zero. */
export function hashValue(value: Value, seed: number): number {
  const text = typeof value === 'string' ? value : `${typeof value}:${value}`;
  let hash = seed ^ text.length;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0 || 1;
}

/** Numbers per entry: a hash, 0 when the entry is empty, and a slot. */
const ENTRY_LENGTH = 2;
/** One empty entry, shared by all indexes that are empty. */
const NO_ENTRIES = createNumberArray(ENTRY_LENGTH);

export class HashIndex {
  /** Hash and slot side by side, because both are read together. */
  #entries = NO_ENTRIES;
  #count = 0;
  /** Whether another index may have the same entries. */
  #isShared = false;

  /** Takes the entries of another index. Each of the two copies them before it changes. */
  share(source: HashIndex): void {
    this.#entries = source.#entries;
    this.#count = source.#count;
    this.#isShared = source.#isShared = true;
  }

  get size(): number {
    return this.#count;
  }

  /** The slot with this hash for which `matches` is true. */
  find(hash: number, matches: (slot: number) => boolean): number | undefined {
    const entries = this.#entries;
    const mask = entries.length - 1;
    for (let at = (hash << 1) & mask; entries[at] !== 0; at = (at + ENTRY_LENGTH) & mask) {
      if (entries[at] === hash && matches(entries[at + 1]!)) return entries[at + 1];
    }
    return undefined;
  }

  /** Adds an entry, which must not exist. */
  add(hash: number, slot: number): void {
    this.#unshare();
    this.#reserve(this.#count + 1);
    this.#insert(hash, slot);
    this.#count++;
  }

  remove(hash: number, slot: number): void {
    this.#unshare();
    const entries = this.#entries;
    const mask = entries.length - 1;
    let at = (hash << 1) & mask;
    while (entries[at] !== hash || entries[at + 1] !== slot) {
      if (entries[at] === 0) return;
      at = (at + ENTRY_LENGTH) & mask;
    }
    this.#count--;
    // Move entries back that this one had displaced, so that no search ends too early.
    for (let next = (at + ENTRY_LENGTH) & mask; entries[next] !== 0; next = (next + ENTRY_LENGTH) & mask) {
      const home = (entries[next]! << 1) & mask;
      if (((next - home) & mask) < ((next - at) & mask)) continue;
      entries[at] = entries[next]!;
      entries[at + 1] = entries[next + 1]!;
      at = next;
    }
    entries[at] = 0;
  }

  #unshare(): void {
    if (!this.#isShared) return;
    this.#isShared = false;
    // Also without an entry: the table can have room, which the other index would fill, too.
    this.#entries = this.#entries.slice();
  }

  /** Grows the table to hold at least so many entries. */
  #reserve(count: number): void {
    let size = this.#entries.length / ENTRY_LENGTH;
    while (count > size * 0.7) size *= 2;
    if (size * ENTRY_LENGTH === this.#entries.length) return;
    const entries = this.#entries;
    this.#entries = createNumberArray(size * ENTRY_LENGTH);
    for (let at = 0; at < entries.length; at += ENTRY_LENGTH) if (entries[at] !== 0) this.#insert(entries[at]!, entries[at + 1]!);
  }

  #insert(hash: number, slot: number): void {
    const entries = this.#entries;
    const mask = entries.length - 1;
    let at = (hash << 1) & mask;
    while (entries[at] !== 0) at = (at + ENTRY_LENGTH) & mask;
    entries[at] = hash;
    entries[at + 1] = slot;
  }
}
