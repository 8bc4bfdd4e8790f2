/** The disk of the machine. */
import fs from 'node:fs';
import { type FileHandle, mkdir, open, readdir, readFile, stat, unlink } from 'node:fs/promises';
import { renameFile } from '../../../platform/rename.ts';
import type { Disk, DiskFile, FileStatus } from './disk.ts';

/** Up to this size, copying into the page cache is faster than handing the work to another thread. */
const MAX_SYNC_WRITE_BYTES = 512 * 1024;

export const localDisk: Disk = {
  createDirectory: async (path) => void (await mkdir(path, { recursive: true, mode: 0o700 })),
  create: async (path) => new LocalFile(path, await open(path, 'w', 0o600)),
  open: async (path, mode = 'write') => new LocalFile(path, await open(path, mode === 'read' ? 'r' : 'r+')),
  readText: (path) => readFile(path, 'utf8'),
  getStatus: async (path) => toStatus(path, await stat(path, { bigint: true })),
  list: (directory) => readdir(directory),
  rename: renameFile,
  unlink,
  async syncDirectory(path) {
    // Windows cannot open directories; its renames are durable once the file itself is flushed.
    if (process.platform === 'win32') return;
    await using handle = await open(path, 'r');
    await handle.sync();
  },
};

class LocalFile implements DiskFile {
  readonly path: string;
  readonly #handle: FileHandle;

  constructor(path: string, handle: FileHandle) {
    this.path = path;
    this.#handle = handle;
  }

  async getStatus(): Promise<FileStatus> {
    return toStatus(this.path, await this.#handle.stat({ bigint: true }));
  }

  async read(position: number, length: number): Promise<Buffer> {
    const buffer = Buffer.allocUnsafeSlow(length);
    for (let at = 0; at < length;) {
      const { bytesRead } = await this.#handle.read(buffer, at, length - at, position + at);
      if (bytesRead === 0) return buffer.subarray(0, at);
      at += bytesRead;
    }
    return buffer;
  }

  async write(buffers: readonly Buffer[], position: number): Promise<void> {
    const total = buffers.reduce((sum, buffer) => sum + buffer.length, 0);
    const written =
      total <= MAX_SYNC_WRITE_BYTES ? fs.writevSync(this.#handle.fd, buffers, position) : await this.#writeInBackground(buffers, position);
    if (written === total) return;
    // Writing the rest either succeeds or reports the reason.
    if (written === 0) throw new Error('the disk accepted no bytes');
    await this.write(skipBytes(buffers, written), position + written);
  }

  // The promises of `FileHandle` cost more than the call.
  #writeInBackground(buffers: readonly Buffer[], position: number): Promise<number> {
    return new Promise((resolve, reject) => {
      fs.writev(this.#handle.fd, buffers, position, (error, written) => (error ? reject(error) : resolve(written)));
    });
  }

  sync(): Promise<void> {
    return new Promise((resolve, reject) => {
      fs.fdatasync(this.#handle.fd, (error) => (error ? reject(error) : resolve()));
    });
  }

  truncate(length: number): Promise<void> {
    return this.#handle.truncate(length);
  }

  close(): Promise<void> {
    return this.#handle.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

const toStatus = (path: string, { dev, ino, size }: fs.BigIntStats): FileStatus => ({
  path,
  device: dev,
  inode: ino,
  size: Number(size),
});

function skipBytes(buffers: readonly Buffer[], written: number): Buffer[] {
  let rest = written;
  return buffers.flatMap((buffer) => {
    const skipped = Math.min(rest, buffer.length);
    rest -= skipped;
    return skipped === buffer.length ? [] : [buffer.subarray(skipped)];
  });
}
