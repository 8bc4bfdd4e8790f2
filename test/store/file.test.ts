import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { openFileStore } from '../../src/store/file/index.ts';
import { storeConformance } from './conformance.ts';
import { tables } from './things.ts';

const folders: string[] = [];
afterAll(async () => {
  for (const each of folders) await rm(each, { recursive: true });
});

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'stockroom-store-'));
  folders.push(made);
  return made;
}

storeConformance('the file store', async () => openFileStore({ directory: await folder(), tables }));

storeConformance('the file store with hardly any memory and a checkpoint at every turn', async () =>
  openFileStore({ directory: await folder(), tables, cachedRecords: 4, viewCacheBytes: 256, checkpointBytes: 1 }),
);
