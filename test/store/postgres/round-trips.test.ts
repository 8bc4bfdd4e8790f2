/** Work on all data of a tenant takes a number of statements that grows with the pages of rows, not with the rows. */
import pg from 'pg';
import { expect, test, vi } from 'vitest';
import { checkData } from '../../../src/api/admin/data-checks/check-data.ts';
import { createSeedPlan, generateSeedData } from '../../../src/demo/generate.ts';
import { createTenant } from '../../../src/domain/tenancy/tenants.ts';
import { tables } from '../../../src/domain/tables.ts';
import { openPostgresStore } from '../../../src/store/postgres/index.ts';
import { takeDatabase } from '../../support/postgres/databases.ts';
import { createStoreTemplate } from '../../support/postgres/store-database.ts';

const ITEMS = 1_000;
const TENANT = '0198f7a1-0000-7000-8000-000000000001';

/** Of stores of this process, which the tests of a file open one after the other. */
async function countStatements(work: () => Promise<unknown>): Promise<number> {
  const query = vi.spyOn(pg.Client.prototype, 'query');
  await work();
  const { length } = query.mock.calls;
  query.mockRestore();
  return length;
}

test('a thousand items are generated and checked with fewer statements than items', async () => {
  await using database = await takeDatabase(createStoreTemplate('service', tables));
  await using opened = { store: await openPostgresStore({ url: database.url, tables }), [Symbol.asyncDispose]: () => opened.store.close() };
  const { store } = opened;
  const draft = { name: 'Bulk', slug: 'bulk', plan: 'enterprise', currency: 'EUR', timezone: 'UTC' } as const;
  const site = { name: 'Main', code: 'MAIN', address: '' };
  const tenant = await store.transact(TENANT, (tx) => createTenant(tx, TENANT, tx.now, tx.newId, { ...draft, site }));
  const actor = { type: 'system', id: 'test' } as const;
  const target = {
    tenant,
    createContext: ({ now, newId }: { readonly now: Date; readonly newId: () => string }) => ({
      tenant,
      actor,
      requestId: 'test',
      ipAddress: null,
      now,
      newId,
    }),
  };
  const generated = await countStatements(() => generateSeedData(store, target, createSeedPlan(ITEMS), 42, () => undefined));
  let result: Awaited<ReturnType<typeof checkData>> | undefined;
  const checked = await countStatements(async () => (result = await checkData(store, [tenant])));
  expect(result).toMatchObject({ ok: true });
  expect(generated).toBeLessThan(ITEMS);
  expect(checked).toBeLessThan(ITEMS);
});

test('stored rows that are changed together are looked up together, however many they are', async () => {
  const count = 1_000;
  const createdAt = new Date(0).toISOString();
  await using database = await takeDatabase(createStoreTemplate('service', tables));
  await using opened = { store: await openPostgresStore({ url: database.url, tables }), [Symbol.asyncDispose]: () => opened.store.close() };
  const { store } = opened;
  const createRows = (prefix: string) =>
    Array.from({ length: count }, (_, at) => {
      const id = `0198f7a1-0000-7000-8000-${String(at).padStart(12, '0')}`;
      return { id, name: `${prefix} ${String(at)}`, parentId: null, under: 'top', isActive: true, createdAt, updatedAt: createdAt };
    });
  const putAll = (prefix: string) => store.transact(TENANT, (tx) => tx.categories.putMany(createRows(prefix)));
  await putAll('before');
  expect(await countStatements(() => putAll('after'))).toBeLessThan(count / 10);
  const found = await store.read(TENANT, (tx) => tx.categories.getMany(createRows('').map(({ id }) => id)));
  expect(found).toEqual(createRows('after'));
});

test('reading rows that the transaction is about to create takes no statement', async () => {
  const createdAt = new Date(0).toISOString();
  await using database = await takeDatabase(createStoreTemplate('service', tables));
  await using opened = { store: await openPostgresStore({ url: database.url, tables }), [Symbol.asyncDispose]: () => opened.store.close() };
  const { store } = opened;
  const row = { id: '0198f7a1-0000-7000-8000-000000000000', name: 'Other', parentId: null, under: 'top', isActive: true };
  await store.transact(TENANT, (tx) => tx.categories.put({ ...row, createdAt, updatedAt: createdAt }));
  const read = (count: number) =>
    countStatements(() =>
      store.transact(TENANT, async (tx) => {
        const ids = Array.from({ length: count }, () => tx.newId());
        for (const id of ids) expect(await tx.categories.get(id)).toBeUndefined();
        expect(await tx.categories.getMany(ids)).toEqual(ids.map(() => undefined));
      }),
    );
  // The first one also prepares the connection.
  await read(0);
  expect(await read(50)).toBe(await read(0));
});
