/** The file of rejected rows: one JSON object per line with the line of the input, the error and the row, which can be fixed and imported again. */
import { closeSync, fstatSync, ftruncateSync, openSync, readSync, renameSync, statSync, writeSync } from 'node:fs';
import { devNull } from 'node:os';
import { dirname, parse, resolve } from 'node:path';
import { rethrowWriteError } from './export-file.ts';
import { Failure, usageError } from '../../errors/failure.ts';
import { CREATE_NEW, openOwnFile, resolveOwnLink } from '../../../platform/own-files.ts';
import { explainWriteError } from '../../../client/settings/file-errors.ts';

export interface RejectedRow {
  readonly line: number;
  readonly error: unknown;
  /** JSON text of the row. */
  readonly body: string;
}

const LINE_PREFIX = '{"line":';
const BACKUP = '.bak';

/** `items.errors.ndjson` in the working directory for `shop/items.csv`; the file itself is not replaced while it is imported. */
export function getDefaultPath(file: string): string {
  const name = file === '-' ? '' : `${parse(file).name.replace(/(?:^|\.)errors(?:\.2)?$/u, '')}.`;
  const path = `${name}errors.ndjson`.replace(/^\./u, '');
  return resolve(path) === resolve(file) ? path.replace(/ndjson$/u, '2.ndjson') : path;
}

/** Opens the file when the first row is added. `keep`: bytes of an earlier run to append to. */
export function openRejectedRows(path: string, keep = 0) {
  let file: number | undefined;
  let bytes = keep;
  const target = resolveTarget(path);
  const open = (): number => {
    try {
      file = openTarget(target, bytes);
      return file;
    } catch (error) {
      throw createUnwritableError(path, error);
    }
  };
  if (keep === 0) for (const replaced of [path, path + BACKUP]) assertOverwritable(replaced);
  return {
    path,
    get bytes() {
      return bytes;
    },
    add({ line, error: reason, body }: RejectedRow): void {
      const buffer = Buffer.from(`${LINE_PREFIX}${String(line)},"error":${JSON.stringify(reason)},"row":${body}}\n`);
      const to = file ?? open();
      try {
        for (let done = 0; done < buffer.length;) done += writeSync(to, buffer, done, buffer.length - done, bytes + done);
      } catch (error) {
        rethrowWriteError(path, 'Free some space for the rejected rows')(error);
      }
      bytes += buffer.length;
    },
    close(): void {
      if (file !== undefined) closeSync(file);
      file = undefined;
    },
  };
}

const HINT = 'Choose another file for rejected rows with --errors';

const createUnwritableError = (path: string, error: unknown): Failure =>
  usageError(`Cannot write ${path}: ${explainWriteError(error)}`, HINT);

/** Follows a symbolic link, but none that another user may have planted. */
function resolveTarget(path: string): string {
  try {
    return resolveOwnLink(path);
  } catch (error) {
    throw createUnwritableError(path, error);
  }
}

/** Creates the file, and keeps an earlier one, whose rows a person may have fixed, under another name; or opens it and truncates it to `keep` bytes. */
function openTarget(path: string, keep: number): number {
  if (path === devNull) return openSync(path, 'w');
  try {
    if (keep === 0) return openSync(path, CREATE_NEW, 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const file = openOwnFile(path);
  if (keep === 0 && fstatSync(file).size > 0) {
    closeSync(file);
    renameSync(path, path + BACKUP);
    return openSync(path, CREATE_NEW, 0o600);
  }
  ftruncateSync(file, keep);
  return file;
}

/** Throws a usage error if the file is not one of rejected rows or cannot be written, before any row is sent. */
function assertOverwritable(path: string): void {
  try {
    const directory = statSync(dirname(path));
    if (!directory.isDirectory()) throw createUnwritableError(path, { code: 'ENOTDIR' });
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory() === true) throw createUnwritableError(path, { code: 'EISDIR' });
    // Opening a pipe would block until another process opens it.
    if (found?.isFile() === false && path !== devNull) throw usageError(`${path} is not a file`, HINT);
  } catch (error) {
    throw error instanceof Failure ? error : createUnwritableError(path, error);
  }
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return;
  }
  const start = Buffer.alloc(LINE_PREFIX.length);
  const read = readSync(file, start, 0, start.length, 0);
  closeSync(file);
  if (read > 0 && start.toString() !== LINE_PREFIX) throw usageError(`${path} exists and does not contain rejected rows`, HINT);
}
