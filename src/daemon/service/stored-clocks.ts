/** Keeps the clocks of tenants equal to the stored ones, which other daemons and snapshots can change. */
import type { StockroomStore } from '../../domain/tables.ts';
import type { RunInBackground } from './background.ts';
import type { ServiceClock } from './clocks/clock.ts';

const ALL = { limit: Number.MAX_SAFE_INTEGER } as const;

export async function loadTenantClocks(store: StockroomStore, clock: ServiceClock): Promise<void> {
  const { rows } = await store.readLatest('', (tx) => tx.tenants.listAfter(ALL));
  const ahead = new Map(rows.map(({ id, clockAheadMs = 0 }) => [id, clockAheadMs]));
  for (const id of new Set([...ahead.keys(), ...clock.listTenants()])) clock.setAheadMs(id, ahead.get(id) ?? 0);
}

/** Returns the function that ends it. */
export function followTenantClocks(store: StockroomStore, clock: ServiceClock, runInBackground: RunInBackground): () => void {
  const follow = async (id: string): Promise<void> => {
    const tenant = await store.readLatest('', (tx) => tx.tenants.get(id));
    clock.setAheadMs(id, tenant?.clockAheadMs ?? 0);
  };
  return store.onCommit(({ changes }) => {
    for (const { table, id } of changes)
      if (table === 'tenants') runInBackground(() => (id === undefined ? loadTenantClocks(store, clock) : follow(id)));
  });
}
