/** Events to try an endpoint with: sample events, and earlier ones that it has not received. */
import { expect, test } from 'vitest';
import { HELD_MAX_ROWS } from '../../../src/contract/limits.ts';
import { toDiscarded } from '../../../src/domain/events/delivery-state.ts';
import { startAdmin } from '../../support/service/admin.ts';
import { addWebhook, getDeliveries } from '../../support/resources/webhooks.ts';

test('a triggered event has the sample data with those given, and goes to every subscribed endpoint', async () => {
  await using a = await startAdmin();
  const subscribedEvents = ['order.created'];
  const endpoints = [
    await addWebhook(a.s, 'http://127.0.0.1:9/', { subscribedEvents }),
    await addWebhook(a.s, 'http://127.0.0.1:9/', { subscribedEvents }),
  ];
  await addWebhook(a.s, 'http://127.0.0.1:9/');
  // An earlier delivery, which does not count.
  await a.s.post('/v1/items', { name: 'Bolt' });
  const { status, body } = await a.post('/admin/webhooks/trigger', { event: 'order.created', data: { reference: 'TRY-1' } });
  expect([status, body.data]).toEqual([201, { event: 'order.created', eventId: expect.any(String), deliveries: 2 }]);
  const sent = (await getDeliveries(a.s)).filter(({ eventId }) => eventId === body.data.eventId);
  expect(sent.map(({ webhookId }) => webhookId).toSorted()).toEqual(endpoints.map(({ id }) => id).toSorted());
  const [event] = (await a.s.events()).slice(-1);
  expect(event).toMatchObject({ id: body.data.eventId, event: 'order.created' });
  expect(JSON.parse(event?.body ?? '').data).toMatchObject({ reference: 'TRY-1', module: expect.any(String), changes: [] });
  expect((await a.audit()).at(-1)).toMatchObject({
    action: 'webhook.event_triggered',
    resourceType: 'event',
    resourceId: event?.resourceId,
    metadata: { event: 'order.created' },
  });
});

test('a backfill delivers the subscribed events since an instant that the endpoint has not received', async () => {
  await using a = await startAdmin();
  const early = (await a.s.post('/v1/items', { name: 'Early' })).body.data;
  a.s.clock.advance(60);
  const since = a.s.clock.now().toISOString();
  const item = (await a.s.post('/v1/items', { name: 'Bolt' })).body.data;
  await a.s.patch(`/v1/items/${item.id}`, { name: 'Bolt M8' });
  await a.s.post('/v1/contacts', { name: 'Ana' });
  // A change that webhooks do not have.
  expect((await a.post('/admin/units', { name: 'Crate', symbol: 'crate', dimension: 'count', factorNum: 12 })).status).toBe(201);
  const { id } = await addWebhook(a.s, 'http://127.0.0.1:9/', { subscribedEvents: ['inventory.item.created', 'inventory.item.updated'] });
  const backfill = async (from: string) => (await a.post(`/admin/webhooks/${id}/backfill`, { since: from })).body.data.deliveries as number;
  expect(await backfill(since)).toBe(2);
  const delivered = await getDeliveries(a.s);
  expect(delivered.map(({ eventType, status }) => [eventType, status])).toEqual([
    ['inventory.item.created', 'pending'],
    ['inventory.item.updated', 'pending'],
  ]);
  expect(await backfill(since)).toBe(0);
  const [first, second] = delivered as [(typeof delivered)[0], (typeof delivered)[0]];
  await a.s.service.store.transact(a.s.tenant.id, async (tx) => {
    await tx.deliveries.put({ ...first, status: 'failed', queue: null });
    await tx.deliveries.put(toDiscarded(second, 'endpoint_disabled', a.s.clock.now()));
  });
  // Those that failed or were discarded are sent again, as the same deliveries, and the event before the instant only when it is asked for.
  expect(await backfill(early.createdAt)).toBe(3);
  const all = await getDeliveries(a.s);
  expect(all.map(({ status }) => status)).toEqual(['pending', 'pending', 'pending']);
  expect(all.map((row) => row.id)).toEqual(expect.arrayContaining([first.id, second.id]));
});

test('a backfill of a paused endpoint holds no more deliveries than fit', async () => {
  await using a = await startAdmin();
  await a.s.post('/v1/items', { name: 'Bolt' });
  const [event] = await a.s.events();
  const more = Array.from({ length: HELD_MAX_ROWS }, (_, index) => ({ ...event!, id: a.s.service.newId(), position: 100 + index }));
  await a.s.service.store.transact(a.s.tenant.id, (tx) => tx.events.putMany(more));
  const { id } = await addWebhook(a.s, 'http://127.0.0.1:9/', { status: 'paused' });
  const { body } = await a.post(`/admin/webhooks/${id}/backfill`, { since: event!.occurredAt });
  expect(body.data.deliveries).toBe(HELD_MAX_ROWS + 1);
  const statuses = (await getDeliveries(a.s)).map(({ status, lastError }) => (status === 'discarded' ? lastError : status));
  expect([
    statuses.filter((status) => status === 'too_many_held').length,
    statuses.filter((status) => status === 'pending').length,
  ]).toEqual([1, HELD_MAX_ROWS]);
});
