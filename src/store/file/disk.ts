/** The few file operations the store needs, each announced first: tests let them fail or look at the directory in between. */
import fs from 'node:fs';
import { open, rename, unlink } from 'node:fs/promises';

/** Called before each step that changes files. What it throws is treated as the step's own failure. */
export type OnStep = (step: string, file: string) => void | Promise<void>;

/** Whether an operation failed because the file is not there. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** Resolves when the directory's entries are durable. */
export async function syncDirectory(directory: string): Promise<void> {
  // Windows cannot open a directory; its renames are durable with the file's own flush.
  if (process.platform === 'win32') return;
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Up to here, copying into the page cache takes less time than handing the work to another thread. */
const SHORT_BYTES = 512 * 1024;

/** Writes buffers at a position, all of them; few bytes at once. */
export function writeSoon(fd: number, buffers: readonly Buffer[], position: number): Promise<void> | undefined {
  let total = 0;
  for (const buffer of buffers) total += buffer.length;
  if (total > SHORT_BYTES) return writeAll(fd, buffers, position);
  const written = buffers.length === 1 ? fs.writeSync(fd, buffers[0]!, 0, total, position) : fs.writevSync(fd, buffers, position);
  return written === total ? undefined : writeAll(fd, behind(buffers, written), position + written);
}

/** Writes buffers at a position, all of them. */
export function writeAll(fd: number, buffers: readonly Buffer[], position: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const total = buffers.reduce((sum, buffer) => sum + buffer.length, 0);
    fs.writev(fd, buffers, position, (error, written) => {
      if (error) reject(error);
      else if (written === total) resolve();
      // A short write: the rest fails with the reason, or goes through.
      else if (written === 0) reject(new Error('the disk took no bytes'));
      else writeAll(fd, behind(buffers, written), position + written).then(resolve, reject);
    });
  });
}

function behind(buffers: readonly Buffer[], written: number): Buffer[] {
  let rest = written;
  return buffers.flatMap((buffer) => {
    const skipped = Math.min(rest, buffer.length);
    rest -= skipped;
    return skipped === buffer.length ? [] : [buffer.subarray(skipped)];
  });
}

/** Resolves when what was written to the file is durable. */
export function syncData(fd: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fs.fdatasync(fd, (error) => (error ? reject(error) : resolve()));
  });
}

/** Replaces a small file so that a crash leaves either the old or the new one. */
export async function replaceFile(directory: string, file: string, text: string, onStep?: OnStep): Promise<void> {
  const [path, fresh] = [`${directory}/${file}`, `${directory}/${file}.new`];
  await onStep?.('write', fresh);
  const handle = await open(fresh, 'w', 0o600);
  try {
    await handle.writeFile(text);
    await onStep?.('sync', fresh);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await onStep?.('rename', path);
  await rename(fresh, path);
  await onStep?.('sync-directory', path);
  await syncDirectory(directory);
}

/** Removes a file that nothing refers to; that it stays is no harm. */
export async function dropFile(path: string, onStep?: OnStep): Promise<void> {
  try {
    await onStep?.('unlink', path);
    await unlink(path);
  } catch {
    // The next start removes what no manifest names.
  }
}
