import type { StockroomStore } from '../../domain/tables.ts';

/** All tenants of the store. */
export async function listTenants(store: StockroomStore) {
  return store.read('', async (tx) => (await tx.tenants.listAfter({ limit: 100_000 })).rows);
}
