import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openFileStore } from '../../src/store/file/index.ts';
import { storeConformance } from './conformance.ts';
import type { View } from '../../src/domain/ports.ts';
import { type Thing, aThing, tables } from './things.ts';

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

test('what views make of long rows counts for as much memory as it takes', async () => {
  const store = await openFileStore({ directory: await folder(), tables, viewCacheBytes: 1 << 20 });
  const ids = Array.from({ length: 100 }, (_, at) => `row-${String(at)}`);
  await store.transact('a', async (tx) => {
    for (const id of ids) await tx.things.put(aThing(id, { name: 'x'.repeat(20_000) }));
  });
  let made = 0;
  const copy: View<Thing, { name: string }> = { name: 'copy', of: ({ name }) => ({ name: name + String((made += 1)) }) };
  const readAll = () => store.read('a', async (tx) => void (await Promise.all(ids.map((id) => tx.things.getView(copy, id)))));
  await readAll();
  await readAll();
  await store.close();
  // Two megabytes do not stay in one.
  expect(made).toBeGreaterThan(ids.length);
});
