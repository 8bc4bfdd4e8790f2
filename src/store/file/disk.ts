/** File operations of the store. Each step is announced first, so that tests can make it fail or inspect the directory. */
import fs from 'node:fs';
import { open, rename, unlink } from 'node:fs/promises';

/** Called before each step that changes files. An error it throws counts as the step's own failure. */
export type BeforeDiskStep = (step: string, file: string) => void | Promise<void>;

/** Whether an operation failed because the file does not exist. */
export function isNotFound(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** Makes the entries of a directory durable. */
export async function syncDirectory(directory: string): Promise<void> {
  // Windows cannot open directories; its renames are durable once the file itself is flushed.
  if (process.platform === 'win32') return;
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
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
