/** Folders for tests of the file store. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type FileStore, type FileStoreOptions, openFileStore } from '../../src/store/file/index.ts';
import { type Things, tables } from './things.ts';

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
