/**
 * The journal (write-ahead log): commits in files called segments, synced in groups (group commit).
 *
 * While one sync is in flight, commits that arrive wait and join the next group. A segment is preallocated with zeros in steps
 * (preallocation.ts).
 *
 * When a write or a sync fails, no one can know what the disk holds: the kernel may drop the dirty pages and report success next time. So a
 * failed segment gets no more commits. Its durable length is known from the syncs that succeeded. The next write starts a new segment,
 * which counts only once the manifest that cuts the failed one at that length is durable.
 *
 * After a crash, replay.ts reads the segments that the manifest names and cuts the last one after its last complete record.
 */
import type { DirectoryGuard } from '../disk/directory-guard.ts';
import { writeHeader } from '../journal-record.ts';
import type { Manifest, Segment } from '../manifest.ts';
import { Mutex } from '../transaction/mutex.ts';
import type { PendingCommit } from '../transaction/transaction.ts';
import { CurrentManifest } from './current-manifest.ts';
import { OpenSegment } from './open-segment.ts';
import { SEGMENT_HEADER_BYTES } from './segment-header.ts';

/** A start reads each segment into one buffer, which Node limits to 2 GiB. */
const DEFAULT_SEGMENT_BYTES = 512 * 1024 * 1024;

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
  /** Length at which a new segment is started. */
  readonly segmentBytes?: number;
}

export class Journal {
  readonly #directory: string;
  readonly #events: JournalEvents;
  readonly #guard: DirectoryGuard;
  readonly #segmentBytes: number;
  readonly #manifest: CurrentManifest;
  /** Sequence number of the last durable commit. */
  #sequence: number;
  /** Undefined before the first commit and after a failure: then the next group starts one. */
  #segment: OpenSegment | undefined;
  /** Held while a group or a manifest is written. */
  readonly #mutex = new Mutex();
  #queue: QueuedAppend[] = [];
  /** Set while groups are being written, until the queue is empty. */
  #flushing: Promise<void> | undefined;

  constructor({ directory, events, guard, segmentBytes = DEFAULT_SEGMENT_BYTES }: JournalOptions, manifest: Manifest, sequence: number) {
    this.#directory = directory;
    this.#manifest = new CurrentManifest(guard.disk, directory, manifest);
    this.#sequence = sequence;
    this.#events = events;
    this.#guard = guard;
    this.#segmentBytes = segmentBytes;
  }

  get manifest(): Manifest {
    return this.#manifest.value;
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
      this.#flushing ??= this.#flush();
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
    await closing?.close();
    return rotated;
  }

  /** Returns a number for the name of a new file. */
  takeFileNumber(): number {
    return this.#manifest.takeFileNumber();
  }

  /** Replaces the manifest between two groups. */
  async updateManifest(change: (manifest: Manifest) => Manifest): Promise<void> {
    await this.#runExclusively(async () => {
      await this.#manifest.replace(change(this.manifest));
      await this.#manifest.removeUnnamed();
    });
  }

  /** Removes a file that no manifest names, once another manifest is in place. */
  removeLater(path: string): void {
    this.#manifest.addUnnamed(path);
  }

  /** Stops writing to the current segment. The next commit starts another, and counts only once a manifest names that. */
  async abandonSegment(): Promise<void> {
    await this.#runExclusively(() => this.#closeSegment());
  }

  /** Waits for pending commits and closes the file. */
  async close(): Promise<void> {
    while (this.#flushing !== undefined) await this.#flushing;
    await this.#runExclusively(async () => {
      this.#guard.watchSegment(undefined);
      await this.#segment?.close();
      this.#segment = undefined;
    });
  }

  async #runExclusively<T>(work: () => Promise<T>): Promise<T> {
    const locked = this.#mutex.acquire();
    if (locked) await locked;
    try {
      return await work();
    } finally {
      this.#mutex.release();
    }
  }

  /** Writes groups until the queue is empty. */
  async #flush(): Promise<void> {
    do {
      const groupSize = await this.#runExclusively(() => this.#flushGroup());
      // In one turn of the event loop, callers that the last group answered and requests that have just arrived can join the next group. A
      // single writer would only wait longer.
      if (this.#queue.length > 0 && groupSize > 1) await new Promise((resolve) => setImmediate(resolve));
    } while (this.#queue.length > 0);
    this.#flushing = undefined;
  }

  /** Writes what is in the queue as one group. Returns how many commits that was. */
  async #flushGroup(): Promise<number> {
    const group = this.#queue;
    this.#queue = [];
    const commits = group.length === 1 ? group[0]!.commits : group.flatMap((each) => each.commits);
    try {
      await this.#write(commits);
    } catch (error) {
      await this.#failGroup(group, error as Error);
      return commits.length;
    }
    // Not part of the above: an error here must not roll back what is durable.
    this.#events.onDurable(commits);
    for (const { resolve } of group) resolve();
    return commits.length;
  }

  async #write(group: readonly PendingCommit[]): Promise<void> {
    const current = this.#segment;
    const segment = current !== undefined && current.bytes < this.#segmentBytes ? current : await this.#rollSegment();
    const { buffers, bytes } = joinRecords(group);
    await segment.append(buffers, bytes);
    this.#sequence = group.at(-1)!.commit.sequence;
  }

  async #rollSegment(): Promise<OpenSegment> {
    const last = this.#segment;
    const next = await this.#startSegment();
    await last?.close();
    return next;
  }

  async #startSegment(): Promise<OpenSegment> {
    const file = `journal-${this.takeFileNumber()}.log`;
    const path = `${this.#directory}/${file}`;
    const segment = await OpenSegment.create(this.#guard.disk, path);
    const closed = this.#manifest.listClosedSegments(this.#segment?.bytes ?? 0);
    try {
      await this.#manifest.replace({ ...this.manifest, segments: [...closed, { file, isPadded: true, hasHeader: true }] });
    } catch (error) {
      // The new manifest may or may not be in place. So the file stays, and the previous segment, which may count as closed now, is not
      // written again.
      await segment.close().catch(() => {});
      await this.#closeSegment();
      this.#manifest.addUnnamed(path);
      throw error;
    }
    if (this.#segment?.isEmpty) this.#manifest.addUnnamed(this.#segment.path);
    await this.#manifest.removeUnnamed();
    this.#guard.watchSegment(segment.identity);
    this.#segment = segment;
    return segment;
  }

  async #closeSegment(): Promise<void> {
    const segment = this.#segment;
    this.#guard.watchSegment(undefined);
    this.#manifest.closeSegment(segment?.bytes ?? 0);
    this.#segment = undefined;
    if (segment?.isEmpty) this.#manifest.addUnnamed(segment.path);
    await segment?.close().catch(() => {});
  }

  async #failGroup(group: readonly QueuedAppend[], cause: Error): Promise<void> {
    await this.#segment?.discardTail();
    if (this.#segment !== undefined) await this.#closeSegment();
    let undurable: QueuedAppend[] = [];
    const error = await this.#events.onFailure(() => {
      undurable = [...group, ...this.#queue];
      this.#queue = [];
      return undurable.flatMap(({ commits }) => commits);
    }, cause);
    for (const { reject } of undurable) reject(error);
  }
}

/** The records of a group with their headers. Adjacent ones in a slab become one buffer. */
function joinRecords(group: readonly PendingCommit[]): { buffers: Buffer[]; bytes: number } {
  const buffers: Buffer[] = [];
  let bytes = 0;
  group.forEach((pending, position) => {
    // Replay recognizes by the position in the group where damage is not the end of an interrupted write.
    writeHeader(pending.buffers, pending.changeListBytes, pending.commit.sequence, position);
    for (const chunk of pending.buffers) {
      bytes += chunk.length;
      const last = buffers.at(-1);
      if (last !== undefined && last.buffer === chunk.buffer && last.byteOffset + last.length === chunk.byteOffset)
        buffers[buffers.length - 1] = Buffer.from(last.buffer, last.byteOffset, last.length + chunk.length);
      else buffers.push(chunk);
    }
  });
  return { buffers, bytes };
}
