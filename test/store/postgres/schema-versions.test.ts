/** A database that an earlier release has created, as this one migrates it. */
import { expect, onTestFinished, test } from 'vitest';
import { tables } from '../../../src/domain/tables.ts';
import { openPostgresStore } from '../../../src/store/postgres/index.ts';
import { takeDatabase } from '../../support/postgres/databases.ts';
import { runSql } from '../../support/postgres/sql.ts';
import { createStoreTemplate } from '../../support/postgres/store-database.ts';

const TENANT = 'tenant';
const contact = (id: string, externalId?: string) => ({
  id,
  name: id,
  email: '',
  phone: '',
  company: '',
  contactType: 'customer' as const,
  country: '',
  contactGroup: '',
  isPrimaryContact: false,
  isActive: true,
  isHouse: false,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  ...(externalId === undefined ? {} : { externalId }),
});

/** Makes the tables those of version 2, which had no external ids and no replays. */
const TO_VERSION_2 = `
  ${['items', 'contacts', 'orders', 'stock_documents']
    .map(
      (
        name,
      ) => `DROP VIEW stockroom."${name}"; ALTER TABLE stockroom."${name}_rows" DROP COLUMN "key_external_id", DROP COLUMN "unique_external_id";
      CREATE VIEW stockroom."${name}" AS SELECT tenant, "id", "row" FROM stockroom."${name}_rows";`,
    )
    .join('\n')}
  DROP VIEW stockroom.webhook_replays;
  DROP TABLE stockroom.webhook_replays_rows;
  UPDATE stockroom.schema_info SET version = 2`;

test('a database of version 2 keeps its rows, and has unique external ids and replays', async () => {
  await using database = await takeDatabase(createStoreTemplate('service', tables));
  const before = await openPostgresStore({ url: database.url, tables });
  await before.transact(TENANT, (tx) => tx.contacts.put(contact('old')));
  await before.close();
  await runSql(database.url, TO_VERSION_2);

  const store = await openPostgresStore({ url: database.url, tables });
  onTestFinished(() => store.close());
  expect(await store.read(TENANT, (tx) => tx.contacts.get('old'))).toEqual(contact('old'));
  await store.transact(TENANT, (tx) => tx.contacts.put(contact('new', 'crm-1')));
  expect(await store.read(TENANT, (tx) => tx.contacts.findUniqueIds('externalId', [['crm-1'], ['crm-2']]))).toEqual(['new', undefined]);
  await expect(store.transact(TENANT, (tx) => tx.contacts.put(contact('other', 'crm-1')))).rejects.toMatchObject({
    name: 'DuplicateKey',
    key: 'externalId',
    existingId: 'new',
  });
  expect(await store.read(TENANT, (tx) => tx.webhookReplays.count())).toBe(0);
  const { rows } = await runSql(database.url, 'SELECT id, external_id FROM stockroom.contacts ORDER BY id');
  expect(rows).toEqual([
    { id: 'new', external_id: 'crm-1' },
    { id: 'old', external_id: null },
  ]);
});

/** The indexes of filters had the id, and units had one. */
const TO_VERSION_3 = `
  DO $$ DECLARE old record; BEGIN
    FOR old IN SELECT schemaname || '.' || indexname AS name, indexdef FROM pg_indexes WHERE indexdef ~ 'stockroom.* USING btree \\(tenant, key_\\w+\\)$' LOOP
      EXECUTE 'DROP INDEX ' || old.name;
      EXECUTE regexp_replace(old.indexdef, '\\)$', ', id)');
    END LOOP;
  END $$;
  CREATE INDEX ON stockroom.items_rows (tenant, key_unit_id, id);
  UPDATE stockroom.schema_info SET version = 3`;

const LIST_INDEXES = `SELECT regexp_replace(indexdef, 'INDEX \\S+ ', 'INDEX ') AS definition FROM pg_indexes WHERE schemaname = 'stockroom' ORDER BY 1`;

test('a database of version 3 gets the indexes of a new one', async () => {
  await using database = await takeDatabase(createStoreTemplate('service', tables));
  const listIndexes = async () => (await runSql(database.url, LIST_INDEXES)).rows;
  const expected = await listIndexes();
  await runSql(database.url, TO_VERSION_3);
  expect(await listIndexes()).not.toEqual(expected);
  await (await openPostgresStore({ url: database.url, tables })).close();
  expect(await listIndexes()).toEqual(expected);
});
