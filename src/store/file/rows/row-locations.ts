/** The location of each slot's row: three numbers per slot. */
import { createNumberArray } from '../values/number-array.ts';
import type { RowLocation } from './slabs.ts';

/** Numbers per slot: slab, offset and length. */
const ENTRY_LENGTH = 3;
const NO_ENTRIES = createNumberArray(0);

export class RowLocations {
  #entries = NO_ENTRIES;
  /** Whether others may have the same entries. */
  #isShared = false;

  /** Takes those of others. Each of the two copies them before it changes. */
  share(source: RowLocations): void {
    this.#entries = source.#entries;
    this.#isShared = source.#isShared = true;
  }

  get(slot: number): RowLocation {
    const at = slot * ENTRY_LENGTH;
    return { slab: this.#entries[at]!, offset: this.#entries[at + 1]!, length: this.#entries[at + 2]! };
  }

  /** Length of a slot's row in bytes; 0 when the slot is free. */
  getLength(slot: number): number {
    return this.#entries[slot * ENTRY_LENGTH + 2]!;
  }

  set(slot: number, { slab, offset, length }: RowLocation): void {
    this.#unshare();
    const at = slot * ENTRY_LENGTH;
    if (at >= this.#entries.length) this.#grow(slot + 1);
    this.#entries[at] = slab;
    this.#entries[at + 1] = offset;
    this.#entries[at + 2] = length;
  }

  free(slot: number): void {
    this.#unshare();
    this.#entries[slot * ENTRY_LENGTH + 2] = 0;
  }

  #unshare(): void {
    if (!this.#isShared) return;
    this.#isShared = false;
    this.#entries = this.#entries.slice();
  }

  #grow(slots: number): void {
    const grown = createNumberArray(Math.max(slots, Math.ceil((this.#entries.length / ENTRY_LENGTH) * 1.5)) * ENTRY_LENGTH);
    for (let at = 0; at < this.#entries.length; at++) grown[at] = this.#entries[at]!;
    this.#entries = grown;
  }
}
