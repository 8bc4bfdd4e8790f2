/** From an event to its deliveries, in the same commit. decisions-api §1.11. */
import type { EmittedEvent } from '../contract/events.ts';
import { WEBHOOKS_CEILING } from '../contract/limits.ts';
import { planCovers } from '../contract/scopes.ts';
import { createWebhook } from '../contract/webhooks.ts';
import type { Context } from './context.ts';
import { type DeliveryRecord, makeRoom, newDelivery } from './deliveries.ts';
import type { Tx } from './tables.ts';

/** One delivery for each endpoint that has subscribed to the event and is not disabled. Costs one count when there is no endpoint. */
export async function fanOut(tx: Tx, context: Context, event: { id: string; name: EmittedEvent }): Promise<void> {
  if ((await tx.webhooks.count()) > 0 && planCovers(context.tenant.plan, createWebhook.plan)) await fanOutTo(tx, context, event);
}

async function fanOutTo(tx: Tx, { now, newId }: Context, event: { id: string; name: EmittedEvent }): Promise<void> {
  const where = [{ field: 'subscribedEvents', equals: event.name }];
  const { rows } = await tx.webhooks.after({ name: `subscribed to ${event.name}`, where, limit: WEBHOOKS_CEILING });
  const at = now.toISOString();
  const deliveries: DeliveryRecord[] = [];
  for (const { id, status } of rows) {
    if (status === 'disabled') continue;
    if (status === 'paused') await makeRoom(tx, id, now);
    deliveries.push(newDelivery(newId(), id, event, at));
  }
  await tx.deliveries.putMany(deliveries);
}
