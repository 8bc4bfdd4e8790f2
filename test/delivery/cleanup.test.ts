/** Rows that are never sent: of removed and disabled endpoints, and of tenants without the plan. */
import { expect, test } from 'vitest';
import { deleteOrphans, deleteRemaining, discardRemaining } from '../../src/delivery/cleanup.ts';
import { toDiscarded } from '../../src/domain/events/delivery-state.ts';
import type { DeliveryRecord } from '../../src/domain/events/records.ts';
import { createEngine, openDeliveryStore } from '../support/resources/delivery-store.ts';
import { startReceiver } from '../support/servers/webhook-receiver.ts';

const summarize = (rows: readonly DeliveryRecord[]) =>
  Object.fromEntries(
    [...Map.groupBy(rows, ({ status, lastError }) => `${status} ${String(lastError)}`)].map(([key, all]) => [key, all.length]),
  );

test('the open deliveries of a disabled endpoint are discarded, however many there are', async () => {
  const s = await openDeliveryStore();
  const { id } = await s.addEndpoint({ status: 'disabled' });
  await s.addDeliveries(id, 1_001);
  const { id: other } = await s.addEndpoint({ status: 'paused' });
  await s.addDeliveries(other, 1);
  s.clock.advance(5);
  await discardRemaining(s.store, s.tenantId, id);
  const rows = await s.listDeliveries();
  expect(summarize(rows)).toEqual({ 'discarded endpoint_disabled': 1_001, 'pending undefined': 1 });
  expect(rows.every(({ webhookId, queue, updatedAt, createdAt }) => webhookId === other || (queue === null && updatedAt > createdAt))).toBe(
    true,
  );
});

test('the open deliveries of an endpoint without the plan are discarded for that reason, also those of an active one', async () => {
  const s = await openDeliveryStore();
  const active = await s.addEndpoint();
  const disabled = await s.addEndpoint({ status: 'disabled' });
  for (const { id } of [active, disabled]) await s.addDeliveries(id, 2);
  await s.store.transact(s.tenantId, async (tx) => {
    const tenant = await tx.tenants.get(s.tenantId);
    if (tenant) await tx.tenants.put({ ...tenant, plan: 'pro' });
  });
  for (const { id } of [active, disabled]) await discardRemaining(s.store, s.tenantId, id);
  expect(summarize(await s.listDeliveries())).toEqual({ 'discarded plan_required': 4 });
});

test('nothing is discarded of an endpoint that is active or paused, or no longer there', async () => {
  const s = await openDeliveryStore();
  const endpoints = [await s.addEndpoint(), await s.addEndpoint({ status: 'paused' }), { id: s.newId() }];
  for (const { id } of endpoints) {
    await s.addDeliveries(id, 1);
    await discardRemaining(s.store, s.tenantId, id);
  }
  expect(summarize(await s.listDeliveries())).toEqual({ 'pending undefined': 3 });
});

test('nothing is written when an endpoint has no open deliveries, or none at all', async () => {
  const s = await openDeliveryStore();
  const { id } = await s.addEndpoint({ status: 'disabled' });
  const { id: empty } = await s.addEndpoint({ status: 'disabled' });
  await s.addDeliveries(id, 2, (row) => toDiscarded(row, 'held_too_long', s.clock.now()));
  const { transact } = s.store;
  s.store.transact = () => Promise.reject(new Error('there is nothing to write'));
  await discardRemaining(s.store, s.tenantId, id);
  await deleteRemaining(s.store, s.tenantId, empty);
  await deleteOrphans(s.store, s.tenantId);
  s.store.transact = transact;
  expect(summarize(await s.listDeliveries())).toEqual({ 'discarded held_too_long': 2 });
});

test('all deliveries of a removed endpoint are deleted, and those of no other', async () => {
  const s = await openDeliveryStore();
  const kept = await s.addEndpoint();
  const [keptRow] = await s.addDeliveries(kept.id, 1);
  const removed = s.newId();
  await s.addDeliveries(removed, 1_001, (row, index) => (index % 2 === 0 ? row : toDiscarded(row, 'held_too_long', s.clock.now())));
  await deleteRemaining(s.store, s.tenantId, removed);
  expect(await s.listDeliveries()).toEqual([keptRow]);
});

test('the deliveries that a crash left without an endpoint are found on every page', async () => {
  const s = await openDeliveryStore();
  const { id } = await s.addEndpoint();
  const [first, second] = [s.newId(), s.newId()];
  await s.addDeliveries(first, 1);
  await s.addDeliveries(id, 1_001);
  await s.addDeliveries(second, 1);
  await deleteOrphans(s.store, s.tenantId);
  expect((await s.listDeliveries()).map(({ webhookId }) => webhookId)).toEqual(Array.from({ length: 1_001 }, () => id));
});

test('the deliveries of an endpoint that another daemon creates while orphans are looked for are kept', async () => {
  const s = await openDeliveryStore();
  await s.addDeliveries(s.newId(), 1);
  const read = s.store.read.bind(s.store);
  let created: DeliveryRecord[] | undefined;
  s.store.read = async (tenant, work) => {
    const result = await read(tenant, work);
    created ??= await s.addDeliveries((await s.addEndpoint()).id, 1);
    return result;
  };
  await deleteOrphans(s.store, s.tenantId);
  expect(await s.listDeliveries()).toEqual(created);
});

test('pending deliveries of a removed endpoint are neither sent nor kept, when it is removed and after a start', async () => {
  const s = await openDeliveryStore();
  await using receiver = await startReceiver(500);
  const { id } = await s.addEndpoint({ targetUrl: receiver.url, status: 'paused' });
  const kept = await s.addEndpoint({ targetUrl: receiver.url, status: 'paused' });
  await s.addDeliveries(kept.id, 1);
  await s.addDeliveries(id, 2);
  // Before this start, another endpoint was removed without its deliveries.
  await s.addDeliveries(s.newId(), 3);
  await createEngine(s).start();
  expect((await s.listDeliveries()).map(({ webhookId }) => webhookId)).toEqual([kept.id, id, id]);
  await s.store.transact(s.tenantId, (tx) => tx.webhooks.remove(id));
  expect(await s.waitFor((rows) => rows.length === 1)).toMatchObject([{ webhookId: kept.id, status: 'pending' }]);
  expect(receiver.received).toEqual([]);
});
