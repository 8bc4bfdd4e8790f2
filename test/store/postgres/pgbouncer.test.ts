/** Stores behind PgBouncer in transaction mode, which gives connections of the server to other clients between transactions. */
import { expect, onTestFinished, test } from 'vitest';
import { createDatabase } from '../../support/postgres/databases.ts';
import { runSql } from '../../support/postgres/sql.ts';
import { startPgBouncer } from '../../support/servers/pgbouncer.ts';
import { createThing } from '../fixtures.ts';
import { putRows } from '../transactions.ts';
import { openStoreAt } from './stores.ts';

test('two stores work behind PgBouncer in transaction mode, with the search path of the user', async () => {
  const database = await createDatabase();
  onTestFinished(() => database[Symbol.asyncDispose]());
  const pooler = await startPgBouncer(database.url);
  onTestFinished(() => pooler[Symbol.asyncDispose]());
  const stores = [await openStoreAt(pooler.url, { listenUrl: database.url, pollMs: 100 }), await openStoreAt(pooler.url, { pollMs: 100 })];
  const increment = (at: number) =>
    stores[at % 2]!.transact(`tenant-${String(at % 5)}`, async (tx) => {
      const counter = (await tx.things.get('counter')) ?? createThing('counter', { size: 0, tags: ['red'] });
      await tx.things.put({ ...counter, size: (counter.size ?? 0) + 1 });
    });
  for (let round = 0; round < 20; round += 1) await Promise.all(Array.from({ length: 20 }, (_, at) => increment(round * 20 + at)));
  for (const store of stores)
    for (let tenant = 0; tenant < 5; tenant += 1) {
      const found = await store.read(`tenant-${String(tenant)}`, (tx) =>
        tx.things.listAfter({ where: [{ field: 'tags', equals: 'red' }], limit: 5 }),
      );
      expect(found.rows.map(({ size }) => size)).toEqual([80]);
    }
  expect((await runSql(pooler.url, 'SHOW search_path')).rows).toEqual([{ search_path: 'pg_catalog, pg_temp' }]);
  await putRows(stores[0]!, [createThing('1')], 'other');
  expect(stores.map(({ unavailableReason }) => unavailableReason)).toEqual([undefined, undefined]);
});
