/**
 * Reads a checkpoint. Rows go straight into slabs, hashes and orders straight into the indexes; keys stay packed until they are
 * needed. Only when a table's spec has changed are its rows parsed.
 */
import fs from 'node:fs';
import { open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { type BlockHead, readBlock, readColumn, type Reader } from './blocks.ts';
import { CHECKPOINT_MAGIC, type CheckpointIndex } from './checkpoint.ts';
import { isMissing } from './disk.ts';
import { StoreDamaged } from './errors.ts';
import { keysOf, type Layout, rowIn } from './layout.ts';
import { Partition } from './partition.ts';
import type { Slabs } from './slabs.ts';
import type { State } from './state.ts';

/** Read at a time; the rows in it become one slab. */
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

/** The state that a checkpoint holds; `empty` makes one without rows. */
export async function loadCheckpoint(empty: (seed: number) => State, path: string, bytes: number): Promise<State> {
  const handle = await open(path, 'r').catch((cause: unknown) => {
    throw isMissing(cause) ? new StoreDamaged(path, 0, 'it is missing', { cause }) : cause;
  });
  try {
    const { size } = await handle.stat();
    if (size < bytes) throw new StoreDamaged(path, size, `it has only ${size} of ${bytes} bytes`);
    const index = await readIndex(handle.fd, path, bytes);
    const state = empty(index.seed);
    const loaders = loadersFor(state, path, bytes, index);
    for await (const batch of batches(handle.fd, path, index, state.memory.slabs)) {
      const slab = state.memory.slabs.adopt(batch.rows);
      for (const block of batch.blocks) takeBlock(path, block, slab, loaders);
      state.memory.slabs.leave(slab, batch.rows.length);
    }
    for (const loader of loaders.values()) loader.finish(state);
    return state;
  } finally {
    await handle.close();
  }
}

/** As many buffers as systems take at once (IOV_MAX); Node cuts longer lists off. */
const MOST_BUFFERS = 1024;

/** Fills buffers from a position on. */
async function read(fd: number, path: string, buffers: readonly Buffer[], start: number): Promise<void> {
  let at = start;
  for (let each = 0; each < buffers.length; each += MOST_BUFFERS) {
    const some = buffers.slice(each, each + MOST_BUFFERS);
    const wanted = some.reduce((sum, buffer) => sum + buffer.length, 0);
    const got = await readSome(fd, some, at);
    if (got !== wanted) throw new StoreDamaged(path, at + got, 'it ends too early');
    at += wanted;
  }
}

function readSome(fd: number, buffers: readonly Buffer[], at: number): Promise<number> {
  return new Promise((resolve, reject) => {
    fs.readv(fd, buffers, at, (error, got) => (error ? reject(error) : resolve(got)));
  });
}

async function readIndex(fd: number, path: string, bytes: number): Promise<CheckpointIndex> {
  const end = Buffer.alloc(8);
  await read(fd, path, [end], bytes - 8);
  const length = end.readUInt32LE(0);
  if (length > bytes - 8) throw new StoreDamaged(path, bytes - 8, 'its end is not readable');
  const index = Buffer.alloc(length);
  await read(fd, path, [index], bytes - 8 - length);
  if (crc32(index) !== end.readUInt32LE(4)) throw new StoreDamaged(path, bytes - 8 - length, 'a checksum does not match');
  return JSON.parse(index.toString()) as CheckpointIndex;
}

/** Blocks in batches. The next batch is being read while one is worked on. */
async function* batches(fd: number, path: string, index: CheckpointIndex, slabs: Slabs): AsyncGenerator<Batch> {
  let [next, at] = [0, CHECKPOINT_MAGIC.length];
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
    // Keys go when they have been unpacked.
    const [allKeys, allRows] = [Buffer.allocUnsafeSlow(sum(0)), slabs.make(sum(1))];
    let [keysAt, rowsAt] = [0, 0];
    const blocks = sizes.map(([keys, rows]) => ({
      at: start + keysAt + rowsAt,
      keys: allKeys.subarray(keysAt, (keysAt += keys)),
      rows: allRows.subarray(rowsAt, (rowsAt += rows)),
    }));
    await read(
      fd,
      path,
      blocks.flatMap(({ keys, rows }) => (rows.length > 0 ? [keys, rows] : [keys])),
      start,
    );
    return { blocks, rows: allRows };
  };
  let ahead = readNext();
  for (let batch = await ahead; batch !== undefined; batch = await ahead) {
    ahead = readNext();
    // Reported when it is its turn; not before, and not never.
    ahead.catch(() => {});
    yield batch;
  }
}

function loadersFor(state: State, path: string, bytes: number, index: CheckpointIndex): Map<string, Loader> {
  const loaders = new Map<string, Loader>();
  for (const [table, tenant, rows] of index.rows) {
    const layout = state.layouts.get(table);
    if (layout === undefined) throw new StoreDamaged(path, bytes, `there is no table ${table}`);
    const partition = new Partition(tenant, layout, state.memory);
    const fits = isAsBefore(index, layout);
    if (fits) partition.reserve(rows);
    loaders.set(JSON.stringify([table, tenant]), fits ? new KeyLoader(partition) : new RowLoader(partition));
  }
  return loaders;
}

/** Whether a table's blocks hold what its spec asks for today. */
function isAsBefore({ signatures, uniques }: CheckpointIndex, { spec, signature, uniques: now }: Layout): boolean {
  if (signatures[spec.name] !== signature) return false;
  return uniques === undefined || JSON.stringify(uniques[spec.name]) === JSON.stringify(now);
}

function takeBlock(path: string, block: Block, slab: number, loaders: ReadonlyMap<string, Loader>): void {
  const opened = readBlock(block.keys, block.rows);
  if (opened === undefined) throw new StoreDamaged(path, block.at, 'a checksum does not match');
  const { head, parts } = opened;
  const loader = loaders.get(JSON.stringify([head.table, head.tenant]));
  if (loader === undefined) throw new StoreDamaged(path, block.at, `its index does not know ${head.table}`);
  if (head.kind === 'order') loader.order(head.order, parts.uint32s(head.count));
  else loader.rows(head, parts, slab, block.rows);
}

interface Loader {
  rows(head: Extract<BlockHead, { kind: 'rows' }>, parts: Reader, slab: number, rows: Buffer): void;
  order(name: string, ranks: Uint32Array): void;
  finish(state: State): void;
}

/** For a spec as it was when the checkpoint was written. */
class KeyLoader implements Loader {
  readonly #partition: Partition;
  readonly #orders = new Map<string, Uint32Array[]>();

  constructor(partition: Partition) {
    this.#partition = partition;
  }

  rows({ count, columns }: Extract<BlockHead, { kind: 'rows' }>, parts: Reader, slab: number, rows: Buffer): void {
    const partition = this.#partition;
    const first = partition.slots;
    const lengths = parts.uint32s(count);
    const ids = parts.uint32s(count);
    const uniques = partition.layout.uniques.map(() => parts.uint32s(count));
    partition.load(slab, rows.byteOffset, lengths, ids, uniques);
    columns.forEach((head, at) => {
      const column = partition.columns[at]!;
      const packed = readColumn(head, parts, count);
      if ('instants' in packed) column.setInstants(first, packed.instants);
      else if ('ids' in packed) column.setIds(first, packed.ids, packed.width);
      else if ('keys' in packed) column.setLater(first, count, packed.keys);
      else {
        const { codes } = packed;
        const dictionary = packed.dictionary.map((key) => (typeof key === 'string' ? column.shared(key) : key));
        column.setLater(first, count, () => Array.from(codes, (code) => dictionary[code]!));
      }
    });
  }

  order(name: string, ranks: Uint32Array): void {
    const parts = this.#orders.get(name);
    if (parts === undefined) this.#orders.set(name, [ranks]);
    else parts.push(ranks);
  }

  finish(state: State): void {
    const partition = this.#partition;
    const [first] = partition.orders.values();
    const slots = new Uint32Array(partition.slots);
    for (let slot = 0; slot < slots.length; slot++) slots[slot] = slot;
    first!.replaceAll(slots);
    for (const [name, parts] of this.#orders) {
      const all = new Uint32Array(partition.slots);
      let at = 0;
      for (const part of parts) {
        all.set(part, at);
        at += part.length;
      }
      partition.orders.get(name)!.replaceAll(all);
    }
    partition.indexLater();
    state.add(partition);
  }
}

/** For a spec that has changed since: the rows themselves are the only thing to go by. */
class RowLoader implements Loader {
  readonly #partition: Partition;

  constructor(partition: Partition) {
    this.#partition = partition;
  }

  rows({ count }: Extract<BlockHead, { kind: 'rows' }>, parts: Reader, slab: number, rows: Buffer): void {
    let offset = 0;
    for (const length of parts.uint32s(count)) {
      const row = rowIn(this.#partition.layout, rows, offset, length);
      this.#partition.put(row.id, { slab, offset: rows.byteOffset + offset, length }, keysOf(this.#partition.layout, row));
      offset += length;
    }
  }

  order(): void {}

  finish(state: State): void {
    state.add(this.#partition);
  }
}
