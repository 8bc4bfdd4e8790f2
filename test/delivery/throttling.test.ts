/** Deliveries during API requests, which have precedence. */
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { CpuThrottle } from '../../src/delivery/cpu-throttle.ts';
import { createDelivery } from '../../src/domain/events/delivery-state.ts';
import { startReceiver } from '../support/servers/webhook-receiver.ts';
import { startService } from '../support/service/service.ts';
import { addWebhook } from '../support/resources/webhooks.ts';

const QUEUED = 400;
/** Eight, because each has at most four attempts in progress. */
const ENDPOINTS = 8;
/** Deliveries that start together while API requests have precedence. */
const SMALL_BATCH = 10;

/** Sends queued deliveries while `count` callers run transactions with `work`. Returns how long it took until all deliveries were received. */
async function deliverDuring(count: number, work: () => Promise<void>): Promise<number> {
  await using receiver = await startReceiver();
  await using s = await startService({ deliver: true });
  const { store, newId } = s.service;
  const endpoints: string[] = [];
  for (let made = 0; made < ENDPOINTS; made += 1) endpoints.push((await addWebhook(s, receiver.url, { status: 'paused' })).id);
  await s.post('/v1/items', { name: 'Queued' });
  const [event] = await s.events();
  if (!event) throw new Error('no event was recorded');
  await store.transact(s.tenant.id, async (tx) => {
    for (let made = endpoints.length; made < QUEUED; made += 1) {
      const source = { id: event.id, name: 'inventory.item.created' } as const;
      await tx.deliveries.put(createDelivery(newId(), endpoints[made % endpoints.length] ?? '', source, s.clock.now().toISOString()));
    }
  });

  const end = new AbortController();
  const caller = async () => {
    while (!end.signal.aborted) await store.transact(s.tenant.id, work);
  };
  const callers = Array.from({ length: count }, caller);
  try {
    const startedMs = performance.now();
    for (const id of endpoints) await s.patch(`/v1/webhooks/${id}`, { status: 'active' });
    await receiver.count(QUEUED);
    return performance.now() - startedMs;
  } finally {
    end.abort();
    await Promise.all(callers);
  }
}

test('while API requests keep the processor busy, ten deliveries start every 40 ms, however long each transaction takes', async () => {
  // The transactions write nothing, because commits would delay deliveries by themselves.
  const tookMs = await deliverDuring(16, async () => {
    for (const end = performance.now() + 2; performance.now() < end;);
  });
  expect(tookMs).toBeGreaterThan((QUEUED / SMALL_BATCH - 2) * 40);
});

test('API requests that only wait do not delay deliveries', async () => {
  // As on a machine that has nothing else to do.
  const utilization = vi.spyOn(performance, 'eventLoopUtilization').mockReturnValue({ idle: 1, active: 0, utilization: 0 });
  const batches = vi.spyOn(CpuThrottle.prototype, 'getBatchSize');
  onTestFinished(() => [utilization, batches].forEach((spy) => spy.mockRestore()));
  await deliverDuring(2, () => wait(20));
  expect(batches.mock.calls.some(([hasApiTransactions]) => hasApiTransactions)).toBe(true);
  // Each of the changes that activated the endpoints may have made one batch small; there would be forty.
  expect(batches.mock.results.filter(({ value }) => value === SMALL_BATCH).length).toBeLessThanOrEqual(ENDPOINTS);
});
