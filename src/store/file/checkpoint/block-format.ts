/**
 * The format of checkpoint blocks. A block holds rows of one partition together with everything the indexes need, so that a start parses no
 * row.
 *
 *   frame (24 bytes)   magic, lengths of header, numbers and keys, and rows, checksum of all of them, 0
 *   numbers and keys   lengths of the rows, hashes of ids and unique values, then the keys column by column
 *   header             JSON: table, tenant, and the encoding of each column
 *   rows               their JSON, concatenated
 *
 * Each part starts at a multiple of eight bytes, so that numbers can be used in place.
 */
import { crc32 } from 'node:zlib';
import type { Column } from '../rows/column.ts';
import type { Key } from '../../compare.ts';
import { getFormOfWidth, type IdForm } from '../values/packed-ids.ts';
import type { StagingBuffer } from './staging-buffer.ts';

export const FRAME_BYTES = 24;
const CHECKED_FRAME_BYTES = 16;
const MAGIC = 0x42435253; // "SRCB"

/**
 * How a block encodes a column: packed instants, packed ids, keys as JSON, or codes of a small dictionary that is JSON. The properties of
 * headers are stored: do not rename them.
 */
interface ColumnHeader {
  readonly kind: 'instants' | 'ids' | 'keys' | 'dictionary';
  /** Bytes of the JSON. */
  readonly json: number;
  /** 32-bit words per packed id. */
  readonly width?: number;
  /** Before format 5, the width determined the form. */
  readonly form?: IdForm;
}

export type BlockHeader =
  | {
      readonly kind: 'rows';
      readonly table: string;
      readonly tenant: string;
      readonly count: number;
      readonly columns: readonly ColumnHeader[];
    }
  | { readonly kind: 'order'; readonly table: string; readonly tenant: string; readonly order: string; readonly count: number };

/** Appends a block to the staging buffer. Returns the bytes of its keys (everything but the rows) and of its rows. */
export function appendBlock(staging: StagingBuffer, appendData: () => BlockHeader, copyRows?: () => void): [keys: number, rows: number] {
  staging.padToEight();
  const start = staging.length;
  staging.allocate(FRAME_BYTES).fill(0);
  const header = appendData();
  const dataBytes = staging.length - start - FRAME_BYTES;
  staging.appendText(JSON.stringify(header));
  staging.padToEight();
  const keyBytes = staging.length - start;
  copyRows?.();
  const block = staging.getBytes(start);
  block.writeUInt32LE(MAGIC, 0);
  block.writeUInt32LE(keyBytes - dataBytes - FRAME_BYTES, 4);
  block.writeUInt32LE(dataBytes, 8);
  block.writeUInt32LE(block.length - keyBytes, 12);
  const checksum = crc32(block.subarray(FRAME_BYTES), crc32(block.subarray(0, CHECKED_FRAME_BYTES)));
  block.writeUInt32LE(checksum, CHECKED_FRAME_BYTES);
  return [keyBytes, block.length - keyBytes];
}

/** Decodes a block; undefined when it is not what was written. */
export function decodeBlock(keys: Buffer, rows: Buffer): { header: BlockHeader; reader: BlockReader } | undefined {
  if (keys.length < FRAME_BYTES || keys.readUInt32LE(0) !== MAGIC || keys.readUInt32LE(20) !== 0) return undefined;
  const headerAt = FRAME_BYTES + keys.readUInt32LE(8);
  if (headerAt + keys.readUInt32LE(4) !== keys.length || keys.readUInt32LE(12) !== rows.length) return undefined;
  const checksum = crc32(rows, crc32(keys.subarray(FRAME_BYTES), crc32(keys.subarray(0, CHECKED_FRAME_BYTES))));
  if (checksum !== keys.readUInt32LE(CHECKED_FRAME_BYTES)) return undefined;
  const header = JSON.parse(keys.toString('utf8', headerAt)) as BlockHeader;
  return { header, reader: new BlockReader(keys.subarray(FRAME_BYTES, headerAt)) };
}

/** Reads the parts of a block one after another. */
export class BlockReader {
  readonly #bytes: Buffer;
  #offset = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  readUint32s(count: number): Uint32Array {
    return new Uint32Array(this.#bytes.buffer, this.#skip(count * 4), count);
  }

  readUint16s(count: number): Uint16Array {
    return new Uint16Array(this.#bytes.buffer, this.#skip(count * 2), count);
  }

  readFloat64s(count: number): Float64Array {
    return new Float64Array(this.#bytes.buffer, this.#skip(count * 8), count);
  }

  readKeys(bytes: number): Key[] {
    const from = this.#offset;
    this.#skip(bytes);
    return JSON.parse(this.#bytes.toString('utf8', from, from + bytes)) as Key[];
  }

  #skip(bytes: number): number {
    const at = this.#bytes.byteOffset + this.#offset;
    this.#offset += Math.ceil(bytes / 8) * 8;
    return at;
  }
}

/** Appends a number for each slot to the staging buffer. */
export function appendUint32s(staging: StagingBuffer, slots: Uint32Array, getNumber: (slot: number) => number): void {
  const numbers = staging.allocateUint32s(slots.length);
  for (let at = 0; at < slots.length; at++) numbers[at] = getNumber(slots[at]!);
  staging.padToEight();
}

/** Appends a column's keys for a block of slots to the staging buffer. */
export function appendColumn(staging: StagingBuffer, column: Column, slots: Uint32Array): ColumnHeader {
  const { instants, ids } = column;
  if (instants !== undefined) {
    const packed = staging.allocateFloat64s(slots.length);
    for (let at = 0; at < slots.length; at++) packed[at] = instants.getPacked(slots[at]!);
    return { kind: 'instants', json: 0 };
  }
  if (ids !== undefined) {
    const words = staging.allocateUint32s(slots.length * ids.width);
    for (let at = 0; at < slots.length; at++) ids.copyTo(slots[at]!, words, at * ids.width);
    staging.padToEight();
    return { kind: 'ids', json: 0, width: ids.width, form: ids.form };
  }
  const keys: Key[] = [];
  for (const slot of slots) keys.push(column.get(slot));
  const codes = new Map<Key, number>();
  const maxCodes = Math.max(2, keys.length / 4);
  for (const key of keys) {
    if (!codes.has(key)) codes.set(key, codes.size);
    if (codes.size > maxCodes) return appendKeys(staging, 'keys', keys);
  }
  const header = appendKeys(staging, 'dictionary', [...codes.keys()]);
  const numbers = staging.allocateUint16s(keys.length);
  for (let at = 0; at < keys.length; at++) numbers[at] = codes.get(keys[at]!)!;
  staging.padToEight();
  return header;
}

function appendKeys(staging: StagingBuffer, kind: ColumnHeader['kind'], keys: readonly Key[]): ColumnHeader {
  const json = staging.appendText(JSON.stringify(keys));
  staging.padToEight();
  return { kind, json };
}

/** Decodes the keys of a column and appends them to it; `first` is the slot of the first one. */
export function readColumn(
  { kind, json, width = 0, form = getFormOfWidth(width) }: ColumnHeader,
  reader: BlockReader,
  column: Column,
  first: number,
  count: number,
): void {
  if (kind === 'instants') return column.appendInstants(first, reader.readFloat64s(count));
  if (kind === 'ids') return column.appendIds(first, form, reader.readUint32s(count * width));
  const keys = reader.readKeys(json);
  if (kind === 'keys') return column.append(first, keys);
  const codes = reader.readUint16s(count);
  column.append(
    first,
    Array.from(codes, (code) => keys[code]!),
  );
}
