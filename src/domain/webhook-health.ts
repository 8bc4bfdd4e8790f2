/** How endpoints are doing, counted over the deliveries that are still in the log. */
import type { EndpointHealth } from '../contract/admin/webhooks.ts';
import { WEBHOOKS_CEILING } from '../contract/limits.ts';
import type { DeliveryStatus } from '../contract/webhooks.ts';
import { openOf } from './deliveries.ts';
import type { ReadTx } from './tables.ts';
import type { WebhookRecord } from './webhooks.ts';

/** Every endpoint of the tenant, the oldest first. */
export async function endpointsHealth(tx: ReadTx): Promise<EndpointHealth[]> {
  const { rows } = await tx.webhooks.after({ limit: WEBHOOKS_CEILING });
  const found: EndpointHealth[] = [];
  for (const webhook of rows) found.push(await healthOf(tx, webhook));
  return found;
}

async function healthOf(tx: ReadTx, { id, name, targetUrl, subscribedEvents, status }: WebhookRecord): Promise<EndpointHealth> {
  const ofEndpoint = { field: 'webhookId', equals: id } as const;
  const ended = (equals: DeliveryStatus) => tx.deliveries.count({ where: [ofEndpoint, { field: 'status', equals }] });
  const queue = [openOf(id)];
  const queued = await tx.deliveries.count({ where: queue });
  const none = { rows: [] };
  const { rows: oldest } = queued === 0 ? none : await tx.deliveries.after({ where: [ofEndpoint, ...queue], limit: 1 });
  const { rows: next } = queued === 0 ? none : await tx.deliveries.after({ orderBy: 'queue', where: queue, limit: 1 });
  const health = await tx.webhookHealth.get(id);
  return {
    id,
    name,
    targetUrl,
    subscribedEvents,
    status,
    delivered: await ended('delivered'),
    failed: await ended('failed'),
    discarded: await ended('discarded'),
    queued,
    oldestQueuedAt: oldest[0]?.createdAt ?? null,
    nextAttemptAt: next[0]?.dueAt ?? null,
    failingSince: health?.failingSince ?? null,
    failedAttempts: health?.failedAttempts ?? 0,
  };
}
