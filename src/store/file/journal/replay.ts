/**
 * Replays journal segments: applies complete records in order and clears a torn tail. Everything else is damage.
 *
 * A torn tail is an incomplete last write: every complete record after the damaged place belongs to the same group, so none of them was
 * acknowledged.
 */
import type { ReplayProgress } from '../../../platform/daemon-state.ts';
import type { Disk } from '../disk/disk.ts';
import { openForReading } from '../disk/files.ts';
import { type Notice, StoreDamaged } from '../errors.ts';
import type { Manifest, Segment } from '../manifest.ts';
import { findNextRecord, type JournalRecord, listChanges, readRecord } from '../journal-record.ts';
import type { Partition } from '../partition.ts';
import { readRow } from '../rows/row-text.ts';
import { createZeros, MIN_SEGMENT_BYTES } from './preallocation.ts';
import { SEGMENT_HEADER_BYTES, hasSegmentHeader } from './segment-header.ts';
import type { State } from '../state.ts';
import { extractKeys } from '../../table-layout.ts';
import { ReplayReporter } from './replay-progress.ts';

/** Applies all segments of a manifest to the state and returns them with their lengths. Throws `StoreDamaged`. */
export async function replayJournal(
  disk: Disk,
  directory: string,
  manifest: Manifest,
  state: State,
  onNotice: (notice: Notice) => void,
  onProgress: (progress: ReplayProgress) => void = () => undefined,
): Promise<Segment[]> {
  const segments: Segment[] = [];
  const reporter = new ReplayReporter(await sumBytes(disk, directory, manifest), onProgress);
  let replayedBytes = 0;
  for (const segment of manifest.segments) {
    const path = `${directory}/${segment.file}`;
    const bytes = await readSegment(disk, path);
    const slab = state.memory.slabs.add(bytes);
    const end = applyRecords(path, bytes, segment, state, slab, (offset) => reporter.update(replayedBytes + offset));
    state.memory.slabs.seal(slab, end);
    replayedBytes += end;
    if (segment.bytes === undefined) {
      reportMissingCommits(path, bytes.length, end, manifest, state.sequence, onNotice);
      await clearTornTail(disk, path, bytes, end, onNotice);
    }
    segments.push({ file: segment.file, bytes: end, ...(segment.hasHeader && { hasHeader: true }) });
  }
  reporter.finish();
  return segments;
}

async function readSegment(disk: Disk, path: string): Promise<Buffer> {
  await using file = await openForReading(disk, path);
  return await file.read(0, (await file.getStatus()).size);
}

/** The length of all segments; that of the open one includes preallocated zeros. */
async function sumBytes(disk: Disk, directory: string, { segments }: Manifest): Promise<number> {
  const sizes = segments.map(
    async ({ file, bytes }) => bytes ?? (await disk.getStatus(`${directory}/${file}`).catch(() => undefined))?.size ?? 0,
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** Applies the records of a segment. Returns the offset after the last complete one. */
function applyRecords(
  path: string,
  segment: Buffer,
  { bytes: closedAt, hasHeader }: Segment,
  state: State,
  slab: number,
  reportProgress: (offset: number) => void,
): number {
  const isLastSegment = closedAt === undefined;
  const limit = closedAt ?? segment.length;
  if (limit > segment.length) throw new StoreDamaged(path, segment.length, `it has ${segment.length} bytes instead of ${limit}`);
  let offset = hasHeader ? skipHeader(path, segment, limit, isLastSegment) : 0;
  while (offset < limit) {
    const expected = state.sequence + 1;
    const record = readRecord(segment, offset, limit);
    if (record === undefined) {
      const problem = findDamage(segment, offset, limit, !isLastSegment, expected);
      if (problem !== undefined) throw new StoreDamaged(path, offset, problem, { isLastSegment });
      return offset;
    }
    if (record.sequence !== expected)
      throw new StoreDamaged(path, offset, `commit ${record.sequence} follows commit ${state.sequence}`, { isLastSegment });
    const problem = applyRecord(state, record, segment, slab);
    if (problem !== undefined) throw new StoreDamaged(path, offset, problem, { isLastSegment });
    state.sequence = record.sequence;
    offset = record.end;
    reportProgress(offset);
  }
  return offset;
}

/** Returns where the records start. A file that was cut within its header is reported as cut. */
function skipHeader(path: string, segment: Buffer, limit: number, isLastSegment: boolean): number {
  // A damaged header before an intact record hides nothing.
  if (
    segment.length >= SEGMENT_HEADER_BYTES &&
    !hasSegmentHeader(segment) &&
    readRecord(segment, SEGMENT_HEADER_BYTES, limit) === undefined
  )
    throw new StoreDamaged(path, 0, 'its header is missing, so its commits are lost', { isLastSegment });
  return Math.min(SEGMENT_HEADER_BYTES, segment.length);
}

/** Applies the changes of a record, whose rows stay where they are in the slab. Returns why that is not possible. */
export function applyRecord(state: State, { rowsOffset, changeList }: JournalRecord, bytes: Buffer, slab: number): string | undefined {
  let offset = rowsOffset;
  let partition: Partition | undefined;
  for (const change of listChanges(changeList)) {
    if (change.table !== partition?.layout.spec.name) partition = state.getPartition(changeList.t, change.table);
    if (partition === undefined) return `unknown table ${change.table}`;
    let replaced;
    if ('removed' in change) replaced = partition.remove(change.removed);
    else {
      const row = readRow(partition.layout, bytes, offset, change.length);
      replaced = partition.put(row.id, { slab, offset, length: change.length }, extractKeys(partition.layout, row));
      offset += change.length;
    }
    if (replaced) partition.releaseVersion(replaced);
  }
  return undefined;
}

/** Why an unreadable record is damage; undefined when it is a torn tail. */
function findDamage(segment: Buffer, offset: number, limit: number, isClosed: boolean, expected: number): string | undefined {
  if (isClosed) return `commit ${expected} is unreadable`;
  for (let next = findNextRecord(segment, offset, limit); next !== undefined; next = findNextRecord(segment, next.record.end, limit)) {
    const firstOfGroup = next.record.sequence - next.record.position;
    // Its group was written after the expected commit had become durable.
    if (firstOfGroup > expected) return `commit ${expected} is unreadable, but commit ${next.record.sequence} at byte ${next.at} is intact`;
  }
  return undefined;
}

/** Replaces an incomplete write by zeros. The file keeps its length, because one that ends with a record counts as cut. */
async function clearTornTail(disk: Disk, path: string, segment: Buffer, end: number, onNotice: (notice: Notice) => void): Promise<void> {
  let tornEnd = segment.length;
  while (tornEnd > end && segment[tornEnd - 1] === 0) tornEnd--;
  if (tornEnd === end) return;
  const bytes = tornEnd - end;
  onNotice({
    kind: 'torn-tail',
    message: `removed an incomplete write from the end of ${path}: ${bytes} bytes from byte ${end} on`,
    file: path,
    bytes,
  });
  // Failure is harmless: the next manifest records the length, and a read-only directory can still be opened.
  await overwriteWithZeros(disk, path, end, bytes).catch(() => {});
}

async function overwriteWithZeros(disk: Disk, path: string, position: number, bytes: number): Promise<void> {
  await using file = await disk.open(path);
  await file.write(createZeros(bytes), position);
  await file.sync();
}

/** Reports an open segment from whose end whole commits are missing, when that can be proven. */
function reportMissingCommits(
  path: string,
  length: number,
  end: number,
  manifest: Manifest,
  sequence: number,
  onNotice: (notice: Notice) => void,
): void {
  const bytes = Math.max(0, MIN_SEGMENT_BYTES - length);
  if (manifest.sequence !== undefined && manifest.sequence > sequence) {
    const missing = manifest.sequence - sequence;
    const commits = missing === 1 ? '1 commit is' : `at least ${missing} commits are`;
    const message = `${commits} missing from the end of ${path}: it ends with commit ${sequence} at byte ${end}, but the manifest names commit ${manifest.sequence}. Restore a snapshot if you need them.`;
    onNotice({ kind: 'torn-tail', message, file: path, bytes });
  } else if (manifest.segments.at(-1)?.isPadded && length === end) {
    const message = `${path} was cut at byte ${end}: the zeros after the last commit are missing, so commits after ${sequence} may be missing. Restore a snapshot if you need them.`;
    onNotice({ kind: 'torn-tail', message, file: path, bytes });
  }
}
