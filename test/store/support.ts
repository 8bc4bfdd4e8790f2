/** Folders for tests of the file store, and what stores left in them. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { expect, onTestFinished } from 'vitest';
import { type FileStore, type FileStoreOptions, openFileStore } from '../../src/store/file/index.ts';
import * as model from './model.ts';
import { type Thing, type Things, tables } from './things.ts';

/** An empty folder, gone when the test has ended. */
export async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'stockroom-store-'));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  return made;
}

export function open(directory: string, more: Partial<FileStoreOptions<Things>> = {}): Promise<FileStore<Things>> {
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

export async function manifestOf(directory: string): Promise<ManifestFile['manifest']> {
  return (JSON.parse(await readFile(join(directory, 'manifest.json'), 'utf8')) as ManifestFile).manifest;
}

/** The segment that is being written. */
export async function segmentOf(directory: string): Promise<string> {
  return join(directory, (await manifestOf(directory)).segments.at(-1)!.file);
}

/** Rows of a store, in each of its orders and for values of each of its filters, and what they should be. */
export async function contents(directory: string, rows: ReadonlyMap<string, Thing>): Promise<{ found: unknown[]; expected: unknown[] }> {
  const store = await open(directory);
  const page = { number: 1, size: 1000 };
  const queries = [
    ...Object.keys(tables.things.orders).map((orderBy) => ({ orderBy, page })),
    ...tables.things.filters.flatMap((field) =>
      ['x', 'red', true, null, 'Bolt'].map((equals) => ({ orderBy: 'at', where: [{ field, equals }], page })),
    ),
  ];
  const found = await store.read('a', (tx) => Promise.all(queries.map((each) => tx.things.page(each))));
  await store.close();
  return { found, expected: queries.map((each) => model.page(tables.things, [...rows.values()], each)) };
}

/** The store of a directory has exactly these rows of things. */
export async function expectSame(directory: string, rows: ReadonlyMap<string, Thing>): Promise<void> {
  const { found, expected } = await contents(directory, rows);
  expect(found).toEqual(expected);
}

/** Makes a manifest the valid one, as the store does. */
export async function putManifest(directory: string, manifest: ManifestFile['manifest']): Promise<void> {
  await writeFile(
    join(directory, 'manifest.json'),
    JSON.stringify({ checksum: crc32(JSON.stringify(manifest)), manifest } satisfies ManifestFile),
  );
}
