/** Reads a checkpoint. Keys come from beside the rows; only when the table's spec has changed are the rows themselves parsed. */
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import type { Row } from '../../domain/ports.ts';
import { type BlockHead, FRAME_BYTES, frameAt, unpackColumn } from './blocks.ts';
import { CHECKPOINT_MAGIC } from './checkpoint.ts';
import { StoreDamaged } from './errors.ts';
import { keysOf } from './layout.ts';
import { Partition } from './partition.ts';
import type { State } from './state.ts';

/** Read at a time; becomes the slabs of the rows in it. */
const CHUNK_BYTES = 4 * 1024 * 1024;

interface Index {
  readonly signatures: Readonly<Record<string, string>>;
  /** Where the last block ends. */
  readonly end: number;
}

/** Fills an empty state. */
export async function loadCheckpoint(state: State, path: string, bytes: number): Promise<void> {
  const handle = await open(path, 'r').catch((cause: NodeJS.ErrnoException) => {
    throw cause.code === 'ENOENT' ? new StoreDamaged(path, 0, 'it is missing', { cause }) : cause;
  });
  try {
    const { size } = await handle.stat();
    if (size < bytes) throw new StoreDamaged(path, size, `it has only ${size} of ${bytes} bytes`);
    const index = await readIndex(handle, path, bytes);
    const loaders = new Map<string, Loader>();
    for await (const { chunk, at } of chunks(handle, path, CHECKPOINT_MAGIC.length, index.end)) readChunk(state, path, index, chunk, at, loaders);
    for (const loader of loaders.values()) loader.finish(state);
  } finally {
    await handle.close();
  }
}

async function read(handle: FileHandle, path: string, at: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(length);
  for (let got = 0; got < length; ) {
    const { bytesRead } = await handle.read(buffer, got, length - got, at + got);
    if (bytesRead === 0) throw new StoreDamaged(path, at + got, 'it ends too early');
    got += bytesRead;
  }
  return buffer;
}

async function readIndex(handle: FileHandle, path: string, bytes: number): Promise<Index> {
  const end = await read(handle, path, bytes - 8, 8);
  const length = end.readUInt32LE(0);
  if (length > bytes - 8) throw new StoreDamaged(path, bytes - 8, 'its end is not readable');
  const index = await read(handle, path, bytes - 8 - length, length);
  if (crc32(index) !== end.readUInt32LE(4)) throw new StoreDamaged(path, bytes - 8 - length, 'its checksum does not match');
  return JSON.parse(index.toString()) as Index;
}

/** Runs of whole blocks. The next run is being read while one is worked on. */
async function* chunks(handle: FileHandle, path: string, from: number, to: number): AsyncGenerator<{ chunk: Buffer; at: number }> {
  let at = from;
  let ahead = read(handle, path, at, Math.min(CHUNK_BYTES, to - at));
  while (at < to) {
    let chunk = await ahead;
    let whole = wholeBlocks(path, chunk, at);
    if (whole === 0) {
      const first = frameAt(chunk, 0);
      if (first === undefined) throw new StoreDamaged(path, at, 'a block is not readable');
      const length = FRAME_BYTES + first.head + first.binary + first.rows;
      if (at + length > to) throw new StoreDamaged(path, at, 'a block is not readable');
      chunk = await read(handle, path, at, length);
      whole = length;
    }
    const next = at + whole;
    if (next < to) {
      ahead = read(handle, path, next, Math.min(CHUNK_BYTES, to - next));
      // Reported when it is its turn; not before, and not never.
      ahead.catch(() => {});
    }
    yield { chunk: chunk.subarray(0, whole), at };
    at = next;
  }
}

function wholeBlocks(path: string, chunk: Buffer, at: number): number {
  let offset = 0;
  while (offset + FRAME_BYTES <= chunk.length) {
    const frame = frameAt(chunk, offset);
    if (frame === undefined) throw new StoreDamaged(path, at + offset, 'a block is not readable');
    const end = offset + FRAME_BYTES + frame.head + frame.binary + frame.rows;
    if (end > chunk.length) break;
    offset = end;
  }
  return offset;
}

function readChunk(state: State, path: string, index: Index, chunk: Buffer, at: number, loaders: Map<string, Loader>): void {
  for (let offset = 0; offset < chunk.length; ) {
    const frame = frameAt(chunk, offset)!;
    const head = offset + FRAME_BYTES;
    const binary = head + frame.head;
    const rows = binary + frame.binary;
    const end = rows + frame.rows;
    if (crc32(chunk.subarray(head, end)) !== frame.checksum) throw new StoreDamaged(path, at + offset, 'a checksum does not match');
    const block = JSON.parse(chunk.toString('utf8', head, binary)) as BlockHead;
    const layout = state.layouts.get(block.table);
    if (layout === undefined) throw new StoreDamaged(path, at + offset, `there is no table ${block.table}`);
    const name = JSON.stringify([block.table, block.tenant]);
    let loader = loaders.get(name);
    if (loader === undefined) {
      loader = new Loader(new Partition(block.tenant, layout, state.memory), index.signatures[block.table] === layout.signature);
      loaders.set(name, loader);
    }
    // A copy of its own: the chunk as a whole would be pinned by any row, and the numbers must be aligned.
    const numbers = Buffer.from(new Uint8Array(chunk.subarray(binary, rows)).buffer);
    if (block.kind === 'order') loader.order(block.order, new Uint32Array(numbers.buffer, 0, block.count));
    else loader.rows(state, block, numbers, Buffer.from(new Uint8Array(chunk.subarray(rows, end)).buffer));
    offset = end;
  }
}

class Loader {
  readonly #partition: Partition;
  readonly #keysFit: boolean;

  constructor(partition: Partition, keysFit: boolean) {
    this.#partition = partition;
    this.#keysFit = keysFit;
  }

  rows(state: State, block: Extract<BlockHead, { kind: 'rows' }>, binary: Buffer, rows: Buffer): void {
    const partition = this.#partition;
    const first = partition.slots;
    const lengths = new Uint32Array(binary.buffer, 0, block.count);
    const slab = state.memory.slabs.adopt(rows);
    if (this.#keysFit) {
      let offset = Math.ceil(block.count / 2) * 8;
      block.columns.forEach((head, at) => (offset += unpackColumn(partition.columns[at]!, head, binary, offset, first, block.count)));
      partition.load(first, first + block.count, slab, 0, lengths);
    } else {
      let offset = 0;
      for (const length of lengths) {
        const row = JSON.parse(rows.toString('utf8', offset, offset + length)) as Row;
        partition.put(row.id, { slab, offset, length }, keysOf(partition.layout, row));
        offset += length;
      }
    }
    state.memory.slabs.release(slab);
  }

  order(name: string, ranks: Uint32Array): void {
    if (this.#keysFit) this.#partition.orders.get(name)!.fill(ranks);
  }

  finish(state: State): void {
    const [first] = this.#partition.orders.values();
    if (this.#keysFit) first!.fill(Uint32Array.from({ length: this.#partition.slots }, (_, slot) => slot));
    state.add(this.#partition);
  }
}
