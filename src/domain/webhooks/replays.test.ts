import { expect, test } from 'vitest';
import { type DeliveryStore, openDeliveryStore } from '../../../test/support/resources/delivery-store.ts';
import { toDiscarded } from '../events/delivery-state.ts';
import type { ReplayRecord } from './records.ts';
import { advanceReplay, isReplayDue } from './replays.ts';

/** A running replay of all discarded deliveries of an endpoint, due now. */
function createReplay(s: DeliveryStore, webhookId: string, more: Partial<ReplayRecord> = {}): ReplayRecord {
  const at = s.clock.now().toISOString();
  const selection = { webhookId, since: s.event.occurredAt, until: s.after(60), types: null, statuses: ['discarded'] as const };
  const counts = { selected: 2, sent: 0, failed: 0, oldestAt: at, newestAt: at };
  const progress = { state: 'running', rate: 4, after: null, batch: [], nextAt: at } as const;
  return { id: s.newId(), ...selection, ...counts, ...progress, createdAt: at, updatedAt: at, ...more };
}

test('the next batch of a replay is due when its rate allows it, one delivery of a record at a time', async () => {
  const s = await openDeliveryStore();
  const { id: webhookId } = await s.addEndpoint();
  const rows = await s.addDeliveries(webhookId, 2, (row) => toDiscarded(row, 'endpoint_disabled', s.clock.now()));
  const replay = createReplay(s, webhookId);
  await s.store.transact(s.tenantId, async (tx) => {
    await tx.webhookReplays.put(replay);
    await advanceReplay(tx, s.tenantId, replay.id);
  });
  const after = await s.store.read(s.tenantId, (tx) => tx.webhookReplays.get(replay.id));
  // Both deliveries are of the same record, so the batch has only the first.
  expect(after).toMatchObject({ state: 'running', batch: [rows[0]?.id] });
  const nextAt = Date.parse(after?.nextAt ?? '');
  expect(nextAt - Date.parse(after?.updatedAt ?? '')).toBe(250);
  const isDue = (time: number) => s.store.read(s.tenantId, (tx) => isReplayDue(tx, after!, new Date(time)));
  expect([await isDue(nextAt), await isDue(nextAt + 1)]).toEqual([false, false]);
  await s.store.transact(s.tenantId, (tx) => tx.deliveries.put(toDiscarded(rows[0]!, 'endpoint_disabled', s.clock.now())));
  expect([await isDue(nextAt - 1), await isDue(nextAt)]).toEqual([false, true]);
});

test('a step of a replay that has ended, is not due or was deleted changes nothing', async () => {
  const s = await openDeliveryStore();
  const { id: webhookId } = await s.addEndpoint();
  const rows = await s.addDeliveries(webhookId, 1, (row) => toDiscarded(row, 'endpoint_disabled', s.clock.now()));
  for (const more of [{ state: 'completed' }, { nextAt: s.after(60) }] as const) {
    const replay = createReplay(s, webhookId, more);
    await s.store.transact(s.tenantId, async (tx) => {
      await tx.webhookReplays.put(replay);
      await advanceReplay(tx, s.tenantId, replay.id);
      expect(await tx.webhookReplays.get(replay.id)).toEqual(replay);
      await advanceReplay(tx, s.tenantId, s.newId());
    });
  }
  expect(await s.listDeliveries()).toEqual(rows);
});

test('a delivery of a replay is sent if its attempt succeeded, and failed if not, also when it was delivered before or is gone', async () => {
  const s = await openDeliveryStore();
  const { id: webhookId } = await s.addEndpoint();
  const rows = await s.addDeliveries(webhookId, 3, (row, index) => ({
    ...row,
    status: index === 2 ? 'failed' : 'delivered',
    lastError: index === 0 ? null : 'http_500',
    queue: null,
  }));
  const batch = [...rows.map(({ id }) => id), s.newId()];
  // No other delivery is discarded.
  const replay = createReplay(s, webhookId, { selected: 4, sent: 5, failed: 7, batch });
  await s.store.transact(s.tenantId, async (tx) => {
    await tx.webhookReplays.put(replay);
    await advanceReplay(tx, s.tenantId, replay.id);
    expect(await tx.webhookReplays.get(replay.id)).toMatchObject({ state: 'completed', sent: 6, failed: 10, batch: [] });
  });
});
