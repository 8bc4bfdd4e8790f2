/**
 * Replays journal segments: applies complete records in order and clears a torn tail. Everything else is damage.
 *
 * Two passes: the first checks all records and finds the last change of each row, the second applies those, one partition after the other.
 * So a row that is replaced often is parsed once, and each index is completed once (`Partition.startBulkChanges`).
 *
 * A torn tail is an incomplete last write: every complete record after the damaged place belongs to the same group, so none of them was
 * acknowledged.
 */
import { open, stat } from 'node:fs/promises';
import type { ReplayProgress } from '../../../contract/daemon-state.ts';
import { isNotFound, syncData, writeAll } from '../disk.ts';
import { type Notice, StoreDamaged } from '../errors.ts';
import { LatestChanges } from './latest-changes.ts';
import { type Manifest, MIN_SEGMENT_BYTES, type Segment } from '../manifest.ts';
import { listChanges, findNextRecord, readRecord } from '../journal-record.ts';
import type { Partition } from '../partition.ts';
import type { State } from '../state.ts';
import { ReplayReporter } from './replay-progress.ts';

/** Share of the first pass in the time of a replay, for progress reports. */
const READING_SHARE = 0.3;

/** Applies all segments of a manifest to the state and returns them with their lengths. Throws `StoreDamaged`. */
export async function replayJournal(
  directory: string,
  manifest: Manifest,
  state: State,
  onNotice: (notice: Notice) => void,
  onProgress: (progress: ReplayProgress) => void = () => undefined,
): Promise<Segment[]> {
  const segments: Segment[] = [];
  const reporter = new ReplayReporter(await sumBytes(directory, manifest), onProgress);
  const changes = new JournalChanges(state);
  const slabs: (readonly [slab: number, usedBytes: number])[] = [];
  let readBytes = 0;
  for (const segment of manifest.segments) {
    const path = `${directory}/${segment.file}`;
    const bytes = await readSegment(path);
    const slab = state.memory.slabs.add(bytes);
    const end = readRecords(path, bytes, segment.bytes, state, changes, slab, (offset) =>
      reporter.update((readBytes + offset) * READING_SHARE),
    );
    slabs.push([slab, end]);
    readBytes += end;
    if (segment.bytes === undefined) {
      reportMissingCommits(path, bytes.length, end, manifest, state.sequence, onNotice);
      await clearTornTail(path, bytes, end, onNotice);
    }
    segments.push({ file: segment.file, bytes: end });
  }
  changes.apply((share) => reporter.update(readBytes * (READING_SHARE + (1 - READING_SHARE) * share)));
  for (const [slab, usedBytes] of slabs) state.memory.slabs.seal(slab, usedBytes);
  reporter.finish();
  return segments;
}

/** Reads a file into one buffer of its length: `readFile` copies it in small pieces. */
async function readSegment(path: string): Promise<Buffer> {
  const handle = await open(path, 'r').catch((cause: unknown) => {
    throw isNotFound(cause) ? new StoreDamaged(path, 0, 'file not found', { cause }) : cause;
  });
  try {
    const { size } = await handle.stat();
    const bytes = Buffer.allocUnsafeSlow(size);
    let at = 0;
    while (at < size) {
      const { bytesRead } = await handle.read(bytes, at, size - at, at);
      if (bytesRead === 0) break;
      at += bytesRead;
    }
    return bytes.subarray(0, at);
  } finally {
    await handle.close();
  }
}

/** The changes of all records, by table and tenant. */
class JournalChanges {
  readonly #state: State;
  readonly #byPartition = new Map<Partition, LatestChanges>();
  /** Those of one tenant by table, because consecutive records mostly change the same tables. */
  readonly #byTable = new Map<string, LatestChanges>();
  #tenant: string | undefined;

  constructor(state: State) {
    this.#state = state;
  }

  /** The changes of a tenant's table; undefined when there is no such table. */
  get(tenant: string, table: string): LatestChanges | undefined {
    if (tenant !== this.#tenant) {
      this.#byTable.clear();
      this.#tenant = tenant;
    }
    const known = this.#byTable.get(table);
    if (known !== undefined) return known;
    const partition = this.#state.getPartition(tenant, table);
    if (partition === undefined) return undefined;
    const changes = this.#byPartition.get(partition) ?? new LatestChanges(partition);
    this.#byPartition.set(partition, changes);
    this.#byTable.set(table, changes);
    return changes;
  }

  /** Applies all changes; calls `onProgress` with the share that is done. */
  apply(onProgress: (share: number) => void): void {
    let total = 0;
    for (const { count } of this.#byPartition.values()) total += count;
    let done = 0;
    for (const changes of this.#byPartition.values()) changes.apply(() => onProgress(++done / total));
  }
}

/** The length of all segments; that of the open one includes preallocated zeros. */
async function sumBytes(directory: string, { segments }: Manifest): Promise<number> {
  const sizes = segments.map(async ({ file, bytes }) => bytes ?? (await stat(`${directory}/${file}`).catch(() => undefined))?.size ?? 0);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** Collects the changes of a segment's records. Returns the length of the complete records. */
function readRecords(
  path: string,
  segment: Buffer,
  closedAt: number | undefined,
  state: State,
  changes: JournalChanges,
  slab: number,
  reportProgress: (offset: number) => void,
): number {
  const isLastSegment = closedAt === undefined;
  const limit = closedAt ?? segment.length;
  if (limit > segment.length) throw new StoreDamaged(path, segment.length, `it has ${segment.length} bytes instead of ${limit}`);
  let offset = 0;
  while (offset < limit) {
    const record = readRecord(segment, offset, limit);
    if (record === undefined) {
      const problem = findDamage(segment, offset, limit, !isLastSegment, state.sequence + 1);
      if (problem !== undefined) throw new StoreDamaged(path, offset, problem, { isLastSegment });
      return offset;
    }
    if (record.sequence !== state.sequence + 1) {
      throw new StoreDamaged(path, offset, `commit ${record.sequence} follows commit ${state.sequence}`, { isLastSegment });
    }
    let at = record.rowsOffset;
    for (const change of listChanges(record.changeList)) {
      const ofTable = changes.get(record.changeList.t, change.table);
      if (ofTable === undefined) throw new StoreDamaged(path, offset, `unknown table ${change.table}`);
      if ('removed' in change) ofTable.remove(change.removed);
      else {
        ofTable.put(segment, slab, at, change.length);
        at += change.length;
      }
    }
    state.sequence = record.sequence;
    offset = record.end;
    reportProgress(offset);
  }
  return offset;
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
async function clearTornTail(path: string, segment: Buffer, end: number, onNotice: (notice: Notice) => void): Promise<void> {
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
  await overwriteWithZeros(path, end, bytes).catch(() => {});
}

async function overwriteWithZeros(path: string, position: number, bytes: number): Promise<void> {
  const handle = await open(path, 'r+');
  try {
    await writeAll(handle.fd, [Buffer.alloc(bytes)], position);
    await syncData(handle.fd);
  } finally {
    await handle.close();
  }
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
