/** Saves stdin to a temporary file, because an import reads its rows twice. */
import { mkdtempSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { explainWriteError } from '../../../client/settings/file-errors.ts';
import { type Failure, usageError } from '../../errors/failure.ts';
import type { BulkFormat } from '../rows/records.ts';

export interface Spool {
  readonly file: FileHandle;
  /** Detected from the first character. */
  readonly format: BulkFormat;
  remove(): void;
}

export async function spoolStdin(): Promise<Spool> {
  if (process.stdin.isTTY) throw usageError('FILE - requires input on stdin', 'Pipe the rows in, or pass a file');
  let format: BulkFormat | undefined;
  const detectWhileReading = async function* () {
    for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
      format ??= detectFormatOfBytes(chunk);
      yield chunk;
    }
  };
  // A stream of the file would keep `close()` from ever ending.
  const spool = await spoolRows((file) => file.writeFile(detectWhileReading()));
  return { ...spool, format: format ?? 'csv' };
}

/** Writes rows to a temporary file that has no name any more, so that nothing is left however the command ends. */
export async function spoolRows(write: (file: FileHandle) => Promise<unknown>): Promise<Pick<Spool, 'file' | 'remove'>> {
  let directory: string | undefined;
  let file: FileHandle | undefined;
  const remove = () => directory !== undefined && rmSync(directory, { recursive: true, force: true });
  try {
    directory = mkdtempSync(join(tmpdir(), 'stockroom-import-'));
    file = await open(join(directory, 'rows'), 'wx+', 0o600);
    // Windows removes no open file.
    if (process.platform !== 'win32') remove();
    await write(file);
    return { file, remove };
  } catch (error) {
    await file?.close();
    remove();
    throw createSpoolError(error);
  }
}

const OPENING_BRACE = 0x7b;
/** White space, byte order marks, and the zero bytes of UTF-16. */
const IGNORED_LEADING_BYTES: ReadonlySet<number> = new Set([0x00, 0x09, 0x0a, 0x0d, 0x20, 0xef, 0xbb, 0xbf, 0xfe, 0xff]);

/** Detects the format from the first bytes; undefined if they contain no character. */
export function detectFormatOfBytes(bytes: Uint8Array): BulkFormat | undefined {
  const first = bytes.find((byte) => !IGNORED_LEADING_BYTES.has(byte));
  return first === undefined ? undefined : first === OPENING_BRACE ? 'ndjson' : 'csv';
}

const createSpoolError = (error: unknown): Failure =>
  usageError(`Cannot save the rows in ${tmpdir()}: ${explainWriteError(error)}`, 'Set TMPDIR to another directory, or import a CSV file');
