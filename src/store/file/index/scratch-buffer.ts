/**
 * A reusable array of slots for the duration of one query. Arrays allocated per query would be megabytes of garbage a second, and V8 would
 * collect its whole heap after every so many of them.
 */

/** Longer arrays are allocated: such broad queries are too rare to keep memory for them. */
const MAX_KEPT_SLOTS = 1 << 18;

export class ScratchBuffer {
  #array = new Uint32Array(1024);

  /** Returns an array with arbitrary contents, valid until the next call. */
  take(length: number): Uint32Array {
    if (length > MAX_KEPT_SLOTS) return new Uint32Array(length);
    if (length > this.#array.length) this.#array = new Uint32Array(Math.min(MAX_KEPT_SLOTS, length * 2));
    return this.#array.subarray(0, length);
  }
}
