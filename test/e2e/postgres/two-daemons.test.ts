/**
 * Two daemons over one database, with clients on both, whose clocks differ by half a second. One daemon is killed and started again, and
 * the database server restarts, all while the clients work: nothing that was acknowledged is lost, and nothing happens twice.
 */
import { fileURLToPath } from 'node:url';
import { request } from 'undici';
import { expect, test } from 'vitest';
import { verifyWebhook } from '../../../src/webhook-verifier/index.ts';
import { isLongRun } from '../../support/long-run.ts';
import type { Home } from '../../support/cli/home.ts';
import { readAudit, startAuditFollower } from '../../support/postgres/audit-follower.ts';
import { makeDatabaseHome } from '../../support/postgres/homes.ts';
import { type PostgresServer, startPostgresServer } from '../../support/postgres/server.ts';
import { runSql } from '../../support/postgres/sql.ts';
import { type FailoverClient, createFailoverClient } from '../../support/service/failover-client.ts';
import { create, openShop, workInShop } from '../../support/service/order-work.ts';
import { type Received, startReceiver } from '../../support/servers/webhook-receiver.ts';

const FLAGS = ['--tier', 'bulk=1000000', '--webhook-retries', '1,1,1,1,1,1'];
const SKEW_MS = 500;
/** Clients on both daemons, and the orders that they complete or try to complete in each phase. */
const PHASE = { clients: 8, orders: isLongRun ? 40 : 16 };
/** Less than the orders: the last ones are rejected. */
const STOCK = isLongRun ? 100 : 40;
const ENDPOINTS = 4;
const ANSWER_MS = 20;
/** Leases expire after 10 s; the rest is for a busy machine. */
const TAKEOVER_MS = 60_000;
const EVENTS = ['inventory.item.created', 'order.created'];

const skewed = {
  NODE_OPTIONS: `--import=${fileURLToPath(new URL('../../support/clock-skew.ts', import.meta.url))}`,
  TEST_CLOCK_SKEW_MS: String(-SKEW_MS),
};

test('two daemons lose and repeat nothing when one is killed and the database restarts', async () => {
  await using server = await startPostgresServer({ durable: true });
  // Takes a moment, so that attempts are in flight when a daemon is killed.
  await using receiver = await startReceiver((response) => void setTimeout(() => response.writeHead(200).end(), ANSWER_MS));
  await using first = await makeDatabaseHome(server.url);
  await using second = await makeDatabaseHome(server.url);

  // The first daemon is alone for a while, so that it has endpoints to lose.
  let killed = await first.start(FLAGS, skewed);
  const created = await first.home.json(['keys', 'create', '--all-scopes', '--tier', 'bulk', '--save']);
  const key = (created.body as { secret: string }).secret;
  const urls = [killed.url!];
  await using client = createFailoverClient(() => urls, key);
  const secrets = new Map<string, string>();
  for (let at = 0; at < ENDPOINTS; at += 1) {
    const draft = { name: `Endpoint ${String(at)}`, targetUrl: `${receiver.url}/${String(at)}`, subscribedEvents: EVENTS };
    const { body } = await client.send('POST', '/v1/webhooks', draft);
    secrets.set(`/hook/${String(at)}`, (body as { signingSecret: string }).signingSecret);
  }
  const shop = await openShop(client, STOCK);
  await receiver.count(ENDPOINTS);
  const survivor = await second.start(FLAGS);
  urls.push(survivor.url!);
  await using follower = startAuditFollower(client);

  await workInShop(client, shop, PHASE);

  const before = shop.completed.size;
  const hasMetKill = () => [...client.repetitions.keys()].some((reason) => !reason.startsWith('503'));
  const working = workInShop(client, shop, { ...PHASE, isOver: hasMetKill });
  await expect.poll(() => shop.completed.size, { interval: 1 }).toBeGreaterThan(before + PHASE.clients);
  const repeatedBefore = countRepeats(receiver);
  process.kill(killed.pid!, 'SIGKILL');
  const inFlightAtKill = await countInFlight(server, receiver);
  const { id: marker } = await create(client, '/v1/items', { name: 'After the kill' }, 1);
  const hasMarker = (path: string) => receiver.received.some((one) => one.path === path && getRecordId(one.body) === marker);
  await expect.poll(() => [...secrets.keys()].filter((path) => !hasMarker(path)), { timeout: TAKEOVER_MS }).toEqual([]);
  await working;
  urls.splice(0, 1);

  killed = await first.start(FLAGS, skewed);
  urls.unshift(killed.url!);
  await workInShop(client, shop, PHASE);
  await waitForDeliveries(receiver, shop.announced, secrets.keys());
  const repeatedAfterKill = countRepeats(receiver);
  expect(repeatedBefore).toBe(0);
  expect(repeatedAfterKill).toBeLessThanOrEqual(inFlightAtKill);

  const hasMetRestart = () => client.repetitions.has('503 STORE_UNAVAILABLE');
  const duringRestart = workInShop(client, shop, { ...PHASE, isOver: hasMetRestart });
  await server.restart();
  const inFlightAtRestart = await countInFlight(server, receiver);
  await duringRestart;
  await workInShop(client, shop, PHASE);
  await waitForDeliveries(receiver, shop.announced, secrets.keys());
  expect(countRepeats(receiver) - repeatedAfterKill).toBeLessThanOrEqual(inFlightAtRestart);
  for (const { path, body, headers } of receiver.received) verifyWebhook(body, headers, secrets.get(path));

  await expectAdmissions(first.home, urls);
  await expectRevocation(first.home, urls);

  const followed = await follower.finish();
  const { rows: complete } = await readAudit(client, null);
  expect(followed.map(({ id }) => id)).toEqual(complete.map(({ id }) => id));
  const audited = new Set(complete.map(({ resourceId }) => resourceId));
  expect([...shop.announced].filter((id) => !audited.has(id))).toEqual([]);

  const orders = await listOrders(client);
  const numbers = orders.map(({ orderNumber }) => Number(/\d+$/u.exec(orderNumber)?.[0])).toSorted((a, b) => a - b);
  expect(numbers).toEqual(Array.from(numbers, (_, at) => at + 1));
  const completed = orders.filter(({ status }) => status === 'completed').map(({ id }) => id);
  expect(new Set(completed)).toEqual(shop.completed);
  const { body: levels } = await client.send('GET', `/v1/stock-levels?item_id=${shop.item}`);
  expect(levels.data).toEqual([expect.objectContaining({ onHand: STOCK - completed.length })]);
  expect(completed).toHaveLength(STOCK);

  for (const { home } of [first, second]) expect(await home.json(['doctor'])).toMatchObject({ exit: 0, body: { data: { ok: true } } });
});

interface Receiver {
  readonly received: readonly Received[];
}

/** The item or order of an event. */
const getRecordId = (body: string): string => (JSON.parse(body) as { data: { id: string } }).data.id;

/** How many deliveries came again after an earlier attempt of the same event at the same endpoint. */
function countRepeats({ received }: Receiver): number {
  return received.length - new Set(received.map(({ path, headers }) => `${path} ${String(headers['webhook-id'])}`)).size;
}

/** Attempts that have reached the receiver and whose outcome is not in the database: a crash may repeat these. */
async function countInFlight({ url }: PostgresServer, receiver: Receiver): Promise<number> {
  const { rows } = await runSql(url, `SELECT count(*)::int AS recorded FROM stockroom.deliveries WHERE status <> 'pending'`);
  return receiver.received.length - countRepeats(receiver) - (rows as { recorded: number }[])[0]!.recorded;
}

/** Waits until each endpoint has received an event of each record. */
async function waitForDeliveries({ received }: Receiver, records: ReadonlySet<string>, paths: Iterable<string>): Promise<void> {
  for (const path of paths) {
    const find = () => {
      const delivered = new Set(received.filter((one) => one.path === path).map(({ body }) => getRecordId(body)));
      return [...records].filter((id) => !delivered.has(id));
    };
    await expect.poll(find).toEqual([]);
  }
}

async function listOrders(client: FailoverClient): Promise<{ id: string; orderNumber: string; status: string }[]> {
  const orders: { id: string; orderNumber: string; status: string }[] = [];
  for (let page = 1; ; page += 1) {
    const { body } = await client.send('GET', `/v1/orders?module=sell&page_size=200&page=${String(page)}`);
    orders.push(...(body.data as typeof orders));
    if (orders.length >= (body.pagination.total as number)) return orders;
  }
}

async function createKey(home: Home, tier: string): Promise<{ secret: string; prefix: string }> {
  const { body } = await home.json(['keys', 'create', '--all-scopes', '--tier', tier]);
  return { secret: body.secret as string, prefix: (body.secret as string).slice(0, 'pk_test_'.length + 8) };
}

async function getStatus(url: string, key: string): Promise<number> {
  const { statusCode, body } = await request(`${url}/v1/auth/context`, { headers: { 'x-api-key': key } });
  await body.dump();
  return statusCode;
}

/** Of 200 requests of one key at the same time over both daemons, 120 are admitted, the limit of the tier. */
async function expectAdmissions(home: Home, urls: readonly string[]): Promise<void> {
  const { secret } = await createKey(home, 'standard');
  const statuses = await Promise.all(Array.from({ length: 200 }, (_, at) => getStatus(urls[at % 2]!, secret)));
  const count = (wanted: number): number => statuses.filter((status) => status === wanted).length;
  expect([count(200), count(429)]).toEqual([120, 80]);
}

/** A key that is revoked at one daemon is rejected by the other with the next request. */
async function expectRevocation(home: Home, urls: readonly string[]): Promise<void> {
  const { secret, prefix } = await createKey(home, 'bulk');
  expect(await Promise.all(urls.map((url) => getStatus(url, secret)))).toEqual([200, 200]);
  expect(await home.json(['keys', 'revoke', prefix, '--yes'])).toMatchObject({ exit: 0 });
  expect(await getStatus(urls[1]!, secret)).toBe(401);
}
