/**
 * The file of an export: it is written as `FILE.partial` and renamed at the end. `FILE.checkpoint` records the last page, so that an interrupted
 * export can be resumed, and a finished one can be continued with later rows.
 */
import { existsSync } from 'node:fs';
import fs, { type FileHandle } from 'node:fs/promises';
import { sep } from 'node:path';
import type { Cursor } from '../../../client/lists/pages.ts';
import { Failure, usageError } from '../../errors/failure.ts';
import { NO_SPACE, explainWriteError } from '../../../client/settings/file-errors.ts';
import { readSavedState } from './checkpoint.ts';
import type { FileLock } from '../../../platform/file-lock.ts';
import { lockOutput } from './output-lock.ts';
import { CREATE_NEW, OPEN_EXISTING, assertOwnFile, replaceFile, resolveOwnLink, toLinkError } from '../../../platform/own-files.ts';
import { renameFile } from '../../../platform/rename.ts';

interface Checkpoint {
  /** The fingerprint of the export; a checkpoint with another one belongs to another export. */
  readonly question: string;
  readonly cursor: Cursor;
  /** Size of the partial file. */
  readonly bytes: number;
}

export type ExportFile = Awaited<ReturnType<typeof openLocked>>;

/** `readFingerprint` identifies flags, format and destination, which asks the service; it must match on --resume. */
export async function openExport(path: string, readFingerprint: () => Promise<string>, resume: boolean): Promise<ExportFile> {
  // Checked first, not when all rows have been fetched.
  const found = await fs.stat(path).catch(() => undefined);
  if (path.endsWith('/') || path.endsWith(sep) || found?.isDirectory())
    throw usageError(`Cannot write ${path}: ${explainWriteError({ code: 'EISDIR' })}`, 'Choose a file in it');
  // Renaming would replace a device or a pipe.
  if (found && !found.isFile()) throw usageError(`${path} is not a file`, 'Choose a file, or omit --out to write to stdout');
  // Keeps symbolic links.
  const target = resolveTarget(path);
  const partial = `${target}.partial`;
  const lock = lockOutput(`${partial}.lock`);
  if (lock === undefined)
    throw new Failure('OUTPUT_IN_USE', `Another export is writing ${path}`, { hint: 'Wait until it has ended, or choose another --out' });
  try {
    return await openLocked({ path, target, partial, lock }, await readFingerprint(), resume);
  } catch (error) {
    lock.release();
    throw error;
  }
}

interface OutputPaths {
  /** As the user named it. */
  readonly path: string;
  readonly target: string;
  readonly partial: string;
  readonly lock: FileLock;
}

async function openLocked({ path, target, partial, lock }: OutputPaths, fingerprint: string, resume: boolean) {
  const checkpointPath = `${target}.checkpoint`;
  const saved = resume ? readCheckpoint(checkpointPath, fingerprint) : undefined;
  const file = saved ? await reopenPartial(target, partial, saved.bytes) : await createPartial(path, partial, checkpointPath);
  let bytes = saved?.bytes ?? 0;
  return {
    /** Where to continue; null to start from the beginning. */
    start: saved?.cursor ?? null,
    async write(text: string): Promise<void> {
      const buffer = Buffer.from(text);
      // A write may be partial if the disk is nearly full.
      for (let done = 0; done < buffer.length;) {
        const { bytesWritten } = await file.write(buffer, done, buffer.length - done, bytes + done).catch(rethrowWriteError(path));
        done += bytesWritten;
      }
      bytes += buffer.length;
    },
    /** Flushes the file and records that an export is resumed after `cursor`. */
    async saveCheckpoint(cursor: Cursor | null): Promise<void> {
      if (cursor === null) return;
      await file.datasync().catch(rethrowWriteError(path));
      try {
        replaceFile(checkpointPath, JSON.stringify({ question: fingerprint, cursor, bytes } satisfies Checkpoint));
      } catch (error) {
        rethrowWriteError(path)(error);
      }
    },
    /** Renames the partial file. `keep` keeps the checkpoint, so that a later export can continue. */
    async finish(keep: boolean): Promise<void> {
      try {
        await file.sync().catch(rethrowWriteError(path));
        const isInPlace = await isNamed(partial, file);
        await file.close();
        // Another program has replaced the file: what has its name now is not whole.
        if (!isInPlace)
          throw new Failure('WRITE_FAILED', `Cannot write ${path}: ${partial} was removed or replaced by another program`, {
            hint: 'Run the export again',
          });
        await renameFile(partial, target).catch(rethrowWriteError(path));
        if (!keep) await fs.rm(checkpointPath, { force: true });
      } finally {
        lock.release();
      }
    },
    async close(): Promise<void> {
      await file.close();
      lock.release();
    },
  };
}

/** Opens the file of an interrupted export, cut to what its checkpoint covers. */
async function reopenPartial(target: string, partial: string, bytes: number): Promise<FileHandle> {
  if (!existsSync(partial)) await copyAtomically(target, partial, `${target}.checkpoint`);
  const file = await openPartial(partial);
  if ((await file.stat()).size < bytes) {
    await file.close();
    throw usageError(`${partial} is shorter than its checkpoint says`, 'Start again without --resume');
  }
  await file.truncate(bytes);
  return file;
}

async function createPartial(path: string, partial: string, checkpointPath: string): Promise<FileHandle> {
  await removeOld(checkpointPath);
  await removeOld(partial);
  return fs
    .open(partial, CREATE_NEW, 0o600)
    .catch((error: unknown) => throwUsageError(`Cannot write ${path}: ${explainWriteError(error)}`, error));
}

const DISK_FULL_CODES: readonly string[] = ['ENOSPC', 'EDQUOT', 'EFBIG'];

/** Returns a handler that throws a Failure for an error of writing a file. */
export const rethrowWriteError =
  (path: string, hint = 'Free some space, then continue with --resume') =>
  (error: unknown): never => {
    const isFull = DISK_FULL_CODES.includes((error as NodeJS.ErrnoException).code ?? '');
    throw new Failure(isFull ? 'DISK_FULL' : 'WRITE_FAILED', `Cannot write ${path}: ${isFull ? NO_SPACE : explainWriteError(error)}`, {
      hint,
      cause: error,
    });
  };

function readCheckpoint(path: string, fingerprint: string): Checkpoint | undefined {
  const hint = 'Remove it and start again without --resume';
  const isCheckpoint = ({ question, bytes, cursor }: Partial<Checkpoint>): boolean =>
    typeof question === 'string' && typeof bytes === 'number' && Boolean(cursor);
  const checkpoint = readSavedState<Checkpoint>(path, isCheckpoint, { unreadable: hint, damaged: hint });
  if (checkpoint && checkpoint.question !== fingerprint)
    throw usageError(
      `${path} belongs to an export with other filters or another format, or of another service or tenant`,
      'Use the same flags and profile, or another --out',
    );
  return checkpoint;
}

/** Whether a path names an open file. */
async function isNamed(path: string, file: FileHandle): Promise<boolean> {
  const [opened, named] = await Promise.all([file.stat({ bigint: true }), fs.lstat(path, { bigint: true }).catch(() => undefined)]);
  return opened.dev === named?.dev && opened.ino === named.ino;
}

/** Follows a symbolic link, but none that another user may have planted. */
function resolveTarget(path: string): string {
  try {
    return resolveOwnLink(path);
  } catch (error) {
    // A link to a missing file is replaced.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return path;
    throw usageError(`Cannot write ${path}: ${explainWriteError(error)}`, 'Choose another --out');
  }
}

/** Another user may have planted the partial file, or a link in its place. */
async function openPartial(path: string): Promise<FileHandle> {
  let file: FileHandle | undefined;
  try {
    file = await fs.open(path, OPEN_EXISTING);
    assertOwnFile(await file.stat());
    return file;
  } catch (error) {
    await file?.close();
    throw usageError(`Cannot continue ${path}: ${explainWriteError(toLinkError(error))}`, 'Remove it and start again without --resume');
  }
}

/** Removes what an earlier export has left, or a link, but not its target. */
async function removeOld(path: string): Promise<void> {
  await fs.unlink(path).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throwUsageError(`Cannot replace ${path}: ${explainWriteError(error)}`, error);
  });
}

/** Copies to a temporary name and renames: a killed process leaves no incomplete copy under the final name. */
async function copyAtomically(path: string, partial: string, checkpointPath: string): Promise<void> {
  const copy = `${partial}.copy`;
  if (!existsSync(path)) throw usageError(`${path} is missing, but ${checkpointPath} exists`, 'Start again without --resume');
  await removeOld(copy);
  try {
    await fs.copyFile(path, copy, fs.constants.COPYFILE_EXCL);
    await renameFile(copy, partial);
  } catch (error) {
    await fs.rm(copy, { force: true }).catch(() => undefined);
    rethrowWriteError(path)(error);
  }
}

function throwUsageError(message: string, cause: unknown): never {
  throw Object.assign(usageError(message), { cause });
}
