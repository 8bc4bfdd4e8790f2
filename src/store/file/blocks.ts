/**
 * How rows lie in a checkpoint: blocks of one partition's rows, and beside them everything the indexes need, so that a start
 * parses no row and, until somebody asks, no key either.
 *
 *   frame (24 bytes)   magic, bytes of head, of numbers and keys, and of rows, checksum of all that, 0
 *   numbers and keys   lengths of the rows, hashes of ids and unique values, then column by column its keys
 *   head               JSON: whose rows, and how the columns lie
 *   rows               their JSON, one after another
 *
 * Every part begins at a multiple of eight bytes, so that numbers are used where they lie.
 */
import { crc32 } from 'node:zlib';
import type { Column } from './column.ts';
import type { Key } from './compare.ts';
import type { Staging } from './staging.ts';

export const FRAME_BYTES = 24;
const CHECKED_FRAME_BYTES = 16;
const MAGIC = 0x42435253; // "SRCB"

/** How a column lies in a block: packed instants, packed ids, keys as JSON, or numbers into a small dictionary as JSON. */
interface ColumnHead {
  readonly kind: 'instants' | 'ids' | 'keys' | 'dictionary';
  /** Bytes of the JSON. */
  readonly json: number;
  /** Numbers per packed id. */
  readonly width?: number;
}

export type BlockHead =
  | {
      readonly kind: 'rows';
      readonly table: string;
      readonly tenant: string;
      readonly count: number;
      readonly columns: readonly ColumnHead[];
    }
  | { readonly kind: 'order'; readonly table: string; readonly tenant: string; readonly order: string; readonly count: number };

/** Puts a block into the staging buffer. Returns its bytes: all but the rows, and the rows. */
export function putBlock(staging: Staging, parts: () => BlockHead, rows?: () => void): [keys: number, rows: number] {
  staging.pad();
  const start = staging.length;
  staging.room(FRAME_BYTES).fill(0);
  const head = parts();
  const partBytes = staging.length - start - FRAME_BYTES;
  staging.text(JSON.stringify(head));
  staging.pad();
  const keyBytes = staging.length - start;
  rows?.();
  const block = staging.bytes(start);
  block.writeUInt32LE(MAGIC, 0);
  block.writeUInt32LE(keyBytes - partBytes - FRAME_BYTES, 4);
  block.writeUInt32LE(partBytes, 8);
  block.writeUInt32LE(block.length - keyBytes, 12);
  const checksum = crc32(block.subarray(FRAME_BYTES), crc32(block.subarray(0, CHECKED_FRAME_BYTES)));
  block.writeUInt32LE(checksum, CHECKED_FRAME_BYTES);
  return [keyBytes, block.length - keyBytes];
}

/** Reads a block's head back; undefined when the block is not what was written. */
export function readBlock(keys: Buffer, rows: Buffer): { head: BlockHead; parts: Reader } | undefined {
  if (keys.length < FRAME_BYTES || keys.readUInt32LE(0) !== MAGIC || keys.readUInt32LE(20) !== 0) return undefined;
  const headAt = FRAME_BYTES + keys.readUInt32LE(8);
  if (headAt + keys.readUInt32LE(4) !== keys.length || keys.readUInt32LE(12) !== rows.length) return undefined;
  const checksum = crc32(rows, crc32(keys.subarray(FRAME_BYTES), crc32(keys.subarray(0, CHECKED_FRAME_BYTES))));
  if (checksum !== keys.readUInt32LE(CHECKED_FRAME_BYTES)) return undefined;
  const head = JSON.parse(keys.toString('utf8', headAt)) as BlockHead;
  return { head, parts: new Reader(keys.subarray(FRAME_BYTES, headAt)) };
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
    this.#at += Math.ceil(bytes / 8) * 8;
    return at;
  }
}

/** Puts a number for each slot into the staging buffer. */
export function putNumbers(staging: Staging, slots: Uint32Array, numberOf: (slot: number) => number): void {
  const numbers = staging.uint32s(slots.length);
  for (let at = 0; at < slots.length; at++) numbers[at] = numberOf(slots[at]!);
  staging.pad();
}

/** Puts a column's keys for a block of slots into the staging buffer. */
export function putColumn(staging: Staging, column: Column, slots: Uint32Array): ColumnHead {
  const instants = column.instants();
  if (instants !== undefined) {
    const packed = staging.float64s(slots.length);
    for (let at = 0; at < slots.length; at++) packed[at] = instants[slots[at]!] ?? Number.NaN;
    return { kind: 'instants', json: 0 };
  }
  const ids = column.ids();
  if (ids !== undefined) {
    const words = staging.uint32s(slots.length * ids.width);
    for (let at = 0; at < slots.length; at++) ids.copy(slots[at]!, words, at * ids.width);
    staging.pad();
    return { kind: 'ids', json: 0, width: ids.width };
  }
  const keys: Key[] = [];
  for (const slot of slots) keys.push(column.get(slot));
  const codes = new Map<Key, number>();
  const most = Math.max(2, keys.length / 4);
  for (const key of keys) {
    if (!codes.has(key)) codes.set(key, codes.size);
    if (codes.size > most) return putKeys(staging, 'keys', keys);
  }
  const head = putKeys(staging, 'dictionary', [...codes.keys()]);
  const numbers = staging.uint16s(keys.length);
  for (let at = 0; at < keys.length; at++) numbers[at] = codes.get(keys[at]!)!;
  staging.pad();
  return head;
}

function putKeys(staging: Staging, kind: ColumnHead['kind'], keys: readonly Key[]): ColumnHead {
  const json = staging.text(JSON.stringify(keys));
  staging.pad();
  return { kind, json };
}

/** What a block says of a column. */
export type PackedColumn =
  | { readonly instants: Float64Array }
  | { readonly ids: Uint32Array; readonly width: number }
  | { readonly keys: () => Key[] }
  | { readonly dictionary: readonly Key[]; readonly codes: Uint16Array };

/** Reads a column's part of a block. */
export function readColumn({ kind, json, width = 0 }: ColumnHead, parts: Reader, count: number): PackedColumn {
  if (kind === 'instants') return { instants: parts.float64s(count) };
  if (kind === 'ids') return { ids: parts.uint32s(count * width), width };
  const keys = parts.keys(json);
  return kind === 'keys' ? { keys } : { dictionary: keys(), codes: parts.uint16s(count) };
}
