/** Decodes the bytes of a file in blocks; reports the position of invalid bytes. */
import type { TextDecoder as Decoder } from 'node:util';
import { usageError } from '../../errors/failure.ts';

/** First bytes of binary files that users try to import. */
const BINARY_SIGNATURES: readonly (readonly [start: readonly number[], what: string, hint: string])[] = [
  [[0x50, 0x4b, 0x03, 0x04], 'an Excel workbook or another zip archive', 'Save the sheet as "CSV UTF-8"'],
  [[0xd0, 0xcf, 0x11, 0xe0], 'an old Excel workbook', 'Save the sheet as "CSV UTF-8"'],
  [[0x1f, 0x8b], 'compressed with gzip', 'Decompress it first'],
];
const NEWLINE = 0x0a;
/** Stands for invalid bytes in decoded text, and is also a character of its own. */
const REPLACEMENT = '\ufffd';

/** Decodes a file. Default encoding: UTF-8, or UTF-16 if the file starts with its byte order mark. */
export async function* decodeText(bytes: AsyncIterable<Buffer>, path: string, encoding: string | undefined): AsyncGenerator<string> {
  let decoder: Decoder | undefined;
  let line = 1;
  // Offset from the start of the current line to the next block, for the column of an invalid byte.
  let before = 0;
  for await (const block of bytes) {
    if (!decoder) {
      for (const [start, what, hint] of BINARY_SIGNATURES)
        if (start.every((byte, at) => block[at] === byte)) throw usageError(`${path} is ${what}`, hint);
      decoder = createDecoder(encoding ?? detectEncoding(block, path));
    }
    let text: string;
    try {
      text = decoder.decode(block, { stream: true });
    } catch {
      throw createEncodingError(path, decoder.encoding, block, line, before);
    }
    for (let at = block.indexOf(NEWLINE); at !== -1; at = block.indexOf(NEWLINE, at + 1)) {
      line += 1;
      before = -at - 1;
    }
    before += block.length;
    yield text;
  }
  try {
    const rest = decoder?.decode() ?? '';
    if (rest !== '') yield rest;
  } catch {
    throw usageError(`${path} ends in the middle of a character`, 'The file is incomplete or has another encoding; see --encoding');
  }
}

function createDecoder(encoding: string): Decoder {
  try {
    return new TextDecoder(encoding, { fatal: true });
  } catch {
    throw usageError(`Unknown --encoding "${encoding}"`, 'Examples: utf-8, utf-16le, windows-1252, iso-8859-15');
  }
}

function detectEncoding(block: Buffer, path: string): string {
  if (block[0] === 0xff && block[1] === 0xfe) return 'utf-16le';
  if (block[0] === 0xfe && block[1] === 0xff) return 'utf-16be';
  // Every other byte of ASCII text.
  const isZero = (first: number): boolean => block.length >= 4 && block[first] === 0 && block[first + 2] === 0;
  const wide = isZero(1) ? 'utf-16le' : isZero(0) ? 'utf-16be' : undefined;
  if (wide !== undefined) throw usageError(`${path} looks like UTF-16 without a byte order mark`, `Pass --encoding ${wide}`);
  return 'utf-8';
}

/** Describes the first invalid byte of a block. `before`: number of bytes of its first line in earlier blocks. */
function createEncodingError(path: string, encoding: string, block: Buffer, firstLine: number, before: number): Error {
  const hint = 'Save it as UTF-8, or pass its encoding: --encoding windows-1252';
  if (encoding !== 'utf-8') return usageError(`${path} is not valid ${encoding}`, hint);
  const good = findInvalidByte(block);
  const lineStart = block.lastIndexOf(NEWLINE, Math.max(0, good - 1)) + 1;
  const line = firstLine + block.subarray(0, lineStart).filter((byte) => byte === NEWLINE).length;
  const column = good - lineStart + (lineStart === 0 ? before : 0) + 1;
  const byte = (block[good] ?? 0).toString(16).toUpperCase().padStart(2, '0');
  return usageError(`${path} is not UTF-8: line ${String(line)}, byte ${String(column)} is 0x${byte}`, hint);
}

/** Finds the first byte of the first character that is invalid. */
function findInvalidByte(block: Buffer): number {
  // A block may start inside a character.
  let at = 0;
  while (at < 3 && ((block[at] ?? 0) & 0xc0) === 0x80) at += 1;
  for (const char of new TextDecoder('utf-8', { ignoreBOM: true }).decode(block.subarray(at))) {
    if (char === REPLACEMENT && !block.subarray(at, at + 3).equals(Buffer.from(REPLACEMENT))) break;
    at += Buffer.byteLength(char);
  }
  return Math.min(at, block.length - 1);
}
