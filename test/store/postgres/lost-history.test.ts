/** A server that crashes or is replaced and has lost commits: nothing that is gone is acknowledged or served. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { StoreUnavailable } from '../../../src/domain/kernel/ports.ts';
import { startDatabaseProxy } from '../../support/postgres/proxy.ts';
import { type PostgresServer, startPostgresServer } from '../../support/postgres/server.ts';
import { runSql, withConnection } from '../../support/postgres/sql.ts';
import { createThing } from '../fixtures.ts';
import { putRows } from '../transactions.ts';
import { type ThingStore, openStoreAt } from './stores.ts';

// Commits of sessions with `synchronous_commit = off` are lost in a crash, unless something else has written the log since.
const SETTINGS = ['synchronous_commit = off', "wal_writer_delay = '10s'", 'wal_writer_flush_after = 1GB'];
let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgresServer({ durable: true, settings: SETTINGS });
});
afterAll(() => server[Symbol.asyncDispose]());

/** An address of a database that no other test uses. */
async function createDatabase(): Promise<string> {
  const name = `d${randomBytes(4).toString('hex')}`;
  await runSql(server.url, `CREATE DATABASE ${name}`);
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  return url.href;
}

/** Commits transactions of another program until the server has given this many numbers of transactions again. */
const useTransactionIds = (url: string, count: number) =>
  withConnection(url, async (query) => {
    await query('CREATE TABLE IF NOT EXISTS public.other (id integer)');
    for (let used = 0; used < count; used += 1) await query('INSERT INTO public.other VALUES (1)');
  });

const readSizes = (store: ThingStore) =>
  store.read('a', async (tx) => (await tx.things.listAfter({ limit: 100 })).rows.map(({ size }) => size));

test('a change that a crash has lost is rejected and not cached, although another transaction gets its number', async () => {
  const url = await createDatabase();
  const proxy = await startDatabaseProxy(url);
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  const store = await openStoreAt(proxy.url, { pollMs: 50 });
  await putRows(store, [createThing('1', { size: 1 })]);
  expect(await readSizes(store)).toEqual([1]);
  await runSql(server.adminUrl, 'CHECKPOINT');
  proxy.fault = { at: 'commit', kind: 'swallow' };
  const change = putRows(store, [createThing('1', { size: 2 })]);
  const outcome = change.then(
    () => 'acknowledged',
    (error: unknown) => error,
  );
  await expect.poll(() => proxy.fault).toBeUndefined();
  proxy.isDown = true;
  await server.kill();
  proxy.cut();
  await server.start();
  await useTransactionIds(url, 20);
  proxy.isDown = false;
  expect(await outcome).toBeInstanceOf(StoreUnavailable);
  expect(await readSizes(store)).toEqual([1]);
  await putRows(store, [createThing('2', { size: 3 })]);
  expect(await readSizes(store)).toEqual([1, 3]);
});

test('nothing of commits that a server has lost is served, whatever was committed since', async () => {
  const url = await createDatabase();
  const store = await openStoreAt(url, { pollMs: 60_000 });
  await putRows(store, [createThing('1', { size: 1 })]);
  await runSql(server.adminUrl, 'CHECKPOINT');
  await putRows(store, [createThing('1', { size: 2 })]);
  await putRows(store, [createThing('2', { size: 3 })]);
  expect(await readSizes(store)).toEqual([2, 3]);
  await server.kill();
  await server.start();
  const other = await openStoreAt(url);
  expect(await readSizes(other)).toEqual([1]);
  // As many commits and changes of the table as were lost.
  await putRows(other, [createThing('3', { size: 4 })]);
  await putRows(other, [createThing('4', { size: 5 })]);
  await expect.poll(() => readSizes(store).catch(() => [])).toEqual([1, 4, 5]);
});

test('a store whose server has lost commits says which, and reports the tables as changed', async () => {
  const url = await createDatabase();
  const notices: unknown[] = [];
  const commits = vi.fn<(commit: unknown) => void>();
  const store = await openStoreAt(url, { pollMs: 50, onNotice: (notice) => notices.push(notice) });
  await putRows(store, [createThing('1', { size: 1 })]);
  await runSql(server.adminUrl, 'CHECKPOINT');
  for (const size of [2, 3]) await putRows(store, [createThing('1', { size })]);
  store.onCommit(commits);
  await server.kill();
  await server.start();
  await expect.poll(() => store.lostCommits).toEqual([{ tenant: 'a', first: 2, last: 3 }]);
  expect(await readSizes(store)).toEqual([1]);
  expect(notices).toContainEqual(expect.objectContaining({ message: 'the database has lost commits: 2 to 3 of tenant a' }));
  expect(commits).toHaveBeenCalledWith({
    tenant: 'a',
    sequence: 1,
    changes: [{ table: 'things', id: undefined, added: true, removed: true }],
  });
});
