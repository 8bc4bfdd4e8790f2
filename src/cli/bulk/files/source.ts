/**
 * The file of an import, which is read twice: to check the rows, and to send them. To ensure that the bytes are the same, the first pass
 * keeps a digest of each block, and the second pass compares it before it uses the block.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { Failure, usageError } from '../../errors/failure.ts';
import { explainReadError } from '../../../client/settings/file-errors.ts';

const BLOCK_BYTES = 65_536;

export type ImportSource = ReturnType<typeof createSource>;

export async function openSource(path: string): Promise<ImportSource> {
  const file = await open(path, 'r').catch((error: unknown) => {
    throw usageError(`Cannot read ${path}: ${explainReadError(error)}`);
  });
  if ((await file.stat()).isFile()) return toSource(file, path);
  await file.close();
  throw usageError(`${path} is not a file`, 'Save the rows to a file first, or pass - for stdin');
}

/** The source of an open file, which it closes. `displayPath`: its name in messages, such as `stdin`. */
export const toSource = async (file: FileHandle, displayPath: string): Promise<ImportSource> =>
  createSource(file, (await file.stat()).size, displayPath);

function createSource(file: FileHandle, size: number, displayPath: string) {
  const crypto = process.getBuiltinModule('node:crypto');
  const blocks: Buffer[] = [];
  let digest = '';
  let prefixDigest: string | null = null;
  let lastBytes: readonly number[] = [];

  const read = () => readBlocks(file, size, displayPath);
  const hash = (bytes: Buffer) => crypto.hash('sha256', bytes, 'buffer');

  return {
    path: displayPath,
    /** In bytes, when the file was opened. */
    size,
    /** SHA-256 in hex; available when `readForCheck` has ended. */
    get digest() {
      return digest;
    },
    /** SHA-256 of the prefix that `readForCheck` was given. */
    get prefixDigest() {
      return prefixDigest;
    },
    /** Whether the file had no line end at its end, so that the last row may be incomplete. Available when `readForCheck` has ended. */
    get endsMidLine() {
      return size > 0 && !endsLine(lastBytes);
    },
    /** Reads the file; throws if it changes meanwhile. `prefix`: also compute the digest of so many bytes from the start. */
    async *readForCheck(prefix = 0): AsyncGenerator<Buffer> {
      const fileHash = crypto.createHash('sha256');
      let at = 0;
      for await (const block of read()) {
        if (at < prefix && prefix <= at + block.length)
          prefixDigest = fileHash
            .copy()
            .update(block.subarray(0, prefix - at))
            .digest('hex');
        fileHash.update(block);
        blocks.push(hash(block));
        lastBytes = [...lastBytes, ...block.subarray(-2)].slice(-2);
        at += block.length;
        yield block;
      }
      digest = fileHash.digest('hex');
      const now = (await file.stat()).size;
      if (now !== size)
        throw createFileChangedError(`${displayPath} changed while it was read: from ${String(size)} to ${String(now)} bytes`);
    },
    /** Reads the same bytes again; throws if they were changed. */
    async *readForSending(): AsyncGenerator<Buffer> {
      let index = 0;
      for await (const block of read()) {
        if (!blocks[index]?.equals(hash(block))) throw createFileChangedError(`${displayPath} changed after it was checked`);
        index += 1;
        yield block;
      }
    },
    /** Returns the number of bytes that were added since. */
    getGrowth: async () => Math.max(0, (await file.stat()).size - size),
    close: () => file.close(),
  };
}

/** The first `size` bytes. */
async function* readBlocks(file: FileHandle, size: number, displayPath: string): AsyncGenerator<Buffer> {
  for (let at = 0; at < size;) {
    const buffer = Buffer.allocUnsafe(Math.min(BLOCK_BYTES, size - at));
    let filled = 0;
    while (filled < buffer.length) {
      const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, at + filled);
      if (bytesRead === 0) throw createFileChangedError(`${displayPath} became shorter while it was read`);
      filled += bytesRead;
    }
    at += filled;
    yield buffer;
  }
}

/** Whether the last two bytes contain a line end, in UTF-8 or UTF-16. */
const endsLine = (end: readonly number[]): boolean => {
  const [last = 0, before] = end.toReversed();
  const char = last === 0 ? before : last;
  return char === 0x0a || char === 0x0d;
};

const createFileChangedError = (message: string): Failure =>
  new Failure('FILE_CHANGED', message, { hint: 'Wait until it is complete, then import it again' });
