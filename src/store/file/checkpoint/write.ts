/**
 * Checkpoints: all rows in one file, so that a start need not replay the journal from its beginning.
 *
 * File: journal records (journal-record.ts), numbered from 1. Each has rows of one table and tenant. Nothing that is derived from rows is
 * stored: a start derives it again, as a replay does. The manifest has the length of the file, which counts only once the manifest names
 * it; a crash before that leaves a file that the next start removes.
 *
 * Transactions continue while a checkpoint is written (a fuzzy checkpoint): each row is stored as it is when its turn comes. The journal has
 * started a new segment before, so a row that changes meanwhile is in that segment as well, and replaying it leads to the same rows whichever
 * version of them was stored. scheduler.ts names the file only when all changes in it are durable.
 */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Disk } from '../disk/disk.ts';
import { SequentialWriter } from '../disk/files.ts';
import { type ChangeList, HEADER_BYTES, writeHeader } from '../journal-record.ts';
import type { State } from '../state.ts';
import type { Mutex } from '../transaction/mutex.ts';

/** A record ends when it has so many bytes: a start reads a few megabytes at a time, and what it reads of an incomplete record is wasted. */
const RECORD_BYTES = 64 * 1024;
/** Records are written when they have as many bytes together. */
export const WRITE_BYTES = 1024 * 1024;
/**
 * Work per turn of the event loop. Under load a turn takes several milliseconds, so with less a checkpoint would take so long that the
 * journal doubles meanwhile.
 */
const TURN_MS = 2;
/** After a write, a checkpoint leaves disk and processor to requests for so many times as long, if they keep the event loop busy. */
const PAUSE_PER_WRITE = 2;
/** The clock is read once for so many slots. */
const SLOTS_PER_CHECK = 64;

/** Thrown when a commit was rolled back that the copy may contain. */
export class CheckpointInterrupted extends Error {
  override readonly name = 'CheckpointInterrupted';
}

/**
 * Writes the file, makes it durable and returns its length. Rows are copied while `mutex` is held: no transaction is running then. `check` is
 * called in each turn of the event loop, and throws when the checkpoint must be abandoned; the caller then removes the file.
 */
export async function writeCheckpoint(disk: Disk, path: string, state: State, mutex: Mutex, check: () => void): Promise<number> {
  await using file = await disk.create(path);
  const out = new SequentialWriter(file);
  const records = new RecordBuffer();
  const copying = copyRows(state, records);
  for (let isDone = false; !isDone;) {
    const locked = mutex.acquire();
    if (locked) await locked;
    try {
      isDone = continueForOneTurn(copying);
    } finally {
      mutex.release();
    }
    if (isDone || records.length >= WRITE_BYTES) await writeAndPause(out, records.take());
    await new Promise((resolve) => setImmediate(resolve));
    check();
  }
  await out.sync();
  return out.position;
}

/** An idle daemon does not pause, nor does one that stops: nobody but the checkpoint uses the disk. */
async function writeAndPause(out: SequentialWriter, bytes: Buffer): Promise<void> {
  const startedAt = performance.now();
  const before = performance.eventLoopUtilization();
  await out.write(bytes);
  const { utilization } = performance.eventLoopUtilization(before);
  const pauseMs = (performance.now() - startedAt) * utilization * PAUSE_PER_WRITE;
  if (pauseMs >= 1) await sleep(pauseMs);
}

/** Returns true when everything is copied. */
function continueForOneTurn(copying: Generator<void>): boolean {
  const deadline = performance.now() + TURN_MS;
  while (performance.now() < deadline) if (copying.next().done) return true;
  return false;
}

/** Copies all rows, pausing after every few, and moves those in sparse slabs to new slabs (compaction). */
function* copyRows(state: State, records: RecordBuffer): Generator<void> {
  const { slabs } = state.memory;
  for (const partition of state.listPartitions()) {
    const owner = { table: partition.layout.spec.name, tenant: partition.tenant };
    for (let slot = 0; slot < partition.slotCount; slot++) {
      if (slot % SLOTS_PER_CHECK === 0) yield;
      if (!partition.isUsed(slot)) continue;
      const location = partition.locations.get(slot);
      records.addRow(owner, slabs.getBuffer(location.slab), location.offset, location.length);
      if (slabs.isSparse(location.slab)) partition.locations.set(slot, slabs.move(location));
    }
  }
}

/** Whose rows a record has. */
interface RowOwner {
  readonly table: string;
  readonly tenant: string;
}

/** Assembles records in one buffer. It is reused, because thousands of short-lived buffers would trigger garbage collections. */
export class RecordBuffer {
  #bytes = Buffer.allocUnsafeSlow(2 * WRITE_BYTES);
  #length = 0;
  #count = 0;
  /** Of the record that is not complete yet: where it starts, whose rows it has, and their lengths. */
  #start = 0;
  #owner: RowOwner | undefined;
  #rowLengths: number[] = [];

  get length(): number {
    return this.#length;
  }

  addRow(owner: RowOwner, bytes: Buffer, offset: number, length: number): void {
    if (owner !== this.#owner || this.#length - this.#start > RECORD_BYTES) {
      this.#endRecord();
      this.#owner = owner;
      this.#start = this.#length;
      this.#length += HEADER_BYTES;
    }
    this.#reserve(length);
    bytes.copy(this.#bytes, this.#length, offset, offset + length);
    this.#length += length;
    this.#rowLengths.push(length);
  }

  /** Completes the last record and returns all of them; the bytes are valid until the next row is added. */
  take(): Buffer {
    this.#endRecord();
    const all = this.#bytes.subarray(0, this.#length);
    this.#length = 0;
    return all;
  }

  #endRecord(): void {
    if (this.#owner === undefined) return;
    const { table, tenant } = this.#owner;
    const changeList = Buffer.from(JSON.stringify({ t: tenant, c: [table, ...this.#rowLengths] } satisfies ChangeList));
    this.#reserve(changeList.length);
    changeList.copy(this.#bytes, this.#length);
    this.#length += changeList.length;
    writeHeader([this.#bytes.subarray(this.#start, this.#length)], changeList.length, ++this.#count, 0);
    this.#owner = undefined;
    this.#rowLengths = [];
  }

  /** Makes room for so many bytes and the header of another record. */
  #reserve(bytes: number): void {
    const needed = this.#length + bytes + HEADER_BYTES;
    if (needed <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}
