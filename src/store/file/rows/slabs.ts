/**
 * The memory of rows: a few large buffers (slabs) instead of a million small objects that the garbage collector would have to visit.
 *
 * A row version stays in its slab until the next checkpoint finds the slab sparse and moves its live rows (compaction). A slab without live
 * bytes is freed.
 */

/** Size of the slabs for new rows. */
const SLAB_BYTES = 1 << 20;
/** A slab with a smaller share of live bytes is sparse: the next checkpoint moves its rows. */
const MIN_LIVE_RATIO = 0.6;

/** The bytes of a row version: slab number, offset and length in bytes. */
export interface RowLocation {
  readonly slab: number;
  readonly offset: number;
  readonly length: number;
}

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
  /** Where rows of sparse slabs move to. */
  readonly #moved = new SlabWriter(this);
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

  retain({ slab, length }: RowLocation): void {
    this.#slabs[slab]!.liveBytes += length;
    this.#liveBytes += length;
  }

  release({ slab, length }: RowLocation): void {
    this.#slabs[slab]!.liveBytes -= length;
    this.#liveBytes -= length;
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

  /** Copies a row to another slab, and returns its new location. */
  move(row: RowLocation): RowLocation {
    const target = this.#moved;
    if (target.freeBytes < row.length) target.startSlab(row.length);
    this.getBuffer(row.slab).copy(target.buffer, target.position, row.offset, row.offset + row.length);
    const moved = target.advance(row.length);
    this.retain(moved);
    this.release(row);
    return moved;
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

/** Fills one slab after another. */
export class SlabWriter {
  readonly #slabs: Slabs;
  #slab = -1;
  buffer: Buffer = Buffer.alloc(0);
  position = 0;

  constructor(slabs: Slabs) {
    this.#slabs = slabs;
  }

  get freeBytes(): number {
    return this.buffer.length - this.position;
  }

  /** Seals the slab and starts one with room for so many bytes. */
  startSlab(minBytes: number): void {
    if (this.#slab >= 0) this.#slabs.seal(this.#slab, this.position);
    this.buffer = Buffer.allocUnsafeSlow(Math.max(SLAB_BYTES, minBytes));
    this.#slab = this.#slabs.add(this.buffer);
    this.position = 0;
  }

  /** The location of so many bytes that have been written at the position, which moves behind them. */
  advance(length: number): RowLocation {
    const location = { slab: this.#slab, offset: this.position, length };
    this.position += length;
    return location;
  }
}
