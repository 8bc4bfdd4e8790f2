/** Recorded requests, their verification, and waiting over the control port. */
import { expect, test } from 'vitest';
import { startControl } from '../../support/service/control.ts';
import { startReceiver } from '../../support/servers/webhook-receiver.ts';
import { getCode } from '../../support/service/service.ts';

test('requests are recorded with headers and bodies, and no secret is returned', async () => {
  await using c = await startControl({ record: true });
  await c.s.post('/v1/items', { name: 'Bolt', sku: 'BOLT' });
  const webhook = { name: 'w', targetUrl: 'https://w.example/', subscribedEvents: ['order.created'] };
  const { signingSecret } = (await c.s.post('/v1/webhooks', webhook)).body as { signingSecret: string };
  await c.s.call('GET', '/v1/items?token=hunter2-hunter2', { headers: { cookie: 'session=hunter2' } });
  const { status, text, body } = await c.get('/control/requests?operation=items.create&tenant=first');
  expect([status, body.data.length]).toEqual([200, 1]);
  expect(body.data[0]).toMatchObject({
    operationId: 'items.create',
    method: 'POST',
    path: '/v1/items',
    status: 201,
    request: { headers: { 'x-api-key': '[hidden]', 'content-type': 'application/json' }, isTruncated: false },
  });
  expect(JSON.parse(body.data[0].request.body)).toEqual({ name: 'Bolt', sku: 'BOLT' });
  expect(JSON.parse(body.data[0].response.body).data.sku).toBe('BOLT');
  const all = (await c.get('/control/requests')).text + text;
  for (const secret of [c.s.key, signingSecret, 'hunter2']) expect(all).not.toContain(secret);
  expect((await c.get('/control/requests?status=4xx')).body.data).toMatchObject([{ status: 400 }]);
  expect((await c.get('/control/requests?status=4xx,201')).body.data.map(({ status: each }: { status: number }) => each)).toEqual([
    201, 201, 400,
  ]);
  expect((await c.get(`/control/requests?since=${new Date(Date.now() + 60_000).toISOString()}`)).body.data).toEqual([]);
  expect(getCode(await c.get('/control/requests?status=nope'))).toBe('VALIDATION_FAILED');
});

test('only the last 10,000 requests are kept, also those whose connection closed before there was a response', async () => {
  await using c = await startControl({ record: true });
  const { recorder } = c.s.service;
  await c.s.get('/v1/items');
  const [first] = recorder!.list(() => true);
  // hapi has no response yet when a server that stops closes the connection.
  const request = { payload: null, response: null, raw: { req: { headers: {} }, res: { getHeaders: () => ({}) } }, url: new URL(c.url) };
  // The type of hapi has much that is not recorded.
  const recorded = request as unknown as Parameters<NonNullable<typeof recorder>['record']>[0];
  for (let at = 0; at < 25_000; at += 1) recorder!.record(recorded, { ...first!, requestId: String(at) });
  const ids = recorder!.list(() => true).map(({ requestId }) => requestId);
  expect([ids.length, ids[0], ids.at(-1)]).toEqual([10_000, '15000', '24999']);
});

test('verify counts matching requests, or names the differences to the nearest one', async () => {
  await using c = await startControl({ record: true });
  await c.s.post('/v1/items', { name: 'Bolt', sku: 'BOLT', salePrice: 2 });
  await c.s.post('/v1/items', { name: 'Nut', sku: 'NUT' });
  const verify = (body: object) => c.post('/control/requests/verify', { operation: 'items.create', ...body });
  expect((await verify({})).body.data).toEqual({ count: 2 });
  // Otherwise a spelling mistake would pass with a count of 0.
  expect(getCode(await verify({ operation: 'items.crate', count: 0 }))).toBe('VALIDATION_FAILED');
  expect((await verify({ body: { sku: 'BOLT' }, count: 1 })).body.data).toEqual({ count: 1 });
  expect((await verify({ body: { sku: 'OTHER' }, count: 0 })).status).toBe(200);
  const reply = await verify({ body: { name: 'Bolt', salePrice: 3 } });
  expect([reply.status, getCode(reply)]).toEqual([409, 'INVALID_STATE']);
  expect(reply.body.error.message).toBe(
    'Expected at least one request to items.create, found 0 of 2 received. The nearest differs: /salePrice is 2, not 3.',
  );
  expect(reply.body.error.details).toMatchObject({
    count: 0,
    nearest: { body: { sku: 'BOLT' } },
    differences: [{ path: '/salePrice', expected: 3, got: 2 }],
  });
  expect((await verify({ count: 3 })).body.error.message).toBe('Expected 3 requests to items.create, found 2 of 2 received.');
});

test('a service that does not record says how to start one that does', async () => {
  await using c = await startControl();
  for (const reply of [await c.get('/control/requests'), await c.post('/control/requests/verify', { operation: 'items.list' })]) {
    expect(getCode(reply)).toBe('NOT_ENABLED');
    expect(reply.body.error.message).toContain('--record');
  }
});

test('wait returns when the delivery of an event has arrived or nothing is due, and fails when the time is over', async () => {
  await using c = await startControl({ deliver: true });
  await using receiver = await startReceiver();
  const target = { name: 'w', targetUrl: receiver.url, subscribedEvents: ['inventory.item.created'] };
  expect((await c.s.post('/v1/webhooks', target)).status).toBe(201);
  const waiting = c.get('/control/wait?for=delivery&event=inventory.item.created&timeout=30s&tenant=first');
  await c.s.post('/v1/items', { name: 'Bolt' });
  const { status, body, text } = await waiting;
  expect(status, text).toBe(200);
  expect(body.data).toMatchObject([{ eventType: 'inventory.item.created', status: 'delivered' }]);
  expect((await c.get('/control/wait?for=idle&timeout=30s')).status).toBe(200);
  const late = await c.get('/control/wait?for=delivery&event=inventory.item.created&count=2&timeout=20ms');
  expect([late.status, late.body.error.message]).toEqual([409, 'Waited 20ms; deliveries: 1 delivered.']);
  expect(getCode(await c.get('/control/wait?for=idle&timeout=2h'))).toBe('VALIDATION_FAILED');
});
