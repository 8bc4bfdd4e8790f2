/**
 * Loads a checkpoint: rows go straight into slabs, keys into columns, hashes and orders into the indexes. Rows are parsed only when the table's spec has changed since. Anything unreadable is `StoreDamaged`.
 */
import fs from 'node:fs';
import { open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { type BlockHeader, decodeBlock, readColumn, type BlockReader } from './block-format.ts';
import { CHECKPOINT_MAGIC, type CheckpointIndex } from './write.ts';
import { isNotFound } from '../disk.ts';
import { StoreDamaged } from '../errors.ts';
import { extractKeys, type TableLayout } from '../../table-layout.ts';
import { readRow } from '../rows/row-text.ts';
import { Partition } from '../partition.ts';
import type { State } from '../state.ts';

/** Bytes to read at a time; the rows among them become one slab. */
const BATCH_BYTES = 4 * 1024 * 1024;

interface Block {
  readonly at: number;
  readonly keys: Buffer;
  readonly rows: Buffer;
}

interface Batch {
  readonly blocks: readonly Block[];
  readonly rows: Buffer;
}

/** Loads the state of a checkpoint file of so many bytes into the empty state that `createState` returns. */
export async function loadCheckpoint(createState: (hashSeed: number) => State, path: string, bytes: number): Promise<State> {
  const handle = await open(path, 'r').catch((cause: unknown) => {
    throw isNotFound(cause) ? new StoreDamaged(path, 0, 'file not found', { cause }) : cause;
  });
  try {
    const { size } = await handle.stat();
    if (size < bytes) throw new StoreDamaged(path, size, `it has ${size} bytes instead of ${bytes}`);
    const index = await readIndex(handle.fd, path, bytes);
    const state = createState(index.seed);
    const loaders = createLoaders(state, path, bytes, index);
    for await (const batch of readBatches(handle.fd, path, index)) {
      const slab = state.memory.slabs.add(batch.rows);
      for (const block of batch.blocks) loadBlock(path, block, slab, loaders);
      state.memory.slabs.seal(slab, batch.rows.length);
    }
    for (const loader of loaders.values()) loader.finish(state);
    return state;
  } finally {
    await handle.close();
  }
}

/** The maximum number of buffers per system call (IOV_MAX); Node cuts longer lists off. */
const MAX_BUFFERS_PER_READ = 1024;

/** Fills buffers from a position on. */
async function readBuffers(fd: number, path: string, buffers: readonly Buffer[], start: number): Promise<void> {
  let at = start;
  for (let each = 0; each < buffers.length; each += MAX_BUFFERS_PER_READ) {
    const batch = buffers.slice(each, each + MAX_BUFFERS_PER_READ);
    const expected = batch.reduce((sum, buffer) => sum + buffer.length, 0);
    const bytesRead = await readOnce(fd, batch, at);
    if (bytesRead !== expected) throw new StoreDamaged(path, at + bytesRead, 'unexpected end of file');
    at += expected;
  }
}

function readOnce(fd: number, buffers: readonly Buffer[], at: number): Promise<number> {
  return new Promise((resolve, reject) => {
    fs.readv(fd, buffers, at, (error, bytesRead) => (error ? reject(error) : resolve(bytesRead)));
  });
}

async function readIndex(fd: number, path: string, bytes: number): Promise<CheckpointIndex> {
  const end = Buffer.alloc(8);
  await readBuffers(fd, path, [end], bytes - 8);
  const length = end.readUInt32LE(0);
  if (length > bytes - 8) throw new StoreDamaged(path, bytes - 8, 'unreadable end of file');
  const index = Buffer.alloc(length);
  await readBuffers(fd, path, [index], bytes - 8 - length);
  if (crc32(index) !== end.readUInt32LE(4)) throw new StoreDamaged(path, bytes - 8 - length, 'checksum mismatch');
  return JSON.parse(index.toString()) as CheckpointIndex;
}

/** Reads blocks in batches, each while the previous one is processed. */
async function* readBatches(fd: number, path: string, index: CheckpointIndex): AsyncGenerator<Batch> {
  let [next, at] = [0, CHECKPOINT_MAGIC.length];
  // Used in turns: one batch is processed while the next is read.
  const keyMemory = [Buffer.alloc(0), Buffer.alloc(0)] as [Buffer, Buffer];
  const takeKeyMemory = (length: number): Buffer => {
    keyMemory.reverse();
    if (keyMemory[0].length < length) keyMemory[0] = Buffer.allocUnsafeSlow(length);
    return keyMemory[0].subarray(0, length);
  };
  const readNext = async (): Promise<Batch | undefined> => {
    const sizes: (readonly [number, number])[] = [];
    const start = at;
    for (; next < index.blocks.length && at - start < BATCH_BYTES; next++) {
      const [keys, rows] = index.blocks[next]!;
      sizes.push([keys, rows]);
      at += keys + rows;
    }
    if (sizes.length === 0) return undefined;
    const sum = (which: 0 | 1): number => sizes.reduce((total, size) => total + size[which], 0);
    // Row memory becomes a slab.
    const [allKeys, allRows] = [takeKeyMemory(sum(0)), Buffer.allocUnsafeSlow(sum(1))];
    let [keysAt, rowsAt] = [0, 0];
    const blocks = sizes.map(([keys, rows]) => ({
      at: start + keysAt + rowsAt,
      keys: allKeys.subarray(keysAt, (keysAt += keys)),
      rows: allRows.subarray(rowsAt, (rowsAt += rows)),
    }));
    await readBuffers(
      fd,
      path,
      blocks.flatMap(({ keys, rows }) => (rows.length > 0 ? [keys, rows] : [keys])),
      start,
    );
    return { blocks, rows: allRows };
  };
  let nextBatch = readNext();
  for (let batch = await nextBatch; batch !== undefined; batch = await nextBatch) {
    nextBatch = readNext();
    // An error is reported when it is this batch's turn, not before.
    nextBatch.catch(() => {});
    yield batch;
  }
}

function createLoaders(state: State, path: string, bytes: number, index: CheckpointIndex): Map<string, PartitionLoader> {
  const loaders = new Map<string, PartitionLoader>();
  for (const [table, tenant, rows] of index.rows) {
    const layout = state.layouts.get(table);
    if (layout === undefined) throw new StoreDamaged(path, bytes, `unknown table ${table}`);
    const partition = new Partition(tenant, layout, state.memory);
    const isUnchanged = isLayoutUnchanged(index, layout);
    if (isUnchanged) partition.reserve(rows);
    loaders.set(JSON.stringify([table, tenant]), isUnchanged ? new IndexLoader(partition) : new ReparsingLoader(partition));
  }
  return loaders;
}

/** Whether a table's blocks match the table's current spec. */
function isLayoutUnchanged({ signatures, uniques }: CheckpointIndex, { spec, signature, uniques: currentUniques }: TableLayout): boolean {
  if (signatures[spec.name] !== signature) return false;
  return uniques === undefined || JSON.stringify(uniques[spec.name]) === JSON.stringify(currentUniques);
}

function loadBlock(path: string, block: Block, slab: number, loaders: ReadonlyMap<string, PartitionLoader>): void {
  const decoded = decodeBlock(block.keys, block.rows);
  if (decoded === undefined) throw new StoreDamaged(path, block.at, 'checksum mismatch');
  const { header, reader } = decoded;
  const loader = loaders.get(JSON.stringify([header.table, header.tenant]));
  if (loader === undefined) throw new StoreDamaged(path, block.at, `block of table ${header.table}, which the index does not list`);
  if (header.kind === 'order') loader.loadOrder(header.order, reader.readUint32s(header.count));
  else loader.loadRows(header, reader, slab, block.rows);
}

interface PartitionLoader {
  loadRows(header: Extract<BlockHeader, { kind: 'rows' }>, reader: BlockReader, slab: number, rows: Buffer): void;
  loadOrder(name: string, ranks: Uint32Array): void;
  finish(state: State): void;
}

/** Loads keys, hashes and orders as stored: for a table whose spec has not changed. */
class IndexLoader implements PartitionLoader {
  readonly #partition: Partition;
  /** The slots of each ordered index, and how many of them have been read. */
  readonly #orders = new Map<string, { readonly slots: Uint32Array; count: number }>();

  constructor(partition: Partition) {
    this.#partition = partition;
  }

  loadRows({ count, columns }: Extract<BlockHeader, { kind: 'rows' }>, reader: BlockReader, slab: number, rows: Buffer): void {
    const partition = this.#partition;
    const first = partition.slotCount;
    const lengths = reader.readUint32s(count);
    const ids = reader.readUint32s(count);
    const uniques = partition.layout.uniques.map(() => reader.readUint32s(count));
    partition.loadRows(slab, rows.byteOffset, lengths, ids, uniques);
    columns.forEach((header, at) => readColumn(header, reader, partition.columns[at]!, first, count));
  }

  loadOrder(name: string, ranks: Uint32Array): void {
    let order = this.#orders.get(name);
    if (order === undefined) this.#orders.set(name, (order = { slots: new Uint32Array(this.#partition.slotCount), count: 0 }));
    // Copied, because the memory of a block is reused.
    order.slots.set(ranks, order.count);
    order.count += ranks.length;
  }

  finish(state: State): void {
    const partition = this.#partition;
    // Rows are stored in the default order.
    const slots = new Uint32Array(partition.slotCount);
    for (let slot = 0; slot < slots.length; slot++) slots[slot] = slot;
    const stored = new Map<string, Uint32Array>([[partition.layout.orders[0]!.name, slots]]);
    for (const [name, order] of this.#orders) stored.set(name, order.slots);
    partition.finishLoading(stored);
    state.addPartition(partition);
  }
}

/** Parses the rows and indexes them again: for a table whose spec has changed since the checkpoint. */
class ReparsingLoader implements PartitionLoader {
  readonly #partition: Partition;

  constructor(partition: Partition) {
    this.#partition = partition;
  }

  loadRows({ count }: Extract<BlockHeader, { kind: 'rows' }>, reader: BlockReader, slab: number, rows: Buffer): void {
    let offset = 0;
    for (const length of reader.readUint32s(count)) {
      const row = readRow(this.#partition.layout, rows, offset, length);
      this.#partition.put(row.id, { slab, offset: rows.byteOffset + offset, length }, extractKeys(this.#partition.layout, row));
      offset += length;
    }
  }

  loadOrder(): void {}

  finish(state: State): void {
    state.addPartition(this.#partition);
  }
}
