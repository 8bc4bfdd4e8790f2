/** Request counts while they are saved to a database, whose reads do not wait for the transaction. */
import { expect, onTestFinished, test } from 'vitest';
import { createIdGenerator } from '../../../src/daemon/service/ordered-ids.ts';
import { type StockroomStore, tables } from '../../../src/domain/tables.ts';
import type { ApiKeyRecord } from '../../../src/domain/tenancy/records.ts';
import { createTenant } from '../../../src/domain/tenancy/tenants.ts';
import { getBillingPeriod, listUsage } from '../../../src/domain/tenancy/usage.ts';
import { createUsageMeter } from '../../../src/http/requests/usage-meter.ts';
import { openPostgresStore } from '../../../src/store/postgres/index.ts';
import { createDatabase } from '../../support/postgres/databases.ts';

test('a read counts each request once before, during and after the commit of a save', async () => {
  const database = await createDatabase();
  onTestFinished(() => database[Symbol.asyncDispose]());
  const newId = createIdGenerator();
  const store = await openPostgresStore({ url: database.url, tables, newId });
  onTestFinished(() => store.close());
  const tenantId = newId();
  await store.transact(tenantId, (tx) => createTenant(tx, tenantId, tx.now, newId, { name: 'Shop', slug: 'shop', plan: 'enterprise' }));
  const meter = createUsageMeter();
  const now = new Date();
  const period = getBillingPeriod('monthly', now);
  const read = () =>
    store.read(tenantId, async (tx) => {
      const stored = await listUsage(tx, period);
      const unsaved = meter.getUnsaved(tenantId, period, stored);
      return [stored.map(({ count }) => count), [...unsaved.values()]];
    });
  const seen: unknown[] = [];
  const look = async () => void seen.push(await read());
  const observed: Pick<StockroomStore, 'transact'> = {
    async transact(tenant, work) {
      const result = await store.transact(tenant, async (tx) => {
        const value = await work(tx);
        await look();
        return value;
      });
      await look();
      return result;
    },
  };
  for (const round of [1, 2]) {
    const key = { id: 'key', tenantId } as ApiKeyRecord;
    for (let requests = 0; requests < round; requests += 1) meter.count(key, 'items.list', now);
    await look();
    await meter.save(observed as StockroomStore);
    await look();
  }
  expect(seen).toEqual([
    [[], [1]],
    [[], [1]],
    [[1], []],
    [[1], []],
    [[1], [2]],
    [[1], [2]],
    [[3], []],
    [[3], []],
  ]);
});
