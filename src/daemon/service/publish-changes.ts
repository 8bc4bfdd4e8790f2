import { presentAdminDelivery } from '../../api/admin/webhooks.ts';
import type { StockroomStore } from '../../domain/tables.ts';
import type { Feed } from '../../http/feed.ts';

/** Feed type by table. */
const TYPES = { events: 'event', auditEvents: 'audit', deliveries: 'delivery' } as const;
type PublishedTable = keyof typeof TYPES;

const isPublished = (table: string): table is PublishedTable => Object.hasOwn(TYPES, table);

/**
 * Publishes committed events, audit rows and deliveries to the feed. The delivery engine publishes its own attempts, so deliveries for
 * which `isRecording` is true are left out. Returns the function that stops publishing.
 */
export function publishChanges(store: StockroomStore, feed: Feed, isRecording: (deliveryId: string) => boolean): () => void {
  return store.onCommit(({ tenant, changes }) => {
    const wanted = changes.filter(({ table }) => isPublished(table) && feed.hasSubscribers(TYPES[table]));
    // Subscribers read everything again when it is unknown what they missed.
    if (wanted.some(({ id }) => id === undefined)) feed.publish('gap', tenant, {});
    // Sets, because a transaction can write a row repeatedly: an event that is merged with another one is written again.
    const ids: Record<PublishedTable, Set<string>> = { events: new Set(), auditEvents: new Set(), deliveries: new Set() };
    for (const { table, id, removed } of wanted) if (id !== undefined && !removed) ids[table as PublishedTable].add(id);
    for (const id of ids.deliveries) if (isRecording(id)) ids.deliveries.delete(id);
    if (Object.values(ids).some(({ size }) => size > 0)) void publishRows(store, feed, tenant, ids);
  });
}

async function publishRows(
  store: StockroomStore,
  feed: Feed,
  tenant: string,
  ids: Record<PublishedTable, ReadonlySet<string>>,
): Promise<void> {
  try {
    const { events, auditEvents, deliveries } = await store.read(tenant, async (tx) => ({
      events: await tx.events.getMany([...ids.events]),
      auditEvents: await tx.auditEvents.getMany([...ids.auditEvents]),
      deliveries: await tx.deliveries.getMany([...ids.deliveries]),
    }));
    for (const row of events) if (row) feed.publish('event', tenant, { position: row.position, body: row.body });
    for (const row of auditEvents) if (row) feed.publish('audit', tenant, row);
    for (const row of deliveries) if (row) feed.publish('delivery', tenant, presentAdminDelivery(row));
  } catch {
    // The store is closing, and the feed ends with it.
  }
}
