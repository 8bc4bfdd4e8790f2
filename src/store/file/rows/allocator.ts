/**
 * Writes journal records into slabs. The bytes of a row stay where they are written: the journal writes them to disk from there and the
 * table reads them from there, so a row is serialized only once.
 */
import { HEADER_BYTES } from '../journal-record.ts';
import { SLAB_BYTES, type Slabs } from './slabs.ts';

/** The bytes of a row: slab number, offset and length in bytes. */
export interface RowLocation {
  readonly slab: number;
  readonly offset: number;
  readonly length: number;
}

/** Start a record in a new slab when fewer bytes than this are free. */
const MIN_FREE_BYTES = 8192;

export class RowAllocator {
  readonly #slabs: Slabs;
  #slab = -1;
  #buffer: Buffer = Buffer.alloc(0);
  #position = 0;
  /** Of the record being written: the start of its current chunk, and the chunks before it. */
  #start = 0;
  #chunks: Buffer[] = [];

  constructor(slabs: Slabs) {
    this.#slabs = slabs;
  }

  /** Starts a record, leaving space for its header. */
  beginRecord(): void {
    if (this.#buffer.length - this.#position < MIN_FREE_BYTES) this.#startSlab(MIN_FREE_BYTES);
    this.#start = this.#position;
    this.#chunks = [];
    this.#position += HEADER_BYTES;
  }

  /** Appends text to the record and returns its location. */
  appendText(text: string): RowLocation {
    if (this.#buffer.length - this.#position < text.length * 3) {
      const length = Buffer.byteLength(text);
      if (this.#buffer.length - this.#position < length) {
        this.#endChunk();
        this.#startSlab(length);
        this.#start = 0;
      }
    }
    const length = this.#buffer.write(text, this.#position, 'utf8');
    const location = { slab: this.#slab, offset: this.#position, length };
    this.#position += length;
    return location;
  }

  /**
   * Adds several texts in one write, which costs half as much as a write for each, and returns their locations. Returns undefined, with nothing
   * added, when they may not fit into this slab or are not ASCII: the caller then adds and stores them one at a time, because a slab without
   * stored rows is freed as soon as the next one is started.
   */
  appendTexts(texts: readonly string[]): RowLocation[] | undefined {
    let all = '';
    for (const text of texts) all += text;
    const start = this.#position;
    const fits = this.#buffer.length - start >= all.length * 3;
    // The locations follow from the text lengths only while every character takes one byte.
    if (!fits || this.#buffer.write(all, start, 'utf8') !== all.length) return undefined;
    const locations: RowLocation[] = [];
    for (const { length } of texts) {
      locations.push({ slab: this.#slab, offset: this.#position, length });
      this.#position += length;
    }
    return locations;
  }

  /** Ends the record and returns its chunks; the first begins with space for the header. */
  endRecord(): Buffer[] {
    this.#endChunk();
    return this.#chunks;
  }

  /** Discards the record. */
  abortRecord(): void {
    this.#position = this.#start;
    this.#chunks = [];
  }

  #endChunk(): void {
    if (this.#position > this.#start) this.#chunks.push(this.#buffer.subarray(this.#start, this.#position));
    this.#start = this.#position;
  }

  #startSlab(minBytes: number): void {
    if (this.#slab >= 0) this.#slabs.seal(this.#slab, this.#position);
    this.#buffer = Buffer.allocUnsafeSlow(Math.max(SLAB_BYTES, minBytes));
    this.#slab = this.#slabs.add(this.#buffer);
    this.#position = 0;
  }
}
