/** The segment that is being written: a header, records, zeros. */
import type { Disk, DiskFile, FileIdentity } from '../disk/disk.ts';
import { removeFile } from '../disk/files.ts';
import { createZeros, MIN_SEGMENT_BYTES, Preallocation } from './preallocation.ts';
import { SEGMENT_HEADER, SEGMENT_HEADER_BYTES } from './segment-header.ts';

export class OpenSegment {
  readonly identity: FileIdentity;
  readonly #file: DiskFile;
  readonly #zeros: Preallocation;
  /** Durable length. */
  #bytes = SEGMENT_HEADER_BYTES;

  private constructor(disk: Disk, file: DiskFile, identity: FileIdentity) {
    this.#file = file;
    this.identity = identity;
    this.#zeros = new Preallocation(disk, identity);
  }

  /** Creates the file and makes its contents durable; its name is durable with the manifest that names it. */
  static async create(disk: Disk, path: string): Promise<OpenSegment> {
    const file = await disk.create(path);
    try {
      const identity = await file.getStatus();
      await file.write([SEGMENT_HEADER, ...createZeros(MIN_SEGMENT_BYTES - SEGMENT_HEADER_BYTES)], 0);
      await file.sync();
      return new OpenSegment(disk, file, identity);
    } catch (error) {
      await file.close();
      await removeFile(disk, path);
      throw error;
    }
  }

  get path(): string {
    return this.#file.path;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Whether the segment has no commits. */
  get isEmpty(): boolean {
    return this.#bytes === SEGMENT_HEADER_BYTES;
  }

  /** Writes records of so many bytes and makes them durable. After an error the segment must be closed. */
  async append(records: readonly Buffer[], bytes: number): Promise<void> {
    const end = this.#bytes + bytes;
    const padding = await this.#zeros.reserve(end);
    await this.#file.write([...records, ...padding], this.#bytes);
    await this.#file.sync();
    this.#bytes = end;
    this.#zeros.extendIfDue(end);
  }

  /**
   * Removes what an append that failed has written. Matters only if the process ends before the next write: then neither half a commit nor
   * a rejected one should be replayed. A power cut at that moment may bring a rejected commit back, because the disk just failed to sync. By
   * handle, because the path may name the file of another process. One byte stays, because a file that ends with a record counts as cut; it
   * becomes zero, or the next start would report an incomplete write. Overwriting it needs no room on a full disk.
   */
  async discardTail(): Promise<void> {
    await this.#zeros.whenIdle();
    try {
      await this.#file.truncate(this.#bytes + 1);
      await this.#file.write(createZeros(1), this.#bytes);
    } catch {
      // The next start removes the rest.
    }
  }

  async close(): Promise<void> {
    await this.#zeros.whenIdle();
    await this.#file.close();
  }
}
