/**
 * The journal: commits in files of their own, called segments, synced in groups.
 *
 * While one sync is in flight, everything that arrives waits and joins the next. A segment grows by steps of zeros written
 * ahead, so that a sync need not change the file's size.
 *
 * When a write or a sync fails, nobody can know what the disk holds: the kernel may drop the dirty pages and report success
 * next time. So a segment that failed is never written again. Its durable length is known from the syncs that succeeded;
 * the next write starts a new segment, and only after the manifest that cuts the old one there is durable does it count.
 */
import { type FileHandle, open, truncate } from 'node:fs/promises';
import { dropFile, type OnStep, syncData, writeAll, writeSoon } from './disk.ts';
import { type Manifest, type Segment, writeManifest } from './manifest.ts';
import { seal } from './records.ts';
import type { Pending } from './transaction.ts';

const FIRST_STEP_BYTES = 256 * 1024;
const MOST_STEP_BYTES = 8 * 1024 * 1024;
/** A start reads each segment as a whole, which Node does up to 2 GiB. */
const SEGMENT_BYTES = 512 * 1024 * 1024;
const ZEROS = Buffer.alloc(64 * 1024);

interface Open {
  readonly file: string;
  readonly handle: FileHandle;
  /** Durable. */
  bytes: number;
  /** Up to here the file was filled with zeros. */
  zeros: number;
  reserving: Promise<void> | undefined;
  step: number;
}

interface Waiting {
  readonly commits: readonly Pending[];
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export interface JournalEvents {
  /** A group is durable; called before its callers hear of it. */
  durable(group: readonly Pending[]): void;
  /** Nothing that is not durable may stay. Gets those commits in order; the journal rests until it resolves. */
  failed(undurable: () => readonly Pending[], cause: Error): Promise<Error>;
}

export interface JournalOptions {
  readonly directory: string;
  readonly events: JournalEvents;
  readonly onStep?: OnStep;
  /** A segment that is as long gets no more. */
  readonly segmentBytes?: number;
}

/** Closes a segment when nothing is on its way to it any more. */
async function letGo(segment: Open | undefined): Promise<void> {
  await segment?.reserving;
  await segment?.handle.close();
}

export class Journal {
  manifest: Manifest;
  /** Sequence of the last durable commit. */
  #sequence: number;
  readonly #directory: string;
  readonly #events: JournalEvents;
  readonly #onStep: OnStep | undefined;
  readonly #segmentBytes: number;
  #segment: Open | undefined;
  #waiting: Waiting[] = [];
  #busy = false;
  #scheduled = false;
  /** Commits in the last group: a lone writer need not wait for others. */
  #lastGroup = 1;
  #idle: (() => void)[] = [];

  constructor({ directory, events, onStep, segmentBytes = SEGMENT_BYTES }: JournalOptions, manifest: Manifest, sequence: number) {
    this.#directory = directory;
    this.manifest = manifest;
    this.#sequence = sequence;
    this.#events = events;
    this.#onStep = onStep;
    this.#segmentBytes = segmentBytes;
  }

  /** Bytes that the next start would have to replay. */
  get bytes(): number {
    return this.manifest.segments.reduce((sum, segment) => sum + (segment.bytes ?? 0), 0) + (this.#segment?.bytes ?? 0);
  }

  /** Resolves when the commits are durable. */
  append(commits: readonly Pending[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ commits, resolve, reject });
      if (!this.#busy && !this.#scheduled) void this.#flush();
    });
  }

  /** Starts a new segment: everything before it can be dropped once a checkpoint holds it. */
  async rotate(): Promise<{ readonly older: readonly Segment[]; readonly sequence: number }> {
    const { closing, ...rotated } = await this.#exclusive(async () => {
      const segment = this.#segment;
      await this.#startSegment();
      return { closing: segment, older: this.manifest.segments.slice(0, -1), sequence: this.#sequence };
    });
    // Commits go on in the new one meanwhile.
    await letGo(closing);
    return rotated;
  }

  /** A number no other file has. */
  takeNumber(): number {
    const { next } = this.manifest;
    this.manifest = { ...this.manifest, next: next + 1 };
    return next;
  }

  /** Changes the manifest between two groups. */
  async change(change: (manifest: Manifest) => Manifest): Promise<void> {
    await this.#exclusive(async () => {
      const changed = change(this.manifest);
      await writeManifest(this.#directory, changed, this.#onStep);
      this.#accept(changed);
    });
  }

  /** The current segment gets no more: the next commit starts another, and counts only when a manifest names that. */
  async leaveSegment(): Promise<void> {
    await this.#exclusive(() => this.#endSegment());
  }

  /** Waits for what is under way and lets go of the file. */
  async close(): Promise<void> {
    while (this.#waiting.length > 0 || this.#busy) await new Promise<void>((resolve) => this.#idle.push(resolve));
    await letGo(this.#segment);
    this.#segment = undefined;
  }

  /** A manifest has become the valid one; numbers that were taken while it was written stay taken. */
  #accept(manifest: Manifest): void {
    this.manifest = { ...manifest, next: this.manifest.next };
  }

  #schedule(): void {
    if (this.#busy || this.#scheduled) return;
    this.#scheduled = true;
    const start = (): void => {
      this.#scheduled = false;
      if (!this.#busy) void this.#flush();
    };
    // One turn later, everybody who was answered by the last group, or whose request has just come in, has had a chance to join.
    if (this.#lastGroup > 1) setImmediate(start);
    else process.nextTick(start);
  }

  #rest(): void {
    this.#busy = false;
    const idle = this.#idle;
    this.#idle = [];
    for (const resolve of idle) resolve();
    if (this.#waiting.length > 0) this.#schedule();
  }

  async #exclusive<T>(work: () => Promise<T>): Promise<T> {
    while (this.#busy) await new Promise<void>((resolve) => this.#idle.push(resolve));
    this.#busy = true;
    try {
      return await work();
    } finally {
      this.#rest();
    }
  }

  async #flush(): Promise<void> {
    const group = this.#waiting;
    if (group.length === 0) return;
    this.#waiting = [];
    this.#busy = true;
    const commits = group.length === 1 ? group[0]!.commits : group.flatMap((each) => each.commits);
    this.#lastGroup = commits.length;
    try {
      await this.#write(commits);
      this.#events.durable(commits);
      for (const { resolve } of group) resolve();
    } catch (error) {
      await this.#fail(group, error as Error);
    }
    this.#rest();
  }

  async #write(group: readonly Pending[]): Promise<void> {
    const current = this.#segment;
    const segment = current !== undefined && current.bytes < this.#segmentBytes ? current : await this.#nextSegment();
    const buffers: Buffer[] = [];
    let total = 0;
    group.forEach((pending, position) => {
      seal(pending.pieces, pending.directoryBytes, pending.commit.sequence, position);
      for (const piece of pending.pieces) {
        total += piece.length;
        const last = buffers.at(-1);
        // Records that lie one behind the other in a slab are one buffer.
        if (last !== undefined && last.buffer === piece.buffer && last.byteOffset + last.length === piece.byteOffset) {
          buffers[buffers.length - 1] = Buffer.from(last.buffer, last.byteOffset, last.length + piece.length);
        } else buffers.push(piece);
      }
    });
    const end = segment.bytes + total;
    // Zeros on their way must not overwrite records.
    if (segment.reserving && end > segment.zeros) await segment.reserving;
    if (this.#onStep) await this.#onStep('write', segment.file);
    const written = writeSoon(segment.handle.fd, buffers, segment.bytes);
    if (written) await written;
    if (this.#onStep) await this.#onStep('sync', segment.file);
    await syncData(segment.handle.fd);
    segment.bytes = end;
    this.#sequence = group.at(-1)!.commit.sequence;
    if (segment.reserving === undefined && segment.zeros - end < segment.step / 2) this.#reserve(segment);
  }

  /**
   * Writes zeros ahead, beside the groups, through a handle of its own: Linux tells each handle once that something could not be
   * written, whoever wrote it, and the sync of a group must not miss that.
   */
  #reserve(segment: Open): void {
    const from = Math.max(segment.zeros, segment.bytes);
    segment.step = Math.min(MOST_STEP_BYTES, segment.step * 2);
    const to = from + segment.step;
    const write = async (): Promise<void> => {
      try {
        const handle = await open(segment.file, 'r+');
        try {
          for (let at = from; at < to; at += ZEROS.length) await writeAll(handle.fd, [ZEROS], at);
          await syncData(handle.fd);
        } finally {
          await handle.close();
        }
        segment.zeros = to;
      } catch {
        // Without zeros ahead the next write extends the file itself, and reports what is wrong if it cannot.
      }
      segment.reserving = undefined;
    };
    segment.reserving = write();
  }

  async #nextSegment(): Promise<Open> {
    const last = this.#segment;
    const next = await this.#startSegment();
    await letGo(last);
    return next;
  }

  async #startSegment(): Promise<Open> {
    const file = `journal-${this.takeNumber()}.log`;
    const path = `${this.#directory}/${file}`;
    const closed = this.#closedSegments();
    await this.#onStep?.('create', path);
    const handle = await open(path, 'w', 0o600);
    const manifest = { ...this.manifest, segments: [...closed, { file }] };
    try {
      for (let at = 0; at < FIRST_STEP_BYTES; at += ZEROS.length) await writeAll(handle.fd, [ZEROS], at);
      await handle.sync();
    } catch (error) {
      await handle.close();
      await dropFile(path);
      throw error;
    }
    try {
      await writeManifest(this.#directory, manifest, this.#onStep);
    } catch (error) {
      // The new manifest may or may not be in place, so the file stays, and the older segment, which may count as closed now, gets no more.
      await handle.close();
      await letGo(this.#segment);
      this.#segment = undefined;
      this.manifest = { ...this.manifest, segments: closed };
      throw error;
    }
    this.#accept(manifest);
    this.#segment = { file: path, handle, bytes: 0, zeros: FIRST_STEP_BYTES, reserving: undefined, step: FIRST_STEP_BYTES };
    return this.#segment;
  }

  /** The segments as they are once the current one gets no more; those without a commit are not worth keeping. */
  #closedSegments(): Segment[] {
    const current = this.#segment;
    return this.manifest.segments.map(({ file, bytes = current?.bytes ?? 0 }) => ({ file, bytes })).filter((segment) => segment.bytes > 0);
  }

  async #endSegment(): Promise<void> {
    const segment = this.#segment;
    this.manifest = { ...this.manifest, segments: this.#closedSegments() };
    this.#segment = undefined;
    await letGo(segment).catch(() => {});
  }

  async #fail(group: readonly Waiting[], cause: Error): Promise<void> {
    const segment = this.#segment;
    if (segment !== undefined) {
      await this.#endSegment();
      // Only for the case that the process ends before the next write: no half commit, and none that was refused, should turn up.
      await truncate(segment.file, segment.bytes).catch(() => {});
    }
    let undurable: Waiting[] = [];
    const error = await this.#events.failed(() => {
      undurable = [...group, ...this.#waiting];
      this.#waiting = [];
      return undurable.flatMap(({ commits }) => commits);
    }, cause);
    for (const { reject } of undurable) reject(error);
  }
}
