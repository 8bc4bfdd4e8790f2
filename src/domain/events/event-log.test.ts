import { expect, test } from 'vitest';
import { openDeliveryStore } from '../../../test/support/resources/delivery-store.ts';
import { toDiscarded } from './delivery-state.ts';
import { listPendingEventIds } from './event-log.ts';

test('the events of all open deliveries are pending, however many, and those of ended ones are not', async () => {
  const s = await openDeliveryStore();
  const { id } = await s.addEndpoint();
  // More than two pages of the read, most of them due at the same time.
  const open = await s.addDeliveries(id, 2_001, (row, index) => ({ ...row, eventId: s.newId(), dueAt: s.after(index % 3) }));
  await s.addDeliveries(id, 1, (row) => toDiscarded({ ...row, eventId: s.newId() }, 'endpoint_disabled', s.clock.now()));
  const ids = await listPendingEventIds((work) => s.store.read(s.tenantId, work));
  expect([...ids].toSorted()).toEqual(open.map(({ eventId }) => eventId).toSorted());
});
