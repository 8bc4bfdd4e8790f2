/** Deliveries beside callers of the API, who go first. */
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { newDelivery } from '../../src/domain/deliveries.ts';
import { startReceiver } from '../support/receiver.ts';
import { startService } from '../support/service.ts';
import { addWebhook } from '../support/webhooks.ts';

const QUEUED = 400;

/** Lets queued deliveries go beside callers, whose transactions each do `work`: milliseconds, and transactions, until all have come. */
async function deliverBeside(count: number, work: () => Promise<void>): Promise<{ took: number; transactions: number }> {
  await using receiver = await startReceiver();
  await using s = await startService({ deliver: true });
  const { store, newId } = s.service;
  // Eight, because of each only four are under way at once.
  const endpoints: string[] = [];
  for (let made = 0; made < 8; made += 1) endpoints.push((await addWebhook(s, receiver.url, { status: 'paused' })).id);
  await s.post('/v1/items', { name: 'Queued' });
  const [event] = await s.events();
  if (!event) throw new Error('there is no event');
  await store.transact(s.tenant.id, async (tx) => {
    for (let made = endpoints.length; made < QUEUED; made += 1) {
      const about = { id: event.id, name: 'inventory.item.created' } as const;
      await tx.deliveries.put(newDelivery(newId(), endpoints[made % endpoints.length] ?? '', about, s.clock.now().toISOString()));
    }
  });

  let transactions = 0;
  const end = new AbortController();
  const caller = async () => {
    for (; !end.signal.aborted; transactions += 1) await store.transact(s.tenant.id, work);
  };
  const callers = Array.from({ length: count }, caller);
  try {
    const [began, before] = [performance.now(), transactions];
    for (const id of endpoints) await s.patch(`/v1/webhooks/${id}`, { status: 'active' });
    await receiver.count(QUEUED);
    return { took: performance.now() - began, transactions: transactions - before };
  } finally {
    end.abort();
    await Promise.all(callers);
  }
}

test('while callers need all of the processor, deliveries go out ten every 40 ms, however long each transaction takes', async () => {
  // Nothing is committed, which would hold deliveries up by itself.
  const { took } = await deliverBeside(16, async () => {
    for (const end = performance.now() + 2; performance.now() < end;);
  });
  expect(took).toBeGreaterThan((QUEUED / 10 - 2) * 40);
});

test('callers who only wait leave the processor to deliveries', async () => {
  const { transactions } = await deliverBeside(2, () => wait(20));
  // At ten every 40 ms it would be 80.
  expect(transactions).toBeLessThan(75);
});
