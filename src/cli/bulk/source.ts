/**
 * The file of an import, read twice: once to check every row, once to send them. Both times the bytes must be the same, so the first
 * reading remembers a digest of each block and the second compares before anything of a block is used.
 */
import type { FileHandle } from 'node:fs/promises';
import { EXIT } from '../exit-codes.ts';
import { Failure, usage } from '../failure.ts';
import { whyUnreadable } from '../../client/reasons.ts';

const BLOCK_BYTES = 65_536;

export interface Source {
  readonly path: string;
  /** Bytes of the file as it was checked. */
  readonly size: number;
  /** SHA-256 of them, in hex; known when `firstReading` has ended. */
  readonly digest: string;
  /** SHA-256 of the first `bytes` of the file, when `firstReading` was asked for it. */
  readonly prefixDigest: string | null;
  /** The bytes for the first time; refuses a file that is still being written. `prefix`: also digest so many bytes from the start. */
  firstReading(prefix?: number): AsyncGenerator<Buffer>;
  /** The same bytes again; refuses a file that was changed since. */
  secondReading(): AsyncGenerator<Buffer>;
  /** Whether what was checked ends without the end of a line: its last row may be a part of one. Known when `firstReading` has ended. */
  readonly isOpenEnded: boolean;
  /** Bytes that were added behind what was checked. */
  growth(): Promise<number>;
  close(): Promise<void>;
}

/** `path`: what the file is called in messages, where that is not its place. */
export async function openSource(place: string, path: string = place): Promise<Source> {
  const fs = process.getBuiltinModule('node:fs/promises');
  const crypto = process.getBuiltinModule('node:crypto');
  let file: FileHandle;
  try {
    file = await fs.open(place, 'r');
  } catch (error) {
    throw usage(`${path} cannot be read: ${whyUnreadable(error)}`);
  }
  const { size } = await file.stat();
  if (!(await file.stat()).isFile()) {
    await file.close();
    throw usage(`${path} is not a file`, 'save it first, or pass - for stdin');
  }
  const blocks: Buffer[] = [];
  let digest = '';
  let prefixDigest: string | null = null;
  let end: readonly number[] = [];

  async function* read(): AsyncGenerator<Buffer> {
    for (let at = 0; at < size;) {
      const buffer = Buffer.allocUnsafe(Math.min(BLOCK_BYTES, size - at));
      let filled = 0;
      while (filled < buffer.length) {
        const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, at + filled);
        if (bytesRead === 0) throw changed(`${path} became shorter while it was read`);
        filled += bytesRead;
      }
      at += filled;
      yield buffer;
    }
  }
  const sha = (bytes: Buffer) => crypto.hash('sha256', bytes, 'buffer');

  return {
    path,
    size,
    get digest() {
      return digest;
    },
    get prefixDigest() {
      return prefixDigest;
    },
    get isOpenEnded() {
      return size > 0 && !endsLine(end);
    },
    async *firstReading(prefix = 0) {
      const whole = crypto.createHash('sha256');
      let at = 0;
      for await (const block of read()) {
        if (at < prefix && prefix <= at + block.length)
          prefixDigest = whole
            .copy()
            .update(block.subarray(0, prefix - at))
            .digest('hex');
        whole.update(block);
        blocks.push(sha(block));
        end = [...end, ...block.subarray(-2)].slice(-2);
        at += block.length;
        yield block;
      }
      digest = whole.digest('hex');
      const now = (await file.stat()).size;
      if (now !== size) throw changed(`${path} changed while it was read: it had ${String(size)} bytes and has ${String(now)} now`);
    },
    async *secondReading() {
      let index = 0;
      for await (const block of read()) {
        if (!blocks[index]?.equals(sha(block))) throw changed(`${path} was changed after it was checked`);
        index += 1;
        yield block;
      }
    },
    async growth() {
      return Math.max(0, (await file.stat()).size - size);
    },
    close: () => file.close(),
  };
}

/** Whether the last two bytes of a text end a line; in UTF-16 an empty half stands beside it. */
const endsLine = (end: readonly number[]): boolean => {
  const [last = 0, before] = end.toReversed();
  const char = last === 0 ? before : last;
  return char === 0x0a || char === 0x0d;
};

const changed = (message: string): Failure =>
  new Failure('file_changed', message, { exit: EXIT.usage, hint: 'wait until it is complete, then import it again' });
