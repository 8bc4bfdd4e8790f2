/**
 * Converts checkpoints of the formats 4 and 5, which also had the keys of the rows and their indexes, so that a start parsed no row:
 *
 *   magic (24 bytes) · blocks · index (JSON, with the lengths of all blocks) · length and checksum of the index
 *
 * A block of rows: frame (24 bytes: magic, lengths of header, keys and rows, checksum of everything else, 0) · keys, first the lengths of
 * the rows · header (JSON) · rows. Other blocks have an index. Remove this file once data of these formats need not be read any more.
 */
import { crc32 } from 'node:zlib';
import type { Disk } from '../disk/disk.ts';
import { openForReading, SequentialWriter } from '../disk/files.ts';
import { StoreDamaged } from '../errors.ts';
import type { Manifest } from '../manifest.ts';
import { RecordBuffer, WRITE_BYTES } from './write.ts';

const MAGIC_BYTES = 24;
const FRAME_BYTES = 24;
const CHECKED_FRAME_BYTES = 16;
const BLOCK_MAGIC = 0x42435253; // "SRCB"

interface OldIndex {
  readonly blocks: readonly (readonly [keys: number, rows: number])[];
}

interface OldHeader {
  readonly kind: 'rows' | 'order';
  readonly table: string;
  readonly tenant: string;
  readonly count: number;
}

/** Writes a new checkpoint file next to the old one, and returns the manifest that names it. */
export async function convertCheckpoint(disk: Disk, directory: string, manifest: Manifest): Promise<Manifest> {
  const { checkpoint, next } = manifest;
  if (checkpoint === undefined) return manifest;
  const path = `${directory}/${checkpoint.file}`;
  const file = `checkpoint-${next}.data`;
  await using old = await openForReading(disk, path);
  const { size } = await old.getStatus();
  if (size < checkpoint.bytes) throw new StoreDamaged(path, size, `it has ${size} bytes instead of ${checkpoint.bytes}`);
  const read = (at: number, bytes: number): Promise<Buffer> => {
    if (at < 0 || at + bytes > checkpoint.bytes) throw new StoreDamaged(path, Math.max(0, at), 'unreadable end of file');
    return old.read(at, bytes);
  };
  const end = await read(checkpoint.bytes - 8, 8);
  const indexAt = checkpoint.bytes - 8 - end.readUInt32LE(0);
  const index = await read(indexAt, end.readUInt32LE(0));
  if (crc32(index) !== end.readUInt32LE(4)) throw new StoreDamaged(path, indexAt, 'checksum mismatch');
  await using converted = await disk.create(`${directory}/${file}`);
  const out = new SequentialWriter(converted);
  const records = new RecordBuffer();
  let at = MAGIC_BYTES;
  for (const [keyBytes, rowBytes] of (JSON.parse(index.toString()) as OldIndex).blocks) {
    const block = await read(at, keyBytes + rowBytes);
    if (!isIntact(block)) throw new StoreDamaged(path, at, 'checksum mismatch');
    const header = JSON.parse(block.toString('utf8', FRAME_BYTES + block.readUInt32LE(8), keyBytes)) as OldHeader;
    if (header.kind === 'rows') {
      let offset = keyBytes;
      for (let row = 0; row < header.count; row++) {
        const length = block.readUInt32LE(FRAME_BYTES + 4 * row);
        records.addRow(header, block, offset, length);
        offset += length;
      }
    }
    if (records.length >= WRITE_BYTES) await out.write(records.take());
    at += keyBytes + rowBytes;
  }
  await out.write(records.take());
  await out.sync();
  return { ...manifest, next: next + 1, checkpoint: { ...checkpoint, file, bytes: out.position } };
}

function isIntact(block: Buffer): boolean {
  if (block.length < FRAME_BYTES || block.readUInt32LE(0) !== BLOCK_MAGIC || block.readUInt32LE(20) !== 0) return false;
  return crc32(block.subarray(FRAME_BYTES), crc32(block.subarray(0, CHECKED_FRAME_BYTES))) === block.readUInt32LE(CHECKED_FRAME_BYTES);
}
