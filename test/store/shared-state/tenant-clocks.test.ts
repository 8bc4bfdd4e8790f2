/** The clock of a tenant at two daemons of a PostgreSQL database. */
import { expect, onTestFinished, test } from 'vitest';
import { createRealClock } from '../../../src/daemon/service/clocks/clock.ts';
import { createIdGenerator } from '../../../src/daemon/service/ordered-ids.ts';
import { followTenantClocks } from '../../../src/daemon/service/stored-clocks.ts';
import { tables } from '../../../src/domain/tables.ts';
import { createTenant } from '../../../src/domain/tenancy/tenants.ts';
import { openPostgresStore } from '../../../src/store/postgres/index.ts';
import { createDatabase } from '../../support/postgres/databases.ts';

const newId = createIdGenerator();
const AHEAD_MS = 7_200_000;

test('a clock that one daemon stores is that of the other, and the tables of the service keep the time of the service', async () => {
  const database = await createDatabase();
  const open = async (instanceId: string) => {
    const clock = createRealClock();
    const store = await openPostgresStore({ url: database.url, tables, newId, instanceId, clock, maxAheadMs: 60_000 });
    return { store, clock, stop: followTenantClocks(store, clock, (work) => void work()) };
  };
  const [one, two] = [await open('one'), await open('two')];
  onTestFinished(async () => {
    for (const { store, stop } of [one, two]) {
      stop();
      await store.close();
    }
    await database[Symbol.asyncDispose]();
  });
  const id = newId();
  const tenant = await one.store.transact(id, (tx) => createTenant(tx, id, tx.now, newId, { name: 'A', slug: 'a', plan: 'standard' }));
  await one.store.transact(id, (tx) => tx.tenants.put({ ...tenant, clockAheadMs: AHEAD_MS }));
  for (const { clock } of [one, two]) await expect.poll(() => clock.getAheadMs(id), { timeout: 10_000 }).toBe(AHEAD_MS);
  // Changes the tenant, and a table of the service.
  const at = await two.store.transact(id, async (tx) => {
    await tx.tenants.put({ ...tenant, name: 'B', clockAheadMs: AHEAD_MS });
    return tx.now;
  });
  expect(at.getTime() - two.clock.now().getTime()).toBeGreaterThan(AHEAD_MS - 60_000);
  const serviceAt = await one.store.transact('', async (tx) => {
    await tx.tiers.put({ id: 'free', requestsPerMinute: 1, updatedAt: tx.now.toISOString() });
    return tx.now;
  });
  expect(serviceAt.getTime() - one.clock.now().getTime()).toBeLessThan(60_000);
  expect(await one.store.listAhead()).toEqual([]);
});
