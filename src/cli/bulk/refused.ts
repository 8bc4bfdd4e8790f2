/** The file of refused rows: one object per line with the line of the input, the reason, and the row as it was sent, ready to be mended and imported. */
import { closeSync, ftruncateSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { devNull } from 'node:os';
import { dirname } from 'node:path';
import { toFailure } from '../export-file.ts';
import { Failure, usage } from '../failure.ts';
import { whyUnwritable } from '../../client/reasons.ts';

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
      if (keep > 0) ftruncateSync(file, keep);
      return file;
    } catch (error) {
      throw unwritable(path, error);
    }
  };
  if (keep === 0) refuseForeign(path);
  return {
    path,
    get bytes() {
      return bytes;
    },
    add({ line, error: reason, body }) {
      const buffer = Buffer.from(`${OURS}${String(line)},"error":${JSON.stringify(reason)},"row":${body}}\n`);
      const to = file ?? open();
      try {
        for (let done = 0; done < buffer.length;) done += writeSync(to, buffer, done, buffer.length - done, bytes + done);
      } catch (error) {
        toFailure(path, 'refused rows go there: make room for them')(error);
      }
      bytes += buffer.length;
    },
    close() {
      if (file !== undefined) closeSync(file);
      file = undefined;
    },
  };
}

const HINT = 'choose another file for refused rows with --errors';

const unwritable = (path: string, error: unknown): Failure => usage(`${path} cannot be written: ${whyUnwritable(error)}`, HINT);

/** A file of somebody else is not overwritten; and a place where no file can be is told now, not when half of the rows have been sent. */
function refuseForeign(path: string): void {
  try {
    const directory = statSync(dirname(path));
    if (!directory.isDirectory()) throw unwritable(path, { code: 'ENOTDIR' });
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory() === true) throw unwritable(path, { code: 'EISDIR' });
    // Opening a pipe waits for its other end.
    if (found?.isFile() === false && path !== devNull) throw usage(`${path} is not a file`, HINT);
  } catch (error) {
    throw error instanceof Failure ? error : unwritable(path, error);
  }
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return;
  }
  const start = Buffer.alloc(OURS.length);
  const read = readSync(file, start, 0, start.length, 0);
  closeSync(file);
  if (read > 0 && start.toString() !== OURS) throw usage(`${path} is there and holds something else than refused rows`, HINT);
}
