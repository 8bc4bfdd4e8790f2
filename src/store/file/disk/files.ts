/** What several parts of the store do with files. */
import { dirname } from 'node:path';
import { StoreDamaged } from '../errors.ts';
import type { Disk, DiskFile } from './disk.ts';

/** Whether an operation failed because the file does not exist. */
export function isNotFound(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** Opens a file that the manifest names. Throws `StoreDamaged` when it is missing. */
export async function openForReading(disk: Disk, path: string): Promise<DiskFile> {
  try {
    return await disk.open(path, 'read');
  } catch (cause) {
    throw isNotFound(cause) ? new StoreDamaged(path, 0, 'file not found', { cause }) : cause;
  }
}

/** Sync often while a long file is written: a long flush would delay those of the journal. */
const SYNC_EVERY_BYTES = 4 * 1024 * 1024;

/** Writes buffers one after another, syncing on the way. */
export class SequentialWriter {
  readonly #file: DiskFile;
  #unsynced = 0;
  position = 0;

  constructor(file: DiskFile) {
    this.#file = file;
  }

  async write(buffer: Buffer): Promise<void> {
    await this.#file.write([buffer], this.position);
    this.position += buffer.length;
    this.#unsynced += buffer.length;
    if (this.#unsynced >= SYNC_EVERY_BYTES) await this.sync();
  }

  async sync(): Promise<void> {
    await this.#file.sync();
    this.#unsynced = 0;
  }
}

/**
 * Replaces a small file atomically: after a crash either the old or the new one is there. The directory is synced before, because the new
 * one may name files whose entries a power cut could remove otherwise, and after.
 */
export async function replaceFile(disk: Disk, path: string, text: string): Promise<void> {
  const draft = `${path}.new`;
  const directory = dirname(path);
  {
    await using file = await disk.create(draft);
    await file.write([Buffer.from(text)], 0);
    await file.sync();
  }
  await disk.syncDirectory(directory);
  await disk.rename(draft, path);
  await disk.syncDirectory(directory);
}

/** Removes a file that nothing refers to. Failing to remove it does no harm: the next start removes files that the manifest does not name. */
export const removeFile = (disk: Disk, path: string): Promise<void> => disk.unlink(path).catch(() => {});
