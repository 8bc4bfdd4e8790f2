/** The manifest in use, and the files that it needs no more. */
import type { Disk } from '../disk/disk.ts';
import { removeFile } from '../disk/files.ts';
import { type Manifest, type Segment, writeManifest } from '../manifest.ts';
import { SEGMENT_HEADER_BYTES } from './segment-header.ts';

export class CurrentManifest {
  readonly #disk: Disk;
  readonly #directory: string;
  #manifest: Manifest;
  /** Paths of files that no manifest names once the next one is in place. */
  #unnamed: string[] = [];

  constructor(disk: Disk, directory: string, manifest: Manifest) {
    this.#disk = disk;
    this.#directory = directory;
    this.#manifest = manifest;
  }

  get value(): Manifest {
    return this.#manifest;
  }

  /** Returns a number for the name of a new file. */
  takeFileNumber(): number {
    const { next } = this.#manifest;
    this.#manifest = { ...this.#manifest, next: next + 1 };
    return next;
  }

  /** Replaces the manifest on disk. When that fails, either may be in place. */
  async replace(manifest: Manifest): Promise<void> {
    await writeManifest(this.#disk, this.#directory, manifest);
    // File numbers taken meanwhile stay taken.
    this.#manifest = { ...manifest, next: this.#manifest.next };
  }

  /** The open segment is not written any more. The next manifest names it with its length. */
  closeSegment(bytes: number): void {
    this.#manifest = { ...this.#manifest, segments: this.listClosedSegments(bytes) };
  }

  /** The segments once the open one, the only one without a length, is closed with so many bytes. Those without commits are not needed. */
  listClosedSegments(openBytes: number): Segment[] {
    return this.#manifest.segments
      .map(({ file, bytes = openBytes, hasHeader }) => ({ file, bytes, ...(hasHeader && { hasHeader }) }))
      .filter(({ bytes, hasHeader }) => bytes > (hasHeader ? SEGMENT_HEADER_BYTES : 0));
  }

  /** To be removed once another manifest is in place. */
  addUnnamed(path: string): void {
    this.#unnamed.push(path);
  }

  async removeUnnamed(): Promise<void> {
    const paths = this.#unnamed;
    this.#unnamed = [];
    for (const path of paths) await removeFile(this.#disk, path);
  }
}
