/** Removes deliveries that will never be sent: those beyond the limit of one API transaction, and those left by a crash. */
import { WEBHOOKS_CEILING } from '../contract/limits.ts';
import { discardOpenDeliveries, deleteDeliveries, whereOpen } from '../domain/events/deliveries.ts';
import type { ReadTx, StockroomStore } from '../domain/tables.ts';
import { canUseWebhooks } from '../domain/webhooks/endpoints.ts';

const ORPHAN_PAGE_SIZE = 1_000;

/** Discards the open deliveries of an endpoint that was disabled, or whose plan has no webhooks. Stops when that is no longer so. */
export async function discardRemaining(store: StockroomStore, tenantId: string, webhookId: string): Promise<void> {
  const countOpen = (tx: ReadTx) => tx.deliveries.count({ where: [whereOpen(webhookId)] });
  if ((await store.read(tenantId, countOpen)) === 0) return;
  /** Returns whether there are more. */
  const discardBatch = () =>
    store.transact(tenantId, async (tx) => {
      const [tenant, webhook] = [await tx.tenants.get(tenantId), await tx.webhooks.get(webhookId)];
      if (!tenant || !webhook) return false;
      const isAllowed = canUseWebhooks(tenant);
      if (isAllowed && webhook.status !== 'disabled') return false;
      await discardOpenDeliveries(tx, webhookId, isAllowed ? 'endpoint_disabled' : 'plan_required', tx.now);
      return (await countOpen(tx)) > 0;
    });
  while (await discardBatch());
}

/** Deletes all deliveries of an endpoint that was deleted. Stops when it exists: another daemon may have created it since the caller looked. */
export async function deleteRemaining(store: StockroomStore, tenantId: string, webhookId: string): Promise<void> {
  const deleteBatch = () =>
    store.transact(tenantId, async (tx) => ((await tx.webhooks.get(webhookId)) ? false : deleteDeliveries(tx, webhookId)));
  const count = await store.read(tenantId, (tx) => tx.deliveries.count({ where: [{ field: 'webhookId', equals: webhookId }] }));
  if (count > 0) while (await deleteBatch());
}

/** Deletes deliveries without an endpoint: a crash can occur between the deletion of an endpoint and that of its last deliveries. */
export async function deleteOrphans(store: StockroomStore, tenantId: string): Promise<void> {
  const endpoints = await store.read(tenantId, async (tx) => {
    const { rows } = await tx.webhooks.listAfter({ limit: WEBHOOKS_CEILING });
    let owned = 0;
    for (const { id } of rows) owned += await tx.deliveries.count({ where: [{ field: 'webhookId', equals: id }] });
    return owned < (await tx.deliveries.count()) ? new Set(rows.map(({ id }) => id)) : undefined;
  });
  if (endpoints === undefined) return;
  let after: { values: string[]; id: string } | undefined;
  do {
    const { rows, more } = await store.read(tenantId, (tx) =>
      tx.deliveries.listAfter({ limit: ORPHAN_PAGE_SIZE, ...(after && { after }) }),
    );
    for (const webhookId of new Set(rows.map((row) => row.webhookId)))
      if (!endpoints.has(webhookId)) await deleteRemaining(store, tenantId, webhookId);
    const last = more ? rows.at(-1) : undefined;
    after = last && { values: [last.createdAt], id: last.id };
  } while (after !== undefined);
}
