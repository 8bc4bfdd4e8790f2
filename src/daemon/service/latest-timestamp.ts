import type { StockroomStore } from '../../domain/tables.ts';

/** The time of the latest audit row of all tenants; every change writes one. Undefined for an empty store. */
export async function findLatestTimestamp(store: StockroomStore): Promise<Date | undefined> {
  const times = (await store.readFirstRows('auditEvents', { descending: true })).map(({ row }) => row.createdAt);
  const latest = times.toSorted().at(-1);
  return latest === undefined ? undefined : new Date(latest);
}
