/** Saves stdin to a temporary file, because an import reads its rows twice. */
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { explainWriteError } from '../../../client/settings/file-errors.ts';
import { type Failure, usageError } from '../../errors/failure.ts';
import type { BulkFormat } from '../rows/records.ts';

export interface Spool {
  readonly path: string;
  /** Detected from the first character. */
  readonly format: BulkFormat;
  remove(): void;
}

export async function spoolStdin(): Promise<Spool> {
  if (process.stdin.isTTY) throw usageError('FILE - requires input on stdin', 'Pipe the rows in, or pass a file');
  const directory = createSpoolDirectory();
  const remove = () => rmSync(directory, { recursive: true, force: true });
  const path = join(directory, 'stdin');
  const { pipeline } = process.getBuiltinModule('node:stream/promises');
  let format: BulkFormat | undefined;
  try {
    const detectWhileReading = async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        format ??= detectFormatOfBytes(chunk);
        yield chunk;
      }
    };
    await pipeline(process.stdin, detectWhileReading, createWriteStream(path, { mode: 0o600 }));
  } catch (error) {
    remove();
    throw createSpoolError(error);
  }
  return { path, format: format ?? 'csv', remove };
}

const OPENING_BRACE = 0x7b;
/** White space, byte order marks, and the zero bytes of UTF-16. */
const IGNORED_LEADING_BYTES: ReadonlySet<number> = new Set([0x00, 0x09, 0x0a, 0x0d, 0x20, 0xef, 0xbb, 0xbf, 0xfe, 0xff]);

/** Detects the format from the first bytes; undefined if they contain no character. */
export function detectFormatOfBytes(bytes: Uint8Array): BulkFormat | undefined {
  const first = bytes.find((byte) => !IGNORED_LEADING_BYTES.has(byte));
  return first === undefined ? undefined : first === OPENING_BRACE ? 'ndjson' : 'csv';
}

export function createSpoolDirectory(): string {
  try {
    return mkdtempSync(join(tmpdir(), 'stockroom-import-'));
  } catch (error) {
    throw createSpoolError(error);
  }
}

const createSpoolError = (error: unknown): Failure =>
  usageError(`Cannot save the rows in ${tmpdir()}: ${explainWriteError(error)}`, 'Set TMPDIR to another directory, or import a CSV file');
