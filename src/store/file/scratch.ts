/**
 * Room for slots while one query runs. Arrays made for each query would be megabytes of garbage a second, and V8 looks through its whole
 * heap for every so many of them.
 */

/** Above this many slots an array is made: no query that broad comes often enough to keep memory for it. */
const MOST = 1 << 18;

export class Scratch {
  #array = new Uint32Array(1024);

  /** Room whose content is not cleared, and good until it is asked for again. */
  take(length: number): Uint32Array {
    if (length > MOST) return new Uint32Array(length);
    if (length > this.#array.length) this.#array = new Uint32Array(Math.min(MOST, length * 2));
    return this.#array.subarray(0, length);
  }
}
