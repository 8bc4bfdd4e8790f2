/**
 * Long work in slices that take about as long on any machine: they begin short, because the code of the first ones is cold, grow while they
 * are quick, and shrink when one was not.
 */

const SLICE_MS = 2;

/** Slots of a slice. */
export interface SliceLengths {
  readonly least: number;
  readonly most: number;
}

export class Slices {
  readonly #least: number;
  readonly #most: number;
  #length: number;

  constructor({ least, most }: SliceLengths) {
    this.#least = least;
    this.#most = most;
    this.#length = least;
  }

  /** Does the work for the slice that begins at a position, and returns how many slots that were. */
  take(slots: Uint32Array, at: number, work: (slice: Uint32Array) => void): number {
    const slice = slots.subarray(at, at + this.#length);
    const begunAt = performance.now();
    work(slice);
    const tookMs = performance.now() - begunAt;
    if (tookMs > SLICE_MS) this.#length = Math.max(this.#least, this.#length / 2);
    else if (tookMs < SLICE_MS / 2) this.#length = Math.min(this.#most, this.#length * 2);
    return slice.length;
  }
}
