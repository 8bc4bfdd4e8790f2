import { expect, test } from 'vitest';
import { openDeliveryStore } from '../../../test/support/resources/delivery-store.ts';
import { toDiscarded } from './delivery-state.ts';
import { NEWEST_PURGED_EVENT, type EventPurgeOptions, listPendingEventIds, purgeEvents } from './event-log.ts';

test('the events of all open deliveries are pending, however many, and those of ended ones are not', async () => {
  const s = await openDeliveryStore();
  const { id } = await s.addEndpoint();
  // More than two pages of the read, most of them due at the same time.
  const open = await s.addDeliveries(id, 2_001, (row, index) => ({ ...row, eventId: s.newId(), dueAt: s.after(index % 3) }));
  await s.addDeliveries(id, 1, (row) => toDiscarded({ ...row, eventId: s.newId() }, 'endpoint_disabled', s.clock.now()));
  const ids = await listPendingEventIds((work) => s.store.read(s.tenantId, work));
  expect([...ids].toSorted()).toEqual(open.map(({ eventId }) => eventId).toSorted());
});

test('a purge removes surplus events page by page, keeps those to deliver, and remembers how far it came', async () => {
  const s = await openDeliveryStore();
  const later = [2, 3, 4, 5, 6].map((position) => ({ ...s.event, id: s.newId(), position }));
  await s.store.transact(s.tenantId, (tx) => tx.events.putMany(later));
  const keep = new Set([later[0]!.id]);
  const purge = (options: Omit<EventPurgeOptions, 'retention'>) =>
    s.store.transact(s.tenantId, async (tx) => {
      const result = await purgeEvents(tx, tx.now, { retention: { maxRows: 2, days: 30 }, ...options });
      return [result, (await tx.counters.get(NEWEST_PURGED_EVENT))?.value];
    });
  expect(await purge({ limit: 4, keep })).toEqual([{ removed: 3, next: 5 }, 4]);
  expect(await purge({ limit: 4, keep, from: 5 })).toEqual([{ removed: 0, next: undefined }, 4]);
  expect(await purge({ limit: 4, keep })).toEqual([{ removed: 0, next: undefined }, 4]);
  // It has no open delivery any more. What was purged before it stays purged.
  expect(await purge({ limit: 4 })).toEqual([{ removed: 1, next: undefined }, 4]);
  const { rows } = await s.store.read(s.tenantId, (tx) => tx.events.listAfter({ limit: 10 }));
  expect(rows.map(({ position }) => position)).toEqual([5, 6]);
});
