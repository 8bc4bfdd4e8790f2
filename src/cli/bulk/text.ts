/** Bytes of a file as text, piece by piece; what is not text is refused with its place. */
import type { TextDecoder as Decoder } from 'node:util';
import { usage } from '../failure.ts';

/** Starts of files that are no text but are often taken for it. */
const MAGIC: readonly (readonly [start: readonly number[], what: string, hint: string])[] = [
  [[0x50, 0x4b, 0x03, 0x04], 'an Excel workbook or another zip archive', 'save the sheet as "CSV UTF-8"'],
  [[0xd0, 0xcf, 0x11, 0xe0], 'an old Excel workbook', 'save the sheet as "CSV UTF-8"'],
  [[0x1f, 0x8b], 'compressed with gzip', 'unpack it first'],
];
const NEWLINE = 0x0a;

/** Decodes as `encoding` says, by default UTF-8, or UTF-16 when the file begins with its mark. */
export async function* textOf(bytes: AsyncIterable<Buffer>, path: string, encoding: string | undefined): AsyncGenerator<string> {
  let decoder: Decoder | undefined;
  let line = 1;
  // The start of the line that a block ends in: a wrong byte is told by its column.
  let before = 0;
  for await (const block of bytes) {
    if (!decoder) {
      for (const [start, what, hint] of MAGIC) if (start.every((byte, at) => block[at] === byte)) throw usage(`${path} is ${what}`, hint);
      decoder = decoderFor(encoding ?? markedEncoding(block));
    }
    let text: string;
    try {
      text = decoder.decode(block, { stream: true });
    } catch {
      throw wrongEncoding(path, decoder.encoding, block, line, before);
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
    throw usage(`${path} ends in the middle of a character`, 'the file is cut off, or in another encoding: see --encoding');
  }
}

function decoderFor(encoding: string): Decoder {
  try {
    return new TextDecoder(encoding, { fatal: true });
  } catch {
    throw usage(`there is no encoding "${encoding}"`, 'for example utf-8, utf-16le, windows-1252, iso-8859-15');
  }
}

function markedEncoding(block: Buffer): string {
  if (block[0] === 0xff && block[1] === 0xfe) return 'utf-16le';
  return block[0] === 0xfe && block[1] === 0xff ? 'utf-16be' : 'utf-8';
}

/** Finds the first wrong byte of a block. `before`: how many bytes of its first line stand in earlier blocks. */
function wrongEncoding(path: string, encoding: string, block: Buffer, firstLine: number, before: number): Error {
  const hint = 'save it as UTF-8, or say what it is: --encoding windows-1252';
  if (encoding !== 'utf-8') return usage(`${path} is not ${encoding} throughout`, hint);
  let good = 0;
  let bad = block.length;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (isWrong(block.subarray(0, middle))) bad = middle;
    else good = middle;
  }
  good = leadOf(block, good);
  const lineStart = block.lastIndexOf(NEWLINE, Math.max(0, good - 1)) + 1;
  const line = firstLine + block.subarray(0, lineStart).filter((byte) => byte === NEWLINE).length;
  const column = good - lineStart + (lineStart === 0 ? before : 0) + 1;
  const byte = (block[good] ?? 0).toString(16).toUpperCase().padStart(2, '0');
  return usage(`${path} is not UTF-8: line ${String(line)}, byte ${String(column)} is 0x${byte}`, hint);
}

/** Where the character begins that the byte at `at` does not go on with. */
function leadOf(block: Buffer, at: number): number {
  for (let back = 1; back <= 3; back += 1) {
    const byte = block[at - back] ?? 0;
    if (byte < 0x80) return at;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? at - back : at;
  }
  return at;
}

/** Whether these bytes break off in a way that no more bytes can mend. A block may begin inside a character, which counts as right. */
function isWrong(bytes: Buffer): boolean {
  let start = 0;
  while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(start), { stream: true });
    return false;
  } catch {
    return true;
  }
}
