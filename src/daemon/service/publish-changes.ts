import { presentAdminDelivery } from '../../api/admin/webhooks.ts';
import type { StockroomStore } from '../../domain/tables.ts';
import type { Feed } from '../../http/service.ts';

interface ChangedIds {
  readonly events: readonly string[];
  readonly auditEvents: readonly string[];
  readonly deliveries: readonly string[];
}

/**
 * Publishes committed events, audit rows and deliveries to the feed. The delivery engine publishes its own attempts, so deliveries for
 * which `isRecording` is true are left out. Returns the function that stops publishing.
 */
export function publishChanges(store: StockroomStore, feed: Feed, isRecording: (deliveryId: string) => boolean): () => void {
  return store.onCommit(({ tenant, changes }) => {
    const isWanted = {
      events: feed.hasSubscribers('event'),
      auditEvents: feed.hasSubscribers('audit'),
      deliveries: feed.hasSubscribers('delivery'),
    };
    if (!isWanted.events && !isWanted.auditEvents && !isWanted.deliveries) return;
    // A set, because a transaction can write a row repeatedly: an event that is merged with another one is written again.
    const listIds = (table: keyof ChangedIds) =>
      isWanted[table]
        ? [...new Set(changes.flatMap((change) => (change.table === table && !change.removed ? (change.id ?? []) : [])))]
        : [];
    // Subscribers read everything again when it is unknown what they missed.
    if (changes.some(({ table, id }) => id === undefined && isWanted[table as keyof ChangedIds])) feed.publish('gap', tenant, {});
    const ids: ChangedIds = {
      events: listIds('events'),
      auditEvents: listIds('auditEvents'),
      deliveries: listIds('deliveries').filter((id) => !isRecording(id)),
    };
    if (ids.events.length + ids.auditEvents.length + ids.deliveries.length > 0) void publishRows(store, feed, tenant, ids);
  });
}

async function publishRows(store: StockroomStore, feed: Feed, tenant: string, ids: ChangedIds): Promise<void> {
  try {
    const { events, auditEvents, deliveries } = await store.read(tenant, async (tx) => ({
      events: await tx.events.getMany(ids.events),
      auditEvents: await tx.auditEvents.getMany(ids.auditEvents),
      deliveries: await tx.deliveries.getMany(ids.deliveries),
    }));
    for (const row of events) if (row) feed.publish('event', tenant, { position: row.position, body: row.body });
    for (const row of auditEvents) if (row) feed.publish('audit', tenant, row);
    for (const row of deliveries) if (row) feed.publish('delivery', tenant, presentAdminDelivery(row));
  } catch {
    // The store is closing, and the feed ends with it.
  }
}
