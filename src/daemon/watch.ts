/** What a test wants to know of a service beside its replies: what was recorded, and whether everything due was sent. */
import { type DeliveryRecord, isOpen } from '../domain/deliveries.ts';
import type { RunningService } from './service.ts';
import { allTenants } from './tenants.ts';

export interface RecordedEvent {
  readonly id: string;
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly occurredAt: string;
}

const EVERYTHING = 1_000_000;

/** The change log of a tenant, oldest first. */
export async function eventsOf({ store }: RunningService, tenantId: string): Promise<RecordedEvent[]> {
  const { rows } = await store.read(tenantId, (tx) => tx.events.after({ limit: EVERYTHING }));
  return rows
    .toSorted((a, b) => a.position - b.position)
    .map(({ id, event, occurredAt, body }) => ({ id, event, occurredAt, data: (JSON.parse(body) as Pick<RecordedEvent, 'data'>).data }));
}

/** Resolves when no delivery is due any more or under way. Looks again after every commit: the outcome of an attempt is one. */
export async function whenSettled(service: RunningService): Promise<void> {
  let changed = Promise.withResolvers<void>();
  const stopListening = service.store.onCommit(() => changed.resolve());
  try {
    while (await somethingDue(service)) {
      await changed.promise;
      changed = Promise.withResolvers();
    }
  } finally {
    stopListening();
  }
}

async function somethingDue({ store, clock }: RunningService): Promise<boolean> {
  const now = clock.now().toISOString();
  for (const { id } of await allTenants(store)) {
    const due = await store.read(id, async (tx) => {
      const sending = new Set(
        (await tx.webhooks.after({ where: [{ field: 'status', equals: 'active' }], limit: EVERYTHING })).rows.map((row) => row.id),
      );
      const isDue = (row: DeliveryRecord): boolean => isOpen(row) && sending.has(row.webhookId) && row.dueAt <= now;
      return (await tx.deliveries.after({ limit: EVERYTHING })).rows.some(isDue);
    });
    if (due) return true;
  }
  return false;
}
