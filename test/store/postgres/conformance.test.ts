import { afterEach } from 'vitest';
import { openPostgresStore } from '../../../src/store/postgres/index.ts';
import { isLongRun } from '../../support/long-run.ts';
import { type Database, takeDatabase } from '../../support/postgres/databases.ts';
import { createStoreTemplate } from '../../support/postgres/store-database.ts';
import { testStoreConformance } from '../conformance.ts';
import { tables } from '../fixtures.ts';

const template = createStoreTemplate('conformance', tables);
const databases: Database[] = [];

async function getUrl(): Promise<string> {
  const database = await takeDatabase(template);
  databases.push(database);
  return database.url;
}

// Runs after the hook of the suite that closes the store.
afterEach(async () => {
  for (const database of databases.splice(0)) await database[Symbol.asyncDispose]();
});

testStoreConformance('PostgreSQL store', async () => openPostgresStore({ url: await getUrl(), tables }));

testStoreConformance(
  'PostgreSQL store with a tiny cache',
  async () => openPostgresStore({ url: await getUrl(), tables, cachedRows: 4, cachedBytes: 2_000 }),
  { onlyReads: !isLongRun },
);
