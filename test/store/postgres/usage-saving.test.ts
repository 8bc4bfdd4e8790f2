/** Request counts while they are saved to a database, whose reads do not wait for the transaction. */
import { expect, onTestFinished, test } from 'vitest';
import { createIdGenerator } from '../../../src/daemon/service/ordered-ids.ts';
import { StoreUnavailable } from '../../../src/domain/kernel/ports.ts';
import { type StockroomStore, tables } from '../../../src/domain/tables.ts';
import type { ApiKeyRecord } from '../../../src/domain/tenancy/records.ts';
import { createTenant } from '../../../src/domain/tenancy/tenants.ts';
import { getBillingPeriod, listUsage } from '../../../src/domain/tenancy/usage.ts';
import { createUsageMeter } from '../../../src/http/requests/usage-meter.ts';
import { openPostgresStore } from '../../../src/store/postgres/index.ts';
import { createDatabase } from '../../support/postgres/databases.ts';

/** A store with a tenant on a database of its own, until the test has ended. */
async function openTenant() {
  const database = await createDatabase();
  onTestFinished(() => database[Symbol.asyncDispose]());
  const newId = createIdGenerator();
  const store = await openPostgresStore({ url: database.url, tables, newId });
  onTestFinished(() => store.close());
  const tenantId = newId();
  await store.transact(tenantId, (tx) => createTenant(tx, tenantId, tx.now, newId, { name: 'Shop', slug: 'shop', plan: 'enterprise' }));
  return { store, tenantId };
}

test('a read counts each request once before, during and after the commit of a save', async () => {
  const { store, tenantId } = await openTenant();
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

test('requests are counted once after saves whose outcome is unknown, whether they were committed or not', async () => {
  const { store, tenantId } = await openTenant();
  const meter = createUsageMeter();
  const now = new Date();
  const period = getBillingPeriod('monthly', now);
  const key = { id: 'key', tenantId } as ApiKeyRecord;
  const countAll = () =>
    store.read(tenantId, async (tx) => {
      const stored = await listUsage(tx, period);
      const unsaved = meter.getUnsaved(tenantId, period, stored);
      return [...stored.map(({ count }) => count), ...unsaved.values()].reduce((sum, count) => sum + count, 0);
    });
  const unknown = new StoreUnavailable('it is unknown whether the change was made');
  /** Fails after the commit, or instead of it. */
  const loseAnswer = (isCommitted: boolean): Pick<StockroomStore, 'transact'> => ({
    async transact(tenant, work) {
      await store.transact(tenant, async (tx) => {
        await work(tx);
        if (!isCommitted) throw unknown;
      });
      throw unknown;
    },
  });
  let made = 0;
  for (const isCommitted of [true, false, false, true, true]) {
    for (const capability of ['items.list', 'items.create', `number ${String(made)}`]) {
      meter.count(key, capability, now);
      made += 1;
    }
    await expect(meter.save(loseAnswer(isCommitted) as StockroomStore)).rejects.toBe(unknown);
    expect(await countAll()).toBe(made);
    meter.count(key, 'items.list', now);
    made += 1;
    expect(await countAll()).toBe(made);
  }
  await meter.save(store);
  expect(await countAll()).toBe(made);
  expect(meter.getUnsaved(tenantId, period, [])).toEqual(new Map());
});
