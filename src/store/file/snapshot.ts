/**
 * A snapshot: the files of a store, as they were at one moment, in one file that can lie anywhere.
 *
 *   magic · length and checksum of the head · head (JSON) · the files, one behind the other · checksum of the files
 *
 * The head tells how long the whole is, so that a file that is cut short is found without reading it.
 */
import { type FileHandle, open, readdir, rename } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { dropFile, type OnStep, syncData, syncDirectory, writeAll } from './disk.ts';
import { SnapshotUnusable } from './errors.ts';
import { type Formats, FORMATS, type Manifest, writeManifest } from './manifest.ts';

const MAGIC = Buffer.from('stockroom snapshot\n\0\0\0\0\0');
const FORMAT = 1;
const SUMS_BYTES = 4;
const CHUNK_BYTES = 1024 * 1024;
/** One long flush at the end would hold up the journal's. */
const SYNC_EVERY_BYTES = 16 * 1024 * 1024;
const HEAD_MAX_BYTES = 16 * 1024 * 1024;

/** What a snapshot says about itself; `about` is its maker's. */
export interface SnapshotHead {
  readonly format: number;
  readonly manifest: Manifest;
  /** Names of the tables of the release that made it. */
  readonly tables: readonly string[];
  readonly rows: number;
  readonly about: Readonly<Record<string, unknown>>;
}

interface Part {
  readonly file: string;
  readonly bytes: number;
}

/** The files of a manifest whose segments are all closed. */
const partsOf = ({ checkpoint, segments }: Manifest): Part[] => [
  ...(checkpoint ? [{ file: checkpoint.file, bytes: checkpoint.bytes }] : []),
  ...segments.map(({ file, bytes = 0 }) => ({ file, bytes })),
];

/** Writes a snapshot of the manifest's files; it is there whole under its name, durable, or not at all. */
export async function writeSnapshot(directory: string, path: string, head: Omit<SnapshotHead, 'format'>, onStep?: OnStep): Promise<void> {
  const draft = draftOf(path);
  await onStep?.('create', draft);
  const handle = await open(draft, 'w', 0o600);
  try {
    const out = new Output(handle, draft, onStep);
    const text = Buffer.from(JSON.stringify({ format: FORMAT, ...head } satisfies SnapshotHead));
    await out.write(Buffer.concat([MAGIC, sums(text.length, crc32(text)), text]));
    let checksum = 0;
    for (const { file, bytes } of partsOf(head.manifest)) {
      const part = await open(`${directory}/${file}`, 'r');
      try {
        for await (const chunk of chunksOf(part, 0, bytes, file)) {
          checksum = crc32(chunk, checksum);
          await out.write(chunk);
        }
      } finally {
        await part.close();
      }
    }
    await out.write(sums(checksum));
    await out.sync();
    await onStep?.('rename', path);
    await rename(draft, path);
  } catch (error) {
    await dropFile(draft, onStep);
    throw error;
  } finally {
    await handle.close();
  }
  await onStep?.('sync-directory', path);
  await syncDirectory(dirname(path));
}

/** Where a snapshot is written before it has its name. */
const draftOf = (path: string): string => `${dirname(path)}/.${basename(path)}.new`;

/** Whether a file is a snapshot that was not finished. */
export const isDraft = (file: string): boolean => file.startsWith('.') && file.endsWith('.new');

/** The head of a snapshot that has its full length; throws `SnapshotUnusable`. Its contents are judged when they are unpacked. */
export async function readSnapshotHead(path: string): Promise<SnapshotHead> {
  const handle = await open(path, 'r');
  try {
    return (await headOf(handle, path)).head;
  } finally {
    await handle.close();
  }
}

/**
 * Puts the files of a snapshot into a directory under fresh names, durable, and returns the manifest that names them. Nothing is
 * left of a snapshot that is damaged, or that this release cannot read.
 */
export async function unpackSnapshot(
  path: string,
  directory: string,
  known: { readonly formats: Formats; readonly tables: readonly string[] },
  takeNumber: () => number,
  onStep?: OnStep,
): Promise<Manifest> {
  const made: string[] = [];
  const handle = await open(path, 'r');
  try {
    const { head, start } = await headOf(handle, path);
    refuseForeign(path, head, known);
    let [at, checksum] = [start, 0];
    const unpack = async (kind: 'checkpoint' | 'journal', bytes: number): Promise<string> => {
      const file = kind === 'checkpoint' ? `checkpoint-${takeNumber()}.data` : `journal-${takeNumber()}.log`;
      const target = `${directory}/${file}`;
      await onStep?.('create', target);
      const copy = await open(target, 'wx', 0o600);
      made.push(target);
      try {
        const out = new Output(copy, target, onStep);
        for await (const chunk of chunksOf(handle, at, bytes, path)) {
          checksum = crc32(chunk, checksum);
          await out.write(chunk);
        }
        await out.sync();
      } finally {
        await copy.close();
      }
      at += bytes;
      return file;
    };
    const { checkpoint, segments } = head.manifest;
    const copied = checkpoint && { ...checkpoint, file: await unpack('checkpoint', checkpoint.bytes) };
    const journal: { file: string; bytes: number }[] = [];
    for (const { bytes = 0 } of segments) journal.push({ file: await unpack('journal', bytes), bytes });
    const end = await readAt(handle, at, SUMS_BYTES, path);
    if (end.readUInt32LE(0) !== checksum) throw damaged(path, 'a checksum does not match');
    await syncDirectory(directory);
    const manifest: Manifest = {
      format: head.manifest.format,
      next: takeNumber(),
      segments: journal,
      ...(copied ? { checkpoint: copied } : {}),
    };
    return await upgraded(directory, manifest, known.formats);
  } catch (error) {
    for (const file of made) await dropFile(file, onStep);
    throw error;
  } finally {
    await handle.close();
  }
}

/** Makes a snapshot the contents of a directory that no store has open, whatever state that is in; the next start drops the old files. */
export async function installFiles(path: string, directory: string, tables: readonly string[]): Promise<void> {
  const numbers = (await readdir(directory)).map((name) => Number(/^(?:journal|checkpoint)-(\d+)/u.exec(name)?.[1] ?? 0));
  let next = Math.max(0, ...numbers) + 1;
  const manifest = await unpackSnapshot(path, directory, { formats: FORMATS, tables }, () => next++);
  await writeManifest(directory, { ...manifest, next });
}

function refuseForeign(path: string, head: SnapshotHead, { formats, tables }: { formats: Formats; tables: readonly string[] }): void {
  const { format } = head.manifest;
  if (head.format > FORMAT || format > formats.current)
    throw new SnapshotUnusable(
      path,
      `it was made by a newer release (format ${head.format}.${format}, this one reads up to ${FORMAT}.${formats.current})`,
    );
  const strange = head.tables.filter((table) => !tables.includes(table));
  if (strange.length > 0)
    throw new SnapshotUnusable(path, `it was made by another release and holds ${strange.join(', ')}, which this one does not know`);
}

/** What an older format needs is done to the copies. */
async function upgraded(directory: string, manifest: Manifest, { current, upgrades }: Formats): Promise<Manifest> {
  let now = manifest;
  while (now.format < current) {
    const { format } = now;
    const step = upgrades.find((each) => each.from === format);
    if (step === undefined) throw new SnapshotUnusable(directory, `its format ${format} is too old for this release`);
    now = { ...(await step.apply(directory, now)), format: format + 1 };
  }
  return now;
}

async function headOf(handle: FileHandle, path: string): Promise<{ head: SnapshotHead; start: number }> {
  const { size } = await handle.stat();
  const first = size < MAGIC.length + 8 ? Buffer.alloc(0) : await readAt(handle, 0, MAGIC.length + 8, path);
  if (!first.subarray(0, MAGIC.length).equals(MAGIC)) throw new SnapshotUnusable(path, 'it is no snapshot of stockroom');
  const length = first.readUInt32LE(MAGIC.length);
  const start = MAGIC.length + 8 + length;
  if (length > HEAD_MAX_BYTES || start > size) throw damaged(path, 'its head is not readable');
  const text = await readAt(handle, MAGIC.length + 8, length, path);
  if (crc32(text) !== first.readUInt32LE(MAGIC.length + 4)) throw damaged(path, 'a checksum does not match');
  const head = JSON.parse(text.toString()) as SnapshotHead;
  // A newer form may be of another length.
  if (head.format <= FORMAT) {
    const whole = partsOf(head.manifest).reduce((sum, { bytes }) => sum + bytes, start + SUMS_BYTES);
    if (size !== whole) throw damaged(path, `it has ${size} bytes instead of ${whole}`);
  }
  return { head, start };
}

const damaged = (path: string, problem: string): SnapshotUnusable => new SnapshotUnusable(path, `it is damaged: ${problem}`);

function sums(...numbers: readonly number[]): Buffer {
  const buffer = Buffer.alloc(4 * numbers.length);
  numbers.forEach((number, at) => buffer.writeUInt32LE(number, 4 * at));
  return buffer;
}

async function readAt(handle: FileHandle, position: number, length: number, path: string): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  for (let got = 0; got < length;) {
    const { bytesRead } = await handle.read(buffer, got, length - got, position + got);
    if (bytesRead === 0) throw damaged(path, 'it ends too early');
    got += bytesRead;
  }
  return buffer;
}

async function* chunksOf(handle: FileHandle, position: number, bytes: number, path: string): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes; at += CHUNK_BYTES) yield await readAt(handle, position + at, Math.min(CHUNK_BYTES, bytes - at), path);
}

/** Writes one buffer behind the other. */
class Output {
  readonly #handle: FileHandle;
  readonly #path: string;
  readonly #onStep: OnStep | undefined;
  #position = 0;
  #unsynced = 0;

  constructor(handle: FileHandle, path: string, onStep: OnStep | undefined) {
    this.#handle = handle;
    this.#path = path;
    this.#onStep = onStep;
  }

  async write(buffer: Buffer): Promise<void> {
    await this.#onStep?.('write', this.#path);
    await writeAll(this.#handle.fd, [buffer], this.#position);
    this.#position += buffer.length;
    this.#unsynced += buffer.length;
    if (this.#unsynced < SYNC_EVERY_BYTES) return;
    await syncData(this.#handle.fd);
    this.#unsynced = 0;
  }

  async sync(): Promise<void> {
    await this.#onStep?.('sync', this.#path);
    await this.#handle.sync();
  }
}
