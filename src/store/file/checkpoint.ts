/**
 * Writes the state to a file in slices, beside running transactions.
 *
 * The journal has started a new segment before, so whatever changes from here on is in the newer journal: such rows are left
 * out. What the file holds is each partition as it was when its turn came, in its default order, without the rows changed
 * since. Row bytes move into fresh slabs on the way, which is how the room of dead rows is reclaimed.
 */
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { Bits } from './bits.ts';
import { type BlockHead, frame, numbers, packColumn } from './blocks.ts';
import { type OnStep, syncData, writeAll } from './disk.ts';
import { hashOf } from './hashes.ts';
import type { Partition } from './partition.ts';
import { SLAB_BYTES } from './slabs.ts';
import type { State } from './state.ts';

/** Rows of one slice: about two milliseconds, text and all. */
const SLICE_ROWS = 512;
const SLICE_SLOTS = 50_000;
/** Small and often: one long flush at the end would hold up the journal's. */
const SYNC_EVERY_BYTES = 16 * 1024 * 1024;
const WRITE_BYTES = 1024 * 1024;

export const CHECKPOINT_MAGIC = Buffer.from('stockroom checkpoint\n\0\0\0');
/** The last thing in the file. */
export interface CheckpointIndex {
  readonly seed: number;
  readonly signatures: Readonly<Record<string, string>>;
  /** Rows of each table and tenant, or more. */
  readonly rows: readonly (readonly [table: string, tenant: string, rows: number])[];
  /** Bytes of each block: all but the rows, the rows. */
  readonly blocks: readonly (readonly [keys: number, rows: number])[];
}

const NOWHERE = 0xffff_ffff;

/** Thrown inside when a commit was taken back: the copy may hold some of it. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** Writes the file and makes it durable; returns its length. `check` throws when it is not worth going on. */
export async function writeCheckpoint(state: State, path: string, check: () => void, onStep?: OnStep): Promise<number> {
  await onStep?.('create', path);
  const handle = await open(path, 'w', 0o600);
  const file = new Writer(handle, path, onStep);
  const partitions = [...state.partitions()].filter((partition) => partition.size > 0);
  const rows = partitions.map((partition) => [partition.layout.spec.name, partition.tenant, partition.size] as const);
  try {
    file.add([CHECKPOINT_MAGIC]);
    const room = new Room(state);
    for (const partition of partitions) await copyPartition(partition, room, file, check);
    room.leave();
    const signatures = Object.fromEntries([...state.layouts].map(([name, { signature }]) => [name, signature]));
    const index = Buffer.from(JSON.stringify({ seed: state.memory.seed, signatures, rows, blocks: file.blocks } satisfies CheckpointIndex));
    const end = Buffer.alloc(8);
    end.writeUInt32LE(index.length, 0);
    end.writeUInt32LE(crc32(index), 4);
    file.add([index, end]);
    await file.finish();
    return file.bytes;
  } finally {
    for (const partition of partitions) partition.changedSlots = undefined;
    await handle.close();
  }
}

async function copyPartition(partition: Partition, room: Room, file: Writer, check: () => void): Promise<void> {
  const { layout, tenant } = partition;
  const table = layout.spec.name;
  const [first, ...others] = [...partition.orders].map(([order, slots]) => ({ order, slots: slots.toArray() }));
  const changed = new Bits(partition.slots);
  partition.changedSlots = changed;
  const renumbered = new Uint32Array(partition.slots).fill(NOWHERE);
  let next = 0;
  for (let at = 0; at < first!.slots.length; at += SLICE_ROWS) {
    await file.pause();
    check();
    const slots = first!.slots.subarray(at, at + SLICE_ROWS).filter((slot) => !changed.has(slot));
    for (const slot of slots) renumbered[slot] = next++;
    if (slots.length === 0) continue;
    const columns = partition.columns.map((column) => packColumn(column, slots));
    const parts = [
      ...numbers(slots.map((slot) => partition.place(slot).length)),
      ...numbers(slots.map((slot) => hashOf(partition.id(slot), partition.memory.seed))),
      ...partition.uniques.flatMap((_, unique) => numbers(slots.map((slot) => uniqueHash(partition, unique, slot)))),
      ...columns.flatMap((column) => column.parts),
    ];
    const rows = room.take(partition, slots);
    file.addBlock({ kind: 'rows', table, tenant, count: slots.length, columns: columns.map((column) => column.head) }, parts, [rows]);
  }
  for (const { order, slots } of others) {
    const ranks = new Uint32Array(slots.length);
    let count = 0;
    for (let at = 0; at < slots.length; at += SLICE_SLOTS) {
      await file.pause();
      for (const slot of slots.subarray(at, at + SLICE_SLOTS)) if (renumbered[slot] !== NOWHERE) ranks[count++] = renumbered[slot]!;
    }
    file.addBlock({ kind: 'order', table, tenant, order, count }, numbers(ranks.subarray(0, count)), []);
  }
  partition.changedSlots = undefined;
}

function uniqueHash(partition: Partition, unique: number, slot: number): number {
  const value = partition.uniqueOf(unique, slot);
  return value === undefined ? 0 : hashOf(value, partition.memory.seed);
}

/** Fresh slabs that rows move into. */
class Room {
  readonly #state: State;
  #slab = -1;
  #buffer = Buffer.alloc(0);
  #position = 0;

  constructor(state: State) {
    this.#state = state;
  }

  /** Moves rows, and returns their bytes, one behind the other. */
  take(partition: Partition, slots: Uint32Array): Buffer {
    const { slabs } = this.#state.memory;
    let total = 0;
    for (const slot of slots) total += partition.place(slot).length;
    if (this.#buffer.length - this.#position < total) {
      this.leave();
      this.#buffer = Buffer.allocUnsafeSlow(Math.max(SLAB_BYTES, total));
      this.#slab = slabs.adopt(this.#buffer);
      this.#position = 0;
    }
    const start = this.#position;
    for (const slot of slots) {
      const { slab, offset, length } = partition.place(slot);
      slabs.buffer(slab).copy(this.#buffer, this.#position, offset, offset + length);
      partition.move(slot, { slab: this.#slab, offset: this.#position, length });
      this.#position += length;
    }
    return this.#buffer.subarray(start, this.#position);
  }

  leave(): void {
    if (this.#slab >= 0) this.#state.memory.slabs.release(this.#slab);
    this.#slab = -1;
  }
}

/** Gathers what is to be written, and writes between slices. */
class Writer {
  bytes = 0;
  readonly blocks: [number, number][] = [];
  readonly #handle: FileHandle;
  readonly #path: string;
  readonly #onStep: OnStep | undefined;
  #gathered: Buffer[] = [];
  #gatheredBytes = 0;
  #written = 0;
  #unsynced = 0;

  constructor(handle: FileHandle, path: string, onStep: OnStep | undefined) {
    this.#handle = handle;
    this.#path = path;
    this.#onStep = onStep;
  }

  add(buffers: readonly Buffer[]): void {
    for (const buffer of buffers) {
      this.#gathered.push(buffer);
      this.#gatheredBytes += buffer.length;
      this.bytes += buffer.length;
    }
  }

  addBlock(head: BlockHead, parts: readonly Buffer[], rows: readonly Buffer[]): void {
    const { buffers, keyBytes } = frame(head, parts, rows);
    this.add(buffers);
    this.blocks.push([keyBytes, rows.reduce((sum, each) => sum + each.length, 0)]);
  }

  /** Lets others run; writes when enough is gathered. */
  async pause(): Promise<void> {
    if (this.#gatheredBytes >= WRITE_BYTES) await this.#write();
    if (this.#unsynced >= SYNC_EVERY_BYTES) {
      this.#unsynced = 0;
      await syncData(this.#handle.fd);
    }
    await new Promise((resolve) => setImmediate(resolve));
  }

  async finish(): Promise<void> {
    await this.#write();
    await this.#onStep?.('sync', this.#path);
    await this.#handle.sync();
  }

  async #write(): Promise<void> {
    const gathered = this.#gathered;
    const bytes = this.#gatheredBytes;
    this.#gathered = [];
    this.#gatheredBytes = 0;
    await this.#onStep?.('write', this.#path);
    await writeAll(this.#handle.fd, gathered, this.#written);
    this.#written += bytes;
    this.#unsynced += bytes;
  }
}
