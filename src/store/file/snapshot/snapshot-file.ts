/**
 * The snapshot file: the files of a store at one commit, in one portable file.
 *
 *   magic (24 bytes) · length and checksum of the header (8) · header (JSON) · the files, concatenated · checksum of the files (4)
 *
 * The header implies the total length, so a truncated file is detected without reading it.
 */
import { basename, dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Disk, DiskFile } from '../disk/disk.ts';
import { removeFile, SequentialWriter } from '../disk/files.ts';
import { localDisk } from '../disk/local-disk.ts';
import { SnapshotUnusable } from '../errors.ts';
import { FORMATS } from '../formats.ts';
import { type Formats, listFiles, type Manifest, type Segment, upgrade, writeManifest } from '../manifest.ts';

const MAGIC = Buffer.from('stockroom snapshot\n\0\0\0\0\0');
const FORMAT = 1;
const CHECKSUM_BYTES = 4;
const CHUNK_BYTES = 1024 * 1024;
const MAX_HEADER_BYTES = 16 * 1024 * 1024;

/** What a snapshot says about itself. `about` is the caller's. */
export interface SnapshotHeader {
  readonly format: number;
  readonly manifest: Manifest;
  /** Names of the tables in the release that saved it. */
  readonly tables: readonly string[];
  readonly rows: number;
  readonly about: Readonly<Record<string, unknown>>;
}

interface FilePart {
  readonly file: string;
  readonly bytes: number;
}

/** The files of a manifest whose segments are all closed. */
const listFileParts = ({ checkpoint, segments }: Manifest): FilePart[] => [
  ...(checkpoint ? [{ file: checkpoint.file, bytes: checkpoint.bytes }] : []),
  ...segments.map(({ file, bytes = 0 }) => ({ file, bytes })),
];

/** Writes a snapshot of the manifest's files. It appears under its name complete, or not at all; it is durable when the call succeeds. */
export async function writeSnapshot(disk: Disk, directory: string, path: string, header: Omit<SnapshotHeader, 'format'>): Promise<void> {
  const draft = toDraftPath(path);
  const draftFile = await disk.create(draft);
  try {
    const out = new SequentialWriter(draftFile);
    const headerBytes = Buffer.from(JSON.stringify({ format: FORMAT, ...header } satisfies SnapshotHeader));
    await out.write(Buffer.concat([MAGIC, encodeUint32s(headerBytes.length, crc32(headerBytes)), headerBytes]));
    let checksum = 0;
    for (const { file, bytes } of listFileParts(header.manifest)) {
      await using part = await disk.open(`${directory}/${file}`, 'read');
      for await (const chunk of readChunks(part, 0, bytes, file)) {
        checksum = crc32(chunk, checksum);
        await out.write(chunk);
      }
    }
    await out.write(encodeUint32s(checksum));
    await out.sync();
    await disk.rename(draft, path);
  } catch (error) {
    await removeFile(disk, draft);
    throw error;
  } finally {
    await draftFile.close();
  }
  await disk.syncDirectory(dirname(path));
}

/** The path of a snapshot while it is being written. */
const toDraftPath = (path: string): string => `${dirname(path)}/.${basename(path)}.new`;

/** Whether a file name is that of a snapshot whose writing has not finished. */
export const isUnfinishedSnapshot = (file: string): boolean => file.startsWith('.') && file.endsWith('.new');

/** Reads the header of a snapshot and checks its length. Throws `SnapshotUnusable`. The contents are checked when they are unpacked. */
export async function readSnapshotHeader(path: string): Promise<SnapshotHeader> {
  await using file = await localDisk.open(path, 'read');
  return (await readHeader(file, path)).header;
}

/**
 * Unpacks the files of a snapshot into a directory under new names and returns the manifest that names them. Throws `SnapshotUnusable`,
 * leaving no file, when the snapshot is damaged or this release cannot read it.
 */
export async function unpackSnapshot(
  disk: Disk,
  path: string,
  directory: string,
  supported: { readonly formats: Formats; readonly tables: readonly string[] },
  takeFileNumber: () => number,
): Promise<Manifest> {
  const created: string[] = [];
  await using snapshot = await disk.open(path, 'read');
  try {
    const { header, start } = await readHeader(snapshot, path);
    assertCompatible(path, header, supported);
    let [at, checksum] = [start, 0];
    const unpack = async (kind: 'checkpoint' | 'journal', bytes: number): Promise<string> => {
      const file = kind === 'checkpoint' ? `checkpoint-${takeFileNumber()}.data` : `journal-${takeFileNumber()}.log`;
      const target = `${directory}/${file}`;
      await using copy = await disk.create(target);
      created.push(target);
      const out = new SequentialWriter(copy);
      for await (const chunk of readChunks(snapshot, at, bytes, path)) {
        checksum = crc32(chunk, checksum);
        await out.write(chunk);
      }
      await out.sync();
      at += bytes;
      return file;
    };
    const { checkpoint, segments } = header.manifest;
    const copied = checkpoint && { ...checkpoint, file: await unpack('checkpoint', checkpoint.bytes) };
    const journal: Segment[] = [];
    for (const { bytes = 0, hasHeader } of segments)
      journal.push({ file: await unpack('journal', bytes), bytes, ...(hasHeader && { hasHeader }) });
    const end = await readAt(snapshot, at, CHECKSUM_BYTES, path);
    if (end.readUInt32LE(0) !== checksum) throw damagedSnapshot(path, 'checksum mismatch');
    await disk.syncDirectory(directory);
    const manifest: Manifest = {
      format: header.manifest.format,
      next: takeFileNumber(),
      segments: journal,
      ...(copied ? { checkpoint: copied } : {}),
    };
    const upgraded = await upgrade(disk, directory, manifest, supported.formats);
    if (upgraded === undefined) throw new SnapshotUnusable(path, `its format ${manifest.format} is too old for this release`);
    for (const file of listFiles(manifest)) if (!listFiles(upgraded).includes(file)) await removeFile(disk, `${directory}/${file}`);
    return upgraded;
  } catch (error) {
    for (const file of created) await removeFile(disk, file);
    throw error;
  }
}

/** Installs a snapshot in the data directory of a stopped store, whatever its state. The next start removes the old files. */
export async function installSnapshotFiles(path: string, directory: string, tables: readonly string[]): Promise<void> {
  const numbers = (await localDisk.list(directory)).map((name) => Number(/^(?:journal|checkpoint)-(\d+)/u.exec(name)?.[1] ?? 0));
  let next = Math.max(0, ...numbers) + 1;
  const manifest = await unpackSnapshot(localDisk, path, directory, { formats: FORMATS, tables }, () => next++);
  await writeManifest(localDisk, directory, { ...manifest, next });
}

function assertCompatible(
  path: string,
  header: SnapshotHeader,
  { formats, tables }: { formats: Formats; tables: readonly string[] },
): void {
  const { format } = header.manifest;
  if (header.format > FORMAT || format > formats.current)
    throw new SnapshotUnusable(
      path,
      `it was created by a newer release (format ${header.format}.${format}; this release reads up to ${FORMAT}.${formats.current})`,
    );
  const unknown = header.tables.filter((table) => !tables.includes(table));
  if (unknown.length > 0)
    throw new SnapshotUnusable(
      path,
      `it was created by another release and has tables that this release does not have: ${unknown.join(', ')}`,
    );
}

async function readHeader(file: DiskFile, path: string): Promise<{ header: SnapshotHeader; start: number }> {
  const { size } = await file.getStatus();
  const prefix = size < MAGIC.length + 8 ? Buffer.alloc(0) : await readAt(file, 0, MAGIC.length + 8, path);
  if (!prefix.subarray(0, MAGIC.length).equals(MAGIC)) throw new SnapshotUnusable(path, 'it is not a stockroom snapshot');
  const length = prefix.readUInt32LE(MAGIC.length);
  const start = MAGIC.length + 8 + length;
  if (length > MAX_HEADER_BYTES || start > size) throw damagedSnapshot(path, 'unreadable header');
  const text = await readAt(file, MAGIC.length + 8, length, path);
  if (crc32(text) !== prefix.readUInt32LE(MAGIC.length + 4)) throw damagedSnapshot(path, 'checksum mismatch');
  const header = parseHeader(text.toString());
  if (header === undefined) throw damagedSnapshot(path, 'invalid header');
  // A newer format may have another length.
  if (header.format <= FORMAT) {
    const expected = listFileParts(header.manifest).reduce((sum, { bytes }) => sum + bytes, start + CHECKSUM_BYTES);
    if (size !== expected) throw damagedSnapshot(path, `it has ${size} bytes instead of ${expected}`);
  }
  return { header, start };
}

/** Undefined for a header that no release writes: the file may come from someone else. Newer formats may have other fields. */
function parseHeader(text: string): SnapshotHeader | undefined {
  let header: Partial<SnapshotHeader> | null;
  try {
    header = JSON.parse(text) as Partial<SnapshotHeader> | null;
  } catch {
    return undefined;
  }
  if (typeof header !== 'object' || header === null || !isCount(header.format, 1)) return undefined;
  const isKnown =
    header.format > FORMAT ||
    (isManifest(header.manifest) &&
      isTextList(header.tables) &&
      isCount(header.rows) &&
      typeof header.about === 'object' &&
      header.about !== null);
  return isKnown ? (header as SnapshotHeader) : undefined;
}

const isCount = (value: unknown, min = 0): value is number => Number.isSafeInteger(value) && (value as number) >= min;
const isTextList = (value: unknown): boolean => Array.isArray(value) && value.every((text) => typeof text === 'string');
const isFilePart = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  'file' in value &&
  typeof value.file === 'string' &&
  'bytes' in value &&
  isCount(value.bytes);

function isManifest(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { format, checkpoint, segments } = value as Partial<Manifest>;
  const isCheckpoint =
    checkpoint === undefined || (isFilePart(checkpoint) && isCount(checkpoint.sequence) && typeof checkpoint.at === 'string');
  // What a newer format has is not known; it is refused by its number.
  if (isCount(format, FORMATS.current + 1)) return true;
  return isCount(format, 1) && isCheckpoint && Array.isArray(segments) && segments.every(isFilePart);
}

const damagedSnapshot = (path: string, problem: string): SnapshotUnusable => new SnapshotUnusable(path, `it is damaged: ${problem}`);

function encodeUint32s(...numbers: readonly number[]): Buffer {
  const buffer = Buffer.alloc(4 * numbers.length);
  numbers.forEach((number, at) => buffer.writeUInt32LE(number, 4 * at));
  return buffer;
}

async function readAt(file: DiskFile, position: number, length: number, path: string): Promise<Buffer> {
  const buffer = await file.read(position, length);
  if (buffer.length < length) throw damagedSnapshot(path, 'unexpected end of file');
  return buffer;
}

async function* readChunks(file: DiskFile, position: number, bytes: number, path: string): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes; at += CHUNK_BYTES) yield await readAt(file, position + at, Math.min(CHUNK_BYTES, bytes - at), path);
}
