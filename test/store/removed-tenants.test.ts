/** What the file store keeps in memory of tenants whose rows were all removed. */
import { cp } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { FileStore } from '../../src/store/file/index.ts';
import { observeDisk } from '../support/disk/observed-disk.ts';
import { createTempDirectory, openStore } from './file-store.ts';
import { type Things, createThing, tables } from './fixtures.ts';
import { listPage } from './query-model.ts';

const ALL = { limit: 1_000 } as const;
const ROWS = Array.from({ length: 50 }, (_, at) => createThing(String(at), { kind: 'x', size: at, tags: ['red'] }));
const PAGE = { where: [{ field: 'kind', equals: 'x' }], orderBy: 'size', page: { number: 1, size: 100 } } as const;

const removeAll = (store: FileStore<Things>, tenant: string): Promise<void> =>
  store.transact(tenant, async (tx) => {
    for (const id of (await tx.things.listIdsAfter(ALL)).ids) await tx.things.remove(id);
  });

/** The tables of how many tenants it has, and of how many it has created what transactions use. */
async function countKept(store: FileStore<Things>): Promise<readonly [partitions: number, tenants: number]> {
  await store.read('base', (tx) => tx.things.count());
  const { partitions, tenants } = store.getStats();
  return [partitions, tenants];
}

test('nothing is kept of copied tenants whose rows were removed, nor of tenants that were only read', async () => {
  const directory = await createTempDirectory();
  const store = await openStore(directory);
  onTestFinished(() => store.close());
  await store.transact('base', (tx) => tx.things.putMany(ROWS));
  const before = await countKept(store);
  for (let at = 0; at < 200; at += 1) {
    const tenant = `copy ${String(at)}`;
    const { rows } = await store.read('base', (tx) => tx.things.listAfter(ALL));
    await store.transact(tenant, (tx) => tx.things.putMany(rows, 'base'));
    expect((await store.read(tenant, (tx) => tx.things.listPage(PAGE))).total).toBe(ROWS.length);
    await removeAll(store, tenant);
    expect(await store.read(tenant, (tx) => tx.things.count())).toBe(0);
    await store.read(`other ${String(at)}`, (tx) => tx.marks.count());
  }
  expect(await countKept(store)).toEqual(before);
  // As after a crash: the journal has all that was removed.
  const copy = await createTempDirectory();
  await cp(directory, copy, { recursive: true });
  const reopened = await openStore(copy);
  onTestFinished(() => reopened.close());
  expect(await countKept(reopened)).toEqual(before);
  expect((await reopened.read('base', (tx) => tx.things.listPage(PAGE))).rows).toEqual(ROWS.toReversed());
});

test('a tenant has its rows again after their removal could not be saved, and new ones after it was', async () => {
  const directory = await createTempDirectory();
  let isFailing = false;
  const store = await openStore(directory, {
    disk: observeDisk(() => {
      if (isFailing) throw new Error('no space');
    }),
  });
  onTestFinished(() => store.close());
  await store.transact('a', (tx) => tx.things.putMany(ROWS));
  for (let round = 0; round < 3; round += 1) {
    isFailing = true;
    const removed = removeAll(store, 'a');
    // While the removal waits for the disk, others use the tenant, and another one.
    const others = [store.read('a', (tx) => tx.things.count()), store.transact('b', (tx) => tx.things.count())];
    await expect(removed).rejects.toThrow('no space');
    expect(await Promise.all(others)).toEqual([ROWS.length, 0]);
    isFailing = false;
    expect(await store.read('a', (tx) => tx.things.listPage(PAGE))).toEqual(listPage(tables.things, ROWS, PAGE));
  }
  await removeAll(store, 'a');
  expect(await store.read('b', (tx) => tx.things.count())).toBe(0);
  expect(store.getStats()).toMatchObject({ partitions: 1, tenants: 1 });
  await store.transact('a', (tx) => tx.things.put(ROWS[0]!));
  await store.checkpoint();
  expect(await store.read('a', (tx) => tx.things.listPage(PAGE))).toEqual(listPage(tables.things, [ROWS[0]!], PAGE));
});
