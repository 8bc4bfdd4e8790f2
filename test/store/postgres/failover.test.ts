/**
 * Crashes and failovers while transactions run: what was acknowledged is there once, or named as lost. TEST_CRASHES and
 * TEST_FAILOVERS change the number of rounds.
 */
import { randomBytes, randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isLongRun } from '../../support/long-run.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../../support/postgres/proxy.ts';
import { SERVER_VERSIONS } from '../../support/postgres/programs.ts';
import { type PostgresServer, type Standby, startPostgresServer } from '../../support/postgres/server.ts';
import { runSql, withConnection } from '../../support/postgres/sql.ts';
import { createThing } from '../fixtures.ts';
import { type ThingStore, openStoreAt } from './stores.ts';

const CRASHES = Number(process.env['TEST_CRASHES'] ?? (isLongRun ? 100 : 10));
const FAILOVERS = Number(process.env['TEST_FAILOVERS'] ?? (isLongRun ? 10 : 1));
const TENANTS = ['a', 'b', 'c'];
const MAX_WORK_MS = 300;

async function openServer(version: number | undefined, settings: readonly string[] = []): Promise<PostgresServer> {
  const server = await startPostgresServer({ durable: true, version, settings });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

async function openProxy(url: string): Promise<DatabaseProxy> {
  const proxy = await startDatabaseProxy(url);
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  return proxy;
}

/** Ids of rows whose transaction was acknowledged, and of others. */
interface Writes {
  readonly acknowledged: Set<string>;
  readonly open: Set<string>;
}
type WritesByTenant = ReadonlyMap<string, Writes>;

const createWrites = (): WritesByTenant => new Map(TENANTS.map((tenant) => [tenant, { acknowledged: new Set(), open: new Set() }]));

/** Each transaction adds a row and counts it, until `isOver`. */
async function work(store: ThingStore, writes: WritesByTenant, isOver: () => boolean): Promise<void> {
  const addRows = async ([tenant, { acknowledged, open }]: [string, Writes]): Promise<void> => {
    while (!isOver()) {
      const id = `row-${randomBytes(6).toString('hex')}`;
      open.add(id);
      try {
        await store.transact(tenant, async (tx) => {
          const counter = (await tx.things.get('counter')) ?? createThing('counter', { size: 0 });
          await tx.things.put(createThing(id));
          await tx.things.put({ ...counter, size: (counter.size ?? 0) + 1 });
        });
        acknowledged.add(id);
        open.delete(id);
      } catch {
        await delay(5);
      }
    }
  };
  await Promise.all([...writes].flatMap((entry) => [addRows(entry), addRows(entry)]));
}

const readTenant = (store: ThingStore, tenant: string) =>
  store.read(tenant, async (tx) => {
    const { ids } = await tx.things.listIdsAfter({ limit: 1_000_000 });
    return { rows: new Set(ids.filter((id) => id !== 'counter')), counted: (await tx.things.get('counter'))?.size ?? 0 };
  });

/** Every store shows the same rows, as many as were counted: all that were acknowledged except `lost`, and none that nobody wrote. */
async function verify(
  stores: readonly ThingStore[],
  writes: WritesByTenant,
  mayLose: (tenant: string) => boolean = () => false,
): Promise<void> {
  for (const [tenant, { acknowledged, open }] of writes) {
    const [first, ...others] = await Promise.all(stores.map((store) => readTenant(store, tenant)));
    for (const other of others) expect(other).toEqual(first);
    const { rows, counted } = first!;
    expect(counted).toBe(rows.size);
    const lost = [...acknowledged].filter((id) => !rows.has(id));
    if (!mayLose(tenant)) expect(lost).toEqual([]);
    expect([...rows].filter((id) => !acknowledged.has(id) && !open.has(id))).toEqual([]);
    for (const id of lost) acknowledged.delete(id);
    // What was open is decided now.
    for (const id of open) if (rows.has(id)) acknowledged.add(id);
    open.clear();
  }
}

async function waitUntilReady(store: ThingStore): Promise<void> {
  const isReady = () =>
    store
      .transact('ready', (tx) => tx.things.put(createThing('1')))
      .then(() => true)
      .catch(() => false);
  await expect.poll(isReady, { timeout: 60_000 }).toBe(true);
}

describe.each(SERVER_VERSIONS)('PostgreSQL of $name', ({ version: installed }) => {
  test('crashes with a COMMIT under way lose nothing that was acknowledged, and nothing that was lost is served', async () => {
    const server = await openServer(installed);
    const proxy = await openProxy(server.url);
    const [store, direct] = [await openStoreAt(proxy.url, { pollMs: 100 }), await openStoreAt(server.url, { pollMs: 100 })];
    await runSql(server.url, 'CREATE TABLE public.other (id integer)');
    const writes = createWrites();
    for (let round = 0; round < CRASHES; round += 1) {
      let isOver = false;
      const working = work(store, writes, () => isOver);
      await delay(randomInt(MAX_WORK_MS));
      if (round % 2 === 0) {
        proxy.fault = { at: 'commit', kind: 'swallow' };
        await expect.poll(() => proxy.fault, { interval: 1 }).toBeUndefined();
      }
      await server.kill();
      isOver = true;
      proxy.cut();
      await server.start();
      await withConnection(server.url, async (query) => {
        for (let used = 0; used < 20; used += 1) await query('INSERT INTO public.other VALUES (1)');
      });
      await working;
      await waitUntilReady(store);
      await waitUntilReady(direct);
      await verify([store, direct], writes);
    }
    expect([...store.lostCommits, ...direct.lostCommits]).toEqual([]);
  });

  test.each(['synchronous', 'asynchronous'] as const)('a failover to a standby with %s replication leaves no mixture', async (mode) => {
    const isSynchronous = mode === 'synchronous';
    for (let round = 0; round < FAILOVERS; round += 1) {
      await using server = await startPostgresServer({ durable: true, version: installed, settings: ['synchronous_commit = local'] });
      await using proxy = await startDatabaseProxy(server.url);
      const store = await openStoreAt(proxy.url, { pollMs: 100 });
      await waitUntilReady(store);
      const standby = await server.startStandby();
      if (isSynchronous)
        await runSql(
          server.adminUrl,
          `ALTER SYSTEM SET synchronous_commit = on`,
          `ALTER SYSTEM SET synchronous_standby_names = 'standby'`,
          'SELECT pg_reload_conf()',
        );
      const writes = createWrites();
      await workUntilFailover(store, writes, { server, proxy, standby, isSynchronous });
      await waitUntilReady(store);
      const fresh = await openStoreAt(standby.url, { pollMs: 100 });
      const lostTenants = new Set(store.lostCommits.map(({ tenant }) => tenant));
      await verify([store, fresh], writes, (tenant) => !isSynchronous && lostTenants.has(tenant));
      if (isSynchronous) expect(store.lostCommits).toEqual([]);
      else expect(lostTenants.size).toBeGreaterThan(0);
      await verify([store, fresh], writes);
      let isOver = false;
      const working = work(store, writes, () => isOver);
      await delay(MAX_WORK_MS);
      isOver = true;
      await working;
      await verify([store, fresh], writes);
      await fresh.close();
      await store.close();
    }
  });
});

interface Failover {
  readonly server: PostgresServer;
  readonly proxy: DatabaseProxy;
  readonly standby: Standby;
  readonly isSynchronous: boolean;
}

async function workUntilFailover(
  store: ThingStore,
  writes: WritesByTenant,
  { server, proxy, standby, isSynchronous }: Failover,
): Promise<void> {
  let isOver = false;
  const working = work(store, writes, () => isOver);
  await delay(MAX_WORK_MS);
  if (!isSynchronous) {
    // What is committed from now on does not reach the standby.
    await runSql(standby.adminUrl, `ALTER SYSTEM SET primary_conninfo = ''`, 'SELECT pg_reload_conf()');
    await expect.poll(async () => (await runSql(server.adminUrl, 'SELECT FROM pg_stat_replication')).rowCount).toBe(0);
    await delay(MAX_WORK_MS);
  }
  await server.kill();
  isOver = true;
  proxy.target = standby.url;
  proxy.cut();
  await standby.promote();
  await working;
  // Until the daemon has noticed.
  await expect.poll(() => isSynchronous || store.lostCommits.length > 0, { timeout: 60_000 }).toBe(true);
}
