import { afterAll } from 'vitest';
import { openPostgresStore } from '../../src/store/postgres/index.ts';
import { createDatabase } from '../support/postgres/databases.ts';
import { testStoreConformance } from './conformance.ts';
import { tables } from './fixtures.ts';

const databases: AsyncDisposable[] = [];
afterAll(async () => {
  for (const each of databases) await each[Symbol.asyncDispose]();
});

async function createUrl(): Promise<string> {
  const database = await createDatabase();
  databases.push(database);
  return database.url;
}

testStoreConformance('PostgreSQL store', async () => openPostgresStore({ url: await createUrl(), tables }));

testStoreConformance('PostgreSQL store with a tiny cache', async () =>
  openPostgresStore({ url: await createUrl(), tables, cachedRows: 4 }),
);
