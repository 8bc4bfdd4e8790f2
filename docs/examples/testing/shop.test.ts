// vitest against a service of its own process: `npx vitest run` in this folder. Without JavaScript's `startStockroom`, see the other files.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type Stockroom, startStockroom } from 'stockroom/testing';
import { verifyWebhook } from 'stockroom/webhooks';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

const SECRET = 'ab'.repeat(32); // As in stockroom.fixtures.yaml.
let stockroom: Stockroom;

beforeAll(async () => {
  stockroom = await startStockroom({ fixtures: true });
});
afterAll(() => stockroom.stop());
beforeEach(async () => {
  await stockroom.admin.tenants.reset('shop');
});

async function sell(quantity: number) {
  const [{ data: items }, { data: contacts }] = await Promise.all([
    stockroom.client.items.list({ sku: 'BOLT' }),
    stockroom.client.contacts.list(),
  ]);
  const lines = [{ itemId: items[0]!.id, quantity }];
  return stockroom.client.orders.create({ module: 'sell', status: 'open', contactId: contacts[0]!.id, lines });
}

const getAvailable = async () => (await stockroom.client.stockLevels.list()).data[0]!.available;

test.each([30, 40])('an open order of %i commits stock', async (quantity) => {
  expect(await getAvailable()).toBe(100);
  await sell(quantity);
  expect(await getAvailable()).toBe(100 - quantity);
});

test('an order is delivered signed', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const received = once(server, 'request').then(async ([request, response]) => {
    const body = await text(request);
    response.writeHead(204).end();
    return verifyWebhook(body, request.headers, SECRET);
  });
  const { data: endpoints } = await stockroom.client.webhooks.list();
  const targetUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
  await stockroom.client.webhooks.update(endpoints[0]!.id, { targetUrl });
  await sell(1);
  await stockroom.settled();
  expect((await received).event).toBe('order.created');
  await stockroom.admin.requests.verify({ operation: 'orders.create', body: { module: 'sell' } });
  server.close();
});

test('a fault fails one request', async () => {
  await stockroom.admin.faults.set({ target: 'GET /v1/stock-levels', status: 503, times: 1 });
  await expect(getAvailable()).rejects.toMatchObject({ status: 503 });
  expect(await getAvailable()).toBe(100);
});
