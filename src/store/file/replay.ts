/** Reads journal segments back. What is whole is applied in order; a torn tail is cut; anything else is damage. */
import { readFile, truncate } from 'node:fs/promises';
import { isMissing } from './disk.ts';
import { type Notice, StoreDamaged } from './errors.ts';
import { keysOf, rowIn } from './layout.ts';
import type { Manifest, Segment } from './manifest.ts';
import { entriesOf, type JournalRecord, nextRecord, recordAt } from './records.ts';
import type { State } from './state.ts';

/** Applies all segments of a manifest and returns them with their lengths. */
export async function replay(directory: string, manifest: Manifest, state: State, notice: (notice: Notice) => void): Promise<Segment[]> {
  const segments: Segment[] = [];
  for (const segment of manifest.segments) {
    const path = `${directory}/${segment.file}`;
    const bytes = await readFile(path).catch((cause: unknown) => {
      throw isMissing(cause) ? new StoreDamaged(path, 0, 'it is missing', { cause }) : cause;
    });
    const end = replaySegment(path, bytes, segment.bytes, state);
    if (segment.bytes === undefined) await cutTail(path, bytes, end, notice);
    segments.push({ file: segment.file, bytes: end });
  }
  return segments;
}

function replaySegment(path: string, segment: Buffer, closedAt: number | undefined, state: State): number {
  const open = closedAt === undefined;
  const limit = closedAt ?? segment.length;
  if (limit > segment.length) throw new StoreDamaged(path, segment.length, `it has only ${segment.length} of ${limit} bytes`);
  const slab = state.memory.slabs.adopt(segment);
  try {
    let offset = 0;
    while (offset < limit) {
      const record = recordAt(segment, offset, limit);
      if (record === undefined) {
        const problem = damageAt(segment, offset, limit, !open, state.sequence + 1);
        if (problem !== undefined) throw new StoreDamaged(path, offset, problem, { open });
        return offset;
      }
      if (record.sequence !== state.sequence + 1) {
        throw new StoreDamaged(path, offset, `commit ${record.sequence} follows commit ${state.sequence}`, { open });
      }
      apply(path, segment, slab, offset, record, state);
      offset = record.end;
    }
    return offset;
  } finally {
    state.memory.slabs.leave(slab, limit);
  }
}

/** Why an unreadable record is no torn tail, or undefined when it is one. */
function damageAt(segment: Buffer, offset: number, limit: number, closed: boolean, expected: number): string | undefined {
  if (closed) return `commit ${expected} is not readable`;
  for (let next = nextRecord(segment, offset, limit); next !== undefined; next = nextRecord(segment, next.record.end, limit)) {
    const firstOfGroup = next.record.sequence - next.record.position;
    // Its group was begun when the expected commit was durable already, so that commit was whole once.
    if (firstOfGroup > expected) return `commit ${expected} is not readable, but commit ${next.record.sequence} at byte ${next.at} is`;
  }
  return undefined;
}

function apply(path: string, segment: Buffer, slab: number, offset: number, record: JournalRecord, state: State): void {
  let at = record.rows;
  for (const entry of entriesOf(record.directory)) {
    const partition = state.partition(record.directory.t, entry.table);
    if (partition === undefined) throw new StoreDamaged(path, offset, `there is no table ${entry.table}`);
    if ('removed' in entry) {
      const removed = partition.remove(entry.removed);
      if (removed) partition.forget(removed);
      continue;
    }
    const { length } = entry;
    const row = rowIn(partition.layout, segment, at, length);
    const replaced = partition.put(row.id, { slab, offset: at, length }, keysOf(partition.layout, row));
    if (replaced) partition.forget(replaced);
    at += length;
  }
  state.sequence = record.sequence;
}

async function cutTail(path: string, segment: Buffer, end: number, notice: (notice: Notice) => void): Promise<void> {
  let torn = segment.length;
  while (torn > end && segment[torn - 1] === 0) torn--;
  if (torn > end) {
    const bytes = torn - end;
    notice({
      kind: 'torn-tail',
      message: `the last write to ${path} was not finished: ${bytes} bytes cut at byte ${end}`,
      file: path,
      bytes,
    });
  }
  // The length also goes into the next manifest, so a directory that cannot be written can still be read.
  if (segment.length > end) await truncate(path, end).catch(() => {});
}
