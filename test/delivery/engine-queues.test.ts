/** What the engine sends from its queues, and when. */
import { expect, onTestFinished, test, vi } from 'vitest';
import type { DeliveryRequest } from '../../src/delivery/attempt.ts';
import type { Sender } from '../../src/delivery/sender.ts';
import { createDelivery, toDiscarded } from '../../src/domain/events/delivery-state.ts';
import { type DeliveryStore, createEngine, createLocalSender, openDeliveryStore } from '../support/resources/delivery-store.ts';
import { startReceiver } from '../support/servers/webhook-receiver.ts';

/** A started engine that counts its requests. */
async function startEngine(s: DeliveryStore) {
  const local = createLocalSender();
  const requests: DeliveryRequest[] = [];
  const send: Sender['send'] = (request) => {
    requests.push(request);
    return local.send(request);
  };
  await createEngine(s, { sender: { ...local, send } }).start();
  return requests;
}

test('a queued delivery that is discarded is not sent', async () => {
  const s = await openDeliveryStore();
  const respond = Promise.withResolvers<void>();
  await using receiver = await startReceiver((response) => void respond.promise.then(() => response.writeHead(200).end()));
  const { id } = await s.addEndpoint({ targetUrl: receiver.url });
  const rows = await s.addDeliveries(id, 6);
  const requests = await startEngine(s);
  await receiver.count(4);
  const last = toDiscarded(rows[5]!, 'endpoint_disabled', s.clock.now());
  await s.store.transact(s.tenantId, (tx) => tx.deliveries.put(last));
  respond.resolve();
  await s.waitFor((all) => all.filter(({ status }) => status === 'delivered').length === 5);
  expect(requests).toHaveLength(5);
});

test('a start spreads endpoints with overdue deliveries, and a change of the clock sends the rest', async () => {
  const s = await openDeliveryStore();
  await using receiver = await startReceiver();
  const endpoints = [await s.addEndpoint({ targetUrl: receiver.url }), await s.addEndpoint({ targetUrl: receiver.url })];
  for (const { id } of endpoints) await s.addDeliveries(id, 1);
  const requests = await startEngine(s);
  await s.waitFor((rows) => rows.some(({ status }) => status === 'delivered'));
  expect(requests).toHaveLength(1);
  s.clock.advance(5);
  await s.waitFor((rows) => rows.every(({ status }) => status === 'delivered'));
});

test('deliveries of which the engine was not informed are sent 30 seconds after its last poll', async () => {
  const s = await openDeliveryStore();
  await using receiver = await startReceiver();
  const { id } = await s.addEndpoint({ targetUrl: receiver.url });
  await s.addDeliveries(id, 1);
  const onCommit = s.store.onCommit.bind(s.store);
  // As if notifications of a shared database were lost.
  s.store.onCommit = () => () => undefined;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const requests = await startEngine(s);
  s.store.onCommit = onCommit;
  await s.waitFor(([row]) => row?.status === 'delivered');
  await expect.poll(() => vi.getTimerCount()).toBeGreaterThan(0);
  // Before the row that was read last.
  await s.addDeliveries(id, 1, (row) => ({ ...row, dueAt: s.after(-60) }));
  await vi.advanceTimersByTimeAsync(29_000);
  expect(requests).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1_000);
  await s.waitFor((rows) => rows.every(({ status }) => status === 'delivered'));
  expect(requests).toHaveLength(2);
});

test('while transactions of API requests are in progress, a batch of 16 deliveries starts every 40 ms', async () => {
  const s = await openDeliveryStore();
  const endpoints = await Promise.all(Array.from({ length: 8 }, () => s.addEndpoint()));
  const startedAt: number[] = [];
  const bothStarted = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<undefined>();
  const send = () => {
    startedAt.push(performance.now());
    if (startedAt.length === 32) bothStarted.resolve();
    return aborted.promise;
  };
  const close = () => Promise.resolve(aborted.resolve(undefined));
  await createEngine(s, { sender: { send, close } }).start();
  Object.defineProperty(s.store, 'pendingTransactions', { value: 100 });
  await s.store.transact(s.tenantId, async (tx) => {
    const source = { id: s.event.id, name: 'inventory.item.created' } as const;
    const at = s.clock.now().toISOString();
    for (const { id } of [...endpoints, ...endpoints, ...endpoints, ...endpoints]) {
      await tx.deliveries.put(createDelivery(s.newId(), id, source, at));
    }
  });
  await bothStarted.promise;
  expect(startedAt[16]! - startedAt[15]!).toBeGreaterThanOrEqual(40);
});
