/** Creates the deliveries of an event in the same commit. W-11. */
import type { EmittedEvent } from '../../contract/events.ts';
import { WEBHOOKS_CEILING } from '../../contract/limits.ts';
import { includesPlan } from '../../contract/scopes.ts';
import { createWebhook } from '../../contract/resources/webhooks.ts';
import type { Context } from '../kernel/context.ts';
import { enforceHeldLimit } from './deliveries.ts';
import { createDelivery } from './delivery-state.ts';
import type { Tx } from '../tables.ts';

type Endpoints = NonNullable<Context['endpoints']>;

/** The endpoints of the tenant that may get events. Reads them once per transaction. */
export async function readEndpoints(tx: Tx, context: Context): Promise<Endpoints> {
  if (!includesPlan(context.tenant.plan, createWebhook.plan)) return [];
  context.endpoints ??= (await tx.webhooks.listAfter({ limit: WEBHOOKS_CEILING })).rows.filter(({ status }) => status !== 'disabled');
  return context.endpoints;
}

/** Creates one delivery of the event for each of the endpoints that subscribe to it. */
export async function createDeliveries(
  tx: Tx,
  { now, newId }: Context,
  all: Endpoints,
  event: { id: string; name: EmittedEvent },
): Promise<void> {
  const endpoints = all.filter(({ subscribedEvents }) => subscribedEvents.includes(event.name));
  if (endpoints.length === 0) return;
  const at = now.toISOString();
  for (const { id, status } of endpoints) if (status === 'paused') await enforceHeldLimit(tx, id, now);
  await tx.deliveries.putMany(endpoints.map(({ id }) => createDelivery(newId(), id, event, at)));
}
