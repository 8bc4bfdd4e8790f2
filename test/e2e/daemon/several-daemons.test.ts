/** Daemons that share a PostgreSQL database: who they are, what a test clock excludes, and what becomes of the work of a killed one. */
import { request } from 'undici';
import { expect, test } from 'vitest';
import type { DaemonStatus } from '../../../src/platform/daemon-state.ts';
import { type Home, makeHome } from '../../support/cli/home.ts';
import { getKey } from '../../support/cli/daemon.ts';
import { createDatabase } from '../../support/postgres/databases.ts';
import { runSql } from '../../support/postgres/sql.ts';
import { startReceiver } from '../../support/servers/webhook-receiver.ts';

async function startHome() {
  const database = await createDatabase();
  const home = await makeHome();
  const env = { STOCKROOM_STORE: database.url };
  const start = (name: string, ...args: readonly string[]) =>
    home.json(['daemon', 'start', '--port', '0', '--data-dir', home.path(name), ...args], { env });
  return {
    home,
    url: database.url,
    start,
    async startRunning(name: string, ...args: readonly string[]): Promise<DaemonStatus> {
      const { exit, body, stderr } = await start(name, ...args);
      if (exit !== 0) throw new Error(`${stderr} ${JSON.stringify(body)}`);
      return body.data as DaemonStatus;
    },
    async [Symbol.asyncDispose]() {
      await home[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

const getStatus = async (home: Home, name: string) => (await home.json(['daemon', 'status', '--data-dir', home.path(name)])).body.data;

async function send(url: string, key: string, method: 'GET' | 'POST', path: string, body?: unknown, idempotencyKey?: string) {
  const reply = await request(`${url}${path}`, {
    method,
    headers: {
      'x-api-key': key,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: reply.statusCode, text: await reply.body.text() };
}

test('daemon status lists the live daemons of the database, in JSON and as text', async () => {
  await using s = await startHome();
  const one = await s.startRunning('one');
  expect((await getStatus(s.home, 'one')).daemons).toMatchObject([{ instanceId: one.instanceId, url: one.url, testClock: false }]);
  const two = await s.startRunning('two');
  for (const name of ['one', 'two']) {
    const { daemons } = await getStatus(s.home, name);
    expect(daemons.map(({ url }: DaemonStatus) => url)).toEqual([one.url, two.url]);
  }
  const { stdout } = await s.home.terminal(['daemon', 'status', '--data-dir', s.home.path('two')], { columns: 120 });
  expect(stdout).toMatch(new RegExp(`Daemons +2 use the database: this one, ${String(one.url)}`, 'u'));
  await s.home.run(['daemon', 'stop', '--data-dir', s.home.path('one')]);
  expect((await getStatus(s.home, 'two')).daemons.map(({ url }: DaemonStatus) => url)).toEqual([two.url]);
  // It has given everything back.
  const { rows } = await runSql(s.url, `SELECT name FROM stockroom.leases WHERE owner = '${String(one.instanceId)}'`);
  expect(rows).toEqual([]);
});

test('a daemon with a test clock does not start next to others, nor others next to it: exit 7', async () => {
  await using s = await startHome();
  const one = await s.startRunning('one');
  const refused = await s.start('two', '--test-clock');
  expect([refused.exit, refused.body.error.message]).toEqual([7, expect.stringContaining(String(one.url))]);
  await s.home.run(['daemon', 'stop', '--data-dir', s.home.path('one')]);
  const clocked = await s.start('two', '--test-clock');
  expect(clocked.exit, clocked.stderr).toBe(0);
  expect((await getStatus(s.home, 'two')).daemons).toMatchObject([{ testClock: true }]);
  expect((await s.start('one')).exit).toBe(7);
});

test('two daemons admit exactly the limit of a key together', async () => {
  await using s = await startHome();
  const limited = ['--tier', 'elevated=120'];
  const daemons = [await s.startRunning('one', ...limited), await s.startRunning('two', ...limited)];
  const key = getKey(s.home);
  const replies = await Promise.all(Array.from({ length: 200 }, (_, index) => send(String(daemons[index % 2]!.url), key, 'GET', '/v1')));
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(120);
  expect(replies.filter(({ status }) => status === 429)).toHaveLength(80);
});

test('the deliveries of a daemon that is killed are taken over when its leases have expired', async () => {
  await using s = await startHome();
  await using receiver = await startReceiver();
  const daemons = [await s.startRunning('one'), await s.startRunning('two')];
  const key = getKey(s.home);
  const add = async ({ url }: DaemonStatus, path: string, body: unknown) => {
    const { status, text } = await send(String(url), key, 'POST', path, body, JSON.stringify(body));
    expect(status, text).toBe(201);
  };
  await add(daemons[0]!, '/v1/webhooks', { name: 'Shop', targetUrl: receiver.url, subscribedEvents: ['inventory.item.created'] });
  await add(daemons[1]!, '/v1/items', { name: 'Bolt' });
  await receiver.count(1);
  const getOwner = async () => {
    const { rows } = await runSql(s.url, `SELECT owner FROM stockroom.leases WHERE name LIKE 'endpoints/%'`);
    return (rows as { owner: string }[])[0]?.owner;
  };
  const ownerId = await getOwner();
  const owner = daemons.find(({ instanceId }) => instanceId === ownerId)!;
  const survivor = daemons.find((daemon) => daemon !== owner)!;
  process.kill(owner.pid!, 'SIGKILL');
  await add(survivor, '/v1/items', { name: 'Nut' });
  await receiver.count(2);
  expect(await getOwner()).toBe(survivor.instanceId);
});
