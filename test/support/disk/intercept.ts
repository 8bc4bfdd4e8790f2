/**
 * Puts a test between the program and the disk: every operation that changes files below a directory goes through a function, which may
 * record it or make it fail. Real syncs are skipped, because what they make durable is computed from the recording.
 */
import fs from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { callbackify } from 'node:util';
import { onTestFinished } from 'vitest';

export type DiskOperation =
  | { readonly kind: 'create' | 'open' | 'sync' | 'unlink'; readonly path: string }
  | { readonly kind: 'write'; readonly path: string; readonly position: number; readonly data: Buffer }
  | { readonly kind: 'truncate'; readonly path: string; readonly length: number }
  | { readonly kind: 'rename'; readonly path: string; readonly from: string };

/** Carries out an operation with `run`, which writes no more than so many bytes. */
export type DiskInterceptor = <T>(operation: DiskOperation, run: (maxBytes?: number) => T) => T;

const { open, rename, unlink, truncate } = fs.promises;
const { writeSync, writevSync, writev, fdatasync } = fs;

const interceptors = new Map<string, DiskInterceptor>();
/** Paths of the open files that are intercepted. */
const openFiles = new Map<number, { path: string }>();

/** Intercepts the operations below a directory until the test has finished. */
export function interceptDisk(directory: string, interceptor: DiskInterceptor): void {
  if (interceptors.size === 0) replaceFunctions();
  interceptors.set(directory, interceptor);
  onTestFinished(() => stopIntercepting(directory));
}

export function stopIntercepting(directory: string): void {
  interceptors.delete(directory);
  if (interceptors.size > 0) return;
  Object.assign(fs.promises, { open, rename, unlink, truncate });
  Object.assign(fs, { writeSync, writevSync, writev, fdatasync });
  syncBuiltinESMExports();
}

function findInterceptor(path: string): DiskInterceptor | undefined {
  for (const [directory, interceptor] of interceptors) if (path === directory || path.startsWith(`${directory}/`)) return interceptor;
  return undefined;
}

function intercept<T>(operation: DiskOperation, run: (maxBytes?: number) => T): T {
  const interceptor = findInterceptor(operation.path);
  return interceptor === undefined ? run() : interceptor(operation, run);
}

const takeBytes = (buffers: readonly Buffer[], maxBytes?: number): Buffer => {
  const data = Buffer.concat(buffers);
  return data.subarray(0, maxBytes ?? data.length);
};

function replaceFunctions(): void {
  Object.assign(fs.promises, {
    open: openIntercepted,
    rename: async (from: string, path: string) =>
      intercept({ kind: 'rename', path, from }, async () => {
        await rename(from, path);
        for (const file of openFiles.values()) if (file.path === from) file.path = path;
      }),
    unlink: async (path: string) => intercept({ kind: 'unlink', path }, () => unlink(path)),
    truncate: async (path: string, length: number) => intercept({ kind: 'truncate', path, length }, () => truncate(path, length)),
  });
  Object.assign(fs, {
    writeSync(fd: number, buffer: Buffer, offset: number, length: number, position: number): number {
      const file = openFiles.get(fd);
      if (file === undefined) return writeSync(fd, buffer, offset, length, position);
      return interceptWriteSync(fd, file.path, [buffer.subarray(offset, offset + length)], position);
    },
    writevSync(fd: number, buffers: Buffer[], position: number): number {
      const file = openFiles.get(fd);
      return file === undefined ? writevSync(fd, buffers, position) : interceptWriteSync(fd, file.path, buffers, position);
    },
    writev(fd: number, buffers: Buffer[], position: number, done: (error: Error | null, written?: number) => void): void {
      const file = openFiles.get(fd);
      if (file === undefined) return writev(fd, buffers, position, done);
      callbackify(() => interceptWrite(fd, file.path, buffers, position))(done);
    },
    fdatasync(fd: number, done: (error?: Error | null) => void): void {
      const file = openFiles.get(fd);
      if (file === undefined) return fdatasync(fd, done);
      callbackify(() => interceptSync(file.path))(done);
    },
  });
  syncBuiltinESMExports();
}

function interceptWriteSync(fd: number, path: string, buffers: readonly Buffer[], position: number): number {
  const data = takeBytes(buffers);
  return intercept({ kind: 'write', path, position, data }, (maxBytes) =>
    writeSync(fd, takeBytes([data], maxBytes), 0, undefined, position),
  );
}

async function interceptWrite(fd: number, path: string, buffers: readonly Buffer[], position: number): Promise<number> {
  const data = takeBytes(buffers);
  return intercept(
    { kind: 'write', path, position, data },
    (maxBytes) =>
      new Promise<number>((resolve, reject) => {
        writev(fd, [takeBytes([data], maxBytes)], position, (error, written) => (error ? reject(error) : resolve(written)));
      }),
  );
}

/** The sync itself is skipped. */
async function interceptSync(path: string): Promise<void> {
  return intercept({ kind: 'sync', path }, async () => {});
}

async function openIntercepted(path: string, flags: string = 'r', mode?: number): Promise<FileHandle> {
  if (findInterceptor(path) === undefined) return open(path, flags, mode);
  const opened: FileHandle[] = [];
  const openReal = async (): Promise<FileHandle> => {
    opened.push(await open(path, flags, mode));
    return opened[0]!;
  };
  let handle: FileHandle;
  try {
    handle = await intercept({ kind: flags.startsWith('w') ? 'create' : 'open', path }, openReal);
  } catch (error) {
    for (const unused of opened) await unused.close();
    throw error;
  }
  const file = { path };
  const { fd } = handle;
  openFiles.set(fd, file);
  const close = handle.close.bind(handle);
  const truncateFile = handle.truncate.bind(handle);
  return Object.assign(handle, {
    sync: () => interceptSync(file.path),
    async writeFile(text: string) {
      const data = Buffer.from(text);
      for (let at = 0; at < data.length;) at += await interceptWrite(fd, file.path, [data.subarray(at)], at);
    },
    truncate: async (length: number) => intercept({ kind: 'truncate', path: file.path, length }, () => truncateFile(length)),
    close() {
      openFiles.delete(fd);
      return close();
    },
  });
}
