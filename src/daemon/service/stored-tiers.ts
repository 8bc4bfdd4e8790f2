import type { StockroomStore } from '../../domain/tables.ts';

/** Requests per minute of the rate-limit tiers that were set over the admin API. */
export async function readStoredTiers(store: StockroomStore): Promise<Record<string, number>> {
  const { rows } = await store.read('', (tx) => tx.tiers.listAfter({ limit: 10_000 }));
  return Object.fromEntries(rows.map(({ id, requestsPerMinute }) => [id, requestsPerMinute]));
}
