/** File operations of the store. Each step is announced first, so that tests can make it fail or inspect the directory. */
import fs from 'node:fs';
import { type FileHandle, open, rename, unlink } from 'node:fs/promises';
import { StoreDamaged } from './errors.ts';

/** Called before each step that changes files. An error it throws counts as the step's own failure. */
export type BeforeDiskStep = (step: string, file: string) => void | Promise<void>;

/** Whether an operation failed because the file does not exist. */
export function isNotFound(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** Opens a file that the manifest names. Throws `StoreDamaged` when it is missing. */
export async function openForReading(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r');
  } catch (cause) {
    throw isNotFound(cause) ? new StoreDamaged(path, 0, 'file not found', { cause }) : cause;
  }
}

/** Reads from a position on into a new buffer, which is shorter than `length` only at the end of the file. */
export async function readFully(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(length);
  for (let at = 0; at < length;) {
    const { bytesRead } = await handle.read(buffer, at, length - at, position + at);
    if (bytesRead === 0) return buffer.subarray(0, at);
    at += bytesRead;
  }
  return buffer;
}

/** Makes the entries of a directory durable. */
export async function syncDirectory(directory: string): Promise<void> {
  // Windows cannot open directories; its renames are durable once the file itself is flushed.
  if (process.platform === 'win32') return;
  await using handle = await open(directory, 'r');
  await handle.sync();
}

/** Up to this size, copying into the page cache is faster than handing the work to another thread. */
const MAX_SYNC_WRITE_BYTES = 512 * 1024;

/** Writes all buffers at a position: small ones synchronously (returns undefined), larger ones in the background. */
export function writeSyncIfSmall(fd: number, buffers: readonly Buffer[], position: number): Promise<void> | undefined {
  let total = 0;
  for (const buffer of buffers) total += buffer.length;
  if (total > MAX_SYNC_WRITE_BYTES) return writeAll(fd, buffers, position);
  const written = buffers.length === 1 ? fs.writeSync(fd, buffers[0]!, 0, total, position) : fs.writevSync(fd, buffers, position);
  return written === total ? undefined : writeAll(fd, skipBytes(buffers, written), position + written);
}

/** Writes all buffers at a position. */
export function writeAll(fd: number, buffers: readonly Buffer[], position: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const total = buffers.reduce((sum, buffer) => sum + buffer.length, 0);
    fs.writev(fd, buffers, position, (error, written) => {
      if (error) reject(error);
      else if (written === total) resolve();
      // Short write: writing the rest either succeeds or reports the reason.
      else if (written === 0) reject(new Error('the disk accepted no bytes'));
      else writeAll(fd, skipBytes(buffers, written), position + written).then(resolve, reject);
    });
  });
}

function skipBytes(buffers: readonly Buffer[], written: number): Buffer[] {
  let rest = written;
  return buffers.flatMap((buffer) => {
    const skipped = Math.min(rest, buffer.length);
    rest -= skipped;
    return skipped === buffer.length ? [] : [buffer.subarray(skipped)];
  });
}

/** Makes everything written to the file durable. */
export function syncData(fd: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fs.fdatasync(fd, (error) => (error ? reject(error) : resolve()));
  });
}

/** Sync often while a long file is written: a long flush would delay those of the journal. */
const SYNC_EVERY_BYTES = 4 * 1024 * 1024;

/** Writes buffers one after another, syncing on the way. */
export class SequentialWriter {
  readonly #handle: FileHandle;
  readonly #path: string;
  readonly #beforeDiskStep: BeforeDiskStep | undefined;
  #unsynced = 0;
  position = 0;

  constructor(handle: FileHandle, path: string, beforeDiskStep?: BeforeDiskStep) {
    this.#handle = handle;
    this.#path = path;
    this.#beforeDiskStep = beforeDiskStep;
  }

  async write(buffer: Buffer): Promise<void> {
    await this.#beforeDiskStep?.('write', this.#path);
    await writeAll(this.#handle.fd, [buffer], this.position);
    this.position += buffer.length;
    this.#unsynced += buffer.length;
    if (this.#unsynced < SYNC_EVERY_BYTES) return;
    await syncData(this.#handle.fd);
    this.#unsynced = 0;
  }

  async sync(): Promise<void> {
    await this.#beforeDiskStep?.('sync', this.#path);
    await this.#handle.sync();
  }
}

/**
 * Replaces a small file atomically: after a crash either the old or the new one is there. The directory is synced before, because the new
 * one may name files whose entries a power cut could remove otherwise, and after.
 */
export async function replaceFile(directory: string, file: string, text: string, beforeDiskStep?: BeforeDiskStep): Promise<void> {
  const [path, temporary] = [`${directory}/${file}`, `${directory}/${file}.new`];
  await beforeDiskStep?.('create', temporary);
  const handle = await open(temporary, 'w', 0o600);
  try {
    await handle.writeFile(text);
    await beforeDiskStep?.('sync', temporary);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await beforeDiskStep?.('sync-directory', temporary);
  await syncDirectory(directory);
  await beforeDiskStep?.('rename', path);
  await rename(temporary, path);
  await beforeDiskStep?.('sync-directory', path);
  await syncDirectory(directory);
}

/** Removes a file that nothing refers to. Failing to remove it does no harm. */
export async function removeFile(path: string, beforeDiskStep?: BeforeDiskStep): Promise<void> {
  try {
    await beforeDiskStep?.('unlink', path);
    await unlink(path);
  } catch {
    // The next start removes files that the manifest does not name.
  }
}
