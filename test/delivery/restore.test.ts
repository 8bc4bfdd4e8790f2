/** Deliveries when all data is replaced: by a snapshot, or by nothing. */
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { ENDPOINT_DELIVERY_CONCURRENCY } from '../../src/contract/limits.ts';
import { addWebhook, allIn, deliveriesWhen, getDeliveries } from '../support/resources/webhooks.ts';
import { startReceiver } from '../support/servers/webhook-receiver.ts';
import { startService } from '../support/service/service.ts';

test('the open deliveries of a loaded snapshot are sent when they are due, also those from before the last poll', async () => {
  await using receiver = await startReceiver(500);
  await using s = await startService({ deliver: true, webhooks: { scheduleSeconds: [3_600] } });
  await addWebhook(s, receiver.url);
  await s.post('/v1/items', { name: 'Bolt' });
  await deliveriesWhen(s, allIn('retrying'));
  await s.service.snapshots.save('one', { replace: false });
  receiver.answer = 200;
  s.clock.advance(7_200);
  await deliveriesWhen(s, allIn('delivered'));
  await s.service.snapshots.load('one');
  await deliveriesWhen(s, allIn('delivered'));
  expect(receiver.received.map(({ headers }) => headers['x-service-attempt'])).toEqual(['1', '2', '2']);
});

test('an attempt in progress does not outlast the data that it belongs to', async () => {
  const responses: ServerResponse[] = [];
  await using receiver = await startReceiver((response) => void responses.push(response));
  await using s = await startService({ deliver: true, timeouts: { drainMs: 20 } });
  const { id } = await addWebhook(s, receiver.url);
  await s.service.snapshots.save('one', { replace: false });
  await s.post('/v1/items', { name: 'Bolt' });
  await receiver.count(1);
  await s.service.snapshots.load('one');
  await expect.poll(() => responses[0]?.destroyed).toBe(true);
  receiver.answer = 200;
  await s.post('/v1/items', { name: 'Nut' });
  const rows = await deliveriesWhen(s, allIn('delivered'));
  expect(rows.map(({ webhookId, attempts }) => [webhookId, attempts])).toEqual([[id, 1]]);
  expect(receiver.received).toHaveLength(2);
});

test('after a reset nothing of the previous data is sent, and new data is', async () => {
  await using receiver = await startReceiver(500);
  await using s = await startService({ deliver: true, webhooks: { scheduleSeconds: [3_600] } });
  await addWebhook(s, receiver.url);
  await s.post('/v1/items', { name: 'Bolt' });
  await deliveriesWhen(s, allIn('retrying'));
  await s.service.snapshots.reset();
  receiver.answer = 200;
  s.clock.advance(7_200);
  const tenant = await s.addTenant('second');
  const key = await s.addKey({ tenantId: tenant.id });
  const draft = { name: 'Receiver', targetUrl: receiver.url, subscribedEvents: ['inventory.item.created'] };
  expect((await s.post('/v1/webhooks', draft, { key })).status).toBe(201);
  await s.post('/v1/items', { name: 'Nut' }, { key });
  const received = await receiver.count(2);
  expect(received.map(({ body }) => (JSON.parse(body) as { data: { name: string } }).data.name)).toEqual(['Bolt', 'Nut']);
  expect(await getDeliveries(s)).toEqual([]);
});

test('after a reset of a tenant nothing is sent that waited before', async () => {
  const responses: ServerResponse[] = [];
  await using receiver = await startReceiver((response) => void responses.push(response));
  await using s = await startService({ deliver: true });
  const { tenantStates } = s.service;
  await addWebhook(s, receiver.url);
  await tenantStates.save(s.tenant.id, 'before');
  for (let made = 0; made < 3 * ENDPOINT_DELIVERY_CONCURRENCY; made += 1) await s.post('/v1/items', { name: 'Before' });
  await receiver.count(ENDPOINT_DELIVERY_CONCURRENCY);
  await tenantStates.restore(s.tenant, 'before');
  receiver.answer = 200;
  for (const response of responses) response.end();
  await s.post('/v1/items', { name: 'After' });
  await deliveriesWhen(s, allIn('delivered'));
  const names = receiver.received.map(({ body }) => (JSON.parse(body) as { data: { name: string } }).data.name);
  expect(names.slice(ENDPOINT_DELIVERY_CONCURRENCY)).toEqual(['After']);
});
