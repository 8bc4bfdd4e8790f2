import type { StockroomStore } from '../domain/tables.ts';
import { allTenants } from './tenants.ts';

/** When the newest change of any tenant was recorded: every change writes an audit row. Undefined while there is none. */
export async function newestRecord(store: StockroomStore): Promise<Date | undefined> {
  let newest = '';
  for (const { id } of await allTenants(store)) {
    const [last] = (await store.read(id, (tx) => tx.auditEvents.after({ descending: true, limit: 1 }))).rows;
    if (last && last.createdAt > newest) newest = last.createdAt;
  }
  return newest === '' ? undefined : new Date(newest);
}
