/** What the command line says and does when the database has lost changes, and when a daemon on it hangs. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hasProcessEnded } from '../../../src/platform/process-ended.ts';
import { itemNames } from '../../support/cli/daemon.ts';
import type { Home } from '../../support/cli/home.ts';
import { type DatabaseHome, makeDatabaseHome } from '../../support/postgres/homes.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../../support/postgres/proxy.ts';
import { type PostgresServer, startPostgresServer } from '../../support/postgres/server.ts';
import { runSql } from '../../support/postgres/sql.ts';

const stack = new AsyncDisposableStack();
let server: PostgresServer;
let proxy: DatabaseProxy;
let shop: DatabaseHome;
let home: Home;

beforeAll(async () => {
  // A crash loses what was committed in the last ten seconds, as a failover to an asynchronous standby does.
  const settings = ['synchronous_commit = off', "wal_writer_delay = '10s'", 'wal_writer_flush_after = 1GB'];
  server = stack.use(await startPostgresServer({ durable: true, settings }));
  proxy = stack.use(await startDatabaseProxy(server.url));
  shop = stack.use(await makeDatabaseHome(proxy.url));
  ({ home } = shop);
});
afterAll(() => stack.disposeAsync());

const start = () => shop.start(['--drain-seconds', '0']);
const createItem = async (name: string): Promise<number> => (await home.json(['items', 'create', '--name', name])).exit;

test('daemon status and the log say which acknowledged changes the database has lost', async () => {
  await start();
  const readStatus = async () => (await home.json(['daemon', 'status'])).body.data as { lostCommits?: unknown };
  expect(await createItem('kept')).toBe(0);
  expect(await readStatus()).not.toHaveProperty('lostCommits');
  const lose = async (): Promise<boolean> => {
    await runSql(server.adminUrl, 'CHECKPOINT');
    const exit = await createItem('lost');
    await server.kill();
    await server.start();
    await expect.poll(async () => (await home.run(['daemon', 'wait'])).exit).toBe(0);
    return exit === 0 && !(await itemNames(home)).includes('lost');
  };
  // On a very busy machine the server may have written it before the crash.
  await expect.poll(lose, { interval: 1 }).toBe(true);
  await expect.poll(readStatus).toMatchObject({ lostCommits: [{ tenant: 'local', first: expect.any(Number) as number }] });
  const { lostCommits } = (await readStatus()) as { lostCommits: { first: number; last: number }[] };
  const [{ first, last }] = lostCommits as [{ first: number; last: number }];
  const { stdout } = await home.run(['daemon', 'status'], { columns: 100 });
  expect(stdout).toContain(
    `! The database has lost changes that were acknowledged:\n  commits ${String(first)} to ${String(last)} of tenant local`,
  );
  expect((await home.run(['daemon', 'logs'])).stdout).toContain(
    `the database has lost commits: ${String(first)} to ${String(last)} of tenant`,
  );
  expect(await home.json(['doctor'])).toMatchObject({ exit: 0 });
  expect(await home.json(['daemon', 'stop'])).toMatchObject({ exit: 0 });
});

test.each<[name: string, hang: (pid: number) => void]>([
  ['does not run', (pid) => void process.kill(pid, 'SIGSTOP')],
  ['gets no packets from its database', () => void (proxy.isBlackHole = true)],
])('daemon stop --force ends a daemon that %s, and nothing acknowledged is lost', async (name, hang) => {
  const { pid } = await start();
  expect(await createItem(name)).toBe(0);
  await runSql(server.adminUrl, 'CHECKPOINT');
  hang(pid!);
  expect(await home.json(['daemon', 'stop', '--timeout', '1', '--force'])).toMatchObject({
    exit: 0,
    body: { data: { status: 'stopped' } },
  });
  expect(hasProcessEnded(pid!)).toBe(true);
  proxy.isBlackHole = false;
  proxy.cut();
  await start();
  expect(await itemNames(home)).toContain(name);
  expect(await createItem(`after: ${name}`)).toBe(0);
  expect(await home.json(['doctor'])).toMatchObject({ exit: 0 });
  expect(await home.json(['daemon', 'stop'])).toMatchObject({ exit: 0 });
});
