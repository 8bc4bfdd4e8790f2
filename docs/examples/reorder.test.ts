// Tests of a program that uses the service, against the service itself: `node --test reorder.test.ts`.
// For Node 24, because of `await using`; in Node 22 say `const stockroom` and end with `await stockroom.stop()`.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { ApiError, type StockroomClient, startStockroom } from 'stockroom/testing';

/** The program: puts whatever has no price on a list. */
async function withoutPrice(client: StockroomClient): Promise<string[]> {
  const names: string[] = [];
  for await (const { name, salePrice } of client.items.list({ is_active: true })) if (salePrice === null) names.push(name);
  return names;
}

test('lists what has no price', async () => {
  await using stockroom = await startStockroom();
  await stockroom.client.items.create({ name: 'Bolt', salePrice: 0.35 });
  await stockroom.client.items.create({ name: 'Nut' });
  assert.deepEqual(await withoutPrice(stockroom.client), ['Nut']);
});

test('a key ends when its time has come', async () => {
  await using stockroom = await startStockroom({ now: '2026-01-01T00:00:00Z' });
  const { client } = await stockroom.addKey({ scopes: ['items:read'], expiresIn: '30d' });
  assert.deepEqual(await withoutPrice(client), []);
  await stockroom.advance('31d');
  await assert.rejects(withoutPrice(client), (error) => error instanceof ApiError && error.code === 'UNAUTHENTICATED');
});

test('an endpoint that was down receives the event later', async () => {
  await using stockroom = await startStockroom({ webhookRetries: [60] });
  let answer = 503;
  const receiver = createServer((_request, response) => void response.writeHead(answer).end()).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const { port } = receiver.address() as { port: number };
  const { data: webhook } = await stockroom.client.webhooks.create({
    name: 'Shop',
    targetUrl: `http://127.0.0.1:${port}/hooks`,
    subscribedEvents: ['inventory.item.created'],
  });
  const statuses = async () => (await stockroom.client.webhooks.deliveries.list(webhook.id)).data.map(({ status }) => status);

  await stockroom.client.items.create({ name: 'Bolt' });
  await stockroom.settled();
  assert.deepEqual(await statuses(), ['retrying']);

  answer = 204;
  await stockroom.advance('2m');
  await stockroom.settled();
  assert.deepEqual(await statuses(), ['delivered']);
  receiver.close();
});
