/** How to ask for deliveries and replays of webhook endpoints. */
import { createDelivery } from '../../../src/domain/events/delivery-state.ts';
import { createReplay } from '../../../src/domain/webhooks/replays.ts';
import { createWebhook } from '../../../src/domain/webhooks/endpoints.ts';
import type { TenantClient } from '../service/tenant-client.ts';
import type { Fixture } from './operation-fixtures.ts';
import { asOwner } from './setting-fixtures.ts';

/** Also on plans that cannot make one over HTTP: it is from before a downgrade. */
export async function webhook({ s, id }: TenantClient): Promise<string> {
  const { service, clock } = s;
  const draft = { name: 'Receiver', targetUrl: 'http://127.0.0.1:9/', subscribedEvents: ['contact.created'], status: 'active' } as const;
  const made = await service.store.transact(id, async (tx) => {
    const tenant = await tx.tenants.get(id);
    if (!tenant) throw new Error(`no tenant ${id}`);
    const actor = { type: 'user', id: 'test' } as const;
    const context = { tenant, actor, requestId: 'fixture', ipAddress: null, now: clock.now(), newId: service.newId };
    return createWebhook(tx, context, draft, null, service.targets);
  });
  return made.id;
}

/** A failed delivery to an endpoint. */
async function failedDelivery(client: TenantClient): Promise<{ webhook_id: string; delivery_id: string }> {
  const webhook_id = await webhook(client);
  const delivery_id = client.s.service.newId();
  await client.make('/v1/items', { name: `Sent ${String(client.next())}` });
  await asOwner(client, async (tx) => {
    const [event] = (await tx.events.listAfter({ descending: true, limit: 1 })).rows;
    const at = tx.now.toISOString();
    const delivery = createDelivery(delivery_id, webhook_id, { id: event?.id ?? '', name: 'inventory.item.created' }, at);
    await tx.deliveries.put({ ...delivery, status: 'failed', queue: null, attempts: 1, lastError: 'timeout' });
  });
  return { webhook_id, delivery_id };
}

const SINCE = '2020-01-01T00:00:00.000Z';

async function replay(client: TenantClient): Promise<{ webhook_id: string; replay_id: string }> {
  const webhook_id = await webhook(client);
  const body = { since: SINCE, until: '2030-01-01T00:00:00.000Z', statuses: ['failed'], rate: 1 } as const;
  const { id } = await asOwner(client, (tx, context) => createReplay(tx, context, webhook_id, body));
  return { webhook_id, replay_id: id };
}

export const WEBHOOK_REPLAY_FIXTURES = {
  'webhooks.deliveries.get': { request: async (client) => ({ params: await failedDelivery(client) }) },
  'webhooks.deliveries.requeue': { request: async (client) => ({ params: await failedDelivery(client), body: {} }) },
  'webhooks.replays.create': {
    request: async (client) => ({ params: { webhook_id: await webhook(client) }, body: { since: SINCE, rate: client.next() % 100 || 1 } }),
  },
  'webhooks.replays.get': { request: async (client) => ({ params: await replay(client) }) },
  'webhooks.replays.cancel': { request: async (client) => ({ params: await replay(client) }) },
} as const satisfies Readonly<Record<string, Fixture>>;
