/** Tools for testing webhooks: triggers sample events, and backfills deliveries of events from before an endpoint existed. */
import { eventSamples } from '../../contract/event-samples.ts';
import type { EmittedEvent } from '../../contract/events.ts';
import { EVENT_LOG_MAX_ROWS } from '../../contract/limits.ts';
import { recordChange } from '../events/changes.ts';
import type { Context } from '../kernel/context.ts';
import { enforceHeldLimit } from '../events/deliveries.ts';
import { createDelivery } from '../events/delivery-state.ts';
import { StockroomError } from '../kernel/errors.ts';
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
    event: { name: event, resourceId, changes: sample.changes, data: { ...sample.data, ...data } },
  });
  const [recorded] = (await tx.events.listAfter({ descending: true, limit: 1 })).rows;
  if (!recorded) throw new Error('the event was not recorded');
  return { event, eventId: recorded.id, deliveries: (await tx.deliveries.count()) - before };
}

/** Creates deliveries of the subscribed events since an instant that the endpoint has no delivery of. Returns how many. */
export async function backfillDeliveries(tx: Tx, { now, newId }: Context, webhookId: string, since: string): Promise<number> {
  const { subscribedEvents, status } = await getWebhook(tx, webhookId);
  if (status === 'disabled')
    throw new StockroomError('INVALID_STATE', 'The endpoint is disabled. Set its status to active first.', {
      details: { webhookId, status },
    });
  const existing = await tx.deliveries.listAfter({ where: [{ field: 'webhookId', equals: webhookId }], limit: Number.MAX_SAFE_INTEGER });
  const sent = new Set(existing.rows.map(({ eventId }) => eventId));
  const { rows } = await tx.events.listAfter({ where: [{ field: 'occurredAt', from: since }], limit: EVENT_LOG_MAX_ROWS });
  const missed = rows.filter(({ id, event }) => subscribedEvents.includes(event) && !sent.has(id));
  const at = now.toISOString();
  await tx.deliveries.putMany(missed.map(({ id, event }) => createDelivery(newId(), webhookId, { id, name: event }, at)));
  if (status === 'paused') await enforceHeldLimit(tx, webhookId, now, 0);
  return missed.length;
}
