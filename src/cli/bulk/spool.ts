/** Stdin put into a file, because an import reads its rows twice. */
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { usage } from '../failure.ts';
import type { BulkFormat } from './records.ts';

export interface Spool {
  readonly path: string;
  /** By its first character. */
  readonly format: BulkFormat;
  remove(): void;
}

export async function spoolStdin(): Promise<Spool> {
  if (process.stdin.isTTY) throw usage('- reads stdin, but nothing is piped in', 'pipe the rows in, or name a file');
  const directory = mkdtempSync(join(tmpdir(), 'stockroom-import-'));
  const remove = () => rmSync(directory, { recursive: true, force: true });
  const path = join(directory, 'stdin');
  const { pipeline } = process.getBuiltinModule('node:stream/promises');
  let format: BulkFormat | undefined;
  try {
    const look = async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        format ??= chunk.toString('utf8', 0, 64).trimStart().replace('\uFEFF', '').startsWith('{') ? 'ndjson' : 'csv';
        yield chunk;
      }
    };
    await pipeline(process.stdin, look, createWriteStream(path, { mode: 0o600 }));
  } catch (error) {
    remove();
    throw usage(`stdin could not be kept: ${(error as Error).message}`);
  }
  return { path, format: format ?? 'csv', remove };
}
