import type { StockroomStore } from '../domain/tables.ts';

/** Every tenant of the store. */
export async function allTenants(store: StockroomStore) {
  return store.read('', async (tx) => (await tx.tenants.after({ limit: 100_000 })).rows);
}
