/**
 * Counts requests by tenant and capability, and when a key was last used. decisions-api §4: never part of a request's own commit;
 * `save` runs every few seconds and at the stop, so kill -9 may lose the last seconds of counting.
 */
import { addUsage } from '../domain/usage.ts';
import type { ApiKeyRecord } from '../domain/keys.ts';
import type { StockroomStore } from '../domain/tables.ts';

export interface UsageMeter {
  count(key: ApiKeyRecord, capability: string, now: Date): void;
  unsaved(tenantId: string): ReadonlyMap<string, number>;
  save(store: StockroomStore, now: Date): Promise<void>;
}

const NOTHING: ReadonlyMap<string, number> = new Map();

export function usageMeter(): UsageMeter {
  let counts = new Map<string, Map<string, number>>();
  /** While a save runs, what it is saving still counts as unsaved until the store has it. */
  let saving = new Map<string, Map<string, number>>();
  let lastUsed = new Map<string, { tenantId: string; at: Date }>();

  return {
    count(key, capability, now) {
      let tenant = counts.get(key.tenantId);
      if (!tenant) counts.set(key.tenantId, (tenant = new Map<string, number>()));
      tenant.set(capability, (tenant.get(capability) ?? 0) + 1);
      lastUsed.set(key.id, { tenantId: key.tenantId, at: now });
    },
    unsaved(tenantId) {
      const current = counts.get(tenantId) ?? NOTHING;
      const older = saving.get(tenantId);
      if (!older) return current;
      const sum = new Map(older);
      for (const [capability, count] of current) sum.set(capability, (sum.get(capability) ?? 0) + count);
      return sum;
    },
    async save(store, now) {
      if (saving.size > 0) return;
      saving = counts;
      counts = new Map();
      const used = lastUsed;
      lastUsed = new Map();
      try {
        for (const [tenantId, capabilities] of saving) {
          const keys = [...used].filter(([, use]) => use.tenantId === tenantId).map(([keyId, use]) => ({ keyId, at: use.at }));
          await store.transact(tenantId, async (tx) => {
            // A tenant that went with the data it was in has nothing left to count.
            if (await tx.tenants.get(tenantId)) await addUsage(tx, now, capabilities, keys);
          });
          saving.delete(tenantId);
        }
      } finally {
        // What could not be stored is counted again next time.
        for (const [tenantId, capabilities] of saving) {
          const current = counts.get(tenantId) ?? new Map<string, number>();
          for (const [capability, count] of capabilities) current.set(capability, (current.get(capability) ?? 0) + count);
          counts.set(tenantId, current);
        }
        saving = new Map();
      }
    },
  };
}
