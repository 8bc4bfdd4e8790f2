/**
 * The first bytes of a segment. They are durable before a manifest names the segment, so a segment without them has lost its content: a
 * file of zeros is damage, not a segment to which nothing was written.
 */
import { crc32 } from 'node:zlib';

export const SEGMENT_HEADER_BYTES = 32;
const MAGIC = 'stockroom journal\n';
const CHECKSUM_AT = SEGMENT_HEADER_BYTES - 4;

/** Every segment has the same header. */
export const SEGMENT_HEADER: Buffer = createHeader();

function createHeader(): Buffer {
  const header = Buffer.alloc(SEGMENT_HEADER_BYTES);
  header.write(MAGIC, 'latin1');
  header.writeUInt32LE(crc32(header.subarray(0, CHECKSUM_AT)), CHECKSUM_AT);
  return header;
}

export const hasSegmentHeader = (segment: Buffer): boolean => segment.subarray(0, SEGMENT_HEADER_BYTES).equals(SEGMENT_HEADER);
