/** Deliveries of endpoints that are paused, resumed, disabled or deleted. */
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import type { OwnedDelivery } from '../../src/contract/admin/webhooks.ts';
import { HELD_MAX_ROWS } from '../../src/contract/limits.ts';
import { recordResults } from '../../src/delivery/record-results.ts';
import { discardExpiredHeldDeliveries, resendDelivery } from '../../src/domain/events/deliveries.ts';
import type { DeliveryRecord } from '../../src/domain/events/records.ts';
import { toDiscarded, createDelivery } from '../../src/domain/events/delivery-state.ts';
import { StoreUnavailable } from '../../src/domain/kernel/ports.ts';
import { NO_SAFETY_POLLS } from '../support/resources/delivery-store.ts';
import { startReceiver } from '../support/servers/webhook-receiver.ts';
import { type TestService, startService } from '../support/service/service.ts';
import { addWebhook, allIn, getDeliveries, deliveriesWhen } from '../support/resources/webhooks.ts';

const UNREACHABLE_URL = 'http://127.0.0.1:9/';
const HOUR_MS = 3_600_000;

/** Creates `count` deliveries of the latest event, each changed by `change`. */
async function addDeliveries(
  s: TestService,
  webhookId: string,
  count: number,
  change = (row: DeliveryRecord): DeliveryRecord => row,
): Promise<void> {
  const event = (await s.events()).at(-1);
  if (!event) throw new Error('there is no event');
  await s.service.store.transact(s.tenant.id, async (tx) => {
    for (let index = 0; index < count; index += 1) {
      const at = new Date(s.clock.now().getTime() - HOUR_MS + index).toISOString();
      await tx.deliveries.put(change(createDelivery(s.service.newId(), webhookId, { id: event.id, name: 'inventory.item.created' }, at)));
    }
  });
}

const toRetrying = (s: TestService) => (row: DeliveryRecord) => ({
  ...row,
  status: 'retrying' as const,
  attempts: 1,
  dueAt: new Date(s.clock.now().getTime() + HOUR_MS).toISOString(),
});

test('an endpoint that is enabled again receives new events, and none from before it was disabled', async () => {
  await using receiver = await startReceiver();
  await using s = await startService({ deliver: true });
  const { id } = await addWebhook(s, receiver.url, { status: 'paused' });
  await s.post('/v1/items', { name: 'Before' });
  await addDeliveries(s, id, 3_000, toRetrying(s));
  await s.patch(`/v1/webhooks/${id}`, { status: 'disabled' });
  await s.patch(`/v1/webhooks/${id}`, { status: 'active' });
  for (let count = 0; count < 5; count += 1) await s.post('/v1/items', { name: `After ${String(count)}` });
  const rows = await deliveriesWhen(s, allIn('delivered', 'discarded'));
  expect(rows.filter(({ status }) => status === 'delivered')).toHaveLength(5);
  expect(new Set(receiver.received.map(({ body }) => (JSON.parse(body) as { data: { name: string } }).data.name))).toEqual(
    new Set(['After 0', 'After 1', 'After 2', 'After 3', 'After 4']),
  );
});

test('a paused endpoint holds 1,000 deliveries and discards the oldest for new ones', async () => {
  await using s = await startService({ deliver: true });
  const { id } = await addWebhook(s, UNREACHABLE_URL, { status: 'paused' });
  await s.post('/v1/items', { name: 'First' });
  await s.patch(`/v1/webhooks/${id}`, { status: 'disabled' });
  await s.patch(`/v1/webhooks/${id}`, { status: 'paused' });
  await addDeliveries(s, id, HELD_MAX_ROWS + 300, toRetrying(s));
  await s.post('/v1/items', { name: 'New' });
  const open = (rows: readonly DeliveryRecord[]) => rows.filter(({ queue }) => queue !== null);
  const held = open(await getDeliveries(s));
  expect(held).toHaveLength(HELD_MAX_ROWS);
  expect(held.filter(({ status }) => status === 'pending')).toHaveLength(1);
  const oldest = (await getDeliveries(s)).filter(({ lastError }) => lastError === 'too_many_held');
  expect(oldest.every(({ createdAt }) => held.every((row) => row.createdAt >= createdAt))).toBe(true);
  await s.patch(`/v1/webhooks/${id}`, { status: 'disabled' });
  await s.patch(`/v1/webhooks/${id}`, { status: 'active' });
  await addDeliveries(s, id, HELD_MAX_ROWS + 50, toRetrying(s));
  await s.patch(`/v1/webhooks/${id}`, { status: 'paused' });
  expect(open(await getDeliveries(s))).toHaveLength(HELD_MAX_ROWS);
});

test('resuming a paused endpoint makes waiting retries due', async () => {
  await using receiver = await startReceiver(500);
  await using s = await startService({ deliver: true, webhooks: { scheduleSeconds: [3_600] } });
  const { id } = await addWebhook(s, receiver.url);
  await s.post('/v1/items', { name: 'Bolt' });
  await deliveriesWhen(s, allIn('retrying'));
  await s.patch(`/v1/webhooks/${id}`, { status: 'paused' });
  receiver.answer = 200;
  await s.patch(`/v1/webhooks/${id}`, { status: 'active' });
  expect(await deliveriesWhen(s, allIn('delivered'))).toHaveLength(1);
});

test('deleting an endpoint deletes its deliveries in every state, also after a crash during the deletion', async () => {
  await using s = await startService({ deliver: true });
  const [disabled, other] = [
    await addWebhook(s, UNREACHABLE_URL, { status: 'paused' }),
    await addWebhook(s, UNREACHABLE_URL, { status: 'paused' }),
  ];
  await s.post('/v1/items', { name: 'Bolt' });
  const ended = (row: DeliveryRecord) => toDiscarded(row, 'held_too_long', s.clock.now());
  await addDeliveries(s, disabled.id, 2_500, ended);
  await s.patch(`/v1/webhooks/${disabled.id}`, { status: 'disabled' });
  expect((await s.delete(`/v1/webhooks/${disabled.id}`)).status).toBe(204);
  const left = await deliveriesWhen(s, (rows) => rows.every(({ webhookId }) => webhookId === other.id));
  expect(left).toHaveLength(1);
  await addDeliveries(s, disabled.id, 1_500, ended);
  await s.restart();
  expect(await getDeliveries(s)).toEqual(left);
});

test('a delivery that is resent while its outcome is being stored is sent again immediately', async () => {
  await using receiver = await startReceiver();
  await using s = await startService({ deliver: true, timeouts: NO_SAFETY_POLLS });
  await addWebhook(s, receiver.url);
  await s.post('/v1/items', { name: 'Bolt' });
  const [{ id } = { id: '' }] = await deliveriesWhen(s, allIn('delivered'));
  const again = () => s.service.store.transact(s.tenant.id, (tx) => resendDelivery(tx, id, s.clock.now()));
  for (let turns = 0; turns < 24; turns += 1) {
    const answered = Promise.withResolvers<void>();
    receiver.answer = (response) => void response.writeHead(200).end(() => answered.resolve());
    await again();
    await answered.promise;
    for (let turn = 0; turn < turns % 12; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    await again();
    expect(await deliveriesWhen(s, allIn('delivered'))).toHaveLength(1);
  }
});

test('recordResults returns discarded deliveries when an attempt disables the endpoint', async () => {
  await using s = await startService();
  const { id } = await addWebhook(s, UNREACHABLE_URL);
  await s.post('/v1/items', { name: 'Bolt' });
  await addDeliveries(s, id, 3);
  const startedAt = s.clock.now();
  const results = (await getDeliveries(s)).map(({ id: deliveryId, attempts }, at) => ({
    tenantId: s.tenant.id,
    webhookId: id,
    deliveryId,
    attempts,
    targetUrl: UNREACHABLE_URL,
    outcome: {
      startedAt,
      milliseconds: 1,
      httpStatus: at === 1 ? 410 : 500,
      error: at === 1 ? ('endpoint_gone' as const) : ('http_500' as const),
      retryAfterSeconds: null,
    },
  }));
  const rules = { scheduleSeconds: [60], overloadSeconds: 60 };
  const recorded = await recordResults({ store: s.service.store, rules, random: () => 0.5 }, s.tenant.id, results);
  expect(recorded.map(({ delivery }) => delivery)).toEqual(await getDeliveries(s));
  expect(recorded.map(({ delivery }) => delivery.status)).toEqual(['discarded', 'failed', 'discarded', 'discarded']);
});

test('the last delivery in the feed is the current one, also when it was changed together with its outcome', async () => {
  const responses: ServerResponse[] = [];
  await using receiver = await startReceiver((response) => void responses.push(response));
  await using s = await startService({ deliver: true });
  await addWebhook(s, receiver.url);
  const published: unknown[] = [];
  const lastPublished = Promise.withResolvers<void>();
  const unsubscribe = s.service.feed.subscribe(
    undefined,
    ({ data }) => {
      const { status, attempts } = data as OwnedDelivery;
      published.push([status, attempts]);
      if (status === 'discarded') lastPublished.resolve();
    },
    ['delivery'],
  );
  const { store } = s.service;
  const transact = store.transact.bind(store);
  await s.post('/v1/items', { name: 'Bolt' });
  await receiver.count(1);
  // From here on only the engine writes. This transaction is committed together with its outcome.
  store.transact = (tenantId, work) => {
    store.transact = transact;
    const stored = transact(tenantId, work);
    void transact(tenantId, async (tx) => {
      for (const row of (await tx.deliveries.listAfter({ limit: 1 })).rows)
        await tx.deliveries.put(toDiscarded(row, 'endpoint_disabled', s.clock.now()));
    });
    return stored;
  };
  responses[0]?.writeHead(500).end();
  await lastPublished.promise;
  unsubscribe();
  expect(published).toEqual([
    ['pending', 0],
    ['retrying', 1],
    ['discarded', 1],
  ]);
});

test('a delivery resent to a paused endpoint is held from the time of the resend', async () => {
  await using s = await startService();
  const { id } = await addWebhook(s, UNREACHABLE_URL);
  await s.post('/v1/items', { name: 'Bolt' });
  const pausedAt = s.clock.now().toISOString();
  await s.service.store.transact(s.tenant.id, async (tx) => {
    const [row] = (await tx.deliveries.listAfter({ limit: 1 })).rows;
    if (row) await tx.deliveries.put(toDiscarded(row, 'held_too_long', s.clock.now()));
  });
  await s.patch(`/v1/webhooks/${id}`, { status: 'paused' });
  s.clock.advance(80 * 3_600);
  const purge = () => s.service.store.transact(s.tenant.id, (tx) => discardExpiredHeldDeliveries(tx, id, pausedAt, s.clock.now(), 10));
  await s.service.store.transact(s.tenant.id, async (tx) => {
    const [row] = (await tx.deliveries.listAfter({ limit: 1 })).rows;
    if (row) await resendDelivery(tx, row.id, s.clock.now());
  });
  expect(await purge()).toBe(0);
  s.clock.advance(80 * 3_600);
  expect(await purge()).toBe(1);
});

test('deliveries resent to a paused endpoint do not extend how long others are held', async () => {
  await using s = await startService();
  const { id } = await addWebhook(s, UNREACHABLE_URL);
  await s.post('/v1/items', { name: 'Bolt' });
  await addDeliveries(s, id, 500, (row) => toDiscarded(row, 'held_too_long', s.clock.now()));
  await s.patch(`/v1/webhooks/${id}`, { status: 'paused' });
  await addDeliveries(s, id, 100);
  s.clock.advance(10 * 3_600);
  const ended = (await getDeliveries(s)).filter(({ queue }) => queue === null).map((row) => row.id);
  await s.service.store.transact(s.tenant.id, async (tx) => {
    for (const each of ended) await resendDelivery(tx, each, s.clock.now());
  });
  // Moving the clock makes the service purge deliveries that were held for too long.
  s.clock.advance(63 * 3_600);
  const rows = await deliveriesWhen(s, (all) => all.filter(({ queue }) => queue !== null).length <= ended.length);
  expect(rows.filter(({ queue }) => queue !== null).map((row) => row.id)).toEqual(ended);
});

test('an attempt at a previous URL of an endpoint does not disable the endpoint', async () => {
  await using s = await startService();
  const { id } = await addWebhook(s, UNREACHABLE_URL);
  for (const name of ['Bolt', 'Nut']) await s.post('/v1/items', { name });
  const failingSince = s.clock.now().toISOString();
  await s.service.store.transact(s.tenant.id, (tx) => tx.webhookHealth.put({ id, failingSince, failedAttempts: 12 }));
  s.clock.advance(121 * 3_600);
  const [first, second] = await getDeliveries(s);
  const rules = { scheduleSeconds: [60], overloadSeconds: 60 };
  const fail = (delivery: DeliveryRecord | undefined, targetUrl: string) => {
    if (!delivery) throw new Error('there are two deliveries');
    const startedAt = s.clock.now();
    const outcome = { startedAt, milliseconds: 1, httpStatus: 500, error: 'http_500' as const, retryAfterSeconds: null };
    const { id: deliveryId, attempts } = delivery;
    const result = { tenantId: s.tenant.id, webhookId: id, deliveryId, attempts, targetUrl, outcome };
    return recordResults({ store: s.service.store, rules, random: () => 0.5 }, s.tenant.id, [result]);
  };
  const status = async () => (await s.get(`/v1/webhooks/${id}`)).body.data.status as string;
  await fail(first, 'http://127.0.0.1:9/before');
  expect(await status()).toBe('active');
  await fail(second, UNREACHABLE_URL);
  expect(await status()).toBe('disabled');
});

test('deliveries of a disabled endpoint that could not be discarded are discarded later', async () => {
  await using receiver = await startReceiver();
  await using s = await startService({ deliver: true });
  const { id } = await addWebhook(s, UNREACHABLE_URL, { status: 'paused' });
  await addWebhook(s, receiver.url);
  await s.post('/v1/items', { name: 'Bolt' });
  await addDeliveries(s, id, 2_500, toRetrying(s));
  await receiver.count(1);
  await deliveriesWhen(s, (rows) => rows.some(({ status }) => status === 'delivered'));
  const { store } = s.service;
  const transact = store.transact.bind(store);
  const refused = Promise.withResolvers<void>();
  // The first transaction is the request below, the second one is the engine's.
  store.transact = (...request) => {
    store.transact = () => {
      store.transact = transact;
      refused.resolve();
      return Promise.reject(new StoreUnavailable('the disk is full'));
    };
    return transact(...request);
  };
  await s.patch(`/v1/webhooks/${id}`, { status: 'disabled' });
  await refused.promise;
  await s.post('/v1/items', { name: 'Nut' });
  const rows = await deliveriesWhen(s, allIn('delivered', 'discarded'));
  expect(rows.filter(({ status }) => status === 'delivered')).toHaveLength(2);
});
