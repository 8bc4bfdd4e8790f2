import { expect, test } from 'vitest';
import { openDeliveryStore } from '../../../test/support/resources/delivery-store.ts';
import { toDiscarded } from '../events/delivery-state.ts';
import { advanceReplay, isReplayDue } from './replays.ts';

test('the next batch of a replay is due when its rate allows it, one delivery of a record at a time', async () => {
  const s = await openDeliveryStore();
  const { id: webhookId } = await s.addEndpoint();
  const rows = await s.addDeliveries(webhookId, 2, (row) => toDiscarded(row, 'endpoint_disabled', s.clock.now()));
  const at = rows[0]?.createdAt ?? '';
  const selection = { webhookId, since: at, until: s.after(60), types: null, statuses: ['discarded'] as const };
  const counts = { selected: 2, sent: 0, failed: 0, oldestAt: at, newestAt: at };
  const replay = { id: s.newId(), ...selection, ...counts, state: 'running', rate: 4, after: null, batch: [], nextAt: at } as const;
  await s.store.transact(s.tenantId, async (tx) => {
    await tx.webhookReplays.put({ ...replay, createdAt: at, updatedAt: at });
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
  const at = rows[0]?.createdAt ?? '';
  const selection = { webhookId, since: at, until: s.after(60), types: null, statuses: ['discarded'] as const };
  const counts = {
    selected: 1,
    sent: 0,
    failed: 0,
    oldestAt: at,
    newestAt: at,
    rate: 4,
    after: null,
    batch: [],
    createdAt: at,
    updatedAt: at,
  };
  for (const more of [{ state: 'completed', nextAt: at } as const, { state: 'running', nextAt: s.after(60) } as const]) {
    const replay = { id: s.newId(), ...selection, ...counts, ...more };
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
  const at = rows[0]?.createdAt ?? '';
  const selection = { webhookId, since: s.after(60), until: s.after(60), types: null, statuses: ['failed'] as const };
  const counts = { selected: 4, sent: 5, failed: 7, oldestAt: at, newestAt: at };
  const batch = [...rows.map(({ id }) => id), s.newId()];
  const replay = { id: s.newId(), ...selection, ...counts, state: 'running', rate: 4, after: null, batch, nextAt: at } as const;
  await s.store.transact(s.tenantId, async (tx) => {
    await tx.webhookReplays.put({ ...replay, createdAt: at, updatedAt: at });
    await advanceReplay(tx, s.tenantId, replay.id);
    expect(await tx.webhookReplays.get(replay.id)).toMatchObject({ state: 'completed', sent: 6, failed: 10, batch: [] });
  });
});
