/** Loads a checkpoint: a replay of its records. Anything unreadable is `StoreDamaged`. */
import type { Disk } from '../disk/disk.ts';
import { openForReading } from '../disk/files.ts';
import { StoreDamaged } from '../errors.ts';
import { HEADER_BYTES, readLength, readRecord } from '../journal-record.ts';
import { applyRecord } from '../journal/replay.ts';
import type { State } from '../state.ts';

/** Bytes to read at a time, unless a record is longer. They become one slab. */
const READ_BYTES = 4 * 1024 * 1024;

/** Loads a checkpoint file of so many bytes into an empty state. */
export async function loadCheckpoint(disk: Disk, state: State, path: string, bytes: number): Promise<void> {
  await using file = await openForReading(disk, path);
  const { size } = await file.getStatus();
  if (size !== bytes) throw new StoreDamaged(path, Math.min(size, bytes), `it has ${size} bytes instead of ${bytes}`);
  let records = 0;
  for (let at = 0; at < bytes;) {
    // Enough for the first record at least.
    const header = await file.read(at, Math.min(HEADER_BYTES, bytes - at));
    const wanted = Math.max(READ_BYTES, header.length < HEADER_BYTES ? 0 : readLength(header, 0));
    const buffer = await file.read(at, Math.min(wanted, bytes - at));
    const slab = state.memory.slabs.add(buffer);
    let end = 0;
    for (let record = readRecord(buffer, 0); record !== undefined; record = readRecord(buffer, end)) {
      records++;
      if (record.sequence !== records) throw new StoreDamaged(path, at + end, `record ${record.sequence} instead of ${records}`);
      const problem = applyRecord(state, record, buffer, slab);
      if (problem !== undefined) throw new StoreDamaged(path, at + end, problem);
      end = record.end;
    }
    state.memory.slabs.seal(slab, end);
    if (end === 0) throw new StoreDamaged(path, at, 'checksum mismatch');
    at += end;
  }
}
