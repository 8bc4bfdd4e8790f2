/** Tools for testing webhooks: triggers sample events, and backfills deliveries of events from before an endpoint existed. */
import { eventSamples } from '../../contract/event-samples.ts';
import type { EmittedEvent } from '../../contract/events.ts';
import { isWebhookEvent } from '../../contract/change-events.ts';
import { recordChange } from '../events/changes.ts';
import type { Context } from '../kernel/context.ts';
import { checkNotDisabled, enforceHeldLimit, requeueDelivery } from '../events/deliveries.ts';
import { createDelivery } from '../events/delivery-state.ts';
import type { DeliveryRecord } from '../events/records.ts';
import type { Tx } from '../tables.ts';
import { getWebhook } from './endpoints.ts';

/** Records a sample event, overridden by `data`. It enters the change log and is delivered like any other event. */
export async function triggerEvent(
  tx: Tx,
  context: Context,
  event: EmittedEvent,
  data: Readonly<Record<string, unknown>> = {},
): Promise<{ event: EmittedEvent; eventId: string; deliveries: number }> {
  const before = await tx.deliveries.count();
  const resourceId = context.newId();
  const sample = eventSamples[event];
  await recordChange(tx, context, {
    action: 'webhook.event_triggered',
    resourceType: 'event',
    resourceId,
    metadata: { event },
    event: { name: event, resourceId, updatedAt: context.now.toISOString(), changes: sample.changes, data: { ...sample.data, ...data } },
  });
  const [recorded] = (await tx.events.listAfter({ descending: true, limit: 1 })).rows;
  return { event, eventId: recorded!.id, deliveries: (await tx.deliveries.count()) - before };
}

/**
 * Delivers the subscribed events since an instant that the endpoint has not received: creates deliveries, and resends those that failed
 * or were discarded. Returns how many.
 */
export async function backfillDeliveries(tx: Tx, { now, newId }: Context, webhookId: string, since: string): Promise<number> {
  const webhook = await getWebhook(tx, webhookId);
  checkNotDisabled(webhook);
  const { subscribedEvents, status } = webhook;
  const existing = await tx.deliveries.listAfter({ where: [{ field: 'webhookId', equals: webhookId }], limit: Number.MAX_SAFE_INTEGER });
  const byEvent = new Map(existing.rows.map((delivery) => [delivery.eventId, delivery]));
  const { rows } = await tx.events.listAfter({ where: [{ field: 'occurredAt', from: since }], limit: Number.MAX_SAFE_INTEGER });
  const at = now.toISOString();
  const due = rows.flatMap(({ id, event }): DeliveryRecord[] => {
    if (!isWebhookEvent(event) || !subscribedEvents.includes(event)) return [];
    const delivery = byEvent.get(id);
    if (delivery === undefined) return [createDelivery(newId(), webhookId, { id, name: event }, at)];
    return delivery.status === 'failed' || delivery.status === 'discarded' ? [requeueDelivery(delivery, now)] : [];
  });
  await tx.deliveries.putMany(due);
  if (status === 'paused') await enforceHeldLimit(tx, webhookId, now, 0);
  return due.length;
}
