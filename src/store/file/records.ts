/**
 * The journal's records. One record is one commit:
 *
 *   header (32 bytes)  magic, bytes after the header, checksum of all that follows it, bytes of the directory,
 *                      sequence number (8 bytes), position in its group, 0
 *   rows               the JSON of every put, one after another
 *   directory          JSON: tenant, and in order what was changed: the name of a table before its first change and wherever it
 *                      is another than before, the length of a row that was put, a list with the id of a row that was removed
 *
 * A group is what was synced together. After a power cut any part of the last group may be missing, the middle too;
 * the position tells whether a record was written after an earlier one had become durable.
 */
import { crc32 } from 'node:zlib';

export const HEADER_BYTES = 32;
const MAGIC = 0x314a5253; // "SRJ1"
const MAGIC_BYTES = Buffer.from('SRJ1');

export type DirectoryEntry = string | number | readonly [id: string];
/** In format 1 every change was a list: table, id and, unless it was a removal, the length of the row. */
type OldEntry = readonly [table: string, id: string, length?: number];

export interface Directory {
  readonly t: string;
  readonly c: readonly (DirectoryEntry | OldEntry)[];
}

/** One change: a row that was put is as long as that, or the id of a row that was removed. */
export type Entry = { readonly table: string; readonly length: number } | { readonly table: string; readonly removed: string };

export function* entriesOf({ c }: Directory): Generator<Entry> {
  let table = '';
  for (const entry of c) {
    if (typeof entry === 'string') table = entry;
    else if (typeof entry === 'number') yield { table, length: entry };
    else if (entry.length === 1) yield { table, removed: entry[0] };
    else yield entry[2] === undefined ? { table: entry[0], removed: entry[1] } : { table: entry[0], length: entry[2] };
  }
}

/** Fills in the header, which only the group's writer can: it knows the position. */
export function seal(pieces: readonly Buffer[], directoryBytes: number, sequence: number, position: number): void {
  const header = pieces[0]!;
  let length = -HEADER_BYTES;
  for (const piece of pieces) length += piece.length;
  header.writeUInt32LE(MAGIC, 0);
  header.writeUInt32LE(length, 4);
  header.writeUInt32LE(directoryBytes, 12);
  header.writeUInt32LE(sequence % 2 ** 32, 16);
  header.writeUInt32LE(Math.floor(sequence / 2 ** 32), 20);
  header.writeUInt32LE(position, 24);
  header.writeUInt32LE(0, 28);
  let checksum = crc32(header.subarray(12));
  for (let at = 1; at < pieces.length; at++) checksum = crc32(pieces[at]!, checksum);
  header.writeUInt32LE(checksum, 8);
}

export interface JournalRecord {
  readonly sequence: number;
  readonly position: number;
  /** Where the first row starts, and the record after this one. */
  readonly rows: number;
  readonly end: number;
  readonly directory: Directory;
}

/** The record at an offset, or undefined when there is no whole one. */
export function recordAt(segment: Buffer, offset: number, limit: number): JournalRecord | undefined {
  if (offset + HEADER_BYTES > limit || segment.readUInt32LE(offset) !== MAGIC) return undefined;
  const end = offset + HEADER_BYTES + segment.readUInt32LE(offset + 4);
  const directoryAt = end - segment.readUInt32LE(offset + 12);
  if (end > limit || directoryAt < offset + HEADER_BYTES) return undefined;
  if (crc32(segment.subarray(offset + 12, end)) !== segment.readUInt32LE(offset + 8)) return undefined;
  return {
    sequence: segment.readUInt32LE(offset + 16) + segment.readUInt32LE(offset + 20) * 2 ** 32,
    position: segment.readUInt32LE(offset + 24),
    rows: offset + HEADER_BYTES,
    end,
    directory: JSON.parse(segment.toString('utf8', directoryAt, end)) as Directory,
  };
}

/** The next whole record at or after an offset, wherever it starts. */
export function nextRecord(segment: Buffer, offset: number, limit: number): { at: number; record: JournalRecord } | undefined {
  for (let at = segment.indexOf(MAGIC_BYTES, offset); at >= 0 && at < limit; at = segment.indexOf(MAGIC_BYTES, at + 1)) {
    const record = recordAt(segment, at, limit);
    if (record) return { at, record };
  }
  return undefined;
}
