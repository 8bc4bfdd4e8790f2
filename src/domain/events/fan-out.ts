/** Creates the deliveries of an event in the same commit. W-11. */
import type { EmittedEvent } from '../../contract/events.ts';
import { WEBHOOKS_CEILING } from '../../contract/limits.ts';
import { includesPlan } from '../../contract/scopes.ts';
import { createWebhook } from '../../contract/resources/webhooks.ts';
import type { Context } from '../kernel/context.ts';
import { enforceHeldLimit } from './deliveries.ts';
import type { DeliveryRecord } from './records.ts';
import { createDelivery } from './delivery-state.ts';
import type { Tx } from '../tables.ts';

/** Creates one delivery for each subscribed endpoint that is not disabled. Without endpoints this costs one count. */
export async function fanOut(tx: Tx, context: Context, event: { id: string; name: EmittedEvent }): Promise<void> {
  if ((await tx.webhooks.count()) > 0 && includesPlan(context.tenant.plan, createWebhook.plan)) await createDeliveries(tx, context, event);
}

async function createDeliveries(tx: Tx, { now, newId }: Context, event: { id: string; name: EmittedEvent }): Promise<void> {
  const where = [{ field: 'subscribedEvents', equals: event.name }];
  const { rows } = await tx.webhooks.listAfter({ where, limit: WEBHOOKS_CEILING });
  const at = now.toISOString();
  const deliveries: DeliveryRecord[] = [];
  for (const { id, status } of rows) {
    if (status === 'disabled') continue;
    if (status === 'paused') await enforceHeldLimit(tx, id, now);
    deliveries.push(createDelivery(newId(), id, event, at));
  }
  await tx.deliveries.putMany(deliveries);
}
