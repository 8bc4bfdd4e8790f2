/** Reads the end of the log, and what comes after it, across a rotation. */
import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_EVERY_MS = 200;

/** The last lines, oldest first; those of the file before the rotation count too. */
export function lastLines(path: string, count: number): string[] {
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

/** Every complete line written from now on, until `signal` aborts. */
export async function* newLines(path: string, signal: AbortSignal): AsyncGenerator<string> {
  let file = open(path);
  let offset = file === undefined ? 0 : fstatSync(file.fd).size;
  let rest = '';
  try {
    while (!signal.aborted) {
      const text = file === undefined ? '' : readFrom(file.fd, offset);
      offset += Buffer.byteLength(text);
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      yield* lines.filter((line) => line !== '');
      // Only what was read to its end is left for the file that has taken its place.
      if (text === '' && file?.inode !== inodeOf(path)) {
        if (file) closeSync(file.fd);
        file = open(path);
        offset = 0;
        continue;
      }
      if (text === '') await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    if (file) closeSync(file.fd);
  }
}

const CHUNK_BYTES = 65_536;

/** The next piece from `offset`, whole characters only. */
function readFrom(fd: number, offset: number): string {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  const bytes = readSync(fd, chunk, 0, CHUNK_BYTES, offset);
  const read = chunk.subarray(0, bytes);
  const end = bytes < CHUNK_BYTES ? bytes : read.lastIndexOf(0x0a) + 1 || bytes;
  return read.subarray(0, end).toString('utf8');
}

function open(path: string): { fd: number; inode: number } | undefined {
  if (!existsSync(path)) return undefined;
  const fd = openSync(path, 'r');
  return { fd, inode: fstatSync(fd).ino };
}

const inodeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.ino;
