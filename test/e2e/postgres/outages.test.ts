/** A database that goes away, rejects or blocks while a daemon runs: requests get 503, and the daemon continues when it is back. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Dispatcher, request } from 'undici';
import { describe, expect, test } from 'vitest';
import { getData } from '../../support/cli/daemon.ts';
import { type DatabaseHome, makeDatabaseHome } from '../../support/postgres/homes.ts';
import { type PostgresServer, startPostgresServer } from '../../support/postgres/server.ts';
import { runSql, withConnection } from '../../support/postgres/sql.ts';

/** After which a request that waits for a lock is rejected. */
const LOCK_WAIT_MS = 5_000;
const TERMINATE = 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()';

interface Shop extends AsyncDisposable {
  readonly server: PostgresServer;
  readonly home: DatabaseHome;
  /** Status of an attempt to create an item, with the error code. */
  write(): Promise<string>;
  read(): Promise<string>;
  /** Status of the check by which a load balancer decides whether to send requests. */
  checkReadiness(): Promise<number>;
}

async function openShop(): Promise<Shop> {
  const stack = new AsyncDisposableStack();
  const server = stack.use(await startPostgresServer({ durable: true }));
  const home = stack.use(await makeDatabaseHome(server.url));
  const { url } = await home.start(['--tier', 'bulk=1000000']);
  const { body: created } = await home.home.json(['keys', 'create', '--all-scopes', '--tier', 'bulk']);
  let counter = 0;
  const send = async (method: Dispatcher.HttpMethod, body?: string): Promise<string> => {
    const headers = {
      'x-api-key': (created as { secret: string }).secret,
      'content-type': 'application/json',
      ...(body && { 'idempotency-key': `outage-${String((counter += 1))}` }),
    };
    const reply = await request(`${url!}/v1/items`, { method, headers, ...(body && { body }) });
    const { error } = (await reply.body.json()) as { error?: { code: string } };
    if (reply.statusCode === 503) expect(reply.headers['retry-after']).toBeDefined();
    return [reply.statusCode, error?.code].filter((part) => part !== undefined).join(' ');
  };
  const write = () => send('POST', '{"name":"Bolt"}');
  const read = () => send('GET');
  const checkReadiness = async () => {
    const { statusCode, body } = await request(`${url!}/readyz`);
    await body.dump();
    return statusCode;
  };
  expect([await write(), await read(), await checkReadiness()]).toEqual(['201', '200', 200]);
  return { server, home, write, read, checkReadiness, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** The daemon continues by itself, and has lost nothing. */
async function expectRecovery({ home, write, read, checkReadiness }: Shop): Promise<void> {
  // Before any request: a load balancer sends none until the daemon is ready.
  await expect.poll(checkReadiness).toBe(200);
  await expect.poll(write).toBe('201');
  await expect.poll(read).toBe('200');
  expect(await home.home.json(['doctor'])).toMatchObject({ exit: 0 });
}

const UNAVAILABLE = '503 STORE_UNAVAILABLE';

test('requests succeed after the server has ended all connections', async () => {
  await using shop = await openShop();
  await runSql(shop.server.url, TERMINATE);
  expect(await shop.write()).toBe('201');
  await expectRecovery(shop);
});

describe('requests get 503 until the daemon has recovered, when', () => {
  test.for(['stop', 'kill'] as const)('the server is gone after %s', async (way) => {
    await using shop = await openShop();
    await shop.server[way]();
    await expect.poll(shop.write).toBe(UNAVAILABLE);
    expect(await shop.read()).toBe(UNAVAILABLE);
    expect(await shop.checkReadiness()).toBe(503);
    const status = await shop.home.home.json(['daemon', 'status']);
    expect(status).toMatchObject({ exit: 7, body: { data: { status: 'running', ready: false, reason: 'store unavailable' } } });
    const shown = await shop.home.home.terminal(['daemon', 'status'], { columns: 200 });
    expect([shown.exit, shown.stdout]).toEqual([7, expect.stringContaining('running, not ready: store unavailable')]);
    expect((await shop.home.home.run(['daemon', 'list'])).stdout).toContain('store unavailable');
    await shop.server.start();
    await expectRecovery(shop);
    const log = readFileSync(join(getData(shop.home.home), 'daemon.log'), 'utf8');
    const countLines = (text: string) => log.split('\n').filter((line) => line.includes(text)).length;
    // Background work, which fails several times a second, does not add a line each time.
    expect([countLines('"kind":"unavailable"'), countLines('"kind":"recovered"'), countLines('"stack"')]).toEqual([1, 1, 0]);
    expect(countLines('"err":')).toBeLessThanOrEqual(2);
  });

  test('the server allows no more connections', async () => {
    await using shop = await openShop();
    await runSql(shop.server.adminUrl, 'ALTER DATABASE stockroom CONNECTION LIMIT 0');
    await runSql(shop.server.adminUrl, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'stockroom'`);
    await expect.poll(shop.write).toBe(UNAVAILABLE);
    await runSql(shop.server.adminUrl, 'ALTER DATABASE stockroom CONNECTION LIMIT -1');
    await expectRecovery(shop);
  });

  test('the database becomes read-only, as one that is no longer the primary', async () => {
    await using shop = await openShop();
    await runSql(shop.server.adminUrl, 'ALTER SYSTEM SET default_transaction_read_only = on', 'SELECT pg_reload_conf()');
    await expect.poll(shop.write).toBe(UNAVAILABLE);
    await runSql(shop.server.adminUrl, 'ALTER SYSTEM RESET default_transaction_read_only', 'SELECT pg_reload_conf()');
    await expectRecovery(shop);
  });

  test.for([
    ['the row that transactions of a tenant lock', 'SELECT FROM stockroom.tenant_heads FOR UPDATE'],
    ['a table, as its maintenance does', 'LOCK TABLE stockroom.items_rows IN ACCESS EXCLUSIVE MODE'],
  ] as const)('another session locks %s for longer than five seconds', async ([, lock]) => {
    await using shop = await openShop();
    await withConnection(shop.server.url, async (query) => {
      await query('BEGIN');
      await query(lock);
      const startedAt = performance.now();
      expect(await shop.write()).toBe(UNAVAILABLE);
      const waitedMs = performance.now() - startedAt;
      expect(waitedMs).toBeGreaterThan(LOCK_WAIT_MS - 100);
      expect(waitedMs).toBeLessThan(3 * LOCK_WAIT_MS);
      await query('ROLLBACK');
    });
    await expectRecovery(shop);
  });
});
