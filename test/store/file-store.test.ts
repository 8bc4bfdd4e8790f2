import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openFileStore } from '../../src/store/file/index.ts';
import { testStoreConformance } from './conformance.ts';
import { putRows } from './transactions.ts';
import type { Commit } from '../../src/domain/kernel/ports.ts';
import { createThing, tables } from './fixtures.ts';

const directories: string[] = [];
afterAll(async () => {
  for (const each of directories) await rm(each, { recursive: true });
});

async function createDirectory(): Promise<string> {
  const computed = await mkdtemp(join(tmpdir(), 'stockroom-store-'));
  directories.push(computed);
  return computed;
}

testStoreConformance('file store', async () => openFileStore({ directory: await createDirectory(), tables }));

testStoreConformance('file store with tiny caches and frequent checkpoints', async () =>
  openFileStore({ directory: await createDirectory(), tables, cachedRecords: 4, checkpointBytes: 1 }),
);

test('rows of one putMany stay readable when they fill more than one slab', async () => {
  const store = await openFileStore({ directory: await createDirectory(), tables });
  const rows = ['1', '2', '3'].map((id) => ({ id, text: id.repeat(600_000), colour: null }));
  await store.transact('a', (tx) => tx.marks.putMany(rows));
  const stored = await store.read('a', (tx) => tx.marks.listAfter({ limit: 10 }));
  await store.close();
  expect(stored.rows).toEqual(rows);
});

test('readLatest of the file store sees commits that are not durable yet, and waits for the running transaction', async () => {
  const store = await openFileStore({ directory: await createDirectory(), tables });
  const readSize = async () => (await store.readLatest('a', (tx) => tx.things.get('1')))?.size;
  await putRows(store, [createThing('1', { size: 1 })]);
  const begun = putRows(store, [createThing('1', { size: 2 })]);
  const tried = Promise.withResolvers<void>();
  const refused = store.transact('a', async (tx) => {
    await tx.things.put(createThing('1', { size: 3 }));
    tried.resolve();
    throw new Error('refused');
  });
  const refusal = refused.catch((error: unknown) => error);
  await tried.promise;
  expect(await readSize()).toBe(2);
  await begun;
  expect(await refusal).toMatchObject({ message: 'refused' });

  const [written, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const transaction = store.transact('a', async (tx) => {
    await tx.things.put(createThing('1', { size: 4 }));
    written.resolve();
    await ended.promise;
    await tx.things.put(createThing('1', { size: 5 }));
  });
  await written.promise;
  const reads = [readSize(), store.read('a', async (tx) => (await tx.things.get('1'))?.size)];
  ended.resolve();
  await transaction;
  expect(await Promise.all(reads)).toEqual([5, 5]);
  await store.close();
});

test('the sequence of the file store increases by one with every commit of any tenant', async () => {
  const store = await openFileStore({ directory: await createDirectory(), tables });
  const commits: Commit[] = [];
  store.onCommit((commit) => commits.push(commit));
  for (const tenant of ['a', 'b', 'a', 'a', 'b']) await putRows(store, [createThing('1', { name: tenant })], tenant);
  await expect(store.transact('a', (tx) => tx.things.put(createThing('1')).then(() => Promise.reject(new Error('no'))))).rejects.toThrow(
    'no',
  );
  await putRows(store, [createThing('2')], 'b');
  await store.close();
  expect(commits.map(({ sequence }) => sequence - commits[0]!.sequence)).toEqual([0, 1, 2, 3, 4, 5]);
});
