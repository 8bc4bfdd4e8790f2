/**
 * The last change of each row of a partition in the journal, so that a replay parses and indexes only versions that no later commit replaces.
 *
 * Rows are identified by the bytes of their ids, which are found without parsing: the text of a row starts with `{"id":"`, or with `["` and
 * the id if its codec writes arrays. A row whose text starts otherwise, or whose id has escaped characters, is parsed for its id.
 */
import { HashIndex } from '../index/hash-index.ts';
import type { Partition } from '../partition.ts';
import { readRow } from '../rows/row-text.ts';
import { extractKeys } from '../../table-layout.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const ARRAY_START = Buffer.from('["');
const OBJECT_START = Buffer.from('{"id":"');
/** Numbers per row: slab, offset and length of its id, then slab, offset and length of its last version. */
const ENTRY_LENGTH = 6;
/** In place of a slab: the id is not in a segment but in `#otherIds`, or the row was removed. */
const NO_SLAB = 0xffff_ffff;

export class LatestChanges {
  readonly #partition: Partition;
  /** From the hash of an id to the number of its row. */
  readonly #index = new HashIndex();
  /** By number, in the order in which the rows first appear. */
  #entries = new Uint32Array(16 * ENTRY_LENGTH);
  #count = 0;
  readonly #otherIds: Buffer[] = [];

  constructor(partition: Partition) {
    this.#partition = partition;
  }

  /** Number of rows that changed. */
  get count(): number {
    return this.#count;
  }

  put(segment: Buffer, slab: number, offset: number, length: number): void {
    const idStart = findIdStart(segment, offset);
    const idEnd = findIdEnd(segment, idStart, offset + length);
    const number =
      idEnd < 0
        ? this.#findOther(readRow(this.#partition.layout, segment, offset, length).id)
        : this.#findOrAdd(segment, idStart, idEnd, slab, idStart);
    this.#setVersion(number, slab, offset, length);
  }

  remove(id: string): void {
    this.#setVersion(this.#findOther(id), NO_SLAB, 0, 0);
  }

  /** Applies the changes to the partition; calls `onChange` after each. */
  apply(onChange: () => void): void {
    const partition = this.#partition;
    const { layout, memory } = partition;
    const entries = this.#entries;
    partition.startBulkChanges();
    for (let at = 0; at < this.#count * ENTRY_LENGTH; at += ENTRY_LENGTH) {
      const [slab, offset, length] = [entries[at + 3]!, entries[at + 4]!, entries[at + 5]!];
      let replaced;
      if (slab === NO_SLAB) replaced = partition.remove(this.#getId(at).toString());
      else {
        const row = readRow(layout, memory.slabs.getBuffer(slab), offset, length);
        replaced = partition.put(row.id, { slab, offset, length }, extractKeys(layout, row));
      }
      if (replaced) partition.releaseVersion(replaced);
      onChange();
    }
    partition.finishBulkChanges();
  }

  #setVersion(number: number, slab: number, offset: number, length: number): void {
    const entries = this.#entries;
    const at = number * ENTRY_LENGTH;
    entries[at + 3] = slab;
    entries[at + 4] = offset;
    entries[at + 5] = length;
  }

  #findOther(text: string): number {
    const id = Buffer.from(text);
    const known = this.#count;
    const number = this.#findOrAdd(id, 0, id.length, NO_SLAB, this.#otherIds.length);
    if (this.#count > known) this.#otherIds.push(id);
    return number;
  }

  /** Number of the row with the id between two offsets of `bytes`. `slab` and `offset` locate the id of a row that is new. */
  #findOrAdd(bytes: Buffer, start: number, end: number, slab: number, offset: number): number {
    const hash = hashBytes(bytes, start, end, this.#partition.memory.hashSeed);
    const found = this.#index.find(hash, (number) => this.#hasId(number * ENTRY_LENGTH, bytes, start, end));
    if (found !== undefined) return found;
    const number = this.#count++;
    this.#index.add(hash, number);
    const at = number * ENTRY_LENGTH;
    if (at === this.#entries.length) {
      const grown = new Uint32Array(at * 2);
      grown.set(this.#entries);
      this.#entries = grown;
    }
    this.#entries[at] = slab;
    this.#entries[at + 1] = offset;
    this.#entries[at + 2] = end - start;
    return number;
  }

  #hasId(at: number, bytes: Buffer, start: number, end: number): boolean {
    const entries = this.#entries;
    const length = entries[at + 2]!;
    if (length !== end - start) return false;
    const buffer = this.#getIdBuffer(at);
    const offset = this.#getIdOffset(at);
    for (let each = 0; each < length; each++) if (buffer[offset + each] !== bytes[start + each]) return false;
    return true;
  }

  #getId(at: number): Buffer {
    const offset = this.#getIdOffset(at);
    return this.#getIdBuffer(at).subarray(offset, offset + this.#entries[at + 2]!);
  }

  #getIdBuffer(at: number): Buffer {
    const slab = this.#entries[at]!;
    return slab === NO_SLAB ? this.#otherIds[this.#entries[at + 1]!]! : this.#partition.memory.slabs.getBuffer(slab);
  }

  #getIdOffset(at: number): number {
    return this.#entries[at] === NO_SLAB ? 0 : this.#entries[at + 1]!;
  }
}

/** Offset of the id in the text of a row; -1 when the text does not start with it. */
function findIdStart(segment: Buffer, offset: number): number {
  const prefix = segment[offset] === ARRAY_START[0] ? ARRAY_START : OBJECT_START;
  for (let at = 0; at < prefix.length; at++) if (segment[offset + at] !== prefix[at]) return -1;
  return offset + prefix.length;
}

/** Offset of the quote after the id; -1 when there is none, or when the id has escaped characters. */
function findIdEnd(segment: Buffer, start: number, limit: number): number {
  if (start < 0) return -1;
  for (let at = start; at < limit; at++) {
    if (segment[at] === QUOTE) return at;
    if (segment[at] === BACKSLASH) return -1;
  }
  return -1;
}

/** Hashes bytes to a 32-bit number above zero. */
function hashBytes(bytes: Buffer, start: number, end: number, seed: number): number {
  let hash = seed ^ (end - start);
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0 || 1;
}
