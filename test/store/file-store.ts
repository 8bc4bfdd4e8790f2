/** Helpers for tests of the file store: data directories and their contents. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { expect, onTestFinished } from 'vitest';
import { type FileStore, type FileStoreOptions, openFileStore } from '../../src/store/file/index.ts';
import * as model from './query-model.ts';
import { type Thing, type Things, tables } from './fixtures.ts';

/** Creates an empty directory, which is removed when the test has ended. */
export async function createTempDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'stockroom-store-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

export function openStore(directory: string, more: Partial<FileStoreOptions<Things>> = {}): Promise<FileStore<Things>> {
  return openFileStore({ directory, tables, ...more });
}

export interface ManifestFile {
  readonly checksum: number;
  readonly manifest: {
    readonly format: number;
    readonly checkpoint?: { readonly file: string; readonly bytes: number };
    readonly segments: readonly { readonly file: string; readonly bytes?: number }[];
  };
}

export async function readManifest(directory: string): Promise<ManifestFile['manifest']> {
  return (JSON.parse(await readFile(join(directory, 'manifest.json'), 'utf8')) as ManifestFile).manifest;
}

/** The path of the segment that is being written. */
export async function getLastSegment(directory: string): Promise<string> {
  return join(directory, (await readManifest(directory)).segments.at(-1)!.file);
}

/** The rows of a closed store in each order and for values of each filter, and what the query model expects. */
export async function queryContents(
  directory: string,
  rows: ReadonlyMap<string, Thing>,
): Promise<{ found: unknown[]; expected: unknown[] }> {
  const store = await openStore(directory);
  const page = { number: 1, size: 1000 };
  const queries = [
    ...Object.keys(tables.things.orders).map((orderBy) => ({ orderBy, page })),
    ...tables.things.filters.flatMap((field) =>
      ['x', 'red', true, null, 'Bolt'].map((equals) => ({ orderBy: 'at', where: [{ field, equals }], page })),
    ),
  ];
  const found = await store.read('a', (tx) => Promise.all(queries.map((each) => tx.things.listPage(each))));
  await store.close();
  return { found, expected: queries.map((each) => model.listPage(tables.things, [...rows.values()], each)) };
}

/** Checks that a closed store has exactly these things. */
export async function expectContents(directory: string, rows: ReadonlyMap<string, Thing>): Promise<void> {
  const { found, expected } = await queryContents(directory, rows);
  expect(found).toEqual(expected);
}

/** Writes a manifest with its checksum. */
export async function writeManifest(directory: string, manifest: ManifestFile['manifest']): Promise<void> {
  await writeFile(
    join(directory, 'manifest.json'),
    JSON.stringify({ checksum: crc32(JSON.stringify(manifest)), manifest } satisfies ManifestFile),
  );
}
