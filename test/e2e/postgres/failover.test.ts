/**
 * Daemons whose server crashes, or is replaced by a standby, while clients work: what was acknowledged is there once, or named as lost by the
 * failover of an asynchronous standby. TEST_CRASHES and TEST_FAILOVERS change the number of rounds.
 */
import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Home } from '../../support/cli/home.ts';
import { isLongRun } from '../../support/long-run.ts';
import { type DatabaseHome, makeDatabaseHome } from '../../support/postgres/homes.ts';
import { SERVER_VERSIONS } from '../../support/postgres/programs.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../../support/postgres/proxy.ts';
import { type PostgresServer, type PostgresServerOptions, startPostgresServer } from '../../support/postgres/server.ts';
import { runSql, withConnection } from '../../support/postgres/sql.ts';
import { type FailoverClient, createFailoverClient } from '../../support/service/failover-client.ts';
import { type StockWork, doStockWork, openStockWork, verifyStockWork } from '../../support/service/stock-work.ts';

const CRASHES = Number(process.env['TEST_CRASHES'] ?? (isLongRun ? 100 : 10));
const FAILOVERS = Number(process.env['TEST_FAILOVERS'] ?? (isLongRun ? 10 : 1));
const FLAGS = ['--tier', 'bulk=1000000', '--drain-seconds', '0'];
const CLIENTS = 6;
const MAX_WORK_MS = 500;
/** Transactions of other programs, which get the numbers of those that the crash has lost. */
const OTHER_TRANSACTIONS = 20;

interface Shop {
  readonly server: PostgresServer;
  /** Between the first daemon and the server, and for a failover also between the second and the server. */
  readonly proxy: DatabaseProxy;
  readonly homes: readonly Home[];
  readonly urls: string[];
  readonly client: FailoverClient;
  readonly work: StockWork;
  /** Starts one more daemon, which knows nothing of what was. */
  startDaemon(url: string): Promise<DatabaseHome>;
}

/** Two daemons, which end with the test. */
async function openShop(stack: AsyncDisposableStack, options: PostgresServerOptions, hasProxyForAll: boolean): Promise<Shop> {
  const server = stack.use(await startPostgresServer({ durable: true, ...options }));
  const proxy = stack.use(await startDatabaseProxy(server.url));
  const homes: Home[] = [];
  const urls: string[] = [];
  const startDaemon = async (url: string): Promise<DatabaseHome> => {
    const home = stack.use(await makeDatabaseHome(url));
    urls.push((await home.start(FLAGS)).url!);
    homes.push(home.home);
    return home;
  };
  const first = await startDaemon(proxy.url);
  await startDaemon(hasProxyForAll ? proxy.url : server.url);
  const { body } = await first.home.json(['keys', 'create', '--all-scopes', '--tier', 'bulk']);
  const client = stack.use(createFailoverClient(() => urls, (body as { secret: string }).secret));
  const work = await openStockWork(client);
  return { server, proxy, homes, urls, client, work, startDaemon };
}

/** Works until `disturb` has ended. */
async function workDuring({ client, work }: Shop, disturb: () => Promise<unknown>, mayLose = false): Promise<void> {
  let isOver = false;
  const working = doStockWork(client, work, { clients: CLIENTS, isOver: () => isOver, mayLose });
  // Reported where it is awaited.
  working.catch(() => undefined);
  try {
    await disturb();
  } finally {
    isOver = true;
  }
  await working;
}

async function readLostCommits(home: Home): Promise<{ tenant: string | null; first: number; last: number }[]> {
  const { body } = await home.json(['daemon', 'status']);
  return (body.data.lostCommits ?? []) as { tenant: string | null; first: number; last: number }[];
}

async function expectIntegrity({ homes }: Shop): Promise<void> {
  for (const home of homes) expect(await home.json(['doctor'])).toMatchObject({ exit: 0, body: { data: { ok: true } } });
}

describe.each(SERVER_VERSIONS)('PostgreSQL of $name', ({ version }) => {
  test('crashes with a COMMIT under way lose nothing that was acknowledged, and nothing that was lost is served', async () => {
    await using stack = new AsyncDisposableStack();
    const shop = await openShop(stack, { version }, false);
    const { server, proxy, client, work } = shop;
    await runSql(server.url, 'CREATE TABLE public.other (id integer)');
    for (let round = 0; round < CRASHES; round += 1) {
      await workDuring(shop, async () => {
        await delay(randomInt(MAX_WORK_MS));
        if (round % 2 === 0) {
          proxy.fault = { at: 'commit', kind: 'swallow' };
          await expect.poll(() => proxy.fault, { interval: 1 }).toBeUndefined();
        }
        await server.kill();
        proxy.cut();
        await server.start();
        await withConnection(server.url, async (query) => {
          for (let used = 0; used < OTHER_TRANSACTIONS; used += 1) await query('INSERT INTO public.other VALUES (1)');
        });
      });
      await verifyStockWork(client, work, 2);
    }
    await expectIntegrity(shop);
    for (const home of shop.homes) expect(await readLostCommits(home)).toEqual([]);
  });

  test.each(['synchronous', 'asynchronous'] as const)('a failover to a standby with %s replication leaves no mixture', async (mode) => {
    for (let round = 0; round < FAILOVERS; round += 1) {
      await using stack = new AsyncDisposableStack();
      const shop = await openShop(stack, { version, settings: ['synchronous_commit = local'] }, true);
      const lost = mode === 'synchronous' ? await failOverSynchronously(shop) : await failOverAsynchronously(shop);
      const all = (await Promise.all(shop.homes.map((home) => readLostCommits(home)))).flat();
      // Without those of the whole service, such as when a key was last used, which is written once a minute.
      const named = new Set(all.map(({ tenant }) => tenant).filter((tenant) => tenant !== null));
      expect([lost > 0, named]).toEqual(mode === 'synchronous' ? [false, new Set()] : [true, new Set(['local'])]);
      await workDuring(shop, () => delay(MAX_WORK_MS));
      await verifyStockWork(shop.client, shop.work, shop.urls.length);
      await expectIntegrity(shop);
    }
  });
});

/** Returns how many acknowledged changes are lost. */
async function failOverSynchronously(shop: Shop): Promise<number> {
  const { server, proxy } = shop;
  const standby = await server.startStandby();
  await runSql(
    server.adminUrl,
    `ALTER SYSTEM SET synchronous_commit = on`,
    `ALTER SYSTEM SET synchronous_standby_names = 'standby'`,
    'SELECT pg_reload_conf()',
  );
  await workDuring(shop, async () => {
    await delay(MAX_WORK_MS);
    await server.kill();
    proxy.target = standby.url;
    proxy.cut();
    await standby.promote();
  });
  await shop.startDaemon(standby.url);
  return verifyStockWork(shop.client, shop.work, shop.urls.length);
}

async function failOverAsynchronously(shop: Shop): Promise<number> {
  const { server, proxy, homes } = shop;
  const standby = await server.startStandby();
  await workDuring(
    shop,
    async () => {
      await delay(MAX_WORK_MS);
      // What is committed from now on does not reach the standby.
      await runSql(standby.adminUrl, `ALTER SYSTEM SET primary_conninfo = ''`, 'SELECT pg_reload_conf()');
      await expect.poll(async () => (await runSql(server.adminUrl, 'SELECT FROM pg_stat_replication')).rowCount).toBe(0);
      await delay(MAX_WORK_MS);
      await server.kill();
      proxy.target = standby.url;
      proxy.cut();
      await standby.promote();
      for (const home of homes) await expect.poll(() => readLostCommits(home)).not.toEqual([]);
    },
    true,
  );
  await shop.startDaemon(standby.url);
  return verifyStockWork(shop.client, shop.work, shop.urls.length, true);
}
