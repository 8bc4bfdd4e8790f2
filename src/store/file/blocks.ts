/**
 * How rows lie in a checkpoint: blocks of one partition's rows, and beside them everything the indexes need, so that a start
 * parses no row and, until somebody asks, no key either.
 *
 *   frame (24 bytes)   magic, bytes of head, of numbers and keys, and of rows, checksum of all that, 0
 *   head               JSON: whose rows, and what follows
 *   numbers and keys   lengths of the rows, hashes of ids and unique values, then column by column its keys
 *   rows               their JSON, one after another
 *
 * Every part begins at a multiple of eight bytes, so that numbers are used where they lie.
 */
import { crc32 } from 'node:zlib';
import type { Column } from './column.ts';
import type { Key } from './compare.ts';

export const FRAME_BYTES = 24;
const MAGIC = 0x42435253; // "SRCB"

/** How a column lies in a block: packed instants, keys as JSON, or numbers into a small dictionary as JSON. */
interface ColumnHead {
  readonly kind: 'instants' | 'keys' | 'dictionary';
  /** Bytes of the JSON. */
  readonly json: number;
}

export type BlockHead =
  | { readonly kind: 'rows'; readonly table: string; readonly tenant: string; readonly count: number; readonly columns: readonly ColumnHead[] }
  | { readonly kind: 'order'; readonly table: string; readonly tenant: string; readonly order: string; readonly count: number };

const padded = (bytes: number): number => Math.ceil(bytes / 8) * 8;
const padding = (bytes: number): Buffer => Buffer.alloc(padded(bytes) - bytes, 32);
const bytesOf = (array: Float64Array | Uint32Array | Uint16Array): Buffer => Buffer.from(array.buffer, array.byteOffset, array.byteLength);
const total = (buffers: readonly Buffer[]): number => buffers.reduce((sum, buffer) => sum + buffer.length, 0);

/** A block ready to be written. The first `keyBytes` bytes are all but the rows. */
export function frame(head: BlockHead, parts: readonly Buffer[], rows: readonly Buffer[]): { buffers: Buffer[]; keyBytes: number } {
  const json = Buffer.from(JSON.stringify(head));
  const headParts = [json, padding(json.length)];
  const start = Buffer.alloc(FRAME_BYTES);
  start.writeUInt32LE(MAGIC, 0);
  start.writeUInt32LE(total(headParts), 4);
  start.writeUInt32LE(total(parts), 8);
  start.writeUInt32LE(total(rows), 12);
  const buffers = [start, ...headParts, ...parts];
  let checksum = crc32(start.subarray(0, 16));
  for (const part of [...headParts, ...parts, ...rows]) checksum = crc32(part, checksum);
  start.writeUInt32LE(checksum, 16);
  return { keyBytes: total(buffers), buffers: [...buffers, ...rows] };
}

/** Reads a block's head back; undefined when the block is not what was written. */
export function unframe(keys: Buffer, rows: Buffer): { head: BlockHead; parts: Reader } | undefined {
  if (keys.length < FRAME_BYTES || keys.readUInt32LE(0) !== MAGIC) return undefined;
  const headBytes = keys.readUInt32LE(4);
  if (FRAME_BYTES + headBytes + keys.readUInt32LE(8) !== keys.length || keys.readUInt32LE(12) !== rows.length) return undefined;
  if (keys.readUInt32LE(20) !== 0) return undefined;
  const checksum = crc32(rows, crc32(keys.subarray(FRAME_BYTES), crc32(keys.subarray(0, 16))));
  if (checksum !== keys.readUInt32LE(16)) return undefined;
  const head = JSON.parse(keys.toString('utf8', FRAME_BYTES, FRAME_BYTES + headBytes)) as BlockHead;
  return { head, parts: new Reader(keys.subarray(FRAME_BYTES + headBytes)) };
}

/** Numbers as a part of a block. */
export function numbers(array: Float64Array | Uint32Array | Uint16Array): Buffer[] {
  const bytes = bytesOf(array);
  return [bytes, padding(bytes.length)];
}

/** Takes the parts of a block one after another. */
export class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  uint32s(count: number): Uint32Array {
    return new Uint32Array(this.#bytes.buffer, this.#skip(count * 4), count);
  }

  uint16s(count: number): Uint16Array {
    return new Uint16Array(this.#bytes.buffer, this.#skip(count * 2), count);
  }

  float64s(count: number): Float64Array {
    return new Float64Array(this.#bytes.buffer, this.#skip(count * 8), count);
  }

  /** Keys, parsed when they are needed. */
  keys(bytes: number): () => Key[] {
    const from = this.#at;
    this.#skip(bytes);
    return () => JSON.parse(this.#bytes.toString('utf8', from, from + bytes)) as Key[];
  }

  #skip(bytes: number): number {
    const at = this.#bytes.byteOffset + this.#at;
    this.#at += padded(bytes);
    return at;
  }
}

/** A column's keys for a block of slots. */
export function packColumn(column: Column, slots: Uint32Array): { head: ColumnHead; parts: Buffer[] } {
  const instants = column.instants();
  if (instants !== undefined) {
    return { head: { kind: 'instants', json: 0 }, parts: numbers(Float64Array.from(slots, (slot) => instants[slot] ?? Number.NaN)) };
  }
  const keys: Key[] = [];
  for (const slot of slots) keys.push(column.get(slot));
  const known = new Map<Key, number>();
  const codes = new Uint16Array(keys.length);
  for (let at = 0; at < keys.length; at++) {
    let code = known.get(keys[at]!);
    if (code === undefined) {
      code = known.size;
      if (code > keys.length / 4 && code > 1) return packKeys('keys', keys);
      known.set(keys[at]!, code);
    }
    codes[at] = code;
  }
  const dictionary = packKeys('dictionary', [...known.keys()]);
  return { head: dictionary.head, parts: [...dictionary.parts, ...numbers(codes)] };
}

function packKeys(kind: ColumnHead['kind'], keys: readonly Key[]): { head: ColumnHead; parts: Buffer[] } {
  const json = Buffer.from(JSON.stringify(keys));
  return { head: { kind, json: json.length }, parts: [json, padding(json.length)] };
}

/** What a block says of a column. */
export type PackedColumn =
  | { readonly instants: Float64Array }
  | { readonly keys: () => Key[] }
  | { readonly dictionary: readonly Key[]; readonly codes: Uint16Array };

/** Reads a column's part of a block. */
export function unpackColumn({ kind, json }: ColumnHead, parts: Reader, count: number): PackedColumn {
  if (kind === 'instants') return { instants: parts.float64s(count) };
  const keys = parts.keys(json);
  return kind === 'keys' ? { keys } : { dictionary: keys(), codes: parts.uint16s(count) };
}
