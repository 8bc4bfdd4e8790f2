/**
 * The manifest (manifest.json) names the files that make up the store: one checkpoint and the journal segments after it. It is replaced
 * atomically, so a crash leaves either the old set of files or the new one. Files it does not name are removed at the next start.
 */
import { crc32 } from 'node:zlib';
import type { Disk } from './disk/disk.ts';
import { isNotFound, removeFile, replaceFile } from './disk/files.ts';
import { localDisk } from './disk/local-disk.ts';
import { type Notice, StoreDamaged, StoreTooNew } from './errors.ts';

export interface Segment {
  readonly file: string;
  /** Length in durable bytes. Absent only for the last segment, whose end is found by reading it. */
  readonly bytes?: number;
  /** Until it is closed, zeros follow the last record, so a file that ends with a record was cut. Earlier releases did not ensure this. */
  readonly isPadded?: true;
  /** Its records follow a header. Segments of earlier releases have none. */
  readonly hasHeader?: true;
}

export interface Manifest {
  readonly format: number;
  /** Number for the name of the next file. */
  readonly next: number;
  readonly checkpoint?: { readonly file: string; readonly bytes: number; readonly sequence: number; readonly at: string };
  readonly segments: readonly Segment[];
  /** Commits up to this one were durable when the last checkpoint was written. Earlier releases did not write this. */
  readonly sequence?: number;
}

/** Converts the files from one format to the next and returns the new manifest. It must leave the old files in place. */
export interface Upgrade {
  readonly from: number;
  apply(disk: Disk, directory: string, manifest: Manifest): Promise<Manifest>;
}

export interface Formats {
  readonly current: number;
  readonly upgrades: readonly Upgrade[];
}

const MANIFEST_FILE = 'manifest.json';
const STORE_FILES = /^(?:(?:journal|checkpoint)-\d+|manifest\.json\.new$)/;

/** Whether a directory has files of a store. */
export const hasStoreFiles = async (directory: string): Promise<boolean> =>
  (await localDisk.list(directory)).some((name) => name === MANIFEST_FILE || STORE_FILES.test(name));

/** Makes a manifest the current one, atomically and durably. */
export async function writeManifest(disk: Disk, directory: string, manifest: Manifest): Promise<void> {
  const body = JSON.stringify(manifest);
  await replaceFile(disk, `${directory}/${MANIFEST_FILE}`, `${JSON.stringify({ checksum: crc32(body), manifest })}\n`);
}

/** Reads the manifest and upgrades older formats; creates an empty store when the directory has none. */
export async function readManifest(disk: Disk, directory: string, formats: Formats, onNotice: (notice: Notice) => void): Promise<Manifest> {
  const path = `${directory}/${MANIFEST_FILE}`;
  const text = await disk.readText(path).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
  if (text === undefined) {
    const orphan = (await disk.list(directory)).find((name) => STORE_FILES.test(name) && !name.endsWith('.new'));
    if (orphan !== undefined) throw new StoreDamaged(path, 0, `file not found, although ${orphan} exists`);
    const empty: Manifest = { format: formats.current, next: 1, segments: [] };
    await writeManifest(disk, directory, empty);
    return empty;
  }
  const manifest = parseManifest(path, text);
  if (manifest.format > formats.current) throw new StoreTooNew(path, manifest.format, formats.current);
  const upgraded = await upgrade(disk, directory, manifest, formats, async (step) => {
    await writeManifest(disk, directory, step);
    onNotice({ kind: 'upgraded', message: `data upgraded from format ${step.format - 1} to ${step.format}`, file: path });
  });
  if (upgraded === undefined)
    throw new Error(`${path} has format ${manifest.format}, which this release cannot upgrade. Upgrade to an earlier release first.`);
  return upgraded;
}

/** Upgrades files to the current format and returns their new manifest; undefined when an upgrade is missing. */
export async function upgrade(
  disk: Disk,
  directory: string,
  manifest: Manifest,
  { current, upgrades }: Formats,
  onStep?: (manifest: Manifest) => Promise<void>,
): Promise<Manifest | undefined> {
  let upgraded = manifest;
  while (upgraded.format < current) {
    const { format } = upgraded;
    const step = upgrades.find((each) => each.from === format);
    if (step === undefined) return undefined;
    upgraded = { ...(await step.apply(disk, directory, upgraded)), format: format + 1 };
    await onStep?.(upgraded);
  }
  return upgraded;
}

function parseManifest(path: string, text: string): Manifest {
  try {
    const saved = JSON.parse(text) as { checksum: number; manifest?: Manifest } | null;
    if (!saved?.manifest || crc32(JSON.stringify(saved.manifest)) !== saved.checksum) throw new Error('checksum mismatch');
    const { format } = saved.manifest;
    if (!Number.isInteger(format) || format < 1) throw new Error(`the format ${JSON.stringify(format)} is not a number from 1`);
    return saved.manifest;
  } catch (error) {
    throw new StoreDamaged(path, 0, error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** All files that a manifest names. */
export const listFiles = ({ checkpoint, segments }: Manifest): string[] => [
  ...(checkpoint ? [checkpoint.file] : []),
  ...segments.map(({ file }) => file),
];

/** Removes files that an interrupted checkpoint, restore or segment creation left behind. */
export async function removeOrphanedFiles(disk: Disk, directory: string, manifest: Manifest): Promise<void> {
  const named = new Set(listFiles(manifest));
  for (const name of await disk.list(directory))
    if (STORE_FILES.test(name) && !named.has(name)) await removeFile(disk, `${directory}/${name}`);
}
