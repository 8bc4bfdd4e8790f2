/** Stdin put into a file, because an import reads its rows twice. */
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { whyUnwritable } from '../../client/reasons.ts';
import { type Failure, usage } from '../failure.ts';
import type { BulkFormat } from './records.ts';

export interface Spool {
  readonly path: string;
  /** By its first character. */
  readonly format: BulkFormat;
  remove(): void;
}

export async function spoolStdin(): Promise<Spool> {
  if (process.stdin.isTTY) throw usage('- reads stdin, but nothing is piped in', 'pipe the rows in, or name a file');
  const directory = makeDirectory();
  const remove = () => rmSync(directory, { recursive: true, force: true });
  const path = join(directory, 'stdin');
  const { pipeline } = process.getBuiltinModule('node:stream/promises');
  let format: BulkFormat | undefined;
  try {
    const look = async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        format ??= formatOfBytes(chunk);
        yield chunk;
      }
    };
    await pipeline(process.stdin, look, createWriteStream(path, { mode: 0o600 }));
  } catch (error) {
    remove();
    throw unkept(error);
  }
  return { path, format: format ?? 'csv', remove };
}

const OPENING_BRACE = 0x7b;
/** Blanks, the marks of UTF-8 and UTF-16, and the empty halves of UTF-16: what stands before the first character in any encoding. */
const BEFORE_TEXT: ReadonlySet<number> = new Set([0x00, 0x09, 0x0a, 0x0d, 0x20, 0xef, 0xbb, 0xbf, 0xfe, 0xff]);

/** What a file is that begins so; undefined: its first character is not among these bytes. */
export function formatOfBytes(bytes: Uint8Array): BulkFormat | undefined {
  const first = bytes.find((byte) => !BEFORE_TEXT.has(byte));
  return first === undefined ? undefined : first === OPENING_BRACE ? 'ndjson' : 'csv';
}

function makeDirectory(): string {
  try {
    return mkdtempSync(join(tmpdir(), 'stockroom-import-'));
  } catch (error) {
    throw unkept(error);
  }
}

const unkept = (error: unknown): Failure =>
  usage(`stdin cannot be kept in ${tmpdir()}: ${whyUnwritable(error)}`, 'name another directory with TMPDIR, or put the rows into a file');
