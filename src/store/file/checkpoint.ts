/**
 * Writes the state to a file in slices, beside running transactions.
 *
 * The journal has started a new segment before, so whatever changes from here on is in the newer journal: such rows are left
 * out. What the file holds is each partition as it was when its turn came, in its default order, without the rows changed
 * since. Rows in slabs that are mostly dead move into fresh ones on the way.
 */
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { Bits } from './bits.ts';
import { type BlockHead, putBlock, putColumn, putNumbers } from './blocks.ts';
import { type OnStep, syncData, writeAll } from './disk.ts';
import { hashOf } from './hashes.ts';
import type { Layout } from './layout.ts';
import type { Partition } from './partition.ts';
import { SLAB_BYTES } from './slabs.ts';
import { Slices } from './slices.ts';
import { Staging } from './staging.ts';
import type { State } from './state.ts';

/** Rows of a slice, text and all, and numbers of one that holds an order. */
const SLICE_ROWS = { least: 32, most: 256 };
const SLICE_RANKS = { least: 2_048, most: 16_384 };
/** Small and often: one long flush at the end would hold up the journal's. */
const SYNC_EVERY_BYTES = 16 * 1024 * 1024;
const WRITE_BYTES = 1024 * 1024;

export const CHECKPOINT_MAGIC = Buffer.from('stockroom checkpoint\n\0\0\0');
const NOWHERE = 0xffff_ffff;

/** The last thing in the file. */
export interface CheckpointIndex {
  readonly seed: number;
  readonly signatures: Readonly<Record<string, string>>;
  /** Unique keys of each table: its blocks have hashes for each of them. Earlier releases did not write them down. */
  readonly uniques?: Readonly<Record<string, Layout['uniques']>>;
  /** Rows of each table and tenant, or more. */
  readonly rows: readonly (readonly [table: string, tenant: string, rows: number])[];
  /** Bytes of each block: all but the rows, the rows. */
  readonly blocks: readonly (readonly [keys: number, rows: number])[];
}

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
  const room = new Room(state);
  const slices = { rows: new Slices(SLICE_ROWS), ranks: new Slices(SLICE_RANKS) };
  try {
    CHECKPOINT_MAGIC.copy(file.staging.room(CHECKPOINT_MAGIC.length));
    for (const partition of partitions) await copyPartition(partition, room, file, slices, check);
    const signatures = Object.fromEntries([...state.layouts].map(([name, { signature }]) => [name, signature]));
    const uniques = Object.fromEntries([...state.layouts].map(([name, layout]) => [name, layout.uniques]));
    const index: CheckpointIndex = { seed: state.memory.seed, signatures, uniques, rows, blocks: file.blocks };
    return await file.finish(JSON.stringify(index));
  } finally {
    room.leave();
    for (const partition of partitions) partition.changedSlots = undefined;
    await handle.close();
  }
}

async function copyPartition(
  partition: Partition,
  room: Room,
  file: Writer,
  sliced: { readonly rows: Slices; readonly ranks: Slices },
  check: () => void,
): Promise<void> {
  const { layout, tenant } = partition;
  const table = layout.spec.name;
  const [first, ...others] = [...partition.orders].map(([order, slots]) => ({ order, slots: slots.toArray() }));
  const changed = new Bits(partition.slots);
  partition.keepMarks();
  partition.changedSlots = changed;
  const renumbered = new Uint32Array(partition.slots).fill(NOWHERE);
  let next = 0;
  for (let at = 0; at < first!.slots.length;) {
    await file.pause();
    check();
    at += sliced.rows.take(first!.slots, at, (some) => {
      const slots = some.filter((slot) => !changed.has(slot));
      for (const slot of slots) renumbered[slot] = next++;
      if (slots.length > 0)
        file.block(
          () => putRows(partition, slots, file.staging),
          () => room.copy(partition, slots, file.staging),
        );
    });
  }
  for (const { order, slots } of others) {
    for (let at = 0; at < slots.length;) {
      await file.pause();
      at += sliced.ranks.take(slots, at, (some) => {
        const ranks = some.filter((slot) => renumbered[slot] !== NOWHERE);
        file.block(() => {
          putNumbers(file.staging, ranks, (slot) => renumbered[slot]!);
          return { kind: 'order', table, tenant, order, count: ranks.length };
        });
      });
    }
  }
  partition.changedSlots = undefined;
}

function putRows(partition: Partition, slots: Uint32Array, staging: Staging): BlockHead {
  const { seed } = partition.memory;
  putNumbers(staging, slots, (slot) => partition.places.at(slot).length);
  putNumbers(staging, slots, (slot) => hashOf(partition.id(slot), seed));
  partition.layout.uniques.forEach((_, unique) => {
    putNumbers(staging, slots, (slot) => {
      const value = partition.uniques.valueAt(unique, slot);
      return value === undefined ? 0 : hashOf(value, seed);
    });
  });
  const columns = partition.columns.map((column) => putColumn(staging, column, slots));
  return { kind: 'rows', table: partition.layout.spec.name, tenant: partition.tenant, count: slots.length, columns };
}

/** Fresh slabs for rows whose slab is mostly dead. */
class Room {
  readonly #state: State;
  #slab = -1;
  #position = 0;

  constructor(state: State) {
    this.#state = state;
  }

  /** Copies rows out, and moves those that lie alone. */
  copy(partition: Partition, slots: Uint32Array, staging: Staging): void {
    const { slabs } = this.#state.memory;
    for (const slot of slots) {
      const { slab, offset, length } = partition.places.at(slot);
      const row = staging.room(length);
      slabs.buffer(slab).copy(row, 0, offset, offset + length);
      if (slabs.sparse(slab)) this.#move(partition, slot, row);
    }
  }

  leave(): void {
    if (this.#slab >= 0) this.#state.memory.slabs.leave(this.#slab, this.#position);
    this.#slab = -1;
  }

  #move(partition: Partition, slot: number, row: Buffer): void {
    const { slabs } = this.#state.memory;
    if (this.#slab < 0 || slabs.buffer(this.#slab).length - this.#position < row.length) {
      this.leave();
      this.#slab = slabs.adopt(slabs.make(Math.max(SLAB_BYTES, row.length)));
      this.#position = 0;
    }
    row.copy(slabs.buffer(this.#slab), this.#position);
    partition.move(slot, { slab: this.#slab, offset: this.#position, length: row.length });
    this.#position += row.length;
  }
}

/** Gathers blocks, and writes between slices. */
class Writer {
  readonly staging = new Staging(WRITE_BYTES * 2);
  readonly blocks: [number, number][] = [];
  readonly #handle: FileHandle;
  readonly #path: string;
  readonly #onStep: OnStep | undefined;
  #written = 0;
  #unsynced = 0;

  constructor(handle: FileHandle, path: string, onStep: OnStep | undefined) {
    this.#handle = handle;
    this.#path = path;
    this.#onStep = onStep;
  }

  /** Puts a block together. Rows have any length, so the bytes up to the next block are counted as its rows. */
  block(parts: () => BlockHead, rows?: () => void): void {
    this.blocks.push(
      putBlock(this.staging, parts, () => {
        rows?.();
        this.staging.pad();
      }),
    );
  }

  /** Lets others run; writes when enough is gathered. */
  async pause(): Promise<void> {
    if (this.staging.length >= WRITE_BYTES) await this.#write();
    if (this.#unsynced >= SYNC_EVERY_BYTES) {
      this.#unsynced = 0;
      await syncData(this.#handle.fd);
    }
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Writes the rest and the index, and returns the length of the file. */
  async finish(index: string): Promise<number> {
    await this.#write();
    const bytes = this.staging.text(index);
    const checksum = crc32(this.staging.bytes());
    const end = this.staging.room(8);
    end.writeUInt32LE(bytes, 0);
    end.writeUInt32LE(checksum, 4);
    await this.#write();
    await this.#onStep?.('sync', this.#path);
    await this.#handle.sync();
    return this.#written;
  }

  async #write(): Promise<void> {
    await this.#onStep?.('write', this.#path);
    await writeAll(this.#handle.fd, [this.staging.bytes()], this.#written);
    this.#written += this.staging.length;
    this.#unsynced += this.staging.length;
    this.staging.empty();
  }
}
