/** Where the bytes of rows live: a few large buffers instead of a million small objects, which the collector would have to visit. */

/** New rows go into slabs of this size; it is also what a dead byte can pin at most. */
export const SLAB_BYTES = 1 << 20;

export class Slabs {
  readonly #buffers: (Buffer | undefined)[] = [];
  /** Rows and undo entries that still need the slab. */
  readonly #users: number[] = [];
  readonly #free: number[] = [];
  #bytes = 0;

  /** Takes a buffer in; it stays as long as it has users. The caller holds one use until `release`. */
  adopt(buffer: Buffer): number {
    const slab = this.#free.pop() ?? this.#buffers.length;
    this.#buffers[slab] = buffer;
    this.#users[slab] = 1;
    this.#bytes += buffer.length;
    return slab;
  }

  hold(slab: number): void {
    this.#users[slab]!++;
  }

  release(slab: number): void {
    if (--this.#users[slab]! > 0) return;
    this.#bytes -= this.#buffers[slab]!.length;
    this.#buffers[slab] = undefined;
    this.#free.push(slab);
  }

  buffer(slab: number): Buffer {
    return this.#buffers[slab]!;
  }

  /** Memory held, dead bytes included. */
  get bytes(): number {
    return this.#bytes;
  }
}
