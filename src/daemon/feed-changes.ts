/** Tells the feed what was committed: the change log, and deliveries that others than the engine wrote. */
import { presentOwned } from '../api/admin/webhooks.ts';
import type { StockroomStore } from '../domain/tables.ts';
import type { Feed } from '../http/service.ts';

/** `isRecording`: the engine writes this delivery at the moment, and tells of the attempt itself. Returns the function that ends it. */
export function tellChanges(store: StockroomStore, feed: Feed, isRecording: (deliveryId: string) => boolean): () => void {
  return store.onCommit(({ tenant, changes }) => {
    const wants = { events: feed.wants('event'), deliveries: feed.wants('delivery') };
    const idsOf = (table: keyof typeof wants) =>
      wants[table] ? changes.filter((change) => change.table === table && !change.removed).map(({ id }) => id) : [];
    const [events, deliveries] = [idsOf('events'), idsOf('deliveries').filter((id) => !isRecording(id))];
    if (events.length + deliveries.length === 0) return;
    void tell(store, feed, tenant, events, deliveries);
  });
}

async function tell(
  store: StockroomStore,
  feed: Feed,
  tenant: string,
  eventIds: readonly string[],
  deliveryIds: readonly string[],
): Promise<void> {
  try {
    const { events, deliveries } = await store.read(tenant, async (tx) => ({
      events: await tx.events.getMany(eventIds),
      deliveries: await tx.deliveries.getMany(deliveryIds),
    }));
    for (const row of events) if (row) feed.publish('event', tenant, { position: row.position, body: row.body });
    for (const row of deliveries) if (row) feed.publish('delivery', tenant, presentOwned(row));
  } catch {
    // The store is closing: nobody is left to tell.
  }
}
