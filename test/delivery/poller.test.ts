/** What a poll reads into the endpoint queues, and where the next one starts. */
import { expect, test } from 'vitest';
import { EndpointQueues, NEVER, NOW } from '../../src/delivery/endpoint-queues.ts';
import { Poller } from '../../src/delivery/poller.ts';
import { StoreUnavailable } from '../../src/domain/kernel/ports.ts';
import type { WebhookRecord } from '../../src/domain/webhooks/records.ts';
import { type DeliveryStore, openDeliveryStore } from '../support/resources/delivery-store.ts';

/** A poller over the endpoints that are in the store now. */
async function createPoller(s: DeliveryStore) {
  const queues = new EndpointQueues(() => true);
  const errors: unknown[] = [];
  const poller = new Poller({
    store: s.store,
    clock: s.clock,
    queues,
    onEndpointsChanged: () => undefined,
    onError: (error) => errors.push(error),
  });
  await poller.loadTenant(s.tenantId);
  const queueOf = (webhookId: string) => {
    const queue = queues.get(webhookId);
    if (!queue) throw new Error('the endpoint has no queue');
    return queue;
  };
  const readyOf = (webhookId: string) => queueOf(webhookId).ready.map(({ delivery }) => delivery.id);
  return { poller, queues, errors, queueOf, readyOf };
}

const update = (s: DeliveryStore, webhook: WebhookRecord, more: Partial<WebhookRecord>) =>
  s.store.transact(s.tenantId, (tx) => tx.webhooks.put({ ...webhook, ...more }));

/** Runs `during` after the next read of the store, before its caller continues. */
function afterNextRead({ store }: DeliveryStore, during: () => void): void {
  const read = store.read.bind(store);
  store.read = async (...request) => {
    store.read = read;
    const result = await read(...request);
    during();
    return result;
  };
}

/** Makes the next call of a method of the store fail. */
function failNext({ store }: DeliveryStore, method: 'read' | 'transact'): void {
  const original = store[method];
  const fail = () => {
    Object.assign(store, { [method]: original });
    return Promise.reject(new StoreUnavailable('the disk is full'));
  };
  Object.assign(store, { [method]: fail });
}

const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);

test('a poll reads the rows that are due, with the body of their event, and is due again with the first later one', async () => {
  const s = await openDeliveryStore();
  const { id } = await s.addEndpoint();
  const { poller, queueOf, readyOf } = await createPoller(s);
  await poller.poll();
  expect([readyOf(id), queueOf(id).nextPollAt]).toEqual([[], NEVER]);
  const due = await s.addDeliveries(id, 2);
  const later = await s.addDeliveries(id, 2, (row, index) => ({ ...row, dueAt: s.after(60 - index * 20) }));
  const unknown = await s.addDeliveries(id, 1, (row) => ({ ...row, eventId: s.newId() }));
  queueOf(id).nextPollAt = NOW;
  await poller.poll();
  const { ready, nextPollAt } = queueOf(id);
  expect(ready.map(({ delivery, body }) => [delivery.id, body?.toString()])).toEqual([
    ...due.map((row) => [row.id, s.event.body]),
    [unknown[0]?.id, undefined],
  ]);
  expect(nextPollAt).toBe(Date.parse(later[1]?.dueAt ?? ''));
  expect([...due, ...unknown].map((row) => queueOf(id).inFlight.getState(row.id))).toEqual(['queued', 'queued', 'queued']);
});

test('a delivery whose outcome is stored while a poll reads is not read again', async () => {
  const s = await openDeliveryStore();
  const { id } = await s.addEndpoint();
  const { poller, queueOf, readyOf } = await createPoller(s);
  const [attempted, due] = await s.addDeliveries(id, 2);
  const { inFlight } = queueOf(id);
  inFlight.add(attempted!.id);
  // As in a database: the commit is durable, and its delivery released, after the read has got its snapshot and before its rows arrive.
  const read = s.store.read.bind(s.store);
  s.store.read = (tenant, work) =>
    read(tenant, (tx) => {
      inFlight.release(attempted!.id);
      return work(tx);
    });
  await poller.poll();
  expect(readyOf(id)).toEqual([due!.id]);
});

test('a poll reads 256 rows in addition to those in progress, and is due again when there are more', async () => {
  const s = await openDeliveryStore();
  const { id } = await s.addEndpoint();
  const { poller, queueOf, readyOf } = await createPoller(s);
  const rows = await s.addDeliveries(id, 270, (row, index) => ({ ...row, dueAt: s.after(index - 300) }));
  const queue = queueOf(id);
  for (const row of rows.slice(0, 10)) queue.inFlight.add(row.id);
  await poller.poll();
  expect(readyOf(id)).toEqual(ids(rows.slice(10, 266)));
  expect([queue.nextPollAt, queue.cursor]).toEqual([NOW, rows[265]?.dueAt]);
  // The next poll waits until the queue is low, and starts where this one ended.
  await poller.poll();
  expect(queue.ready).toHaveLength(256);
  queue.ready = [];
  await poller.poll();
  expect([readyOf(id), queue.nextPollAt]).toEqual([ids(rows.slice(266)), NEVER]);
});

test('a poll does not read rows before its cursor, until the cursor is reset', async () => {
  const s = await openDeliveryStore();
  const { id } = await s.addEndpoint();
  const { poller, queueOf, readyOf } = await createPoller(s);
  const [first, second] = await s.addDeliveries(id, 2, (row, index) => ({ ...row, dueAt: s.after(index * 10 - 60) }));
  const queue = queueOf(id);
  queue.cursor = second?.dueAt ?? '';
  await poller.poll();
  expect(readyOf(id)).toEqual([second?.id]);
  queue.nextPollAt = NOW;
  await poller.poll();
  expect([readyOf(id), queue.cursor]).toEqual([[second?.id], second?.dueAt]);
  queue.resetCursor();
  await poller.poll();
  expect(readyOf(id)).toEqual([second?.id, first?.id]);
});

test('a cursor that is reset while a poll reads stays reset, and the poll is repeated', async () => {
  const s = await openDeliveryStore();
  const { id } = await s.addEndpoint();
  const { poller, queueOf } = await createPoller(s);
  await s.addDeliveries(id, 1);
  afterNextRead(s, () => queueOf(id).resetCursor());
  await poller.poll();
  expect(queueOf(id)).toMatchObject({ cursor: '', nextPollAt: NOW, cursorResets: 1 });
});

test('the rows of an endpoint that was changed or removed while a poll read them are not queued', async () => {
  const s = await openDeliveryStore();
  const [changed, removed] = [await s.addEndpoint(), await s.addEndpoint()];
  const { poller, queues, queueOf } = await createPoller(s);
  for (const { id } of [changed, removed]) await s.addDeliveries(id, 1);
  const queue = queueOf(removed.id);
  afterNextRead(s, () => queues.remove(queue));
  await poller.poll();
  expect([queueOf(changed.id).ready.length, queue.ready.length, queue.inFlight.size]).toEqual([1, 0, 0]);
  queueOf(changed.id).releaseReady();
  afterNextRead(s, () => poller.onTenantChanged(s.tenantId));
  await poller.poll();
  expect(queueOf(changed.id)).toMatchObject({ ready: [], nextPollAt: NEVER });
  await poller.poll();
  expect(queueOf(changed.id).ready).toHaveLength(1);
});

test('a queue that is paused or not due yet is not polled', async () => {
  const s = await openDeliveryStore();
  const [paused, waiting] = [await s.addEndpoint({ status: 'paused' }), await s.addEndpoint()];
  const { poller, queueOf, readyOf } = await createPoller(s);
  for (const { id } of [paused, waiting]) await s.addDeliveries(id, 1);
  queueOf(waiting.id).nextPollAt = s.clock.now().getTime() + 60_000;
  await poller.poll();
  expect([readyOf(paused.id), readyOf(waiting.id)]).toEqual([[], []]);
  s.clock.advance(60);
  await poller.poll();
  expect(readyOf(waiting.id)).toHaveLength(1);
});

test('a poll fills the queues of each tenant from its own rows', async () => {
  const s = await openDeliveryStore();
  const mine = await s.addEndpoint();
  const other = await s.addTenant('enterprise');
  const theirs = await s.addEndpoint({}, other.id);
  const { poller, queues, readyOf } = await createPoller(s);
  await poller.loadTenant(other.id);
  const rows = await s.addDeliveries(mine.id, 1);
  await poller.poll();
  expect([readyOf(mine.id), readyOf(theirs.id)]).toEqual([ids(rows), []]);
  expect(queues.all.map(({ tenantId, nextPollAt }) => [tenantId, nextPollAt])).toEqual([
    [s.tenantId, NEVER],
    [other.id, NEVER],
  ]);
});

test('a change of the endpoints takes effect at the next poll: queued rows are read again, for the endpoint as it is', async () => {
  const s = await openDeliveryStore();
  const endpoints = [await s.addEndpoint(), await s.addEndpoint(), await s.addEndpoint()];
  const [renamed, disabled, removed] = endpoints as [WebhookRecord, WebhookRecord, WebhookRecord];
  const { poller, queues, readyOf } = await createPoller(s);
  for (const { id } of endpoints) await s.addDeliveries(id, 1);
  await poller.poll();
  const queue = queues.get(renamed.id);
  await update(s, renamed, { targetUrl: 'http://127.0.0.1:9/after' });
  await update(s, disabled, { status: 'disabled' });
  await s.store.transact(s.tenantId, (tx) => tx.webhooks.remove(removed.id));
  const added = await s.addEndpoint();
  poller.onTenantChanged(s.tenantId);
  poller.onEndpointDeleted(s.tenantId, removed.id);
  await poller.poll();
  expect(queues.all.map(({ webhook }) => webhook.id)).toEqual([renamed.id, added.id]);
  expect(queues.get(renamed.id)).toBe(queue);
  expect([queue?.webhook.targetUrl, queue?.cursorResets, readyOf(renamed.id).length]).toEqual(['http://127.0.0.1:9/after', 1, 1]);
  expect((await s.listDeliveries()).map(({ webhookId, status }) => [webhookId, status])).toEqual([
    [renamed.id, 'pending'],
    [disabled.id, 'discarded'],
  ]);
});

test('a tenant without the plan, or without a record, has no queues, and its open deliveries are discarded', async () => {
  const s = await openDeliveryStore();
  const { id } = await s.addEndpoint();
  const { poller, queues } = await createPoller(s);
  await s.addDeliveries(id, 1);
  expect(queues.all).toHaveLength(1);
  await s.store.transact(s.tenantId, async (tx) => {
    const tenant = await tx.tenants.get(s.tenantId);
    if (tenant) await tx.tenants.put({ ...tenant, plan: 'standard' });
  });
  poller.onTenantChanged(s.tenantId);
  await poller.poll();
  expect([queues.all, (await s.listDeliveries())[0]?.lastError]).toEqual([[], 'plan_required']);
  const nobody = s.newId();
  await s.addEndpoint({}, nobody);
  await poller.loadTenant(nobody);
  expect(queues.all).toEqual([]);
});

test('work that the store could not do is reported and repeated by the next poll', async () => {
  const s = await openDeliveryStore();
  const { id } = await s.addEndpoint();
  const { poller, queues, errors } = await createPoller(s);
  await s.addDeliveries(id, 1);
  const removed = s.newId();
  await s.addDeliveries(removed, 1);
  const added = await s.addEndpoint();
  poller.onTenantChanged(s.tenantId);
  failNext(s, 'read');
  await poller.poll();
  expect([errors.length, queues.all.length, queues.get(id)?.ready.length]).toEqual([1, 1, 0]);
  poller.onEndpointDeleted(s.tenantId, removed);
  failNext(s, 'transact');
  await poller.poll();
  expect([errors.length, queues.get(added.id) === undefined, queues.get(id)?.ready.length]).toEqual([2, false, 1]);
  await poller.poll();
  expect([errors.length, (await s.listDeliveries()).length]).toEqual([2, 1]);
});

test('endpoints with overdue deliveries are polled one after the other within five seconds of a start', async () => {
  const s = await openDeliveryStore();
  const endpoints = [];
  for (let made = 0; made < 6; made += 1) endpoints.push(await s.addEndpoint());
  const { poller, queues } = await createPoller(s);
  const [first, second, third, later, ended] = ids(endpoints);
  for (const id of [first, second, third]) await s.addDeliveries(id ?? '', 1, (row) => ({ ...row, dueAt: s.after(-60) }));
  await s.addDeliveries(later ?? '', 1, (row) => ({ ...row, dueAt: s.after(60) }));
  await s.addDeliveries(ended ?? '', 1, (row) => ({ ...row, status: 'failed', queue: null, dueAt: s.after(-60) }));
  const before = s.clock.now().getTime();
  await poller.spreadOverdue();
  const after = s.clock.now().getTime();
  const times = queues.all.map(({ nextPollAt }) => nextPollAt);
  // Each is counted from the time of its tenant, which is read for each.
  for (const [at, delay] of [0, 1_666, 3_333].entries()) {
    expect(times[at]! - delay).toBeGreaterThanOrEqual(before);
    expect(times[at]! - delay).toBeLessThanOrEqual(after);
  }
  expect(times.slice(3)).toEqual([NOW, NOW, NOW]);
});
