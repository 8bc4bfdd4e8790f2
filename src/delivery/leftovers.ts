/** Deliveries that nobody will send: what one transaction of the API did not take, and what a crash left behind. */
import { WEBHOOKS_CEILING } from '../contract/limits.ts';
import { discardOpen, dropDeliveries, openOf } from '../domain/deliveries.ts';
import type { Clock } from '../domain/ports.ts';
import type { ReadTx, StockroomStore } from '../domain/tables.ts';
import { mayUseWebhooks } from '../domain/webhooks.ts';

interface Parts {
  readonly store: StockroomStore;
  readonly clock: Clock;
}

const ORPHANS_AT_ONCE = 1_000;

/** What was too much for the transaction that disabled the endpoint or changed the plan; whoever changes it back discards the rest. */
export async function discardRest({ store, clock }: Parts, tenantId: string, webhookId: string): Promise<void> {
  const hasOpen = (tx: ReadTx) => tx.deliveries.count({ where: [openOf(webhookId)] });
  if ((await store.read(tenantId, hasOpen)) === 0) return;
  const some = () =>
    store.transact(tenantId, async (tx) => {
      const [tenant, webhook] = [await tx.tenants.get(tenantId), await tx.webhooks.get(webhookId)];
      if (!tenant || !webhook) return false;
      const sends = mayUseWebhooks(tenant);
      if (sends && webhook.status !== 'disabled') return false;
      await discardOpen(tx, webhookId, sends ? 'endpoint_disabled' : 'plan_required', clock.now());
      return (await hasOpen(tx)) > 0;
    });
  while (await some());
}

/** All deliveries of an endpoint that was deleted. */
export async function dropRest({ store }: Pick<Parts, 'store'>, tenantId: string, webhookId: string): Promise<void> {
  const some = () => store.transact(tenantId, (tx) => dropDeliveries(tx, webhookId));
  const has = await store.read(tenantId, (tx) => tx.deliveries.count({ where: [{ field: 'webhookId', equals: webhookId }] }));
  if (has > 0) while (await some());
}

/** After a crash between the deletion of an endpoint and that of its last deliveries. */
export async function dropOrphans({ store }: Pick<Parts, 'store'>, tenantId: string): Promise<void> {
  const kept = await store.read(tenantId, async (tx) => {
    const { rows } = await tx.webhooks.after({ limit: WEBHOOKS_CEILING });
    let owned = 0;
    for (const { id } of rows) owned += await tx.deliveries.count({ where: [{ field: 'webhookId', equals: id }] });
    return owned < (await tx.deliveries.count()) ? new Set(rows.map(({ id }) => id)) : undefined;
  });
  if (kept === undefined) return;
  let after: { values: string[]; id: string } | undefined;
  do {
    const { rows, more } = await store.read(tenantId, (tx) => tx.deliveries.after({ limit: ORPHANS_AT_ONCE, ...(after && { after }) }));
    for (const webhookId of new Set(rows.map((row) => row.webhookId)))
      if (!kept.has(webhookId)) await dropRest({ store }, tenantId, webhookId);
    const last = more ? rows.at(-1) : undefined;
    after = last && { values: [last.createdAt], id: last.id };
  } while (after !== undefined);
}
