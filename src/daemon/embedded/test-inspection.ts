/** What tests inspect besides replies: the recorded events, and whether every due delivery was sent. */
import { hasDueDeliveries } from '../../api/admin/due-deliveries.ts';
import { pollAfterCommits } from '../../api/admin/poll-after-commits.ts';
import { isWebhookEvent } from '../../contract/change-events.ts';
import type { RunningService } from '../service/open-service.ts';

export interface RecordedEvent {
  readonly id: string;
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly occurredAt: string;
}

const NO_LIMIT = 1_000_000;

/** The events of a tenant that webhooks have, oldest first. */
export async function listRecordedEvents({ store }: RunningService, tenantId: string): Promise<RecordedEvent[]> {
  const { rows } = await store.read(tenantId, (tx) => tx.events.listAfter({ limit: NO_LIMIT }));
  return rows
    .filter(({ event }) => isWebhookEvent(event))
    .toSorted((a, b) => a.position - b.position)
    .map(({ id, event, occurredAt, body }) => ({ id, event, occurredAt, data: (JSON.parse(body) as Pick<RecordedEvent, 'data'>).data }));
}

/** Resolves when no delivery is due or in progress: storing the outcome of an attempt is a commit. */
export async function waitForDueDeliveries(service: RunningService): Promise<void> {
  await pollAfterCommits(service.store, async () => !(await hasDueDeliveries(service)));
}
