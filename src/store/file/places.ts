/** Where the bytes of each slot's row lie: three numbers a slot, in typed arrays. */
import type { Place } from './arena.ts';

export class Places {
  #slabOf = new Uint32Array(16);
  #offsetOf = new Uint32Array(16);
  #lengthOf = new Uint32Array(16);

  at(slot: number): Place {
    return { slab: this.#slabOf[slot]!, offset: this.#offsetOf[slot]!, length: this.#lengthOf[slot]! };
  }

  /** Bytes of a slot's row. */
  lengthOf(slot: number): number {
    return this.#lengthOf[slot]!;
  }

  /** There must be room for the slot. */
  set(slot: number, { slab, offset, length }: Place): void {
    this.#slabOf[slot] = slab;
    this.#offsetOf[slot] = offset;
    this.#lengthOf[slot] = length;
  }

  /** Places slots from `first` on one behind the other in a slab; says where the last one ends. */
  setAll(first: number, slab: number, offset: number, lengths: Uint32Array): number {
    this.#slabOf.fill(slab, first, first + lengths.length);
    this.#lengthOf.set(lengths, first);
    const offsets = this.#offsetOf;
    let start = offset;
    for (let at = 0; at < lengths.length; at++) {
      offsets[first + at] = start;
      start += lengths[at]!;
    }
    return start;
  }

  /** Makes room for so many slots. */
  reserve(slots: number): void {
    if (slots <= this.#slabOf.length) return;
    const grow = (array: Uint32Array): Uint32Array<ArrayBuffer> => {
      const grown = new Uint32Array(Math.max(slots, Math.ceil(array.length * 1.5)));
      grown.set(array);
      return grown;
    };
    this.#slabOf = grow(this.#slabOf);
    this.#offsetOf = grow(this.#offsetOf);
    this.#lengthOf = grow(this.#lengthOf);
  }
}
