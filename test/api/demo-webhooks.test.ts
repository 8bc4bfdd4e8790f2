/** The webhook endpoints of the demo tenants, and the receiver inside the service that answers them. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getDemoWebhookId } from '../../src/demo/webhook-addresses.ts';
import { getAnswer } from '../../src/demo/webhook-answers.ts';
import { getDemoTenantId } from '../../src/demo/apply-scenario.ts';
import { type TestService, startService } from '../support/service/service.ts';

const kestrel = getDemoTenantId('kestrel-coffee');
const [shopSync, warehouse] = [getDemoWebhookId('kestrel-coffee', 'shop-sync'), getDemoWebhookId('kestrel-coffee', 'warehouse')];

let s: TestService;
let key: string;
beforeAll(async () => {
  s = await startService({ deliver: true });
  await s.service.demo.load();
  key = await s.addKey({ tenantId: kestrel });
}, 60_000);
afterAll(() => s[Symbol.asyncDispose]());

const read = (service = s.service) =>
  service.store.read(kestrel, async (tx) => ({
    webhooks: (await tx.webhooks.listAfter({ limit: 100 })).rows,
    health: await tx.webhookHealth.get(warehouse),
    deliveries: (await tx.deliveries.listAfter({ limit: 1_000 })).rows,
  }));
const getUrl = async (id: string) => new URL((await read()).webhooks.find((each) => each.id === id)?.targetUrl ?? '');
const countStatus = (rows: readonly { webhookId: string; status: string }[], id: string, status: string) =>
  rows.filter((row) => row.webhookId === id && row.status === status).length;

test('only the demo tenant whose plan includes webhooks has endpoints', async () => {
  const { data } = (await s.get('/v1/webhooks', { key })).body;
  expect(data.map(({ name, status }: { name: string; status: string }) => [name, status]).toSorted()).toEqual([
    ['Shop sync', 'active'],
    ['Warehouse', 'active'],
  ]);
  const spoke = await s.service.store.read(getDemoTenantId('spoke-chain'), (tx) => tx.webhooks.count());
  expect(spoke).toBe(0);
});

test('after the start there are delivered, retrying and failed deliveries, and only Warehouse is failing', async () => {
  await expect.poll(async () => (await read()).deliveries.filter(({ status }) => status === 'pending').length).toBe(0);
  const { deliveries, health, webhooks } = await read();
  expect(deliveries.length).toBeGreaterThan(40);
  expect(deliveries.length).toBeLessThanOrEqual(100);
  expect(countStatus(deliveries, warehouse, 'delivered')).toBeGreaterThan(10);
  expect(countStatus(deliveries, warehouse, 'retrying')).toBeGreaterThan(0);
  expect(countStatus(deliveries, warehouse, 'failed')).toBeGreaterThan(0);
  expect(countStatus(deliveries, shopSync, 'delivered')).toBe(deliveries.filter(({ webhookId }) => webhookId === shopSync).length);
  expect(health?.failedAttempts).toBeGreaterThan(0);
  expect(await s.service.store.read(kestrel, (tx) => tx.webhookHealth.get(shopSync))).toBeUndefined();
  expect(webhooks.every(({ status }) => status === 'active')).toBe(true);
});

test('recorded attempts and new ones follow the same rule of the receiver', async () => {
  for (const { webhookId, eventId, history = [], attempts, createdAt } of (await read()).deliveries) {
    const name = webhookId === warehouse ? 'warehouse' : 'shop-sync';
    expect(history.map(({ httpStatus }) => httpStatus)).toEqual(history.map((_, at) => getAnswer(name, eventId, at + 1).status));
    expect(history).toHaveLength(attempts);
    expect(history.every(({ at }) => at >= createdAt)).toBe(true);
  }
});

test('a new change is delivered to Shop sync', async () => {
  const before = countStatus((await read()).deliveries, shopSync, 'delivered');
  expect((await s.post('/v1/contacts', { name: 'New customer', contactType: 'customer' }, { key })).status).toBe(201);
  expect((await s.post('/v1/orders', { module: 'sell' }, { key })).status).toBe(201);
  await expect.poll(async () => countStatus((await read()).deliveries, shopSync, 'delivered')).toBeGreaterThan(before);
});

const send = async (path: string, more: { method?: 'GET' | 'POST'; headers?: Record<string, string>; body?: string } = {}) => {
  const { origin } = await getUrl(shopSync);
  const { method = 'POST', headers = {}, body } = more;
  const reply = await request(origin + path, { method, headers, ...(body === undefined ? {} : { body }) });
  return [reply.statusCode, await reply.body.text()];
};

test('the receiver accepts signed deliveries only, for its own paths, from no website', async () => {
  const path = '/demo/webhooks/shop-sync';
  expect(await send(path, { body: '{}' })).toEqual([401, expect.stringContaining('missing header')]);
  const forged = { 'x-service-timestamp': '1', 'x-service-signature': `v1=${createHash('sha256').digest('hex')}` };
  expect(await send(path, { body: '{}', headers: forged })).toEqual([401, expect.stringContaining('signature does not match')]);
  expect((await send('/v1/items', { method: 'GET' }))[0]).toBe(404);
  expect((await send(path, { method: 'GET' }))[0]).toBe(405);
  expect((await send(path, { headers: { origin: 'https://website.example' } }))[0]).toBe(403);
  expect((await send(path, { headers: { host: 'website.example' } }))[0]).toBe(403);
  expect((await send(path, { body: 'x'.repeat(300_000) }))[0]).toBe(413);
});

test('a connectivity check of a demo endpoint succeeds', async () => {
  const endpoint = (await read()).webhooks.find(({ id }) => id === warehouse)!;
  expect(await s.service.deliveries.sendCheck(endpoint, getDemoTenantId('kestrel-coffee'))).toMatchObject({ httpStatus: 200, error: null });
});

test('endpoints keep their port over a restart, and follow the receiver to another one', async () => {
  const first = await getUrl(shopSync);
  await s.service.snapshots.save('before', { replace: false });
  await s.restart();
  expect((await getUrl(shopSync)).port).toBe(first.port);
  await s.stop();
  const other = createServer().listen(Number(first.port), '127.0.0.1');
  await once(other, 'listening');
  await s.start();
  const { port } = await getUrl(shopSync);
  expect(port).not.toBe(first.port);
  await s.service.snapshots.load('before');
  for (const id of [shopSync, warehouse]) expect((await getUrl(id)).port).toBe(port);
  other.close();
});

test('an endpoint that was pointed elsewhere stays there', async () => {
  const targetUrl = 'http://127.0.0.1:9/mine';
  expect((await s.patch(`/v1/webhooks/${shopSync}`, { targetUrl }, { key })).status).toBe(200);
  await s.restart();
  expect((await getUrl(shopSync)).href).toBe(targetUrl);
});
