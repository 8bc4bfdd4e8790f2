/**
 * What a disk may hold after a crash.
 *
 *   killed      the process ended: every operation so far took effect
 *   ordered     the power failed on a file system with ordered metadata (ext4, XFS, APFS): entries of directories appear in the order in
 *               which they were changed, any sync includes all before it, and any write that was not synced may be missing
 *   strict      the power failed and only what POSIX promises holds: each entry of a directory counts once that directory was synced, and
 *               until then any of them may be missing
 *
 * A write that a failed sync covered never becomes durable, because the kernel drops it (as Linux does).
 */
import type { Files, RecordedOperation, Recording } from './recording.ts';

export type PowerCutModel = 'ordered' | 'strict';

/** A 32-bit random number generator. */
export type Random = () => number;

/** The part of a write that reached the disk: everything or, in sectors, its beginning or its end. */
type Extent = 'all' | { readonly from: number; readonly to: number };

const SECTOR_BYTES = 512;

/** The files after the first `position` operations, as a killed process leaves them. */
export const filesAt = (recording: Recording, position: number): Files =>
  applyOperations(recording, recording.operations.slice(0, position), () => 'all');

/**
 * States of the disk after a power cut at a position: all pending operations missing, all present, each missing or present alone, and
 * random combinations, the last with torn writes. When they are few, all combinations.
 */
export function* listPowerCuts(
  recording: Recording,
  position: number,
  model: PowerCutModel,
  { random, combinations }: { readonly random: Random; readonly combinations: number },
): Generator<Files> {
  const operations = recording.operations.slice(0, position);
  const pending = operations.flatMap((_, at) => (isPending(operations, at, model) ? [at] : []));
  const build = (present: (index: number) => boolean, isTorn = false): Files => {
    const extents = new Map(pending.map((at, index) => [at, present(index) ? chooseExtent(operations[at]!, isTorn, random) : undefined]));
    if (model === 'ordered') keepOrder(operations, pending, extents);
    return applyOperations(recording, operations, (at) => (extents.has(at) ? extents.get(at) : 'all'));
  };
  if (2 ** pending.length <= combinations) {
    for (let bits = 0; bits < 2 ** pending.length; bits++) yield build((index) => ((bits >> index) & 1) === 1);
  } else {
    yield build(() => false);
    yield build(() => true);
    for (const chosen of pending.keys()) {
      yield build((index) => index === chosen);
      yield build((index) => index !== chosen);
    }
  }
  if (pending.length === 0) return;
  for (let count = 0; count < combinations / 4; count++) yield build(() => random() % 2 === 0, true);
}

const isEntryChange = (operation: RecordedOperation) => 'directory' in operation;

/** Whether an operation has taken effect, but may be missing after a power cut. */
function isPending(operations: readonly RecordedOperation[], at: number, model: PowerCutModel): boolean {
  const operation = operations[at]!;
  if (operation.kind === 'sync') return false;
  const syncs = operations.slice(at + 1).filter((each) => each.kind === 'sync' && at < each.covers);
  if (!('directory' in operation)) {
    const first = syncs.find((sync) => sync.kind === 'sync' && sync.target === operation.file);
    return first?.kind !== 'sync' || first.isFailed;
  }
  return !syncs.some((sync) => sync.kind === 'sync' && !sync.isFailed && (model === 'ordered' || sync.target === operation.directory));
}

/** With ordered metadata, an entry that is missing takes all later ones with it. */
function keepOrder(operations: readonly RecordedOperation[], pending: readonly number[], extents: Map<number, Extent | undefined>): void {
  const entries = pending.filter((at) => isEntryChange(operations[at]!));
  const firstMissing = entries.find((at) => extents.get(at) === undefined);
  if (firstMissing !== undefined) for (const at of entries) if (at >= firstMissing) extents.set(at, undefined);
}

function chooseExtent(operation: RecordedOperation, isTorn: boolean, random: Random): Extent {
  if (!isTorn || operation.kind !== 'write' || random() % 2 === 0) return 'all';
  const { position, data } = operation;
  // Sectors are aligned in the file.
  const sector = Math.floor(position / SECTOR_BYTES) + 1 + (random() % (Math.floor(data.length / SECTOR_BYTES) + 1));
  const cut = Math.min(data.length, sector * SECTOR_BYTES - position);
  return random() % 2 === 0 ? { from: 0, to: cut } : { from: cut, to: data.length };
}

function applyOperations(
  recording: Recording,
  operations: readonly RecordedOperation[],
  getExtent: (at: number) => Extent | undefined,
): Files {
  const contents = new Contents(recording);
  const names = new Map([...recording.initialFiles].map(([file, { path }]) => [path, file]));
  for (const [at, operation] of operations.entries()) {
    const extent = getExtent(at);
    if (extent === undefined || operation.kind === 'sync') continue;
    const { file } = operation;
    if (operation.kind === 'write') {
      const { from, to } = extent === 'all' ? { from: 0, to: operation.data.length } : extent;
      contents.write(file, operation.position + from, operation.data.subarray(from, to));
    } else if (operation.kind === 'truncate') {
      contents.resize(file, operation.length);
    } else {
      const replaced = operation.kind === 'rename' ? operation.from : operation.path;
      if (operation.kind !== 'link' && names.get(replaced) === file) names.delete(replaced);
      if (operation.kind !== 'unlink') names.set(operation.path, file);
    }
  }
  return new Map([...names].map(([path, file]) => [path, contents.get(file)]));
}

/** The contents of files by number, in buffers that grow by doubling, because most operations append. */
class Contents {
  readonly #files: Map<number, { length: number; buffer: Buffer }>;

  constructor({ initialFiles }: Recording) {
    this.#files = new Map([...initialFiles].map(([file, { content }]) => [file, { length: content.length, buffer: Buffer.from(content) }]));
  }

  get(file: number): Buffer {
    const { length, buffer } = this.#open(file);
    return buffer.subarray(0, length);
  }

  write(file: number, position: number, data: Buffer): void {
    const { length } = this.#open(file);
    this.resize(file, Math.max(length, position + data.length));
    data.copy(this.#open(file).buffer, position);
  }

  /** Changes the length; what is added is zero. */
  resize(file: number, length: number): void {
    const opened = this.#open(file);
    if (length > opened.buffer.length) {
      const grown = Buffer.alloc(length * 2);
      opened.buffer.copy(grown, 0, 0, opened.length);
      opened.buffer = grown;
    } else opened.buffer.fill(0, Math.min(length, opened.length), opened.length);
    opened.length = length;
  }

  #open(file: number): { length: number; buffer: Buffer } {
    const opened = this.#files.get(file) ?? { length: 0, buffer: Buffer.alloc(0) };
    this.#files.set(file, opened);
    return opened;
  }
}
