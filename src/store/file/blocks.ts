/**
 * How rows lie in a checkpoint: blocks of one partition's rows, their keys beside them, so that a start builds the indexes
 * without parsing a row.
 *
 *   frame (20 bytes)   magic, bytes of head, binary part and rows, checksum of the three
 *   head               JSON: whose rows, and the keys of each column that are no instants
 *   binary part        lengths of the rows, packed instants, numbers into small dictionaries
 *   rows               their JSON, one after another
 */
import { crc32 } from 'node:zlib';
import type { Column } from './column.ts';
import type { Key } from './compare.ts';

export const FRAME_BYTES = 20;
const MAGIC = 0x42435253; // "SRCB"

/** A column of a block: its keys, keys by number, or (null) instants. */
type ColumnHead = { readonly keys: readonly Key[] } | { readonly dictionary: readonly Key[] } | null;

export type BlockHead =
  | { readonly kind: 'rows'; readonly table: string; readonly tenant: string; readonly count: number; readonly columns: readonly ColumnHead[] }
  | { readonly kind: 'order'; readonly table: string; readonly tenant: string; readonly order: string; readonly count: number };

/** The frame, head and binary part of a block. */
export function frame(head: BlockHead, binary: readonly Uint8Array[], rows: readonly Buffer[]): Buffer[] {
  const text = Buffer.from(JSON.stringify(head));
  // The binary part starts at a multiple of eight, or its numbers could not be read in place.
  const padded = Buffer.alloc(Math.ceil((FRAME_BYTES + text.length) / 8) * 8 - FRAME_BYTES, 32);
  padded.set(text);
  const start = Buffer.alloc(FRAME_BYTES);
  const length = (buffers: readonly Uint8Array[]): number => buffers.reduce((sum, buffer) => sum + buffer.length, 0);
  start.writeUInt32LE(MAGIC, 0);
  start.writeUInt32LE(padded.length, 4);
  start.writeUInt32LE(length(binary), 8);
  start.writeUInt32LE(length(rows), 12);
  let checksum = crc32(padded);
  for (const part of [...binary, ...rows]) checksum = crc32(part, checksum);
  start.writeUInt32LE(checksum, 16);
  return [start, padded, ...binary.map((part) => Buffer.from(part.buffer, part.byteOffset, part.length)), ...rows];
}

export interface Frame {
  readonly head: number;
  readonly binary: number;
  readonly rows: number;
  readonly checksum: number;
}

/** The sizes a frame announces, or undefined when it is none. */
export function frameAt(bytes: Buffer, offset: number): Frame | undefined {
  if (offset + FRAME_BYTES > bytes.length || bytes.readUInt32LE(offset) !== MAGIC) return undefined;
  return {
    head: bytes.readUInt32LE(offset + 4),
    binary: bytes.readUInt32LE(offset + 8),
    rows: bytes.readUInt32LE(offset + 12),
    checksum: bytes.readUInt32LE(offset + 16),
  };
}

const bytesOf = (array: Float64Array | Uint32Array | Uint16Array): Uint8Array => new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

/** A column's keys for a block of slots. */
export function packColumn(column: Column, slots: Uint32Array): { head: ColumnHead; binary?: Uint8Array } {
  const instants = column.instants();
  if (instants !== undefined) return { head: null, binary: bytesOf(Float64Array.from(slots, (slot) => instants[slot] ?? Number.NaN)) };
  const keys: Key[] = [];
  for (const slot of slots) keys.push(column.get(slot));
  const numbers = new Map<Key, number>();
  const most = Math.min(keys.length / 2, 65_536);
  const codes = new Uint16Array(Math.ceil(keys.length / 4) * 4);
  for (let at = 0; at < keys.length; at++) {
    let number = numbers.get(keys[at]!);
    if (number === undefined) {
      number = numbers.size;
      if (number >= most) return { head: { keys } };
      numbers.set(keys[at]!, number);
    }
    codes[at] = number;
  }
  return { head: { dictionary: [...numbers.keys()] }, binary: bytesOf(codes) };
}

/** Puts a block's keys into a column, for consecutive slots. Returns the bytes used of the binary part. */
export function unpackColumn(column: Column, head: ColumnHead, binary: Buffer, offset: number, first: number, count: number): number {
  const at = binary.byteOffset + offset;
  if (head === null) {
    column.setInstants(first, new Float64Array(binary.buffer, at, count));
    return count * 8;
  }
  if ('keys' in head) {
    column.setKeys(first, head.keys);
    return 0;
  }
  const dictionary = head.dictionary.map((key) => (typeof key === 'string' ? column.shared(key) : key));
  const codes = new Uint16Array(binary.buffer, at, count);
  column.setKeys(
    first,
    Array.from(codes, (code) => dictionary[code] ?? null),
  );
  return Math.ceil(count / 4) * 8;
}
