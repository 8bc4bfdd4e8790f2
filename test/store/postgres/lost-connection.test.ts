/** What happens to transactions when the connection is lost, with a proxy that cuts it at a chosen moment. */
import { expect, onTestFinished, test } from 'vitest';
import { StoreUnavailable } from '../../../src/domain/kernel/ports.ts';
import { createThing } from '../fixtures.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../../support/postgres/proxy.ts';
import { runSql, withConnection } from '../../support/postgres/sql.ts';
import { putRows } from '../transactions.ts';
import { openStoreAt, takeUrl } from './stores.ts';

async function openProxy(): Promise<DatabaseProxy> {
  const proxy = await startDatabaseProxy(await takeUrl());
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  return proxy;
}

test('a transaction whose COMMIT got no answer is resolved when the server has committed it', async () => {
  const proxy = await openProxy();
  const store = await openStoreAt(proxy.url);
  await putRows(store, [createThing('1', { size: 1 })]);
  proxy.fault = { at: 'commit', kind: 'answer' };
  await store.transact('a', async (tx) => {
    const row = (await tx.things.get('1'))!;
    await tx.things.put({ ...row, size: row.size! + 1 });
  });
  expect(proxy.fault).toBeUndefined();
  expect((await store.read('a', (tx) => tx.things.get('1')))?.size).toBe(2);
});

test('a transaction whose COMMIT did not arrive is rejected and leaves no changes, and the next one succeeds', async () => {
  const proxy = await openProxy();
  const store = await openStoreAt(proxy.url);
  await putRows(store, [createThing('1')]);
  proxy.fault = { at: 'commit', kind: 'reset' };
  await expect(putRows(store, [createThing('2')])).rejects.toBeInstanceOf(StoreUnavailable);
  expect((await store.read('a', (tx) => tx.things.listIdsAfter({ limit: 5 }))).ids).toEqual(['1']);
  await putRows(store, [createThing('2')]);
  expect(await store.read('a', (tx) => tx.things.count())).toBe(2);
});

/** Lets the next COMMIT of a tenant wait for an advisory lock, as one waits for a synchronous standby. */
const DELAY_COMMIT = `
  CREATE FUNCTION wait_for_lock() RETURNS trigger LANGUAGE plpgsql SET lock_timeout = 0
    AS 'BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NULL; END';
  CREATE CONSTRAINT TRIGGER delay_commit AFTER UPDATE ON stockroom.tenant_heads
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (new.tenant = 'a') EXECUTE FUNCTION wait_for_lock()`;

const LONG_COMMITS = `SELECT FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event = 'advisory' AND query_start < clock_timestamp() - interval '16 seconds'`;

test('a commit that becomes visible after its store has given up is reported by it and by others, with tables of the service', async () => {
  const url = await takeUrl();
  const settings = { pollMs: 20 };
  const stores = [await openStoreAt(url, settings), await openStoreAt(url, settings)] as const;
  const put = (text: string) =>
    stores[0].transact('a', async (tx) => {
      await tx.things.put(createThing(text));
      await tx.notes.put({ id: 'n', text, list: 'l', position: 1 });
    });
  await put('before');
  const tables = stores.map(() => new Set<string>());
  stores.forEach((store, at) => store.onCommit(({ changes }) => changes.forEach(({ table }) => tables[at]!.add(table))));
  await withConnection(url, async (query) => {
    await query(DELAY_COMMIT);
    await query('SELECT pg_advisory_lock(1)');
    await expect(put('late')).rejects.toBeInstanceOf(StoreUnavailable);
    // Until its head does not count as recent.
    await expect.poll(async () => (await runSql(url, LONG_COMMITS)).rows.length).toBe(1);
    tables.forEach((each) => each.clear());
  });
  await expect
    .poll(() => tables.map((each) => [...each].sort()))
    .toEqual([
      ['notes', 'things'],
      ['notes', 'things'],
    ]);
});

test('a connection that was closed while it was idle fails no call', async () => {
  const proxy = await openProxy();
  const store = await openStoreAt(proxy.url, { pollMs: 60_000 });
  const tenants = ['a', 'b', 'c', 'd', 'e'];
  const putAll = (id: string) => Promise.all(tenants.map((tenant) => putRows(store, [createThing(id)], tenant)));
  await putAll('1');
  proxy.closeIdle();
  await putAll('2');
  proxy.closeIdle();
  expect(await Promise.all(tenants.map((tenant) => store.read(tenant, (tx) => tx.things.count())))).toEqual(tenants.map(() => 2));
  proxy.closeIdle();
  expect(await store.readTime()).toBeGreaterThan(0);
  expect(store.unavailableReason).toBeUndefined();
});

test('calls are rejected while the database cannot be reached, and succeed afterwards', async () => {
  const proxy = await openProxy();
  const store = await openStoreAt(proxy.url, { pollMs: 20 });
  await putRows(store, [createThing('1')]);
  proxy.isDown = true;
  proxy.cut();
  await expect(putRows(store, [createThing('2')])).rejects.toBeInstanceOf(StoreUnavailable);
  await expect.poll(() => store.unavailableReason).toContain('The store is unavailable');
  proxy.isDown = false;
  await expect.poll(() => store.unavailableReason).toBeUndefined();
  await putRows(store, [createThing('2')]);
  expect(await store.read('a', (tx) => tx.things.count())).toBe(2);
});

test.each(['tenant_heads', 'things_rows'])(
  'calls that wait for a lock of %s end as unavailable, and work once it is free',
  async (table) => {
    const url = await takeUrl();
    const store = await openStoreAt(url);
    const list = () => store.read('a', (tx) => tx.things.listIdsAfter({ limit: 10 }));
    await withConnection(url, async (query) => {
      await query(`BEGIN; LOCK TABLE stockroom.${table} IN ACCESS EXCLUSIVE MODE`);
      const results = await Promise.allSettled([list(), putRows(store, [createThing('1')])]);
      expect(results).toMatchObject([
        { reason: expect.any(StoreUnavailable) as unknown },
        { reason: expect.any(StoreUnavailable) as unknown },
      ]);
    });
    await putRows(store, [createThing('2')]);
    expect((await list()).ids).toEqual(['2']);
  },
);

test('a store whose server accepts no changes is unavailable, although reads succeed, until it does again', async () => {
  const url = await takeUrl();
  const store = await openStoreAt(url, { pollMs: 50 });
  await putRows(store, [createThing('1')]);
  const name = new URL(url).pathname.slice(1);
  const setReadOnly = (value: string) =>
    runSql(
      url,
      `ALTER DATABASE ${name} SET default_transaction_read_only = ${value}`,
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()',
    );
  onTestFinished(() => void setReadOnly('off'));
  await setReadOnly('on');
  await expect.poll(() => store.unavailableReason).toContain('read-only');
  for (let round = 0; round < 5; round += 1) {
    expect(await store.read('a', (tx) => tx.things.count())).toBe(1);
    expect(store.unavailableReason).toContain('read-only');
  }
  await runSql(url, 'SET default_transaction_read_only = off', `ALTER DATABASE ${name} RESET default_transaction_read_only`);
  await setReadOnly('off');
  await expect.poll(() => store.unavailableReason).toBeUndefined();
  await putRows(store, [createThing('2')]);
});
