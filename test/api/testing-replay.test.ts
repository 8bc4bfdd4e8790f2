/** Recorded requests, replayed against another service. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { RecordedExchange } from '../../src/client/recorded-exchange.ts';
import { createHttpTransport } from '../../src/client/transport/transport.ts';
import { replay } from '../../src/conform/replay.ts';
import { type Stockroom, startStockroom } from '../../src/embedded/index.ts';

const START = '2026-01-05T10:00:00.000Z';
let recorded: RecordedExchange[];
let other: Stockroom;

/** Its ids, keys and numbers are others than those of the other service. */
beforeAll(async () => {
  await using stockroom = await startStockroom({ now: START });
  const { client } = stockroom;
  const { data: customer } = await client.contacts.create({ name: 'Ana Reis' });
  const { data: bolt } = await client.items.create({ name: 'Bolt', sku: 'BOLT', salePrice: 2 });
  const { data: nut } = await client.items.create({ name: 'Nut', sku: 'NUT' });
  const lines = [
    { itemId: bolt.id, quantity: 3 },
    { itemId: nut.id, quantity: 1 },
  ];
  const { data: order } = await client.orders.create({ module: 'sell', status: 'open', contactId: customer.id, lines });
  await client.orders.list({ module: 'sell', search: order.orderNumber });
  const { pagination } = await client.items.list({ cursor: '', page_size: 1 });
  await client.items.list({ cursor: String(pagination.nextCursor), page_size: 1 });
  await client.items.list({ id: [nut.id, bolt.id] });
  await client.webhooks.create({ name: 'w', targetUrl: 'https://w.example/', subscribedEvents: ['order.created'] });
  await client.items.delete(bolt.id).catch(() => undefined);
  const headers = { 'X-API-Key': stockroom.apiKey, 'Idempotency-Key': 'same', 'Content-Type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify({ name: 'Once', sku: 'ONCE' }) };
  for (const _ of [1, 2]) await (await fetch(`${stockroom.url}/v1/items`, init)).text();
  await (await fetch(`${stockroom.url}/v1/items`)).text();
  const { data } = await stockroom.admin.requests.export({});
  recorded = data.map(({ method, path, status, request, response }) => ({
    method,
    path,
    headers: request.headers,
    body: request.body ?? undefined,
    expected: { status: status ?? 0, headers: response.headers, text: response.body ?? '' },
    isTruncated: false,
  }));
});
beforeEach(async () => {
  other = await startStockroom({ now: START });
  const { data: contact } = await other.client.contacts.create({ name: 'Existed before' });
  await other.client.orders.create({ module: 'sell', contactId: contact.id });
});
afterAll(() => other.stop());

const play = (exchanges: readonly RecordedExchange[]) =>
  replay(exchanges, {
    transport: createHttpTransport({ url: other.url }),
    key: other.apiKey,
    onProgress: () => undefined,
    signal: new AbortController().signal,
  });

test('a replay maps ids, numbers, cursors and idempotency keys to those of the other service', async () => {
  expect(await play(recorded)).toEqual({ played: 13, skipped: 0, difference: undefined });
  expect((await other.client.items.list({ sku: ['ONCE'] })).data).toHaveLength(1);
  await other.stop();
});

test('a replay stops at the first reply that differs, and names request, expected and got', async () => {
  await other.client.items.create({ name: 'In the way', sku: 'BOLT' });
  const taken = await play(recorded);
  expect(taken).toMatchObject({
    played: 2,
    difference: { number: 2, request: 'POST /v1/items', what: 'status', expected: '201', got: '409 DUPLICATE_VALUE' },
  });
  const [contact, item] = recorded;
  const changed = { ...item!, body: item!.body!.replace('"BOLT"', '"SCREW"') };
  expect((await play([contact!, changed])).difference).toMatchObject({ number: 2, what: 'data.sku', expected: '"BOLT"', got: '"SCREW"' });
  await other.stop();
});

test('limited and failed requests, and those with an unknown key, are skipped', async () => {
  const [contact] = recorded;
  const withStatus = (status: number): RecordedExchange => ({ ...contact!, expected: { ...contact!.expected!, status } });
  const lost = { ...contact!, expected: undefined };
  expect(await play([withStatus(429), withStatus(503), withStatus(401), lost])).toEqual({ played: 1, skipped: 3, difference: undefined });
});
