/** Deliveries over real sockets: requests, responses and retries. */
import { execFileSync } from 'node:child_process';
import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { DEFAULT_WEBHOOK_SETTINGS } from '../../src/daemon/webhook-settings.ts';
import { verifyWebhook } from '../../src/webhook-verifier/index.ts';
import { http2Server } from '../support/servers/http2-server.ts';
import { NO_SAFETY_POLLS } from '../support/resources/delivery-store.ts';
import { startReceiver } from '../support/servers/webhook-receiver.ts';
import { startService } from '../support/service/service.ts';
import { addWebhook, allIn, getDeliveries, deliveriesWhen } from '../support/resources/webhooks.ts';

const toStandardSecret = (hex: string) => `whsec_${Buffer.from(hex, 'hex').toString('base64')}`;
const signWithOpenssl = (secret: string, text: string) =>
  execFileSync('openssl', ['dgst', '-sha256', '-mac', 'HMAC', '-macopt', `hexkey:${secret}`], { input: text })
    .toString()
    .trim()
    .split(' ')
    .at(-1);

/** For receivers that hang: a stop need not wait for them. */
const SHORT_DRAIN = { drainMs: 50 };

test('a delivery has signatures that openssl, standardwebhooks and verifyWebhook accept', async () => {
  await using receiver = await startReceiver();
  await using s = await startService({ deliver: true });
  const { id, secret } = await addWebhook(s, receiver.url);
  const item = await s.post('/v1/items', { name: 'Bolt ☕' });
  const [received] = await receiver.count(1);
  const [delivery] = await deliveriesWhen(s, allIn('delivered'));
  const [event] = await s.events();
  if (!received || !delivery || !event) throw new Error('no delivery was received');

  expect(received.body).toBe(event.body);
  const { event: name, data } = JSON.parse(received.body) as { event: string; data: Record<string, unknown> };
  expect([name, data['id'], data['eventId']]).toEqual(['inventory.item.created', item.body.data.id, event.id]);
  const { headers } = received;
  expect(headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'Stockroom-Webhooks/0.0.0-test',
    'x-service-event': 'inventory.item.created',
    'x-service-event-id': event.id,
    'x-service-delivery-id': delivery.id,
    'x-service-attempt': '1',
    'webhook-id': event.id,
  });
  const timestamp = String(headers['x-service-timestamp']);
  expect(headers['x-service-signature']).toBe(`v1=${String(signWithOpenssl(secret, `${timestamp}.${received.body}`))}`);
  new Webhook(toStandardSecret(secret)).verify(received.body, headers as Record<string, string>);
  expect(verifyWebhook(received.body, headers, secret)).toMatchObject({
    event: name,
    eventId: event.id,
    deliveryId: delivery.id,
    attempt: 1,
  });

  const listed = await s.get(`/v1/webhooks/${id}/deliveries`);
  expect(listed.body.data).toEqual([
    {
      id: delivery.id,
      eventType: name,
      status: 'delivered',
      attempts: 1,
      lastError: null,
      lastHttpStatus: 200,
      createdAt: delivery.createdAt,
      updatedAt: delivery.updatedAt,
    },
  ]);
});

test('during a secret rotation both secrets verify a delivery, afterwards only the new one', async () => {
  await using receiver = await startReceiver();
  await using s = await startService({ deliver: true });
  const { id, secret: old } = await addWebhook(s, receiver.url);
  const { body } = await s.patch(`/v1/webhooks/${id}`, { rotateSecret: true });
  const fresh = body.signingSecret as string;
  await s.post('/v1/items', { name: 'During' });
  await receiver.count(1);
  await deliveriesWhen(s, allIn('delivered'));
  s.clock.advance(24 * 3_600);
  await s.post('/v1/items', { name: 'After' });
  const [during, after] = await receiver.count(2);
  if (!during || !after) throw new Error('no delivery was received');

  expect(String(during.headers['x-service-signature'])).toMatch(/^v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/u);
  for (const secret of [fresh, old]) {
    verifyWebhook(during.body, during.headers, secret);
    new Webhook(toStandardSecret(secret)).verify(during.body, during.headers as Record<string, string>);
  }
  const signed = `${String(during.headers['x-service-timestamp'])}.${during.body}`;
  expect(during.headers['x-service-signature']).toBe(
    `v1=${String(signWithOpenssl(fresh, signed))},v1=${String(signWithOpenssl(old, signed))}`,
  );
  const now = s.clock.now();
  expect(verifyWebhook(after.body, after.headers, fresh, { now }).event).toBe('inventory.item.created');
  expect(() => verifyWebhook(after.body, after.headers, old, { now })).toThrow('does not match');
});

describe('an attempt', () => {
  test.for([
    ['500', 500, 'http_500', 500],
    ['404', 404, 'http_404', 404],
  ] as const)('with a %s response is retried later', async ([, answer, lastError, lastHttpStatus]) => {
    await using receiver = await startReceiver(answer);
    await using s = await startService({ deliver: true });
    await addWebhook(s, receiver.url);
    await s.post('/v1/items', { name: 'Bolt' });
    const [delivery] = await deliveriesWhen(s, allIn('retrying'));
    expect(delivery).toMatchObject({ attempts: 1, lastError, lastHttpStatus });
  });

  test('does not follow a redirect', async () => {
    await using elsewhere = await startReceiver();
    await using receiver = await startReceiver((response) => void response.writeHead(307, { location: elsewhere.url }).end());
    await using s = await startService({ deliver: true });
    await addWebhook(s, receiver.url);
    await s.post('/v1/items', { name: 'Bolt' });
    const [delivery] = await deliveriesWhen(s, allIn('retrying'));
    expect(delivery).toMatchObject({ lastError: 'redirect_not_followed', lastHttpStatus: 307 });
    expect(elsewhere.received).toEqual([]);
  });

  test('without a response fails after the timeout, and is retried after a minute at the earliest', async () => {
    await using receiver = await startReceiver(() => undefined);
    await using s = await startService({ deliver: true, webhooks: { timeoutSeconds: 0.3 } });
    await addWebhook(s, receiver.url);
    await s.post('/v1/items', { name: 'Bolt' });
    const [delivery] = await deliveriesWhen(s, allIn('retrying'));
    expect(delivery).toMatchObject({ attempts: 1, lastError: 'timeout', lastHttpStatus: null });
    const [attempt] = delivery?.history ?? [];
    expect(attempt?.milliseconds).toBeGreaterThanOrEqual(290);
    const [, connected, answered] = attempt?.timing ?? [];
    expect([connected !== null, answered]).toEqual([true, null]);
    // Shorter than the default timeout.
    expect(attempt?.milliseconds).toBeLessThan(DEFAULT_WEBHOOK_SETTINGS.timeoutSeconds * 1_000);
    expect(Date.parse(delivery?.dueAt ?? '') - Date.parse(delivery?.updatedAt ?? '')).toBeGreaterThanOrEqual(60_000);
  });

  test('succeeds with the status 200 when the body is still being sent at the timeout, and closes the connection', async () => {
    let closed = 0;
    await using receiver = await startReceiver((response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write('.'), 20);
      response.on('close', () => {
        clearInterval(drip);
        closed += 1;
      });
    });
    await using s = await startService({ deliver: true, webhooks: { timeoutSeconds: 1.5 } });
    await addWebhook(s, receiver.url);
    await s.post('/v1/items', { name: 'Bolt' });
    const [delivery] = await deliveriesWhen(s, allIn('delivered', 'retrying'));
    expect(delivery).toMatchObject({ status: 'delivered', attempts: 1, lastHttpStatus: 200 });
    await expect.poll(() => closed).toBe(1);
  });

  test('fails when the receiver resets the connection', async () => {
    await using receiver = await startReceiver((response) => void response.socket?.resetAndDestroy());
    await using s = await startService({ deliver: true });
    await addWebhook(s, receiver.url);
    await s.post('/v1/items', { name: 'Bolt' });
    expect((await deliveriesWhen(s, allIn('retrying')))[0]).toMatchObject({ lastError: 'connection_reset', lastHttpStatus: null });
  });

  test('succeeds by the status of a 10 MB response, of which at most 64 KiB are read', async () => {
    let sent = 0;
    await using receiver = await startReceiver((response) => {
      response.writeHead(200);
      const chunk = Buffer.alloc(65_536);
      const more = () => {
        while (sent < 160 && !response.destroyed) {
          sent += 1;
          if (!response.write(chunk)) return void response.once('drain', more);
        }
        response.end();
      };
      more();
    });
    await using s = await startService({ deliver: true });
    await addWebhook(s, receiver.url);
    await s.post('/v1/items', { name: 'Bolt' });
    expect((await deliveriesWhen(s, allIn('delivered', 'retrying')))[0]).toMatchObject({ status: 'delivered', lastHttpStatus: 200 });
    expect(sent).toBeLessThan(160);
  });

  test.for([
    ['longer', '5'],
    ['shorter', '5000'],
  ])('succeeds by the status of a response whose body is %s than its content-length', async ([, length = '']: readonly string[]) => {
    await using receiver = await startReceiver((response) => {
      response.socket?.write(`HTTP/1.1 200 OK\r\ncontent-length: ${length}\r\n\r\n0123456789`);
      response.socket?.end();
    });
    await using s = await startService({ deliver: true });
    await addWebhook(s, receiver.url);
    await s.post('/v1/items', { name: 'Bolt' });
    expect((await deliveriesWhen(s, allIn('delivered', 'retrying')))[0]).toMatchObject({ status: 'delivered' });
  });

  test('fails when no one listens at the URL', async () => {
    const receiver = await startReceiver();
    await receiver[Symbol.asyncDispose]();
    await using s = await startService({ deliver: true });
    await addWebhook(s, receiver.url);
    await s.post('/v1/items', { name: 'Bolt' });
    expect((await deliveriesWhen(s, allIn('retrying')))[0]).toMatchObject({ lastError: 'connection_refused', attempts: 1 });
  });

  test('fails when the receiver of an https URL does not speak TLS', async () => {
    await using receiver = await startReceiver();
    await using s = await startService({ deliver: true });
    await addWebhook(s, receiver.url.replace('http:', 'https:'));
    await s.post('/v1/items', { name: 'Bolt' });
    expect((await deliveriesWhen(s, allIn('retrying')))[0]).toMatchObject({ lastError: 'tls_error' });
  });

  test('with a 410 response disables the endpoint', async () => {
    await using receiver = await startReceiver(410);
    await using s = await startService({ deliver: true });
    const { id } = await addWebhook(s, receiver.url);
    await s.post('/v1/items', { name: 'Bolt' });
    const [delivery] = await deliveriesWhen(s, allIn('failed'));
    expect(delivery).toMatchObject({ attempts: 1, lastError: 'endpoint_gone', lastHttpStatus: 410 });
    expect((await s.get(`/v1/webhooks/${id}`)).body.data.status).toBe('disabled');
    await s.post('/v1/items', { name: 'Nut' });
    expect(await deliveriesWhen(s, () => true)).toHaveLength(1);
    const audit = await s.get('/v1/audit/events?action_prefix=webhook.auto');
    expect(audit.body.data).toMatchObject([{ actorType: 'system', resourceId: id, metadata: { reason: 'endpoint_gone' } }]);
  });
});

describe('the retry schedule', () => {
  test('has eight attempts with one event id, each signed again', async () => {
    await using receiver = await startReceiver(500);
    await using s = await startService({ deliver: true });
    const { secret } = await addWebhook(s, receiver.url);
    await s.post('/v1/items', { name: 'Bolt' });
    const gaps: number[] = [];
    for (let attempt = 1; attempt < 8; attempt += 1) {
      const [row] = await deliveriesWhen(s, ([each]) => each?.attempts === attempt);
      const due = Date.parse(row?.dueAt ?? '');
      gaps.push((due - Date.parse(row?.updatedAt ?? '')) / 1_000);
      s.clock.advance(Math.max(0, due - s.clock.now().getTime()) / 1_000);
    }
    const [row] = await deliveriesWhen(s, allIn('failed'));
    expect(row).toMatchObject({ attempts: 8, lastError: 'http_500', lastHttpStatus: 500 });
    expect(row?.history).toHaveLength(8);
    for (const [at, planned] of [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000].entries()) {
      expect(gaps[at]).toBeGreaterThanOrEqual(planned * 0.8);
      expect(gaps[at]).toBeLessThanOrEqual(planned * 1.2);
    }
    expect(receiver.received.map(({ headers }) => headers['x-service-attempt'])).toEqual(['1', '2', '3', '4', '5', '6', '7', '8']);
    expect(new Set(receiver.received.map(({ headers }) => headers['x-service-event-id'])).size).toBe(1);
    expect(new Set(receiver.received.map(({ headers }) => headers['x-service-signature'])).size).toBe(8);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    const last = receiver.received[7];
    if (last) verifyWebhook(last.body, last.headers, secret, { now: s.clock.now() });
    s.clock.advance(30 * 3_600);
    expect(receiver.received).toHaveLength(8);
  });

  test.for([
    ['120', 120, 130],
    ['999999999', 86_400, 86_410],
  ] as const)('honors Retry-After %s, up to a day', async ([header, least, most]) => {
    await using receiver = await startReceiver((response) => void response.writeHead(429, { 'retry-after': header }).end());
    await using s = await startService({ deliver: true });
    await addWebhook(s, receiver.url);
    await s.post('/v1/items', { name: 'Bolt' });
    const [row] = await deliveriesWhen(s, allIn('retrying'));
    const wait = (Date.parse(row?.dueAt ?? '') - Date.parse(row?.updatedAt ?? '')) / 1_000;
    expect(wait).toBeGreaterThanOrEqual(least);
    expect(wait).toBeLessThan(most);
  });

  test('sends a retry whose attempt ended after later deliveries were sent, because the clock was moved', async () => {
    const responses: ServerResponse[] = [];
    await using receiver = await startReceiver((response) => void responses.push(response));
    await using s = await startService({ deliver: true, timeouts: NO_SAFETY_POLLS });
    await addWebhook(s, receiver.url);
    await s.post('/v1/items', { name: 'Before' });
    await receiver.count(1);
    s.clock.advance(3_600);
    await s.post('/v1/items', { name: 'After' });
    await receiver.count(2);
    responses[1]?.writeHead(200).end();
    await deliveriesWhen(s, (rows) => rows.some(({ status }) => status === 'delivered'));
    receiver.answer = 200;
    responses[0]?.writeHead(500).end();
    const rows = await deliveriesWhen(s, allIn('delivered'));
    expect(rows.map(({ attempts }) => attempts)).toEqual([2, 1]);
  });

  test('an endpoint is disabled after five days with ten failed attempts', async () => {
    await using receiver = await startReceiver(500);
    await using s = await startService({ deliver: true });
    const { id } = await addWebhook(s, receiver.url);
    for (let count = 1; count <= 10; count += 1) {
      await s.post('/v1/items', { name: `Bolt ${String(count)}` });
      await receiver.count(count);
      await deliveriesWhen(s, (rows) => rows.length === count && rows.every(({ attempts }) => attempts >= 1));
    }
    expect((await s.get(`/v1/webhooks/${id}`)).body.data.status).toBe('active');
    // All open deliveries become due, and the first failure after five days disables the endpoint.
    s.clock.advance(120 * 3_600);
    await deliveriesWhen(s, (rows) => rows.every(({ status }) => status === 'discarded' || status === 'failed'));
    expect((await s.get(`/v1/webhooks/${id}`)).body.data.status).toBe('disabled');
  });
});

test('an endpoint that hangs with 10,000 deliveries does not delay other endpoints', async () => {
  await using dead = await startReceiver(() => undefined);
  await using alive = await startReceiver();
  await using s = await startService({ deliver: true, timeouts: SHORT_DRAIN });
  await addWebhook(s, dead.url, { subscribedEvents: ['inventory.item.updated'] });
  await addWebhook(s, alive.url, { subscribedEvents: ['inventory.item.created'] });
  const [webhook] = (await s.service.store.read(s.tenant.id, (tx) => tx.webhooks.listAfter({ limit: 1 }))).rows;
  const { createDelivery: newDelivery } = await import('../../src/domain/events/delivery-state.ts');
  await s.post('/v1/items', { name: 'First' });
  await alive.count(1);
  const [event] = await s.events();
  if (!webhook || !event) throw new Error('no event was recorded');
  await s.service.store.transact(s.tenant.id, async (tx) => {
    for (let count = 0; count < 10_000; count += 1)
      await tx.deliveries.put(
        newDelivery(s.service.newId(), webhook.id, { id: event.id, name: 'inventory.item.updated' }, s.clock.now().toISOString()),
      );
  });
  await dead.count(4);
  await s.post('/v1/items', { name: 'Second' });
  await alive.count(2);
  // None of the four attempts has ended yet, and no other was started.
  expect(dead.received).toHaveLength(4);
  const { rows } = await s.service.store.read(s.tenant.id, (tx) => tx.deliveries.listAfter({ limit: 20_000 }));
  const waiting = rows.filter(({ webhookId }) => webhookId === webhook.id);
  expect(waiting).toHaveLength(10_000);
  expect(waiting.filter(({ attempts }) => attempts > 0)).toEqual([]);
});

test('an endpoint that hangs does not delay other endpoints on its host', async () => {
  await using receiver = await startReceiver((response, { path }) => void (path === '/hook' || response.writeHead(200).end()));
  await using s = await startService({ deliver: true, timeouts: SHORT_DRAIN });
  const hanging = await addWebhook(s, receiver.url);
  for (let count = 0; count < 4; count += 1) await s.post('/v1/items', { name: `Bolt ${String(count)}` });
  await receiver.count(4);
  const answering = await addWebhook(s, new URL('/answers', receiver.url).href);
  await s.post('/v1/items', { name: 'Nut' });
  const rows = await deliveriesWhen(s, (all) => all.some(({ status }) => status !== 'pending'));
  expect(rows.filter(({ status }) => status !== 'pending')).toMatchObject([{ webhookId: answering.id, status: 'delivered' }]);
  expect(rows.filter(({ webhookId }) => webhookId === hanging.id)).toHaveLength(5);
});

test('responses that are cut off do not block later deliveries, also when the receiver offers HTTP/2', async () => {
  let requests = 0;
  const url = await http2Server((request, response) => {
    requests += 1;
    request.resume();
    request.on('end', () => response.end(Buffer.alloc(10_000_000)));
    response.on('error', () => undefined);
  });
  await using s = await startService({ deliver: true });
  await addWebhook(s, `${url}/hook`);
  for (let count = 1; count <= 5; count += 1) {
    await s.post('/v1/items', { name: `Bolt ${String(count)}` });
    await deliveriesWhen(s, (all) => all.length === count && all.every(({ status }) => status !== 'pending'));
  }
  const rows = await getDeliveries(s);
  expect(rows.map(({ status, lastError }) => [status, lastError])).toEqual(rows.map(() => ['delivered', null]));
  expect(requests).toBe(5);
});

test('deleting an endpoint deletes all of its deliveries, also after a crash', async () => {
  await using s = await startService({ deliver: true });
  const deleted = await addWebhook(s, 'http://127.0.0.1:9/', { status: 'paused' });
  const kept = await addWebhook(s, 'http://127.0.0.1:9/', { status: 'paused' });
  const { createDelivery: newDelivery } = await import('../../src/domain/events/delivery-state.ts');
  await s.post('/v1/items', { name: 'Bolt' });
  const [event] = await s.events();
  if (!event) throw new Error('no event was recorded');
  const addDeliveries = () =>
    s.service.store.transact(s.tenant.id, async (tx) => {
      for (let count = 0; count < 2_500; count += 1)
        await tx.deliveries.put(
          newDelivery(s.service.newId(), deleted.id, { id: event.id, name: 'inventory.item.created' }, s.clock.now().toISOString()),
        );
    });
  await addDeliveries();
  expect((await s.delete(`/v1/webhooks/${deleted.id}`)).status).toBe(204);
  const left = await deliveriesWhen(s, (rows) => rows.every(({ webhookId }) => webhookId === kept.id));
  expect(left).toHaveLength(1);
  // As after a crash between the deletion of the endpoint and that of its deliveries.
  await addDeliveries();
  await s.restart();
  expect(await getDeliveries(s)).toEqual(left);
});

// The receiver is slow, so that the service stops while attempts are in progress.
test('a stop waits for attempts in progress, and the next start sends the rest', async () => {
  await using receiver = await startReceiver((response) => void setTimeout(() => response.writeHead(200).end(), 200));
  await using s = await startService({ deliver: true });
  await addWebhook(s, receiver.url);
  for (let count = 0; count < 6; count += 1) await s.post('/v1/items', { name: `Bolt ${String(count)}` });
  await receiver.count(4);
  await s.restart();
  await deliveriesWhen(s, (rows) => rows.length === 6 && rows.every(({ status }) => status === 'delivered'));
  expect(receiver.received).toHaveLength(6);
  expect(new Set(receiver.received.map(({ headers }) => headers['x-service-event-id'])).size).toBe(6);
});
