/**
 * Counts requests by tenant, month and capability, and records when a key was last used. A-4: counts are not part of the commit of a
 * request. `save` runs every few seconds and on shutdown, so kill -9 may lose the counts of the last seconds.
 */
import { type BillingPeriod, type MonthCounts, addUsage, getBillingPeriod } from '../../domain/tenancy/usage.ts';
import type { ApiKeyRecord } from '../../domain/tenancy/records.ts';
import type { StockroomStore } from '../../domain/tables.ts';

export interface UsageMeter {
  count(key: ApiKeyRecord, capability: string, now: Date): void;
  /** Counts of a billing period that are not in the store yet, by capability. Call it inside the read that sums up the stored counts. */
  getUnsaved(tenantId: string, period: BillingPeriod): ReadonlyMap<string, number>;
  save(store: StockroomStore): Promise<void>;
}

interface Unsaved {
  /** By first day of the month, then by capability. */
  readonly counts: Map<string, Map<string, number>>;
  readonly lastUsed: Map<string, Date>;
}

export function createUsageMeter(): UsageMeter {
  const tenants = new Map<string, Unsaved>();
  const monthStart = createMonthStartCache();

  /** Moves the counts of a tenant out of the meter and adds them to `target`. */
  function moveInto(tenantId: string, target: Unsaved): void {
    const unsaved = tenants.get(tenantId);
    tenants.delete(tenantId);
    if (unsaved) addAll(target, unsaved);
  }
  return {
    count(key, capability, now) {
      let unsaved = tenants.get(key.tenantId);
      if (!unsaved) tenants.set(key.tenantId, (unsaved = createEmptyCounts()));
      addCount(unsaved.counts, monthStart(now), capability, 1);
      unsaved.lastUsed.set(key.id, now);
    },
    getUnsaved(tenantId, { start, end }) {
      const sum = new Map<string, number>();
      for (const [month, counts] of tenants.get(tenantId)?.counts ?? []) {
        if (month < start || month > end) continue;
        for (const [capability, count] of counts) sum.set(capability, (sum.get(capability) ?? 0) + count);
      }
      return sum;
    },
    async save(store) {
      // Tenants that are counted first during this save are part of the next one.
      const tenantIds = [...tenants.keys()];
      for (const tenantId of tenantIds) {
        const taken = createEmptyCounts();
        try {
          await store.transact(tenantId, async (tx) => {
            // Inside the transaction, because reads see all or nothing of it: every read counts each request exactly once.
            moveInto(tenantId, taken);
            // The tenant is gone if a snapshot has been restored.
            if (await tx.tenants.get(tenantId)) await addUsage(tx, taken.counts, taken.lastUsed);
          });
        } catch (error) {
          // Keeps the counts for the next save.
          moveInto(tenantId, taken);
          tenants.set(tenantId, taken);
          throw error;
        }
      }
    },
  };
}

const createEmptyCounts = (): Unsaved => ({ counts: new Map(), lastUsed: new Map() });

function addAll(sum: Unsaved, { counts, lastUsed }: { readonly counts: MonthCounts; readonly lastUsed: ReadonlyMap<string, Date> }): void {
  for (const [month, capabilities] of counts) {
    for (const [capability, count] of capabilities) addCount(sum.counts, month, capability, count);
  }
  for (const [keyId, at] of lastUsed) sum.lastUsed.set(keyId, at);
}

function addCount(counts: Unsaved['counts'], month: string, capability: string, count: number): void {
  let capabilities = counts.get(month);
  if (!capabilities) counts.set(month, (capabilities = new Map<string, number>()));
  capabilities.set(capability, (capabilities.get(capability) ?? 0) + count);
}

/** Returns a function for the first day of a month, which caches the current month. */
function createMonthStartCache(): (now: Date) => string {
  let [from, until, firstDay] = [0, 0, ''];
  return (now) => {
    const at = now.getTime();
    if (at < from || at >= until) {
      firstDay = getBillingPeriod('monthly', now).start;
      from = Date.parse(firstDay);
      until = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1);
    }
    return firstDay;
  };
}
