/** The location of each slot's row: three numbers per slot, in typed arrays. */
import type { RowLocation } from './allocator.ts';

export class RowLocations {
  #slabs = new Uint32Array(16);
  #offsets = new Uint32Array(16);
  #lengths = new Uint32Array(16);

  get(slot: number): RowLocation {
    return { slab: this.#slabs[slot]!, offset: this.#offsets[slot]!, length: this.#lengths[slot]! };
  }

  /** Length of a slot's row in bytes. */
  getLength(slot: number): number {
    return this.#lengths[slot]!;
  }

  /** The slot must have been reserved. */
  set(slot: number, { slab, offset, length }: RowLocation): void {
    this.#slabs[slot] = slab;
    this.#offsets[slot] = offset;
    this.#lengths[slot] = length;
  }

  /** Locates the slots from `first` on next to each other in a slab; returns the offset after the last one. */
  setConsecutive(first: number, slab: number, offset: number, lengths: Uint32Array): number {
    this.#slabs.fill(slab, first, first + lengths.length);
    this.#lengths.set(lengths, first);
    const offsets = this.#offsets;
    let nextOffset = offset;
    for (let at = 0; at < lengths.length; at++) {
      offsets[first + at] = nextOffset;
      nextOffset += lengths[at]!;
    }
    return nextOffset;
  }

  /** Grows the arrays to hold at least so many slots. */
  reserve(slots: number): void {
    if (slots <= this.#slabs.length) return;
    const grow = (array: Uint32Array): Uint32Array<ArrayBuffer> => {
      const grown = new Uint32Array(Math.max(slots, Math.ceil(array.length * 1.5)));
      grown.set(array);
      return grown;
    };
    this.#slabs = grow(this.#slabs);
    this.#offsets = grow(this.#offsets);
    this.#lengths = grow(this.#lengths);
  }
}
