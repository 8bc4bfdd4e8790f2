/** manifest.json names the files that are the store: one checkpoint and the journal segments after it. Whatever else lies there is refuse. */
import { readdir, readFile } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { dropFile, isMissing, type OnStep, replaceFile } from './disk.ts';
import { type Notice, StoreDamaged, StoreTooNew } from './errors.ts';

export interface Segment {
  readonly file: string;
  /** Durable bytes. Absent only for the last segment, whose end is found by reading. */
  readonly bytes?: number;
}

export interface Manifest {
  readonly format: number;
  /** Number of the next file. */
  readonly next: number;
  readonly checkpoint?: { readonly file: string; readonly bytes: number; readonly sequence: number; readonly at: string };
  readonly segments: readonly Segment[];
}

/** Brings the files from one format to the next and says what the manifest is then. It must leave the old files in place. */
export interface Upgrade {
  readonly from: number;
  apply(directory: string, manifest: Manifest): Promise<Manifest>;
}

export interface Formats {
  readonly current: number;
  readonly upgrades: readonly Upgrade[];
}

const asItIs = async (_directory: string, manifest: Manifest): Promise<Manifest> => manifest;

/**
 * Format 1 is the first. Since format 2 a checkpoint may hold ids as numbers; since format 3 the bodies of events and stored replies are not
 * written as strings; since format 4 many rows are lists of their values. What older releases wrote is still read, and an older release
 * refuses what it would misread. A change of format adds a step here.
 */
export const FORMATS: Formats = { current: 4, upgrades: [1, 2, 3].map((from) => ({ from, apply: asItIs })) };

const FILE = 'manifest.json';
const OURS = /^(?:(?:journal|checkpoint)-\d+|manifest\.json\.new$)/;

/** Makes a manifest the valid one. */
export async function writeManifest(directory: string, manifest: Manifest, onStep?: OnStep): Promise<void> {
  const body = JSON.stringify(manifest);
  await replaceFile(directory, FILE, `${JSON.stringify({ checksum: crc32(body), manifest })}\n`, onStep);
}

/** Reads the manifest, upgrades an older store, and starts an empty one where there is none. */
export async function readManifest(
  directory: string,
  formats: Formats,
  notice: (notice: Notice) => void,
  onStep?: OnStep,
): Promise<Manifest> {
  const text = await readFile(`${directory}/${FILE}`, 'utf8').catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (text === undefined) {
    const orphan = (await readdir(directory)).find((name) => OURS.test(name) && !name.endsWith('.new'));
    if (orphan !== undefined) throw new StoreDamaged(`${directory}/${FILE}`, 0, `it is missing, but ${orphan} is there`);
    const empty: Manifest = { format: formats.current, next: 1, segments: [] };
    await writeManifest(directory, empty, onStep);
    return empty;
  }
  let manifest = parse(`${directory}/${FILE}`, text);
  if (manifest.format > formats.current) throw new StoreTooNew(`${directory}/${FILE}`, manifest.format, formats.current);
  while (manifest.format < formats.current) {
    const { format } = manifest;
    const step = formats.upgrades.find((each) => each.from === format);
    if (step === undefined)
      throw new Error(
        `${directory}/${FILE} has format ${format}, which this release cannot upgrade. Upgrade with an earlier release first.`,
      );
    manifest = { ...(await step.apply(directory, manifest)), format: format + 1 };
    await writeManifest(directory, manifest, onStep);
    notice({ kind: 'upgraded', message: `data upgraded from format ${format} to ${format + 1}`, file: `${directory}/${FILE}` });
  }
  return manifest;
}

function parse(path: string, text: string): Manifest {
  try {
    const saved = JSON.parse(text) as { checksum: number; manifest?: Manifest } | null;
    if (!saved?.manifest || crc32(JSON.stringify(saved.manifest)) !== saved.checksum) throw new Error('its checksum does not match');
    return saved.manifest;
  } catch (error) {
    throw new StoreDamaged(path, 0, error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** Every file that a manifest names. */
export const filesOf = ({ checkpoint, segments }: Manifest): string[] => [
  ...(checkpoint ? [checkpoint.file] : []),
  ...segments.map(({ file }) => file),
];

/** Removes files that an interrupted checkpoint or segment left behind. */
export async function dropOrphans(directory: string, manifest: Manifest, onStep?: OnStep): Promise<void> {
  const named = new Set(filesOf(manifest));
  for (const name of await readdir(directory)) if (OURS.test(name) && !named.has(name)) await dropFile(`${directory}/${name}`, onStep);
}
