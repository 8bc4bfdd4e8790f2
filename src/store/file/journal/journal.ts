/**
 * The journal (write-ahead log): commits in files called segments, synced in groups (group commit).
 *
 * While one sync is in flight, commits that arrive wait and join the next group. A segment is preallocated with zeros in steps, so that a
 * sync does not have to change the size of the file.
 *
 * When a write or a sync fails, no one can know what the disk holds: the kernel may drop the dirty pages and report success next time. So a
 * failed segment gets no more commits. Its durable length is known from the syncs that succeeded. The next write starts a new segment,
 * which counts only once the manifest that cuts the failed one at that length is durable.
 *
 * Zeros follow the last record of an open segment at any time, so that replay.ts can detect that the file was cut after a record.
 *
 * After a crash, replay.ts reads the segments that the manifest names and cuts the last one after its last complete record.
 */
import { type FileHandle, open } from 'node:fs/promises';
import type { DirectoryGuard, FileIdentity } from '../directory-guard.ts';
import { removeFile, type BeforeDiskStep, syncData, writeAll, writeSyncIfSmall } from '../disk.ts';
import { type Manifest, MIN_SEGMENT_BYTES, type Segment, writeManifest } from '../manifest.ts';
import { writeHeader } from '../journal-record.ts';
import { SEGMENT_HEADER, SEGMENT_HEADER_BYTES } from './segment-header.ts';
import type { PendingCommit } from '../transaction/transaction.ts';

const MAX_GROWTH_BYTES = 8 * 1024 * 1024;
/** A start reads each segment into one buffer, which Node limits to 2 GiB. */
const DEFAULT_SEGMENT_BYTES = 512 * 1024 * 1024;
const ZEROS = Buffer.alloc(64 * 1024);
/** Zeros after records that reach the end of the file. */
const PADDING = ZEROS.subarray(0, 512);

interface OpenSegment {
  readonly file: string;
  readonly hasHeader: true;
  readonly handle: FileHandle;
  /** Durable length. */
  bytes: number;
  /** The file is filled with zeros from the last record up to here, or will be by the write in progress. */
  zeroedUpTo: number;
  preallocation: Promise<void> | undefined;
  growthBytes: number;
}

interface QueuedAppend {
  readonly commits: readonly PendingCommit[];
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export interface JournalEvents {
  /** Called when a group is durable, before its callers are notified. */
  onDurable(group: readonly PendingCommit[]): void;
  /**
   * Called when a write failed. It must roll back everything that is not durable: the commits that `takeUndurable` returns, in order. The
   * journal waits until it resolves with the error for the callers.
   */
  onFailure(takeUndurable: () => readonly PendingCommit[], cause: Error): Promise<Error>;
}

export interface JournalOptions {
  readonly directory: string;
  readonly events: JournalEvents;
  readonly guard: DirectoryGuard;
  /** For tests: called before each write and sync of a group. */
  readonly beforeDiskStep?: BeforeDiskStep;
  /** Length at which a new segment is started. */
  readonly segmentBytes?: number;
}

/** Whether a segment has no commits. */
const isEmpty = ({ bytes = 0, hasHeader }: Pick<Segment, 'bytes' | 'hasHeader'>): boolean =>
  bytes <= (hasHeader ? SEGMENT_HEADER_BYTES : 0);

/** Closes a segment once its preallocation has ended. */
async function closeSegment(segment: OpenSegment | undefined): Promise<void> {
  await segment?.preallocation;
  await segment?.handle.close();
}

export class Journal {
  manifest: Manifest;
  /** Sequence number of the last durable commit. */
  #sequence: number;
  readonly #directory: string;
  readonly #events: JournalEvents;
  readonly #guard: DirectoryGuard;
  readonly #beforeDiskStep: BeforeDiskStep | undefined;
  readonly #segmentBytes: number;
  #segment: OpenSegment | undefined;
  /** Files that no manifest names once the next one is in place. */
  readonly #unnamedFiles: string[] = [];
  #queue: QueuedAppend[] = [];
  #isBusy = false;
  #isFlushScheduled = false;
  /** Number of commits in the last group: a single writer need not wait for others. */
  #lastGroupSize = 1;
  #idleWaiters: (() => void)[] = [];

  constructor(
    { directory, events, guard, beforeDiskStep, segmentBytes = DEFAULT_SEGMENT_BYTES }: JournalOptions,
    manifest: Manifest,
    sequence: number,
  ) {
    this.#directory = directory;
    this.manifest = manifest;
    this.#sequence = sequence;
    this.#events = events;
    this.#guard = guard;
    this.#beforeDiskStep = beforeDiskStep;
    this.#segmentBytes = segmentBytes;
  }

  /** Bytes that the next start would replay. */
  get bytes(): number {
    const openBytes = this.#segment === undefined ? 0 : this.#segment.bytes - SEGMENT_HEADER_BYTES;
    return this.manifest.segments.reduce((sum, segment) => sum + (segment.bytes ?? 0), openBytes);
  }

  /** Sequence number of the last durable commit. */
  get sequence(): number {
    return this.#sequence;
  }

  /** Resolves when the commits are durable; rejects with `StoreUnavailable` when they have been rolled back. */
  append(commits: readonly PendingCommit[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ commits, resolve, reject });
      if (!this.#isBusy && !this.#isFlushScheduled) void this.#flush();
    });
  }

  /** Starts a new segment. The older ones can be removed once a checkpoint contains their commits. */
  async rotate(): Promise<{ readonly olderSegments: readonly Segment[]; readonly sequence: number }> {
    const { closing, ...rotated } = await this.#runExclusively(async () => {
      const segment = this.#segment;
      await this.#startSegment();
      return { closing: segment, olderSegments: this.manifest.segments.slice(0, -1), sequence: this.#sequence };
    });
    // Commits already go to the new segment.
    await closeSegment(closing);
    return rotated;
  }

  /** Returns a number for the name of a new file. */
  takeFileNumber(): number {
    const { next } = this.manifest;
    this.manifest = { ...this.manifest, next: next + 1 };
    return next;
  }

  /** Replaces the manifest between two groups. */
  async updateManifest(change: (manifest: Manifest) => Manifest): Promise<void> {
    await this.#runExclusively(async () => {
      const changed = change(this.manifest);
      await writeManifest(this.#directory, changed, this.#guard.verifyBeforeStep);
      this.#adoptManifest(changed);
    });
  }

  /** Stops writing to the current segment. The next commit starts another, and counts only once a manifest names that. */
  async abandonSegment(): Promise<void> {
    await this.#runExclusively(() => this.#closeCurrentSegment());
  }

  /** Waits for pending commits and closes the file. */
  async close(): Promise<void> {
    while (this.#queue.length > 0 || this.#isBusy) await new Promise<void>((resolve) => this.#idleWaiters.push(resolve));
    this.#guard.watchSegment(undefined);
    await closeSegment(this.#segment);
    this.#segment = undefined;
  }

  /** Adopts a manifest that has become the current one; file numbers taken while it was written stay taken. */
  #adoptManifest(manifest: Manifest): void {
    this.manifest = { ...manifest, next: this.manifest.next };
  }

  #scheduleFlush(): void {
    if (this.#isBusy || this.#isFlushScheduled) return;
    this.#isFlushScheduled = true;
    const start = (): void => {
      this.#isFlushScheduled = false;
      if (!this.#isBusy) void this.#flush();
    };
    // After one turn of the event loop, callers that the last group answered and requests that have just arrived can join. A single writer
    // would only wait longer; work that waits for exclusive access goes first in both cases.
    if (this.#lastGroupSize > 1) setImmediate(start);
    else process.nextTick(start);
  }

  #release(): void {
    this.#isBusy = false;
    const waiters = this.#idleWaiters;
    this.#idleWaiters = [];
    for (const resolve of waiters) resolve();
    if (this.#queue.length > 0) this.#scheduleFlush();
  }

  async #runExclusively<T>(work: () => Promise<T>): Promise<T> {
    while (this.#isBusy) await new Promise<void>((resolve) => this.#idleWaiters.push(resolve));
    this.#isBusy = true;
    try {
      return await work();
    } finally {
      this.#release();
    }
  }

  async #flush(): Promise<void> {
    const group = this.#queue;
    if (group.length === 0) return;
    this.#queue = [];
    this.#isBusy = true;
    const commits = group.length === 1 ? group[0]!.commits : group.flatMap((each) => each.commits);
    this.#lastGroupSize = commits.length;
    try {
      await this.#write(commits);
    } catch (error) {
      await this.#failGroup(group, error as Error);
      this.#release();
      return;
    }
    // Not part of the above: an error here must not roll back what is durable.
    this.#events.onDurable(commits);
    for (const { resolve } of group) resolve();
    this.#release();
  }

  async #write(group: readonly PendingCommit[]): Promise<void> {
    const verified = this.#guard.verifyIfDue();
    if (verified) await verified;
    const current = this.#segment;
    const segment = current !== undefined && current.bytes < this.#segmentBytes ? current : await this.#rollSegment();
    const buffers: Buffer[] = [];
    let total = 0;
    group.forEach((pending, position) => {
      // Replay recognizes by the position in the group where damage is not the end of an interrupted write.
      writeHeader(pending.buffers, pending.changeListBytes, pending.commit.sequence, position);
      for (const chunk of pending.buffers) {
        total += chunk.length;
        const last = buffers.at(-1);
        // Adjacent records in a slab become one buffer.
        if (last !== undefined && last.buffer === chunk.buffer && last.byteOffset + last.length === chunk.byteOffset) {
          buffers[buffers.length - 1] = Buffer.from(last.buffer, last.byteOffset, last.length + chunk.length);
        } else buffers.push(chunk);
      }
    });
    const end = segment.bytes + total;
    // Zeros still being written must not overwrite records. Those are written from `zeroedUpTo` on, so only a group that ends there or later
    // has to wait; without the wait, its padding would move `zeroedUpTo`, and the next group would not wait and could be overwritten.
    if (segment.preallocation && end >= segment.zeroedUpTo) await segment.preallocation;
    if (end >= segment.zeroedUpTo) {
      buffers.push(PADDING);
      segment.zeroedUpTo = end + PADDING.length;
    }
    if (this.#beforeDiskStep) await this.#beforeDiskStep('write', segment.file);
    const written = writeSyncIfSmall(segment.handle.fd, buffers, segment.bytes);
    if (written) await written;
    if (this.#beforeDiskStep) await this.#beforeDiskStep('sync', segment.file);
    await syncData(segment.handle.fd);
    // Commits in a directory that was lost meanwhile must not be acknowledged.
    if (this.#guard.lost) throw this.#guard.lost;
    segment.bytes = end;
    this.#sequence = group.at(-1)!.commit.sequence;
    if (segment.preallocation === undefined && segment.zeroedUpTo - end < segment.growthBytes / 2) this.#preallocate(segment);
  }

  /**
   * Writes zeros ahead while groups continue, through its own file handle: Linux reports a failed write once per handle, regardless of the writer, and
   * the sync of a group must not miss it.
   */
  #preallocate(segment: OpenSegment): void {
    const from = Math.max(segment.zeroedUpTo, segment.bytes);
    segment.growthBytes = Math.min(MAX_GROWTH_BYTES, segment.growthBytes * 2);
    const to = from + segment.growthBytes;
    const write = async (): Promise<void> => {
      try {
        await using handle = await open(segment.file, 'r+');
        if (!(await this.#guard.isWatchedSegment(handle))) return;
        for (let at = from; at < to; at += ZEROS.length) await writeAll(handle.fd, [ZEROS], at);
        await syncData(handle.fd);
        segment.zeroedUpTo = Math.max(segment.zeroedUpTo, to);
      } catch {
        // Without preallocated zeros the next write extends the file itself, and reports the problem if it cannot.
      } finally {
        segment.preallocation = undefined;
      }
    };
    segment.preallocation = write();
  }

  async #rollSegment(): Promise<OpenSegment> {
    const last = this.#segment;
    const next = await this.#startSegment();
    await closeSegment(last);
    return next;
  }

  async #startSegment(): Promise<OpenSegment> {
    const file = `journal-${this.takeFileNumber()}.log`;
    const path = `${this.#directory}/${file}`;
    const closed = this.#listClosedSegments();
    await this.#guard.verifyBeforeStep('create', path);
    const handle = await open(path, 'w', 0o600);
    const manifest = { ...this.manifest, segments: [...closed, { file, isPadded: true as const, hasHeader: true as const }] };
    let identity: FileIdentity;
    try {
      const { dev, ino } = await handle.stat({ bigint: true });
      identity = { path, device: dev, inode: ino };
      await writeAll(handle.fd, [SEGMENT_HEADER, ZEROS.subarray(SEGMENT_HEADER_BYTES)], 0);
      for (let at = ZEROS.length; at < MIN_SEGMENT_BYTES; at += ZEROS.length) await writeAll(handle.fd, [ZEROS], at);
      await handle.sync();
    } catch (error) {
      await handle.close();
      await removeFile(path, this.#guard.verifyBeforeStep);
      throw error;
    }
    try {
      await writeManifest(this.#directory, manifest, this.#guard.verifyBeforeStep);
    } catch (error) {
      // The new manifest may or may not be in place. So the file stays, and the previous segment, which may count as closed now, is not
      // written again.
      await handle.close().catch(() => {});
      await this.#closeCurrentSegment();
      this.#unnamedFiles.push(path);
      throw error;
    }
    this.#adoptManifest(manifest);
    if (this.#segment && isEmpty(this.#segment)) this.#unnamedFiles.push(this.#segment.file);
    for (const unnamed of this.#unnamedFiles.splice(0)) await removeFile(unnamed, this.#guard.verifyBeforeStep);
    this.#guard.watchSegment(identity);
    this.#segment = {
      file: path,
      hasHeader: true,
      handle,
      bytes: SEGMENT_HEADER_BYTES,
      zeroedUpTo: MIN_SEGMENT_BYTES,
      preallocation: undefined,
      growthBytes: MIN_SEGMENT_BYTES,
    };
    return this.#segment;
  }

  /** The segments once the current one is closed, which is the only one without a length yet. Empty ones are not needed any more. */
  #listClosedSegments(): Segment[] {
    const current = this.#segment;
    return this.manifest.segments
      .map(({ file, bytes = current?.bytes ?? 0, hasHeader }) => ({ file, bytes, ...(hasHeader && { hasHeader }) }))
      .filter((segment) => !isEmpty(segment));
  }

  async #closeCurrentSegment(): Promise<void> {
    const segment = this.#segment;
    this.#guard.watchSegment(undefined);
    this.manifest = { ...this.manifest, segments: this.#listClosedSegments() };
    this.#segment = undefined;
    if (segment && isEmpty(segment)) this.#unnamedFiles.push(segment.file);
    await closeSegment(segment).catch(() => {});
  }

  async #failGroup(group: readonly QueuedAppend[], cause: Error): Promise<void> {
    const segment = this.#segment;
    if (segment !== undefined) {
      await segment.preallocation;
      // Matters only if the process ends before the next write: then neither half a commit nor a refused one should be replayed. A power cut
      // at that moment may bring a refused commit back, because the disk just failed to sync. One byte stays, because a file that ends with
      // a record counts as cut. By handle, because the path may name the file of another process, and not after a loss, because another
      // process may have replayed the file.
      if (!this.#guard.lost) await segment.handle.truncate(segment.bytes + 1).catch(() => {});
      await this.#closeCurrentSegment();
    }
    let undurable: QueuedAppend[] = [];
    const error = await this.#events.onFailure(() => {
      undurable = [...group, ...this.#queue];
      this.#queue = [];
      return undurable.flatMap(({ commits }) => commits);
    }, cause);
    for (const { reject } of undurable) reject(error);
  }
}
