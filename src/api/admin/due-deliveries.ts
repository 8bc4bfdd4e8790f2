/** Whether deliveries are due or being sent. */
import type { DeliveryRecord } from '../../domain/events/records.ts';
import { isOpen } from '../../domain/events/delivery-state.ts';
import { iterateTenants } from './data-checks/check-data.ts';
import type { AdminServices } from './handler.ts';

const ALL = { limit: Number.MAX_SAFE_INTEGER } as const;

/** Of one tenant, or of all. Those that wait for a later retry or a paused endpoint do not count. */
export const hasDueDeliveries = ({ store, clock }: Pick<AdminServices, 'store' | 'clock'>, tenantId?: string): Promise<boolean> =>
  hasOpenDeliveries(store, tenantId, (id) => clock.now(id).toISOString());

/** The same with those that are due until a time of the tenant; without a time also those that wait for any retry. */
export async function hasOpenDeliveries(
  store: AdminServices['store'],
  tenantId?: string,
  getUntil = (_id: string) => '~',
): Promise<boolean> {
  const hasDue = (id: string): Promise<boolean> =>
    store.read(id, async (tx) => {
      const until = getUntil(id);
      const { rows: webhooks } = await tx.webhooks.listAfter({ ...ALL, where: [{ field: 'status', equals: 'active' }] });
      const active = new Set(webhooks.map((row) => row.id));
      const isDue = (row: DeliveryRecord): boolean => isOpen(row) && active.has(row.webhookId) && row.dueAt <= until;
      return (await tx.deliveries.listAfter(ALL)).rows.some(isDue);
    });
  if (tenantId !== undefined) return hasDue(tenantId);
  for await (const { id } of iterateTenants(store)) if (await hasDue(id)) return true;
  return false;
}
