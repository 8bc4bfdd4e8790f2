/**
 * A file that is whole or not there: an export writes `FILE.partial` and renames it at the end. Beside it stands `FILE.checkpoint`, replaced after
 * every page, so that an export that was cut off goes on behind its last page, and a finished one behind its last row.
 */
import type { FileHandle } from 'node:fs/promises';
import type { Cursor } from '../client/pages.ts';
import { EXIT } from './exit-codes.ts';
import { Failure, usage } from './failure.ts';
import { whyUnwritable } from '../client/reasons.ts';

interface Checkpoint {
  /** What was exported, in one text: a checkpoint of another question does not fit. */
  readonly question: string;
  readonly cursor: Cursor;
  /** Length of the partial file up to here. */
  readonly bytes: number;
}

export interface ExportFile {
  /** Where to go on; null: from the beginning. */
  readonly start: Cursor | null;
  write(text: string): Promise<void>;
  /** Everything written so far is safe; a resumed export goes on behind `cursor`. */
  mark(cursor: Cursor | null): Promise<void>;
  /** Puts the file in its place. `keep` leaves the checkpoint for a later export that goes on from here. */
  finish(keep: boolean): Promise<void>;
  close(): Promise<void>;
}

export async function openExport(path: string, question: string, resume: boolean): Promise<ExportFile> {
  const fs = process.getBuiltinModule('node:fs/promises');
  // Not at the end, when everything has been fetched.
  const found = await fs.stat(path).catch(() => undefined);
  if (path.endsWith('/') || found?.isDirectory())
    throw usage(`${path} cannot be written: ${whyUnwritable({ code: 'EISDIR' })}`, 'name a file in it');
  // Renaming would put a file in the place of a device or a pipe.
  if (found && !found.isFile()) throw usage(`${path} is not a file`, 'name a file; without --out it goes to stdout');
  // A link goes on being one.
  const target = found ? await fs.realpath(path) : path;
  const partial = `${target}.partial`;
  const checkpointPath = `${target}.checkpoint`;
  const saved = resume ? await readCheckpoint(checkpointPath, question) : null;
  let bytes = 0;
  let file: FileHandle;
  if (saved) {
    if (!(await exists(partial))) await copyWhole(target, partial, checkpointPath);
    file = await fs.open(partial, 'r+');
    if ((await file.stat()).size < saved.bytes) {
      await file.close();
      throw usage(`${partial} is shorter than its checkpoint says`, 'start again without --resume');
    }
    await file.truncate(saved.bytes);
    bytes = saved.bytes;
  } else {
    await fs.rm(checkpointPath, { force: true });
    file = await fs
      .open(partial, 'w', 0o600)
      .catch((error: unknown) => refuse(`${path} cannot be written: ${whyUnwritable(error)}`, error));
  }
  return {
    start: saved?.cursor ?? null,
    async write(text) {
      const buffer = Buffer.from(text);
      // A disk that is nearly full takes a part.
      for (let done = 0; done < buffer.length;) {
        const { bytesWritten } = await file.write(buffer, done, buffer.length - done, bytes + done).catch(toFailure(path));
        done += bytesWritten;
      }
      bytes += buffer.length;
    },
    async mark(cursor) {
      if (cursor === null) return;
      await file.datasync().catch(toFailure(path));
      const draft = `${checkpointPath}.${String(process.pid)}`;
      try {
        await fs.writeFile(draft, JSON.stringify({ question, cursor, bytes } satisfies Checkpoint), { mode: 0o600 });
        await fs.rename(draft, checkpointPath);
      } catch (error) {
        await fs.rm(draft, { force: true });
        toFailure(path)(error);
      }
    },
    async finish(keep) {
      await file.sync().catch(toFailure(path));
      await file.close();
      await fs.rename(partial, target);
      if (!keep) await fs.rm(checkpointPath, { force: true });
    },
    close: () => file.close(),
  };
}

const FULL: readonly string[] = ['ENOSPC', 'EDQUOT', 'EFBIG'];

/** Throws what is said when a file cannot be written. */
export const toFailure =
  (path: string, hint = 'make room, then the same command with --resume goes on') =>
  (error: unknown): never => {
    const isFull = FULL.includes((error as NodeJS.ErrnoException).code ?? '');
    throw new Failure(
      isFull ? 'disk_full' : 'write_failed',
      `${path} cannot be written: ${isFull ? 'there is no room left on the disk' : whyUnwritable(error)}`,
      {
        exit: EXIT.unexpected,
        hint,
        cause: error,
      },
    );
  };

async function readCheckpoint(path: string, question: string): Promise<Checkpoint | null> {
  let text: string;
  try {
    text = await process.getBuiltinModule('node:fs/promises').readFile(path, 'utf8');
  } catch {
    return null;
  }
  const checkpoint = parse(text);
  if (!checkpoint) throw usage(`${path} is damaged`, 'remove it and start again without --resume');
  if (checkpoint.question !== question)
    throw usage(`${path} belongs to an export with other filters or another format`, 'use the same ones, or another --out');
  return checkpoint;
}

function parse(text: string): Checkpoint | null {
  try {
    const value = JSON.parse(text) as Partial<Checkpoint> | null;
    return typeof value?.question === 'string' && typeof value.bytes === 'number' && value.cursor ? (value as Checkpoint) : null;
  } catch {
    return null;
  }
}

const exists = (path: string): Promise<boolean> =>
  process
    .getBuiltinModule('node:fs/promises')
    .access(path)
    .then(
      () => true,
      () => false,
    );

/** The copy has its name only when it is whole: whoever is killed meanwhile leaves nothing that a later run would take for the file. */
async function copyWhole(path: string, partial: string, checkpointPath: string): Promise<void> {
  const fs = process.getBuiltinModule('node:fs/promises');
  const copy = `${partial}.copy`;
  if (!(await exists(path))) throw usage(`${path} is gone, although ${checkpointPath} is there`, 'start again without --resume');
  try {
    await fs.copyFile(path, copy);
    await fs.rename(copy, partial);
  } catch (error) {
    await fs.rm(copy, { force: true }).catch(() => undefined);
    toFailure(path)(error);
  }
}

function refuse(message: string, cause: unknown): never {
  throw Object.assign(usage(message), { cause });
}
