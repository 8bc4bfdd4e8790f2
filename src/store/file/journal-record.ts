/**
 * The format of journal records. One record is one commit:
 *
 *   header (32 bytes)  magic, number of bytes after the header, checksum of everything after it, length of the change list,
 *                      sequence number (8 bytes), position in its group, 0
 *   rows               the JSON of all rows that were put, concatenated
 *   change list        JSON: the tenant, and the changes in order: a table name whenever the table changes, the length of a
 *                      row that was put, a list with the id of a row that was removed
 *
 * A group is what was synced together. After a power failure any part of the last group may be missing, even in the middle; the position
 * shows whether a record was written after an earlier one had become durable.
 */
import { crc32 } from 'node:zlib';

export const HEADER_BYTES = 32;
const MAGIC = 0x314a5253; // "SRJ1"
const MAGIC_BYTES = Buffer.from('SRJ1');

export type ChangeEntry = string | number | readonly [id: string];

/** As stored: `t` is the tenant, `c` the changes. */
export interface ChangeList {
  readonly t: string;
  readonly c: readonly ChangeEntry[];
}

/** One change: a put row with its length in bytes, or the id of a removed row. */
export type RecordedChange = { readonly table: string; readonly length: number } | { readonly table: string; readonly removed: string };

/** Decodes the changes of a record in order. */
export function* listChanges({ c }: ChangeList): Generator<RecordedChange> {
  let table = '';
  for (const entry of c) {
    if (typeof entry === 'string') table = entry;
    else if (typeof entry === 'number') yield { table, length: entry };
    else yield { table, removed: entry[0] };
  }
}

/** Fills in the header of a record, which is possible only once its position in the group is known. */
export function writeHeader(chunks: readonly Buffer[], changeListBytes: number, sequence: number, position: number): void {
  const header = chunks[0]!;
  let length = -HEADER_BYTES;
  for (const chunk of chunks) length += chunk.length;
  header.writeUInt32LE(MAGIC, 0);
  header.writeUInt32LE(length, 4);
  header.writeUInt32LE(changeListBytes, 12);
  header.writeUInt32LE(sequence % 2 ** 32, 16);
  header.writeUInt32LE(Math.floor(sequence / 2 ** 32), 20);
  header.writeUInt32LE(position, 24);
  header.writeUInt32LE(0, 28);
  let checksum = crc32(header.subarray(12));
  for (let at = 1; at < chunks.length; at++) checksum = crc32(chunks[at]!, checksum);
  header.writeUInt32LE(checksum, 8);
}

export interface JournalRecord {
  readonly sequence: number;
  readonly position: number;
  /** Offset of the first row; `end` is the offset of the next record. */
  readonly rowsOffset: number;
  readonly end: number;
  readonly changeList: ChangeList;
}

/** The length of a record according to its header. */
export const readLength = (segment: Buffer, offset: number): number => HEADER_BYTES + segment.readUInt32LE(offset + 4);

/** Decodes the record at an offset; undefined when there is no complete one. */
export function readRecord(segment: Buffer, offset: number, limit: number = segment.length): JournalRecord | undefined {
  if (offset + HEADER_BYTES > limit || segment.readUInt32LE(offset) !== MAGIC) return undefined;
  const end = offset + readLength(segment, offset);
  const changeListAt = end - segment.readUInt32LE(offset + 12);
  if (end > limit || changeListAt < offset + HEADER_BYTES) return undefined;
  if (crc32(segment.subarray(offset + 12, end)) !== segment.readUInt32LE(offset + 8)) return undefined;
  return {
    sequence: segment.readUInt32LE(offset + 16) + segment.readUInt32LE(offset + 20) * 2 ** 32,
    position: segment.readUInt32LE(offset + 24),
    rowsOffset: offset + HEADER_BYTES,
    end,
    changeList: JSON.parse(segment.toString('utf8', changeListAt, end)) as ChangeList,
  };
}

/** Finds the next complete record at or after an offset, wherever it starts. */
export function findNextRecord(segment: Buffer, offset: number, limit: number): { at: number; record: JournalRecord } | undefined {
  for (let at = segment.indexOf(MAGIC_BYTES, offset); at >= 0 && at < limit; at = segment.indexOf(MAGIC_BYTES, at + 1)) {
    const record = readRecord(segment, at, limit);
    if (record) return { at, record };
  }
  return undefined;
}
