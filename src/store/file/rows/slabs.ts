/**
 * The memory of rows: a few large buffers (slabs) instead of a million small objects that the garbage collector would have to visit.
 *
 * A row version stays in its slab until the next checkpoint finds the slab sparse and moves its live rows (compaction). A slab without live
 * bytes is freed.
 */

import { freeUnaccounted, allocateUnaccounted } from './unaccounted-memory.ts';

/** Size of the slabs for new rows. */
export const SLAB_BYTES = 1 << 20;
/** A slab with a smaller share of live bytes is sparse: the next checkpoint moves its rows. */
const MIN_LIVE_RATIO = 0.6;

/**
 * Above this much, row memory is accounted like any other. V8 collects garbage whenever memory has doubled, which is rare when there is
 * much of it, and then also finds other garbage, such as the keys that a checkpoint was read with. Dead bytes in slabs that are still in
 * use do not count here: no collection could free them, and two or three collections per checkpoint would try.
 */
const MAX_UNACCOUNTED_BYTES = 256 << 20;

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

  /** Allocates memory for a slab. */
  allocate(bytes: number): Buffer {
    return this.#liveBytes < MAX_UNACCOUNTED_BYTES ? allocateUnaccounted(bytes) : Buffer.allocUnsafeSlow(bytes);
  }

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

  /** Frees all memory together, when the state is replaced. */
  freeAll(): void {
    for (const slab of this.#slabs) if (slab) freeUnaccounted(slab.buffer);
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
    freeUnaccounted(buffer);
    this.#slabs[slab] = undefined;
    this.#freeNumbers.push(slab);
  }
}
