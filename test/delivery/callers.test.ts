/** Deliveries beside callers of the API, who go first. */
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { newDelivery } from '../../src/domain/deliveries.ts';
import { startReceiver } from '../support/receiver.ts';
import { startService } from '../support/service.ts';
import { addWebhook } from '../support/webhooks.ts';

const QUEUED = 100;
/** Longer than any commit holds deliveries up. */
const SLOW_MS = 25;

test('while transactions of callers wait, deliveries go out ten every 40 ms, however long each transaction takes', async () => {
  await using receiver = await startReceiver();
  await using s = await startService({ deliver: true });
  const { store, newId } = s.service;
  const { id } = await addWebhook(s, receiver.url, { status: 'paused' });
  await s.post('/v1/items', { name: 'Queued' });
  const [event] = await s.events();
  if (!event) throw new Error('there is no event');
  await store.transact(s.tenant.id, async (tx) => {
    for (let made = 1; made < QUEUED; made += 1) {
      const about = { id: event.id, name: 'inventory.item.created' } as const;
      await tx.deliveries.put(newDelivery(newId(), id, about, s.clock.now().toISOString()));
    }
  });

  const end = new AbortController();
  const caller = async () => {
    while (!end.signal.aborted) await store.transact(s.tenant.id, () => wait(SLOW_MS));
  };
  const callers = [caller(), caller()];
  try {
    await s.patch(`/v1/webhooks/${id}`, { status: 'active' });
    const began = performance.now();
    await receiver.count(QUEUED);
    // The first ten may have gone while the endpoint was made active.
    expect(performance.now() - began).toBeGreaterThan((QUEUED / 10 - 2) * 40);
  } finally {
    end.abort();
    await Promise.all(callers);
  }
});
