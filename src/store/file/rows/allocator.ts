/**
 * Writes journal records into slabs. The bytes of a row stay where they are written: the journal writes them to disk from there and the
 * table reads them from there, so a row is serialized only once.
 */
import { HEADER_BYTES } from '../journal-record.ts';
import { type RowLocation, type Slabs, SlabWriter } from './slabs.ts';

/** Start a record in a new slab when fewer bytes than this are free. */
const MIN_FREE_BYTES = 8192;

export class RowAllocator {
  readonly #slabs: Slabs;
  readonly #out: SlabWriter;
  /** Of the record being written: the start of its current chunk, and the chunks before it. */
  #start = 0;
  #chunks: Buffer[] = [];

  constructor(slabs: Slabs) {
    this.#slabs = slabs;
    this.#out = new SlabWriter(slabs);
  }

  /** Starts a record, leaving space for its header. */
  beginRecord(): void {
    if (this.#out.freeBytes < MIN_FREE_BYTES) this.#out.startSlab(MIN_FREE_BYTES);
    this.#start = this.#out.position;
    this.#chunks = [];
    this.#out.advance(HEADER_BYTES);
  }

  /** Appends text to the record and returns its location. */
  appendText(text: string): RowLocation {
    // The exact length is needed only when the text may not fit.
    if (this.#out.freeBytes < text.length * 3 && this.#out.freeBytes < Buffer.byteLength(text)) {
      this.#endChunk();
      this.#out.startSlab(Buffer.byteLength(text));
      this.#start = 0;
    }
    return this.#out.advance(this.#out.buffer.write(text, this.#out.position, 'utf8'));
  }

  /** Appends bytes that are in a slab already, and stay there. */
  appendStored({ slab, offset, length }: RowLocation): void {
    this.#endChunk();
    this.#chunks.push(this.#slabs.getBuffer(slab).subarray(offset, offset + length));
  }

  /** Ends the record and returns its chunks; the first begins with space for the header. */
  endRecord(): Buffer[] {
    this.#endChunk();
    return this.#chunks;
  }

  /** Discards the record. */
  abortRecord(): void {
    this.#out.position = this.#start;
    this.#chunks = [];
  }

  #endChunk(): void {
    const { buffer, position } = this.#out;
    if (position > this.#start) this.#chunks.push(buffer.subarray(this.#start, position));
    this.#start = position;
  }
}
