/** Where the bytes of rows live: a few large buffers instead of a million small objects, which the collector would have to visit. */

import { giveUp, uncounted } from './uncounted.ts';

/** New rows go into slabs of this size. */
export const SLAB_BYTES = 1 << 20;
/** A slab with a smaller part of live bytes is given up at the next checkpoint: its rows move. */
const LEAST_LIVE = 0.6;

/**
 * With more rows than this V8 counts their memory like any other: it looks for garbage whenever so much has been added as there was, which is seldom
 * where there is much, and then finds what else has become garbage, such as the keys that a checkpoint was read with. What lies dead in slabs
 * that are still held does not matter here: no collection could free it, and two or three of them came into every checkpoint.
 */
const UNCOUNTED_BYTES = 256 << 20;

interface Slab {
  readonly buffer: Buffer;
  /** Bytes of rows, and of rows that a transaction may have to put back. */
  live: number;
  /** Bytes written; 0 while it is being filled. */
  used: number;
}

export class Slabs {
  readonly #slabs: (Slab | undefined)[] = [];
  readonly #free: number[] = [];
  #bytes = 0;
  #live = 0;

  /** Memory for a slab of so many bytes. */
  make(bytes: number): Buffer {
    return this.#live < UNCOUNTED_BYTES ? uncounted(bytes) : Buffer.allocUnsafeSlow(bytes);
  }

  /** Takes a buffer in. It stays while the caller fills it, and as long as it has rows. */
  adopt(buffer: Buffer): number {
    const slab = this.#free.pop() ?? this.#slabs.length;
    this.#slabs[slab] = { buffer, live: 0, used: 0 };
    this.#bytes += buffer.length;
    return slab;
  }

  /** The caller has filled it with so many bytes. */
  leave(slab: number, used: number): void {
    this.#slabs[slab]!.used = Math.max(1, used);
    this.#dropIfDead(slab);
  }

  /** Gives all of it up: other data take its place. */
  end(): void {
    for (const slab of this.#slabs) if (slab) giveUp(slab.buffer);
  }

  hold(slab: number, bytes: number): void {
    this.#slabs[slab]!.live += bytes;
    this.#live += bytes;
  }

  release(slab: number, bytes: number): void {
    this.#slabs[slab]!.live -= bytes;
    this.#live -= bytes;
    this.#dropIfDead(slab);
  }

  buffer(slab: number): Buffer {
    return this.#slabs[slab]!.buffer;
  }

  /** Whether so little of it is alive that its rows had better move. */
  sparse(slab: number): boolean {
    const { live, used } = this.#slabs[slab]!;
    return live < used * LEAST_LIVE;
  }

  /** Memory held, dead bytes included. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Bytes of rows, and of rows that a transaction may have to put back. */
  get live(): number {
    return this.#live;
  }

  #dropIfDead(slab: number): void {
    const { buffer, live, used } = this.#slabs[slab]!;
    if (live > 0 || used === 0) return;
    this.#bytes -= buffer.length;
    giveUp(buffer);
    this.#slabs[slab] = undefined;
    this.#free.push(slab);
  }
}
