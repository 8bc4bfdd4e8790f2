/** Daemons that hang or die while they hold a lock: the others continue. */
import { expect, onTestFinished, test } from 'vitest';
import { StoreUnavailable } from '../../../src/domain/kernel/ports.ts';
import { openDatabaseState } from '../../../src/store/postgres/index.ts';
import { startDatabaseProxy } from '../../support/postgres/proxy.ts';
import { runSql, withConnection } from '../../support/postgres/sql.ts';
import { createThing } from '../fixtures.ts';
import { putRows } from '../transactions.ts';
import { openStoreAt, takeUrl } from './stores.ts';

const LOCKED = Array.from({ length: 30 }, (_, at) => `locked-${String(at)}`);

test('a locked tenant head does not block other tenants', async () => {
  const url = await takeUrl();
  const store = await openStoreAt(url);
  for (const tenant of [...LOCKED, 'free']) await putRows(store, [createThing('1')], tenant);
  await withConnection(url, async (query) => {
    await query(`BEGIN; SELECT FROM stockroom.tenant_heads WHERE tenant LIKE 'locked-%' FOR UPDATE`);
    let isFirstRejected = false;
    const waiting = LOCKED.map((tenant) => putRows(store, [createThing('2')], tenant));
    for (const each of waiting) each.catch(() => (isFirstRejected = true));
    for (let round = 2; round < 12; round += 1) {
      await putRows(store, [createThing(String(round))], 'free');
      expect(await store.read('free', (tx) => tx.things.count())).toBe(round);
    }
    // All of that took less time than one of the others waits.
    expect(isFirstRejected).toBe(false);
    for (const each of await Promise.allSettled(waiting)) expect(each).toMatchObject({ reason: expect.any(StoreUnavailable) as unknown });
    expect(store.unavailableReason).toBeUndefined();
  });
  await putRows(store, [createThing('2')], LOCKED[0]);
});

test('a daemon that hangs in a transaction blocks its tenant for some seconds only', async () => {
  const url = await takeUrl();
  const proxy = await startDatabaseProxy(url);
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  const [hanging, other] = [await openStoreAt(proxy.url), await openStoreAt(url)];
  await putRows(other, [createThing('1')]);
  proxy.fault = { at: 'begin', kind: 'freeze' };
  const hung = putRows(hanging, [createThing('2')]).catch(() => undefined);
  await expect.poll(() => proxy.fault).toBeUndefined();
  const put = () =>
    putRows(other, [createThing('3')]).then(
      () => true,
      () => false,
    );
  const startedAt = performance.now();
  await expect.poll(put, { timeout: 25_000 }).toBe(true);
  // The server ends the transaction after five seconds; before, it took thirty.
  expect(performance.now() - startedAt).toBeLessThan(20_000);
  await hung;
});

test('a daemon that dies while it joins does not keep others from joining', async () => {
  const url = await takeUrl();
  const proxy = await startDatabaseProxy(url);
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  const join = async (address: string, instanceId: string) => {
    const store = await openStoreAt(address);
    const state = await openDatabaseState({
      database: store.database,
      self: { instanceId, version: '1', hasTestClock: false },
      onError: () => undefined,
    });
    onTestFinished(() => state.close());
    return state;
  };
  proxy.fault = { at: 'join', kind: 'freeze' };
  const dead = join(proxy.url, 'dead').catch(() => undefined);
  await expect.poll(() => proxy.fault).toBeUndefined();
  const state = await join(url, 'living');
  expect((await state.members.list()).map(({ instanceId }) => instanceId)).toEqual(['living']);
  proxy.cut();
  await dead;
});

test('what other roles hold with advisory locks keeps no daemon from starting', async () => {
  const url = await takeUrl();
  await runSql(url, 'DROP SCHEMA stockroom CASCADE');
  await withConnection(url, async (query) => {
    await query('SELECT pg_advisory_lock(7402113)');
    const store = await openStoreAt(url);
    await putRows(store, [createThing('1')]);
    expect(await store.read('a', (tx) => tx.things.count())).toBe(1);
  });
});

test('functions and operators of other roles are not used, in any session of the user', async () => {
  const url = await takeUrl();
  await runSql(
    url,
    `CREATE FUNCTION public.steal(text[], text[]) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'stolen'; END $$`,
    'CREATE OPERATOR public.&& (LEFTARG = text[], RIGHTARG = text[], FUNCTION = public.steal)',
    `CREATE FUNCTION public.unnest(text[]) RETURNS SETOF text LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'stolen'; END $$`,
  );
  onTestFinished(async () => {
    await runSql(
      url,
      'DROP OPERATOR public.&& (text[], text[])',
      'DROP FUNCTION public.steal(text[], text[])',
      'DROP FUNCTION public.unnest(text[])',
    );
  });
  const store = await openStoreAt(url);
  await putRows(store, [createThing('1', { tags: ['red'] }), createThing('2')]);
  const found = () => store.read('a', (tx) => tx.things.listIdsAfter({ where: [{ field: 'tags', equals: 'red' }], limit: 5 }));
  expect((await found()).ids).toEqual(['1']);
  expect((await runSql(url, 'SHOW search_path')).rows).toEqual([{ search_path: 'pg_catalog, pg_temp' }]);
  // As a pooler that has other settings for a connection.
  await store.database.use(async (connection) => {
    await connection.execute('SET search_path = public, pg_catalog');
    const statement = { name: 'lookup', text: 'SELECT value FROM pg_catalog.unnest($1::text[]) AS value', timeoutMs: 5_000 };
    expect(await connection.query(statement, [['x']])).toEqual([['x']]);
    await connection.execute('RESET search_path');
  });
});

test('a tenant whose last change is dated in the future is not changed', async () => {
  const url = await takeUrl();
  const store = await openStoreAt(url, { maxAheadMs: 60_000 });
  await putRows(store, [createThing('1')]);
  const setAhead = (seconds: number) =>
    runSql(url, `UPDATE stockroom.tenant_heads SET last_at = ${String(Date.now() + seconds * 1_000)} WHERE tenant = 'a'`);
  await setAhead(86_400);
  await expect(putRows(store, [createThing('2')])).rejects.toThrow(/last change is dated .*, in the future.*stockroom doctor --repair/u);
  await putRows(store, [createThing('1')], 'b');
  expect(store.unavailableReason).toBeUndefined();
  await setAhead(30);
  await putRows(store, [createThing('3')]);
});
