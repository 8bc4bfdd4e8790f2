/** Packets to the database are dropped without a word: requests get 503, the daemon recovers by itself, and starts and stops end. */
import { setTimeout as delay } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import { request } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { createDatabase } from '../../support/postgres/databases.ts';
import { makeDatabaseHome } from '../../support/postgres/homes.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../../support/postgres/proxy.ts';
import { startPostgresServer } from '../../support/postgres/server.ts';
import { runSql } from '../../support/postgres/sql.ts';
import { createDaemonApi } from '../../support/service/daemon-api.ts';

/** Each statement of a start takes at most some seconds without an answer; the rest is for a busy machine. */
const START_LIMIT_MS = 40_000;

async function openShop(args: readonly string[] = [], prepare: (proxy: DatabaseProxy) => void = () => undefined) {
  const stack = new AsyncDisposableStack();
  onTestFinished(() => stack.disposeAsync());
  const database = stack.use(await createDatabase());
  const proxy = stack.use(await startDatabaseProxy(database.url));
  const home = stack.use(await makeDatabaseHome(proxy.url));
  prepare(proxy);
  const { url } = await home.start(['--tier', 'bulk=1000000', '--drain-seconds', '0', ...args]);
  const { body: created } = await home.home.json(['keys', 'create', '--all-scopes', '--tier', 'bulk']);
  const key = (created as { secret: string }).secret;
  const send = async (method: 'GET' | 'POST', body?: string) => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json', ...(body && { 'idempotency-key': randomUUID() }) };
    const reply = await request(`${url!}/v1/items`, { method, headers, ...(body && { body }) });
    await reply.body.dump();
    return { status: reply.statusCode, retryAfter: reply.headers['retry-after'] };
  };
  const checkReadiness = async () => {
    const { statusCode, body } = await request(`${url!}/readyz`);
    await body.dump();
    return statusCode;
  };
  return { proxy, home: home.home, start: home.start, send, checkReadiness };
}

test('while packets are dropped requests get 503 and the daemon is not ready; it recovers by itself', async () => {
  const { proxy, home, send, checkReadiness } = await openShop();
  expect((await send('POST', '{"name":"Bolt"}')).status).toBe(201);
  proxy.isBlackHole = true;
  await expect.poll(checkReadiness, { timeout: 60_000 }).toBe(503);
  const readiness: number[] = [];
  const ended = new AbortController();
  const watching = (async () => {
    for (; !ended.signal.aborted; await delay(100)) readiness.push(await checkReadiness());
  })();
  for (let round = 0; round < 3; round += 1) {
    const replies = await Promise.all([send('GET'), send('POST', '{"name":"Nut"}'), send('GET')]);
    expect(replies.map(({ status }) => status)).toEqual([503, 503, 503]);
    for (const { retryAfter } of replies) expect(retryAfter).toBeDefined();
  }
  ended.abort();
  await watching;
  expect(new Set(readiness)).toEqual(new Set([503]));
  proxy.isBlackHole = false;
  proxy.cut();
  await expect.poll(checkReadiness, { timeout: 60_000 }).toBe(200);
  expect((await send('POST', '{"name":"Nut"}')).status).toBe(201);
  expect(await home.json(['doctor'])).toMatchObject({ exit: 0 });
});

test('a stop while packets are dropped ends within ten seconds and some', async () => {
  const { proxy, home, send, checkReadiness } = await openShop();
  proxy.isBlackHole = true;
  await expect.poll(checkReadiness, { timeout: 60_000 }).toBe(503);
  const requests = Promise.allSettled([send('GET'), send('POST', '{"name":"Nut"}')]);
  const startedAt = performance.now();
  expect(await home.json(['daemon', 'stop', '--timeout', '60'])).toMatchObject({ exit: 0 });
  // The limit is ten seconds; the rest is for a busy machine.
  expect(performance.now() - startedAt).toBeLessThan(20_000);
  await requests;
});

test('a daemon whose server is replaced by a read-only standby is not ready and rejects changes, until the standby is promoted', async () => {
  await using server = await startPostgresServer({ durable: true });
  await using proxy = await startDatabaseProxy(server.url);
  await using shop = await makeDatabaseHome(proxy.url);
  const { home } = shop;
  const { url } = await shop.start(['--tier', 'bulk=1000000', '--drain-seconds', '0']);
  const { body } = await home.json(['keys', 'create', '--all-scopes', '--tier', 'bulk']);
  const api = createDaemonApi(() => url!, (body as { secret: string }).secret);
  const create = (name: string) => api.send('POST', '/v1/items', { name });
  const standby = await server.startStandby();
  expect((await create('before')).status).toBe(201);
  await expect.poll(async () => (await runSql(standby.url, 'SELECT FROM stockroom.items_rows')).rowCount).toBe(1);
  proxy.target = standby.url;
  proxy.cut();
  await server.kill();
  await expect.poll(() => api.checkReadiness()).toEqual({ status: 503, reason: 'store unavailable' });
  // Also the first one, on a new connection.
  for (const name of ['first', 'second'])
    expect(await create(name)).toMatchObject({ status: 503, code: 'STORE_UNAVAILABLE', retryAfter: expect.any(String) as string });
  // Reads count against the rate limit of their key, which is a change.
  expect(await api.send('GET', '/v1/items')).toMatchObject({ status: 503, retryAfter: expect.any(String) as string });
  expect(await api.checkReadiness()).toEqual({ status: 503, reason: 'store unavailable' });
  await standby.promote();
  await expect.poll(async () => (await api.checkReadiness()).status).toBe(200);
  expect((await create('after')).status).toBe(201);
  const { body: list } = await api.send('GET', '/v1/items');
  expect((list.data as { name: string }[]).map(({ name }) => name).toSorted()).toEqual(['after', 'before']);
  expect(await home.json(['doctor'])).toMatchObject({ exit: 0 });
  expect((await home.json(['daemon', 'status'])).body.data).not.toHaveProperty('lostCommits');
});

test('a start ends with exit code 7 when packets are dropped, and returns in time whatever gets no answer', async () => {
  await using database = await createDatabase();
  await using proxy = await startDatabaseProxy(database.url);
  await using shop = await makeDatabaseHome(proxy.url);
  const { home, store } = shop;
  const start = () => home.json(['daemon', 'start', '--port', '0', '--store', store, '--drain-seconds', '0']);
  proxy.isBlackHole = true;
  expect(await start()).toMatchObject({ exit: 7, body: { error: { code: 'STORE' } } });
  proxy.isBlackHole = false;
  for (const at of ['connect', 'join', 'begin', 'listen'] as const)
    for (const kind of ['swallow', 'freeze'] as const) {
      proxy.fault = { at, kind };
      const startedAt = performance.now();
      const { exit } = await start();
      expect([at, kind, performance.now() - startedAt < START_LIMIT_MS]).toEqual([at, kind, true]);
      expect([0, 7]).toContain(exit);
      // Without notifications a daemon works as well.
      if (at === 'listen') expect(exit).toBe(0);
      await expect.poll(() => proxy.fault).toBeUndefined();
      if (exit === 7) expect(await start()).toMatchObject({ exit: 0 });
      expect(await home.json(['daemon', 'stop'])).toMatchObject({ exit: 0 });
    }
  expect(await start()).toMatchObject({ exit: 0 });
  expect(await home.json(['doctor'])).toMatchObject({ exit: 0 });
});
