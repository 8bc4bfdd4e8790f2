/** Endpoint health over the admin API. */
import { expect, test } from 'vitest';
import { openEventStream } from '../../../src/client/event-stream.ts';
import { FEED_PATH } from '../../../src/contract/admin/webhooks.ts';
import { startAdmin } from '../../support/service/admin.ts';
import { startReceiver } from '../../support/servers/webhook-receiver.ts';
import { startService } from '../../support/service/service.ts';
import { allIn, addWebhook, deliveriesWhen } from '../../support/resources/webhooks.ts';
import { listEndpointHealth } from '../../../src/domain/webhooks/health.ts';

test('health lists every endpoint with its queue and without secrets', async () => {
  await using a = await startAdmin();
  const quiet = await addWebhook(a.s, 'http://127.0.0.1:9/', { name: 'Quiet', subscribedEvents: ['order.created'] });
  const waiting = await addWebhook(a.s, 'http://127.0.0.1:9/', { name: 'Waiting', status: 'paused' });
  await a.s.post('/v1/items', { name: 'Bolt' });
  const { status, body, text } = await a.get('/admin/webhooks/health');
  expect(status).toBe(200);
  expect(body.data).toMatchObject([
    { id: quiet.id, name: 'Quiet', subscribedEvents: ['order.created'], queued: 0, oldestQueuedAt: null, failingSince: null, delivered: 0 },
    { id: waiting.id, name: 'Waiting', status: 'paused', queued: 1, oldestQueuedAt: expect.any(String), failedAttempts: 0 },
  ]);
  expect(body.data.map(({ nextAttemptAt }: { nextAttemptAt: string | null }) => nextAttemptAt)).toEqual([null, expect.any(String)]);
  for (const { secret } of [quiet, waiting]) expect(text).not.toContain(secret);
});

test('an endpoint whose secret was rotated says until when the previous one signs, until the overlap ends', async () => {
  await using a = await startAdmin();
  const { id } = await addWebhook(a.s, 'http://127.0.0.1:9/');
  const read = async () => [(await a.s.get(`/v1/webhooks/${id}`)).body.data, (await a.get('/admin/webhooks/health')).body.data[0]];
  for (const row of await read()) expect(row).not.toHaveProperty('previousSecretUntil');
  expect((await a.s.patch(`/v1/webhooks/${id}`, { rotateSecret: true })).status).toBe(200);
  const until = new Date(a.s.service.clock.now().getTime() + 24 * 3_600_000).toISOString().slice(0, 13);
  for (const row of await read()) expect(row).toMatchObject({ previousSecretUntil: expect.stringContaining(until) });
  expect((await a.post(`/admin/webhooks/${id}/end-overlap`, {})).status).toBe(200);
  for (const row of await read()) expect(row).not.toHaveProperty('previousSecretUntil');
});

test('health counts successes and failures and since when an endpoint fails', async () => {
  await using receiver = await startReceiver(200);
  await using s = await startService({ deliver: true, webhooks: { scheduleSeconds: [] } });
  await addWebhook(s, receiver.url);
  await s.post('/v1/items', { name: 'Bolt' });
  await deliveriesWhen(s, allIn('delivered'));
  receiver.answer = 500;
  await s.post('/v1/items', { name: 'Nut' });
  await deliveriesWhen(s, (rows) => rows.length === 2 && rows.every(({ status }) => status !== 'pending'));
  const [health] = await s.service.store.read(s.tenant.id, (tx) => listEndpointHealth(tx, s.service.targets));
  expect(health).toMatchObject({
    delivered: 1,
    failed: 1,
    discarded: 0,
    queued: 0,
    failingSince: expect.any(String),
    failedAttempts: 1,
    lastError: 'http_500',
  });
});

test('the failures of an endpoint are kept while it is paused, and forgotten when it is active again or disabled', async () => {
  await using receiver = await startReceiver(500);
  await using s = await startService({ deliver: true, webhooks: { scheduleSeconds: [] } });
  const [first, second] = [await addWebhook(s, receiver.url), await addWebhook(s, receiver.url)];
  await s.post('/v1/items', { name: 'Nut' });
  await deliveriesWhen(s, (rows) => rows.length === 2 && allIn('failed')(rows));
  const countFailures = async () =>
    (await s.service.store.read(s.tenant.id, (tx) => listEndpointHealth(tx, s.service.targets))).map(
      ({ failedAttempts }) => failedAttempts,
    );
  const set = async ({ id }: { readonly id: string }, status: string) =>
    expect((await s.patch(`/v1/webhooks/${id}`, { status })).status).toBe(200);
  await set(first, 'paused');
  await set(second, 'paused');
  expect(await countFailures()).toEqual([1, 1]);
  await set(first, 'active');
  await set(second, 'disabled');
  expect(await countFailures()).toEqual([0, 0]);
});

test('the feed publishes audit rows as they are written', async () => {
  await using a = await startAdmin();
  using stream = await openEventStream(a.socketPath, `${FEED_PATH}?types=audit`);
  const { body } = await a.s.post('/v1/items', { name: 'Bolt' });
  const { value } = (await stream.messages[Symbol.asyncIterator]().next()) as { value: { event: string; data: unknown } };
  expect(value).toMatchObject({ event: 'audit', data: { action: 'item.created', resourceId: body.data.id, ipAddress: '127.0.0.1' } });
});

test('health lists every endpoint beyond the default limit', async () => {
  await using a = await startAdmin();
  const { id } = await addWebhook(a.s, 'http://127.0.0.1:9/');
  await a.s.service.store.transact(a.s.tenant.id, async (tx) => {
    const webhook = await tx.webhooks.get(id);
    if (!webhook) throw new Error('it is not there');
    for (let count = 0; count < 120; count += 1) await tx.webhooks.put({ ...webhook, id: a.s.service.newId() });
  });
  expect((await a.get('/admin/webhooks/health')).body.data).toHaveLength(121);
});

test('endpoints on the machine of a service that is published since are blocked: health and deliveries say so, new ones are refused', async () => {
  await using receiver = await startReceiver(200);
  await using a = await startAdmin({ service: { deliver: true, webhooks: { allowLoopback: false, scheduleSeconds: [60] } } });
  const add = (name: string) => addWebhook(a.s, 'https://example.com/', { name, status: 'paused' });
  const [open, closed] = [await add('Open'), await add('Closed'), await add('Elsewhere')];
  // As they were stored before the service was published.
  await a.s.service.store.transact(a.s.tenant.id, async (tx) => {
    for (const [{ id }, targetUrl] of [
      [open, receiver.url],
      [closed, 'http://localhost:1/'],
    ] as const) {
      const record = await tx.webhooks.get(id);
      if (record) await tx.webhooks.put({ ...record, targetUrl, status: 'active' });
    }
  });
  await a.s.post('/v1/items', { name: 'Bolt' });
  const rows = await deliveriesWhen(a.s, (all) => all.filter(({ lastError }) => lastError !== undefined).length === 2);
  expect(rows.flatMap(({ lastError }) => lastError ?? [])).toEqual(['target_blocked', 'target_blocked']);
  const { body } = await a.get('/admin/webhooks/health');
  const reason =
    '127.0.0.1 is the machine of the service. Allow it in config.json (see `stockroom config show`) with the setting webhooks.allowLoopback';
  expect(body.data).toMatchObject([
    { name: 'Open', blockedReason: reason, failedAttempts: 1 },
    { name: 'Closed', blockedReason: reason, failedAttempts: 1 },
    { name: 'Elsewhere', blockedReason: null },
  ]);
  const messages = new Set<string>();
  for (const port of [new URL(receiver.url).port, new URL(a.s.url).port, '1']) {
    const targetUrl = `http://127.0.0.1:${port}/`;
    const refused = await a.s.post('/v1/webhooks', { name: 'New', targetUrl, subscribedEvents: ['inventory.item.created'] });
    const moved = await a.s.patch(`/v1/webhooks/${open.id}`, { targetUrl });
    expect([refused.status, moved.status]).toEqual([400, 400]);
    messages.add(refused.body.error.fields[0].message).add(moved.body.error.fields[0].message);
  }
  expect([...messages]).toEqual([`targetUrl is not allowed: ${reason}`]);
  expect(receiver.received).toEqual([]);
});
