import type { StockroomStore } from '../../domain/tables.ts';
import { listTenants } from './list-tenants.ts';

/** The time of the latest audit row of all tenants; every change writes one. Undefined for an empty store. */
export async function findLatestTimestamp(store: StockroomStore): Promise<Date | undefined> {
  let latest = '';
  for (const { id } of await listTenants(store)) {
    const [last] = (await store.read(id, (tx) => tx.auditEvents.listAfter({ descending: true, limit: 1 }))).rows;
    if (last && last.createdAt > latest) latest = last.createdAt;
  }
  return latest === '' ? undefined : new Date(latest);
}
