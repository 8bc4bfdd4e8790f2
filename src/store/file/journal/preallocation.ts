/**
 * The zeros after the records of an open segment: with them, a sync need not change the size of the file, and replay.ts can detect that the
 * file was cut after a record.
 *
 * States
 *   idle       zeros reach up to `#zeroedUpTo`
 *   extending  zeros are also being written from `#zeroedUpTo` on, while groups continue
 *
 * A group that ends before `#zeroedUpTo` is written in either state. Any other waits for `idle`, or the zeros in progress would overwrite it;
 * it brings padding and moves `#zeroedUpTo` behind that.
 */
import type { Disk, FileIdentity } from '../disk/disk.ts';

/** A new segment has as many zeros before a manifest names it. */
export const MIN_SEGMENT_BYTES = 256 * 1024;
const MAX_GROWTH_BYTES = 8 * 1024 * 1024;
const ZEROS = Buffer.alloc(64 * 1024);
/** Zeros after records that reach the end of the file. */
const PADDING = ZEROS.subarray(0, 512);

/** Buffers with so many zeros. */
export function createZeros(bytes: number): Buffer[] {
  const buffers: Buffer[] = [];
  for (let rest = bytes; rest > 0; rest -= ZEROS.length) buffers.push(ZEROS.subarray(0, rest));
  return buffers;
}

export class Preallocation {
  readonly #disk: Disk;
  readonly #segment: FileIdentity;
  #zeroedUpTo = MIN_SEGMENT_BYTES;
  #growthBytes = MIN_SEGMENT_BYTES;
  /** Set in the state `extending`; never rejects. */
  #extending: Promise<void> | undefined;

  constructor(disk: Disk, segment: FileIdentity) {
    this.#disk = disk;
    this.#segment = segment;
  }

  /** Waits until records may be written up to `end`. Returns the zeros that must be written after them. */
  async reserve(end: number): Promise<readonly Buffer[]> {
    if (end >= this.#zeroedUpTo) await this.#extending;
    if (end < this.#zeroedUpTo) return [];
    this.#zeroedUpTo = end + PADDING.length;
    return [PADDING];
  }

  /** Starts extending when few zeros are left after the records, which end at `end`. */
  extendIfDue(end: number): void {
    if (this.#extending !== undefined || this.#zeroedUpTo - end >= this.#growthBytes / 2) return;
    this.#growthBytes = Math.min(MAX_GROWTH_BYTES, this.#growthBytes * 2);
    // Without these zeros the next group extends the file itself, and reports the problem if it cannot.
    this.#extending = this.#extend(this.#growthBytes)
      .catch(() => {})
      .finally(() => (this.#extending = undefined));
  }

  /** Resolves in the state `idle`. */
  async whenIdle(): Promise<void> {
    await this.#extending;
  }

  /**
   * Through its own file handle: Linux reports a failed write once per handle, regardless of the writer, and the sync of a group must not
   * miss it.
   */
  async #extend(bytes: number): Promise<void> {
    const from = this.#zeroedUpTo;
    await using file = await this.#disk.open(this.#segment.path);
    const { device, inode } = await file.getStatus();
    // The path may name the file of another process.
    if (device !== this.#segment.device || inode !== this.#segment.inode) return;
    await file.write(createZeros(bytes), from);
    await file.sync();
    this.#zeroedUpTo = from + bytes;
  }
}
