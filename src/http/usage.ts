/**
 * Counts requests by tenant, month and capability, and when a key was last used. decisions-api §4: never part of a request's own commit;
 * `save` runs every few seconds and at the stop, so kill -9 may lose the last seconds of counting.
 */
import { type BillingPeriod, type MonthCounts, addUsage, billingPeriod } from '../domain/usage.ts';
import type { ApiKeyRecord } from '../domain/keys.ts';
import type { StockroomStore } from '../domain/tables.ts';

export interface UsageMeter {
  count(key: ApiKeyRecord, capability: string, now: Date): void;
  /** What is not in the store yet, of one billing period. To be asked for in the read that sums up what is. */
  unsaved(tenantId: string, period: BillingPeriod): ReadonlyMap<string, number>;
  save(store: StockroomStore): Promise<void>;
}

interface Unsaved {
  /** By the first day of the month, then by capability. */
  readonly counts: Map<string, Map<string, number>>;
  readonly lastUsed: Map<string, Date>;
}

export function usageMeter(): UsageMeter {
  const tenants = new Map<string, Unsaved>();
  const monthStart = monthStarts();

  /** Moves what is counted into `taken`, which may hold something already. */
  function take(tenantId: string, taken: Unsaved): void {
    const unsaved = tenants.get(tenantId);
    tenants.delete(tenantId);
    if (unsaved) addTo(taken, unsaved);
  }
  return {
    count(key, capability, now) {
      let unsaved = tenants.get(key.tenantId);
      if (!unsaved) tenants.set(key.tenantId, (unsaved = nothing()));
      addOne(unsaved.counts, monthStart(now), capability, 1);
      unsaved.lastUsed.set(key.id, now);
    },
    unsaved(tenantId, { start, end }) {
      const sum = new Map<string, number>();
      for (const [month, counts] of tenants.get(tenantId)?.counts ?? []) {
        if (month < start || month > end) continue;
        for (const [capability, count] of counts) sum.set(capability, (sum.get(capability) ?? 0) + count);
      }
      return sum;
    },
    async save(store) {
      // Those who call meanwhile have their turn at the next save.
      const tenantIds = [...tenants.keys()];
      for (const tenantId of tenantIds) {
        const taken = nothing();
        try {
          await store.transact(tenantId, async (tx) => {
            // Reads see the transaction as a whole or not at all: taken here, a request is counted once at every moment.
            take(tenantId, taken);
            // A tenant that went with the data it was in has nothing left to count.
            if (await tx.tenants.get(tenantId)) await addUsage(tx, taken.counts, taken.lastUsed);
          });
        } catch (error) {
          // What could not be stored is counted again next time.
          take(tenantId, taken);
          tenants.set(tenantId, taken);
          throw error;
        }
      }
    },
  };
}

const nothing = (): Unsaved => ({ counts: new Map(), lastUsed: new Map() });

function addTo(sum: Unsaved, { counts, lastUsed }: { readonly counts: MonthCounts; readonly lastUsed: ReadonlyMap<string, Date> }): void {
  for (const [month, capabilities] of counts) {
    for (const [capability, count] of capabilities) addOne(sum.counts, month, capability, count);
  }
  for (const [keyId, at] of lastUsed) sum.lastUsed.set(keyId, at);
}

function addOne(counts: Unsaved['counts'], month: string, capability: string, count: number): void {
  let capabilities = counts.get(month);
  if (!capabilities) counts.set(month, (capabilities = new Map<string, number>()));
  capabilities.set(capability, (capabilities.get(capability) ?? 0) + count);
}

/** The first day of the month of an instant; remembered, because the next request is nearly always of the same one. */
function monthStarts(): (now: Date) => string {
  let [from, before, start] = [0, 0, ''];
  return (now) => {
    const at = now.getTime();
    if (at < from || at >= before) {
      start = billingPeriod('monthly', now).start;
      from = Date.parse(start);
      before = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1);
    }
    return start;
  };
}
