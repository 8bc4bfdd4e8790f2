/** Rows that a tenant copied from another one: both keep them once, until one of them changes them. */
import fc from 'fast-check';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DuplicateKey } from '../../src/domain/kernel/ports.ts';
import { type FileStore, openFileStore } from '../../src/store/file/index.ts';
import { PROPERTY_TIMEOUT_MS, checkProperty } from '../support/property.ts';
import { type Thing, type Things, createThing, queryArbitrary, tables, thingArbitrary } from './fixtures.ts';
import { listPage } from './query-model.ts';

const TENANTS = ['base', 'one', 'two'] as const;
const ALL = { limit: 1_000 } as const;
const change = fc.record({ tenant: fc.constantFrom(...TENANTS), kind: fc.constantFrom('put', 'remove', 'abort'), thing: thingArbitrary });

async function withDirectory(work: (directory: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'stockroom-copied-rows-'));
  try {
    await work(directory);
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** Puts the row, unless a unique value is taken. */
const put = (store: FileStore<Things>, tenant: string, row: Thing): Promise<boolean> =>
  store
    .transact(tenant, (tx) => tx.things.put(row))
    .then(
      () => true,
      (error: unknown) => {
        if (error instanceof DuplicateKey) return false;
        throw error;
      },
    );

async function copy(store: FileStore<Things>, to: string, from: string): Promise<void> {
  const { rows } = await store.read(from, (tx) => tx.things.listAfter(ALL));
  await store.transact(to, (tx) => tx.things.putMany(rows, from));
}

test('tenants with copied rows never see a change of each other, before and after a reopen', { timeout: PROPERTY_TIMEOUT_MS }, () =>
  checkProperty(
    fc.asyncProperty(
      fc.array(thingArbitrary, { maxLength: 40 }),
      fc.array(change, { maxLength: 40 }),
      fc.array(queryArbitrary, { maxLength: 8 }),
      (rows, changes, queries) =>
        withDirectory(async (directory) => {
          let store = await openFileStore({ directory, tables, checkpointBytes: 1 });
          const model = new Map<string, Map<string, Thing>>(TENANTS.map((tenant) => [tenant, new Map<string, Thing>()]));
          for (const row of rows) if (await put(store, 'base', row)) model.get('base')!.set(row.id, row);
          for (const to of ['one', 'two']) {
            await copy(store, to, 'base');
            model.set(to, new Map(model.get('base')));
          }
          for (const { tenant, kind, thing } of changes) {
            const expected = model.get(tenant)!;
            if (kind === 'put' && (await put(store, tenant, thing))) expected.set(thing.id, thing);
            if (kind === 'remove') expect(await store.transact(tenant, (tx) => tx.things.remove(thing.id))).toBe(expected.delete(thing.id));
            if (kind !== 'abort') continue;
            const aborted = store.transact(tenant, async (tx) => {
              await tx.things.remove(thing.id);
              throw new Error('aborted');
            });
            await expect(aborted).rejects.toThrow('aborted');
          }
          const check = async (): Promise<void> => {
            for (const [tenant, expected] of model)
              for (const query of [{}, ...queries]) {
                const page = { ...query, page: { number: 1, size: 100 } };
                const found = await store.read(tenant, (tx) => tx.things.listPage(page));
                expect(found).toEqual(listPage(tables.things, [...expected.values()], page));
              }
          };
          await check();
          await store.close();
          store = await openFileStore({ directory, tables });
          await check();
          await store.close();
        }),
    ),
    { shortRuns: 10 },
  ),
);

test('copied rows take no memory of their own, and a copy of a tenant that changed since has the rows as given', async () => {
  await withDirectory(async (directory) => {
    const store = await openFileStore({ directory, tables });
    const rows = Array.from({ length: 200 }, (_, at) => createThing(String(at), { note: 'n'.repeat(10_000) }));
    await store.transact('base', (tx) => tx.things.putMany(rows));
    const before = store.getStats().slabBytes;
    for (let at = 0; at < 20; at += 1) await copy(store, `copy ${String(at)}`, 'base');
    expect(store.getStats().slabBytes - before).toBeLessThan(4 * 1_048_576);
    const { rows: read } = await store.read('base', (tx) => tx.things.listAfter(ALL));
    await store.transact('base', (tx) => tx.things.put({ ...read[0]!, name: 'Changed' }));
    await store.transact('late', (tx) => tx.things.putMany(read, 'base'));
    expect((await store.read('late', (tx) => tx.things.get(read[0]!.id)))?.name).toBe(read[0]!.name);
    await store.close();
  });
});

test('an index of array fields that two tenants keep once is copied before one of them changes it', async () => {
  await withDirectory(async (directory) => {
    const store = await openFileStore({ directory, tables });
    await store.transact('base', (tx) => tx.things.putMany([createThing('1', { tags: ['red'] }), createThing('2', { tags: ['red'] })]));
    await copy(store, 'one', 'base');
    await copy(store, 'two', 'base');
    await store.transact('one', (tx) => tx.things.remove('1'));
    await store.transact('base', (tx) => tx.things.put(createThing('2', { tags: ['blue'] })));
    const listRed = (tenant: string) =>
      store.read(tenant, (tx) => tx.things.listIdsAfter({ where: [{ field: 'tags', equals: 'red' }], limit: 10 }));
    expect([await listRed('base'), await listRed('one'), await listRed('two')]).toMatchObject([
      { ids: ['1'] },
      { ids: ['2'] },
      { ids: ['1', '2'] },
    ]);
    await store.close();
  });
});
