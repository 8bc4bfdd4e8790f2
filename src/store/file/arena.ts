/**
 * Writes journal records into slabs. The row bytes of a record are where they will stay: the journal writes them out,
 * the table points at them, nobody serialises them again.
 */
import { HEADER_BYTES } from './records.ts';
import { SLAB_BYTES, type Slabs } from './slabs.ts';

export interface Place {
  readonly slab: number;
  readonly offset: number;
  readonly length: number;
}

/** Too little room for this much is not worth starting a record in. */
const LEAST_ROOM = 8192;

export class Arena {
  readonly #slabs: Slabs;
  #slab = -1;
  #buffer: Buffer = Buffer.alloc(0);
  #position = 0;
  /** Of the record being written: where its current piece starts, and the pieces before it. */
  #start = 0;
  #pieces: Buffer[] = [];

  constructor(slabs: Slabs) {
    this.#slabs = slabs;
  }

  /** Starts a record. */
  begin(): void {
    if (this.#buffer.length - this.#position < LEAST_ROOM) this.#renew(LEAST_ROOM);
    this.#start = this.#position;
    this.#pieces = [];
    this.#position += HEADER_BYTES;
  }

  /** Adds text to the record and says where it is. */
  write(text: string): Place {
    if (this.#buffer.length - this.#position < text.length * 3) {
      const length = Buffer.byteLength(text);
      if (this.#buffer.length - this.#position < length) {
        this.#endPiece();
        this.#renew(length);
        this.#start = 0;
      }
    }
    const length = this.#buffer.write(text, this.#position, 'utf8');
    const place = { slab: this.#slab, offset: this.#position, length };
    this.#position += length;
    return place;
  }

  /** Adds texts, one behind the other, and says where each is. To write once what is short costs half as much as to write it piece by piece. */
  writeMany(texts: readonly string[]): Place[] {
    let all = '';
    for (const text of texts) all += text;
    const start = this.#position;
    const fits = this.#buffer.length - start >= all.length * 3;
    // Places can be told from the texts as long as every character takes one byte; if not, the same bytes are written again.
    if (!fits || this.#buffer.write(all, start, 'utf8') !== all.length) return texts.map((text) => this.write(text));
    const places: Place[] = [];
    for (const { length } of texts) {
      places.push({ slab: this.#slab, offset: this.#position, length });
      this.#position += length;
    }
    return places;
  }

  /** Ends the record; the first of its pieces starts with room for the header. */
  end(): Buffer[] {
    this.#endPiece();
    return this.#pieces;
  }

  /** Forgets the record. */
  abort(): void {
    this.#position = this.#start;
    this.#pieces = [];
  }

  #endPiece(): void {
    if (this.#position > this.#start) this.#pieces.push(this.#buffer.subarray(this.#start, this.#position));
    this.#start = this.#position;
  }

  #renew(room: number): void {
    if (this.#slab >= 0) this.#slabs.leave(this.#slab, this.#position);
    this.#buffer = this.#slabs.make(Math.max(SLAB_BYTES, room));
    this.#slab = this.#slabs.adopt(this.#buffer);
    this.#position = 0;
  }
}
