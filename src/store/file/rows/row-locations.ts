/** The location of each slot's row: three numbers per slot, in one typed array. */
import { createNumberArray } from '../values/number-array.ts';
import type { RowLocation } from './allocator.ts';

/** Numbers per slot: slab, offset and length. */
const ENTRY_LENGTH = 3;
const NO_ENTRIES = createNumberArray(0);

export class RowLocations {
  #entries = NO_ENTRIES;

  get(slot: number): RowLocation {
    const at = slot * ENTRY_LENGTH;
    return { slab: this.#entries[at]!, offset: this.#entries[at + 1]!, length: this.#entries[at + 2]! };
  }

  /** Length of a slot's row in bytes. */
  getLength(slot: number): number {
    return this.#entries[slot * ENTRY_LENGTH + 2]!;
  }

  /** The slot must have been reserved. */
  set(slot: number, { slab, offset, length }: RowLocation): void {
    const at = slot * ENTRY_LENGTH;
    this.#entries[at] = slab;
    this.#entries[at + 1] = offset;
    this.#entries[at + 2] = length;
  }

  /** Locates the slots from `first` on next to each other in a slab; returns the offset after the last one. */
  setConsecutive(first: number, slab: number, offset: number, lengths: Uint32Array): number {
    let nextOffset = offset;
    for (let each = 0; each < lengths.length; each++) {
      const length = lengths[each]!;
      this.set(first + each, { slab, offset: nextOffset, length });
      nextOffset += length;
    }
    return nextOffset;
  }

  /** Grows the array to hold at least so many slots. */
  reserve(slots: number): void {
    const size = this.#entries.length / ENTRY_LENGTH;
    if (slots <= size) return;
    const entries = createNumberArray(Math.max(slots, Math.ceil(size * 1.5)) * ENTRY_LENGTH);
    for (let at = 0; at < this.#entries.length; at++) entries[at] = this.#entries[at]!;
    this.#entries = entries;
  }
}
