/** What the owner of the service does to try webhooks: events that did not happen, and events from before an endpoint was there. */
import { eventSamples } from '../contract/event-samples.ts';
import type { EmittedEvent } from '../contract/events.ts';
import { EVENT_LOG_MAX_ROWS } from '../contract/limits.ts';
import { note } from './changes.ts';
import type { Context } from './context.ts';
import { makeRoom, newDelivery } from './deliveries.ts';
import { StockroomError } from './errors.ts';
import type { Tx } from './tables.ts';
import { getWebhook } from './webhooks.ts';

/** Records an event made from its example and `data`; the same log, the same deliveries as a real one. */
export async function triggerEvent(
  tx: Tx,
  context: Context,
  event: EmittedEvent,
  data: Readonly<Record<string, unknown>> = {},
): Promise<{ event: EmittedEvent; eventId: string; deliveries: number }> {
  const before = await tx.deliveries.count();
  const resourceId = context.newId();
  const sample = eventSamples[event];
  await note(tx, context, {
    action: 'webhook.event_triggered',
    resourceType: 'event',
    resourceId,
    metadata: { event },
    event: { name: event, resourceId, changes: sample.changes, data: { ...sample.data, ...data } },
  });
  const [recorded] = (await tx.events.after({ descending: true, limit: 1 })).rows;
  if (!recorded) throw new Error('the event was not recorded');
  return { event, eventId: recorded.id, deliveries: (await tx.deliveries.count()) - before };
}

/** Records deliveries of the events since an instant that the endpoint subscribed to and has not been sent; returns how many. */
export async function backfill(tx: Tx, { now, newId }: Context, webhookId: string, since: string): Promise<number> {
  const { subscribedEvents, status } = await getWebhook(tx, webhookId);
  if (status === 'disabled')
    throw new StockroomError('INVALID_STATE', 'The endpoint is disabled; set its status to active first.', {
      details: { webhookId, status },
    });
  const own = await tx.deliveries.after({ where: [{ field: 'webhookId', equals: webhookId }], limit: Number.MAX_SAFE_INTEGER });
  const sent = new Set(own.rows.map(({ eventId }) => eventId));
  const { rows } = await tx.events.after({ where: [{ field: 'occurredAt', from: since }], limit: EVENT_LOG_MAX_ROWS });
  const missed = rows.filter(({ id, event }) => subscribedEvents.includes(event) && !sent.has(id));
  const at = now.toISOString();
  await tx.deliveries.putMany(missed.map(({ id, event }) => newDelivery(newId(), webhookId, { id, name: event }, at)));
  if (status === 'paused') await makeRoom(tx, webhookId, now, 0);
  return missed.length;
}
