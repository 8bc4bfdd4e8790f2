/** Health of webhook endpoints: failures since the last success, and counts of deliveries. */
import type { EndpointHealth } from '../../contract/admin/webhooks.ts';
import { AUTO_DISABLE_H, AUTO_DISABLE_MIN_ATTEMPTS, WEBHOOKS_CEILING } from '../../contract/limits.ts';
import type { DeliveryError, DeliveryStatus } from '../../contract/resources/webhooks.ts';
import { whereOpen } from '../events/deliveries.ts';
import type { ReadTx } from '../tables.ts';
import type { WebhookHealthRecord, WebhookRecord } from './records.ts';
import { type TargetPolicy, getBlockedUrlReason } from './target-policy.ts';

/** The health of every endpoint of the tenant, oldest endpoint first. */
export async function listEndpointHealth(tx: ReadTx, targets: TargetPolicy): Promise<EndpointHealth[]> {
  const { rows } = await tx.webhooks.listAfter({ limit: WEBHOOKS_CEILING });
  return Promise.all(
    rows.map(async (webhook) => ({
      ...(await getEndpointHealth(tx, webhook)),
      ...(webhook.previous === null ? {} : { previousSecretUntil: webhook.previous.until }),
      blockedReason: getBlockedUrlReason(targets, webhook.targetUrl) ?? null,
    })),
  );
}

async function getEndpointHealth(
  tx: ReadTx,
  { id, name, targetUrl, subscribedEvents, status }: WebhookRecord,
): Promise<Omit<EndpointHealth, 'blockedReason'>> {
  const byEndpoint = { field: 'webhookId', equals: id } as const;
  const countEnded = (equals: DeliveryStatus) => tx.deliveries.count({ where: [byEndpoint, { field: 'status', equals }] });
  const queue = [whereOpen(id)];
  const [queued, oldest, next, health, delivered, failed, discarded] = await Promise.all([
    tx.deliveries.count({ where: queue }),
    tx.deliveries.listAfter({ where: [byEndpoint, ...queue], limit: 1 }),
    tx.deliveries.listAfter({ orderBy: 'queue', where: queue, limit: 1 }),
    tx.webhookHealth.get(id),
    countEnded('delivered'),
    countEnded('failed'),
    countEnded('discarded'),
  ]);
  return {
    id,
    name,
    targetUrl,
    subscribedEvents,
    status,
    delivered,
    failed,
    discarded,
    queued,
    oldestQueuedAt: oldest.rows[0]?.createdAt ?? null,
    nextAttemptAt: next.rows[0]?.dueAt ?? null,
    failingSince: health?.failingSince ?? null,
    failedAttempts: health?.failedAttempts ?? 0,
    lastError: health?.lastError ?? null,
  };
}

/** The health of an endpoint after one more attempt; undefined without failures. */
export function updateHealth(
  health: WebhookHealthRecord | undefined,
  id: string,
  error: DeliveryError | null,
  at: string,
): WebhookHealthRecord | undefined {
  if (error === null) return undefined;
  return { id, failingSince: health?.failingSince ?? at, failedAttempts: (health?.failedAttempts ?? 0) + 1, lastError: error };
}

/** Whether an endpoint has failed long and often enough to be disabled automatically. */
export const shouldAutoDisable = ({ failingSince, failedAttempts }: WebhookHealthRecord, now: Date): boolean =>
  failedAttempts >= AUTO_DISABLE_MIN_ATTEMPTS && now.getTime() - Date.parse(failingSince) >= AUTO_DISABLE_H * 3_600_000;
