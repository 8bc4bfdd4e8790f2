/** The file of refused rows: one object per line with the line of the input, the reason, and the row as it was sent, ready to be mended and imported. */
import { closeSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { usage } from '../failure.ts';

export interface Refusal {
  readonly line: number;
  readonly error: unknown;
  /** JSON text of the row. */
  readonly body: string;
}

export interface RefusedFile {
  readonly path: string;
  readonly bytes: number;
  add(refusal: Refusal): void;
  close(): void;
}

const OURS = '{"line":';

/** `keep`: bytes of an earlier run that this one goes on behind; the file is made when the first row is refused. */
export function openRefused(path: string, keep = 0): RefusedFile {
  let file: number | undefined;
  let bytes = keep;
  const open = (): number => {
    try {
      file = openSync(path, keep > 0 ? 'r+' : 'w', 0o600);
      ftruncateSync(file, keep);
      return file;
    } catch (error) {
      throw usage(`${path} cannot be written: ${(error as Error).message}`, 'choose another file for refused rows with --errors');
    }
  };
  if (keep === 0) refuseForeign(path);
  return {
    path,
    get bytes() {
      return bytes;
    },
    add({ line, error, body }) {
      const buffer = Buffer.from(`${OURS}${String(line)},"error":${JSON.stringify(error)},"row":${body}}\n`);
      for (let done = 0; done < buffer.length;) done += writeSync(file ?? open(), buffer, done, buffer.length - done, bytes + done);
      bytes += buffer.length;
    },
    close() {
      if (file !== undefined) closeSync(file);
      file = undefined;
    },
  };
}

/** A file of somebody else is not overwritten. */
function refuseForeign(path: string): void {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return;
  }
  const start = Buffer.alloc(OURS.length);
  const read = readSync(file, start, 0, start.length, 0);
  closeSync(file);
  if (read > 0 && start.toString() !== OURS)
    throw usage(`${path} is there and holds something else than refused rows`, 'choose another file for refused rows with --errors');
}
