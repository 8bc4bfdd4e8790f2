/**
 * The memory of rows: a few large buffers (slabs) instead of a million small objects that the garbage collector would have to visit.
 *
 * A row version stays in its slab until the next checkpoint finds the slab sparse and moves its live rows (compaction). A slab without live
 * bytes is freed.
 */

/** Size of the slabs for new rows. */
export const SLAB_BYTES = 1 << 20;
/** A slab with a smaller share of live bytes is sparse: the next checkpoint moves its rows. */
const MIN_LIVE_RATIO = 0.6;

interface Slab {
  readonly buffer: Buffer;
  /** Bytes of rows and of replaced versions that a rollback may need. */
  liveBytes: number;
  /** Bytes written; 0 until the slab is sealed. */
  usedBytes: number;
}

export class Slabs {
  readonly #slabs: (Slab | undefined)[] = [];
  readonly #freeNumbers: number[] = [];
  #totalBytes = 0;
  #liveBytes = 0;

  /** Adds a slab and returns its number. It stays until it has been sealed and has no live bytes. */
  add(buffer: Buffer): number {
    const slab = this.#freeNumbers.pop() ?? this.#slabs.length;
    this.#slabs[slab] = { buffer, liveBytes: 0, usedBytes: 0 };
    this.#totalBytes += buffer.length;
    return slab;
  }

  /** Ends writing to a slab. `usedBytes` of it have been written. */
  seal(slab: number, usedBytes: number): void {
    this.#slabs[slab]!.usedBytes = Math.max(1, usedBytes);
    this.#freeIfDead(slab);
  }

  retain(slab: number, bytes: number): void {
    this.#slabs[slab]!.liveBytes += bytes;
    this.#liveBytes += bytes;
  }

  release(slab: number, bytes: number): void {
    this.#slabs[slab]!.liveBytes -= bytes;
    this.#liveBytes -= bytes;
    this.#freeIfDead(slab);
  }

  getBuffer(slab: number): Buffer {
    return this.#slabs[slab]!.buffer;
  }

  /** Whether so few bytes are live that the rows should move to another slab. */
  isSparse(slab: number): boolean {
    const { liveBytes, usedBytes } = this.#slabs[slab]!;
    return liveBytes < usedBytes * MIN_LIVE_RATIO;
  }

  /** Allocated bytes, dead ones included. */
  get totalBytes(): number {
    return this.#totalBytes;
  }

  /** Bytes of rows and of replaced versions that a rollback may need. */
  get liveBytes(): number {
    return this.#liveBytes;
  }

  #freeIfDead(slab: number): void {
    const { buffer, liveBytes, usedBytes } = this.#slabs[slab]!;
    if (liveBytes > 0 || usedBytes === 0) return;
    this.#totalBytes -= buffer.length;
    this.#slabs[slab] = undefined;
    this.#freeNumbers.push(slab);
  }
}
