/** Tells the feed what was committed: the change log, the audit trail, and deliveries that others than the engine wrote. */
import { presentOwned } from '../api/admin/webhooks.ts';
import type { StockroomStore } from '../domain/tables.ts';
import type { Feed } from '../http/service.ts';

/** `isRecording`: the engine writes this delivery at the moment, and tells of the attempt itself. Returns the function that ends it. */
export function tellChanges(store: StockroomStore, feed: Feed, isRecording: (deliveryId: string) => boolean): () => void {
  return store.onCommit(({ tenant, changes }) => {
    const wants = { events: feed.wants('event'), auditEvents: feed.wants('audit'), deliveries: feed.wants('delivery') };
    if (!wants.events && !wants.auditEvents && !wants.deliveries) return;
    // Once, however often a transaction wrote it: an event that becomes one with another is written again.
    const idsOf = (table: keyof typeof wants) =>
      wants[table] ? [...new Set(changes.filter((change) => change.table === table && !change.removed).map(({ id }) => id))] : [];
    const news = { events: idsOf('events'), audit: idsOf('auditEvents'), deliveries: idsOf('deliveries').filter((id) => !isRecording(id)) };
    if (news.events.length + news.audit.length + news.deliveries.length > 0) void tell(store, feed, tenant, news);
  });
}

async function tell(
  store: StockroomStore,
  feed: Feed,
  tenant: string,
  ids: { readonly events: readonly string[]; readonly audit: readonly string[]; readonly deliveries: readonly string[] },
): Promise<void> {
  try {
    const { events, audit, deliveries } = await store.read(tenant, async (tx) => ({
      events: await tx.events.getMany(ids.events),
      audit: await tx.auditEvents.getMany(ids.audit),
      deliveries: await tx.deliveries.getMany(ids.deliveries),
    }));
    for (const row of events) if (row) feed.publish('event', tenant, { position: row.position, body: row.body });
    for (const row of audit) if (row) feed.publish('audit', tenant, row);
    for (const row of deliveries) if (row) feed.publish('delivery', tenant, presentOwned(row));
  } catch {
    // The store is closing: nobody is left to tell.
  }
}
