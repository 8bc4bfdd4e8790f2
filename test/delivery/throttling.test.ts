/** Deliveries during API requests, which have precedence. */
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createDelivery } from '../../src/domain/events/delivery-state.ts';
import { startReceiver } from '../support/servers/webhook-receiver.ts';
import { startService } from '../support/service/service.ts';
import { addWebhook } from '../support/resources/webhooks.ts';

const QUEUED = 400;

/** Sends queued deliveries while `count` callers run transactions with `work`, and measures until all deliveries are received. */
async function deliverDuring(count: number, work: () => Promise<void>): Promise<{ tookMs: number; transactions: number }> {
  await using receiver = await startReceiver();
  await using s = await startService({ deliver: true });
  const { store, newId } = s.service;
  // Eight endpoints, because each has at most four attempts in progress.
  const endpoints: string[] = [];
  for (let made = 0; made < 8; made += 1) endpoints.push((await addWebhook(s, receiver.url, { status: 'paused' })).id);
  await s.post('/v1/items', { name: 'Queued' });
  const [event] = await s.events();
  if (!event) throw new Error('no event was recorded');
  await store.transact(s.tenant.id, async (tx) => {
    for (let made = endpoints.length; made < QUEUED; made += 1) {
      const source = { id: event.id, name: 'inventory.item.created' } as const;
      await tx.deliveries.put(createDelivery(newId(), endpoints[made % endpoints.length] ?? '', source, s.clock.now().toISOString()));
    }
  });

  let transactions = 0;
  const end = new AbortController();
  const caller = async () => {
    for (; !end.signal.aborted; transactions += 1) await store.transact(s.tenant.id, work);
  };
  const callers = Array.from({ length: count }, caller);
  try {
    const [startedMs, before] = [performance.now(), transactions];
    for (const id of endpoints) await s.patch(`/v1/webhooks/${id}`, { status: 'active' });
    await receiver.count(QUEUED);
    return { tookMs: performance.now() - startedMs, transactions: transactions - before };
  } finally {
    end.abort();
    await Promise.all(callers);
  }
}

test('while API requests keep the processor busy, ten deliveries start every 40 ms, however long each transaction takes', async () => {
  // The transactions write nothing, because commits would delay deliveries by themselves.
  const { tookMs } = await deliverDuring(16, async () => {
    for (const end = performance.now() + 2; performance.now() < end;);
  });
  expect(tookMs).toBeGreaterThan((QUEUED / 10 - 2) * 40);
});

test('API requests that only wait do not delay deliveries', async () => {
  const { transactions } = await deliverDuring(2, () => wait(20));
  // With ten deliveries every 40 ms there would be 80 transactions.
  expect(transactions).toBeLessThan(75);
});
