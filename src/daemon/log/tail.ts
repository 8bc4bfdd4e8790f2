/** Reads the last lines of the log and follows new ones, across rotations. */
import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_INTERVAL_MS = 200;

/** The last `count` lines, oldest first, including those of the rotated file. */
export function readLastLines(path: string, count: number): string[] {
  const lines: string[] = [];
  for (const file of [path, `${path}.1`]) {
    if (lines.length >= count || !existsSync(file)) break;
    lines.unshift(
      ...readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== ''),
    );
  }
  return count === 0 ? [] : lines.slice(-count);
}

/** Yields every complete line written from now on, until `signal` aborts. */
export async function* followLines(path: string, signal: AbortSignal): AsyncGenerator<string> {
  let file = openFile(path);
  let offset = file === undefined ? 0 : fstatSync(file.fd).size;
  let partialLine = '';
  try {
    while (!signal.aborted) {
      const text = file === undefined ? '' : readFrom(file.fd, offset);
      offset += Buffer.byteLength(text);
      const lines = (partialLine + text).split('\n');
      partialLine = lines.pop() ?? '';
      yield* lines.filter((line) => line !== '');
      // The old file is read to its end before switching to the one that replaced it.
      if (text === '' && file?.inode !== getInode(path)) {
        if (file) closeSync(file.fd);
        file = openFile(path);
        offset = 0;
        continue;
      }
      if (text === '') await sleep(POLL_INTERVAL_MS, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    if (file) closeSync(file.fd);
  }
}

const CHUNK_BYTES = 65_536;

/** Reads the next chunk from `offset`, ending at a complete character. */
function readFrom(fd: number, offset: number): string {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  const bytes = readSync(fd, chunk, 0, CHUNK_BYTES, offset);
  const read = chunk.subarray(0, bytes);
  const end = bytes < CHUNK_BYTES ? bytes : read.lastIndexOf(0x0a) + 1 || bytes;
  return read.subarray(0, end).toString('utf8');
}

function openFile(path: string): { fd: number; inode: number } | undefined {
  if (!existsSync(path)) return undefined;
  const fd = openSync(path, 'r');
  return { fd, inode: fstatSync(fd).ino };
}

const getInode = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.ino;
