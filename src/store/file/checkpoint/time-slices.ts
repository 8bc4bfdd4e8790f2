/**
 * Divides long work into slices that take about equally long on any machine. Slices start short, because the code of the first ones is
 * cold, grow while they are fast, and shrink after a slow one.
 */

const SLICE_MS = 2;

/** Minimum and maximum number of slots per slice. */
export interface SliceLimits {
  readonly min: number;
  readonly max: number;
}

export class TimeSlicer {
  readonly #min: number;
  readonly #max: number;
  #length: number;

  constructor({ min, max }: SliceLimits) {
    this.#min = min;
    this.#max = max;
    this.#length = min;
  }

  /** Runs `work` for the slice at a position and returns its number of slots. */
  runSlice(slots: Uint32Array, at: number, work: (slice: Uint32Array) => void): number {
    const slice = slots.subarray(at, at + this.#length);
    const startedAt = performance.now();
    work(slice);
    const tookMs = performance.now() - startedAt;
    if (tookMs > SLICE_MS) this.#length = Math.max(this.#min, this.#length / 2);
    else if (tookMs < SLICE_MS / 2) this.#length = Math.min(this.#max, this.#length * 2);
    return slice.length;
  }
}
