/**
 * Writes a checkpoint: a copy of the state in a file, in slices while transactions continue (a fuzzy checkpoint).
 *
 * The journal has started a new segment before, so everything that changes from here on is in the newer journal, and the checkpoint leaves
 * those rows out. The file holds each partition as of the moment when its copy began, in its default order, without the rows changed since.
 * Rows in sparse slabs move into new ones on the way.
 *
 * File: magic · blocks (block-format.ts) · index (JSON, `CheckpointIndex`) · length and checksum of the index. It counts only once the
 * manifest names it; a crash before that leaves a file that the next start removes.
 */
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { BitSet } from '../index/bit-set.ts';
import { type BlockHeader, appendBlock, appendColumn, appendUint32s } from './block-format.ts';
import { type BeforeDiskStep, syncData, writeAll } from '../disk.ts';
import { hashValue } from '../index/hash-index.ts';
import type { TableLayout } from '../../table-layout.ts';
import type { Partition } from '../partition.ts';
import { SLAB_BYTES } from '../rows/slabs.ts';
import { TimeSlicer } from './time-slices.ts';
import { StagingBuffer } from './staging-buffer.ts';
import type { State } from '../state.ts';

/** Limits per slice: rows with their text, and ranks of another order. */
const ROWS_PER_SLICE = { min: 32, max: 256 };
const RANKS_PER_SLICE = { min: 2_048, max: 16_384 };
/** Sync often: one long flush at the end would delay those of the journal. */
const SYNC_EVERY_BYTES = 16 * 1024 * 1024;
const WRITE_BYTES = 1024 * 1024;
/**
 * Work per turn of the event loop. Under load a turn takes several milliseconds, so with less a checkpoint would take so long that the
 * journal doubles meanwhile.
 */
const TURN_MS = 2;

export const CHECKPOINT_MAGIC = Buffer.from('stockroom checkpoint\n\0\0\0');
const NOT_COPIED = 0xffff_ffff;

/** The last part of the file. */
export interface CheckpointIndex {
  readonly seed: number;
  readonly signatures: Readonly<Record<string, string>>;
  /** Unique keys of each table: its blocks have the hashes for each of them. Earlier releases did not write this. */
  readonly uniques?: Readonly<Record<string, TableLayout['uniques']>>;
  /** An upper bound of the rows of each table and tenant. */
  readonly rows: readonly (readonly [table: string, tenant: string, rows: number])[];
  /** Bytes of each block: those of its keys and those of its rows. */
  readonly blocks: readonly (readonly [keys: number, rows: number])[];
}

/** Thrown when a commit was rolled back that the copy may contain. */
export class CheckpointInterrupted extends Error {
  override readonly name = 'CheckpointInterrupted';
}

/** Writes the file, makes it durable and returns its length. `check` throws when the checkpoint must be abandoned. */
export async function writeCheckpoint(state: State, path: string, check: () => void, beforeDiskStep?: BeforeDiskStep): Promise<number> {
  await beforeDiskStep?.('create', path);
  const handle = await open(path, 'w', 0o600);
  const file = new CheckpointWriter(handle, path, beforeDiskStep);
  const partitions = [...state.listPartitions()].filter((partition) => partition.size > 0);
  const rows = partitions.map((partition) => [partition.layout.spec.name, partition.tenant, partition.size] as const);
  const copier = new RowCopier(state);
  const slices = { rows: new TimeSlicer(ROWS_PER_SLICE), ranks: new TimeSlicer(RANKS_PER_SLICE) };
  try {
    CHECKPOINT_MAGIC.copy(file.staging.allocate(CHECKPOINT_MAGIC.length));
    for (const partition of partitions) await copyPartition(partition, copier, file, slices, check);
    const signatures = Object.fromEntries([...state.layouts].map(([name, { signature }]) => [name, signature]));
    const uniques = Object.fromEntries([...state.layouts].map(([name, layout]) => [name, layout.uniques]));
    const index: CheckpointIndex = { seed: state.memory.hashSeed, signatures, uniques, rows, blocks: file.blocks };
    return await file.finish(JSON.stringify(index));
  } finally {
    copier.sealSlab();
    for (const partition of partitions) partition.changedSlots = undefined;
    await handle.close();
  }
}

async function copyPartition(
  partition: Partition,
  copier: RowCopier,
  file: CheckpointWriter,
  sliced: { readonly rows: TimeSlicer; readonly ranks: TimeSlicer },
  check: () => void,
): Promise<void> {
  const { layout, tenant } = partition;
  const table = layout.spec.name;
  const [first, ...others] = partition.listKeptOrders();
  const changed = new BitSet(partition.slotCount);
  partition.keepChangedSlots();
  partition.changedSlots = changed;
  const newSlots = new Uint32Array(partition.slotCount).fill(NOT_COPIED);
  let next = 0;
  for (let at = 0; at < first!.slots.length;) {
    await file.yieldToOthers();
    check();
    at += sliced.rows.runSlice(first!.slots, at, (some) => {
      const slots = some.filter((slot) => !changed.has(slot));
      for (const slot of slots) newSlots[slot] = next++;
      if (slots.length > 0)
        file.appendBlock(
          () => appendRows(partition, slots, file.staging),
          () => copier.copyRows(partition, slots, file.staging),
        );
    });
  }
  for (const { name: order, slots } of others) {
    for (let at = 0; at < slots.length;) {
      await file.yieldToOthers();
      at += sliced.ranks.runSlice(slots, at, (some) => {
        const ranks = some.filter((slot) => newSlots[slot] !== NOT_COPIED);
        file.appendBlock(() => {
          appendUint32s(file.staging, ranks, (slot) => newSlots[slot]!);
          return { kind: 'order', table, tenant, order, count: ranks.length };
        });
      });
    }
  }
  partition.changedSlots = undefined;
}

function appendRows(partition: Partition, slots: Uint32Array, staging: StagingBuffer): BlockHeader {
  const { hashSeed } = partition.memory;
  appendUint32s(staging, slots, (slot) => partition.locations.get(slot).length);
  appendUint32s(staging, slots, (slot) => hashValue(partition.getId(slot), hashSeed));
  partition.layout.uniques.forEach((_, unique) => {
    appendUint32s(staging, slots, (slot) => {
      const value = partition.uniqueIndexes.getValue(unique, slot);
      return value === undefined ? 0 : hashValue(value, hashSeed);
    });
  });
  const columns = partition.columns.map((column) => appendColumn(staging, column, slots));
  return { kind: 'rows', table: partition.layout.spec.name, tenant: partition.tenant, count: slots.length, columns };
}

/** Copies rows into the file, and moves those in sparse slabs to new slabs (compaction). */
class RowCopier {
  readonly #state: State;
  #slab = -1;
  #position = 0;

  constructor(state: State) {
    this.#state = state;
  }

  /** Copies rows to the staging buffer and moves those in sparse slabs. */
  copyRows(partition: Partition, slots: Uint32Array, staging: StagingBuffer): void {
    const { slabs } = this.#state.memory;
    for (const slot of slots) {
      const { slab, offset, length } = partition.locations.get(slot);
      const row = staging.allocate(length);
      slabs.getBuffer(slab).copy(row, 0, offset, offset + length);
      if (slabs.isSparse(slab)) this.#moveRow(partition, slot, row);
    }
  }

  sealSlab(): void {
    if (this.#slab >= 0) this.#state.memory.slabs.seal(this.#slab, this.#position);
    this.#slab = -1;
  }

  #moveRow(partition: Partition, slot: number, row: Buffer): void {
    const { slabs } = this.#state.memory;
    if (this.#slab < 0 || slabs.getBuffer(this.#slab).length - this.#position < row.length) {
      this.sealSlab();
      this.#slab = slabs.add(Buffer.allocUnsafeSlow(Math.max(SLAB_BYTES, row.length)));
      this.#position = 0;
    }
    row.copy(slabs.getBuffer(this.#slab), this.#position);
    partition.moveRow(slot, { slab: this.#slab, offset: this.#position, length: row.length });
    this.#position += row.length;
  }
}

/** Collects blocks and writes them between slices. */
class CheckpointWriter {
  readonly staging = new StagingBuffer(WRITE_BYTES * 2);
  readonly blocks: [number, number][] = [];
  readonly #handle: FileHandle;
  readonly #path: string;
  readonly #beforeDiskStep: BeforeDiskStep | undefined;
  #written = 0;
  #unsynced = 0;
  #turnStartedAt = performance.now();

  constructor(handle: FileHandle, path: string, beforeDiskStep: BeforeDiskStep | undefined) {
    this.#handle = handle;
    this.#path = path;
    this.#beforeDiskStep = beforeDiskStep;
  }

  /** Appends a block. Rows have any length, so the padding up to the next block counts as rows. */
  appendBlock(appendData: () => BlockHeader, copyRows?: () => void): void {
    this.blocks.push(
      appendBlock(this.staging, appendData, () => {
        copyRows?.();
        this.staging.padToEight();
      }),
    );
  }

  /** Lets other work run if this turn of the event loop has done enough, and writes when enough is collected. */
  async yieldToOthers(): Promise<void> {
    if (performance.now() - this.#turnStartedAt < TURN_MS) return;
    if (this.staging.length >= WRITE_BYTES) await this.#write();
    if (this.#unsynced >= SYNC_EVERY_BYTES) {
      this.#unsynced = 0;
      await syncData(this.#handle.fd);
    }
    await new Promise((resolve) => setImmediate(resolve));
    this.#turnStartedAt = performance.now();
  }

  /** Writes the rest and the index. Returns the length of the file. */
  async finish(index: string): Promise<number> {
    await this.#write();
    const bytes = this.staging.appendText(index);
    const checksum = crc32(this.staging.getBytes());
    const end = this.staging.allocate(8);
    end.writeUInt32LE(bytes, 0);
    end.writeUInt32LE(checksum, 4);
    await this.#write();
    await this.#beforeDiskStep?.('sync', this.#path);
    await this.#handle.sync();
    return this.#written;
  }

  async #write(): Promise<void> {
    await this.#beforeDiskStep?.('write', this.#path);
    await writeAll(this.#handle.fd, [this.staging.getBytes()], this.#written);
    this.#written += this.staging.length;
    this.#unsynced += this.staging.length;
    this.staging.clear();
  }
}
