/**
 * Counts requests by tenant, month and capability, and records when a key was last used. A-4: counts are not part of the commit of a
 * request. `save` runs every few seconds and on shutdown, so kill -9 may lose the counts of the last seconds.
 */
import { type BillingPeriod, type MonthCounts, addUsage, getMonthStart, getUsageId } from '../../domain/tenancy/usage.ts';
import type { ApiKeyRecord, UsageRecord } from '../../domain/tenancy/records.ts';
import { getRowsById } from '../../domain/kernel/rows.ts';
import type { StockroomStore, Tx } from '../../domain/tables.ts';

export interface UsageMeter {
  count(key: ApiKeyRecord, capability: string, now: Date): void;
  /**
   * Counts of a billing period, by capability, that are not among the `stored` ones: those of the same period. Call it inside the read that
   * has found these, so that it counts each request once, also during a save.
   */
  getUnsaved(tenantId: string, period: BillingPeriod, stored: readonly UsageRecord[]): ReadonlyMap<string, number>;
  save(store: StockroomStore): Promise<void>;
}

interface Unsaved {
  /** By first day of the month, then by capability. */
  readonly counts: Map<string, Map<string, number>>;
  readonly lastUsed: Map<string, Date>;
}

/** Counts that a transaction adds to the stored ones, or may have added: after some errors that is unknown. */
interface Saving extends Unsaved {
  readonly tenantId: string;
  /** The stored counts after it, by id. They only grow, so a read sees the transaction if what it finds is not less. */
  stored: ReadonlyMap<string, number>;
  isRunning: boolean;
}

export function createUsageMeter(): UsageMeter {
  const tenants = new Map<string, Unsaved>();
  const savings = new Set<Saving>();

  /** Moves the counts of a tenant out of the meter and adds them to `target`. */
  function moveInto(tenantId: string, target: Unsaved): void {
    const unsaved = tenants.get(tenantId);
    tenants.delete(tenantId);
    if (unsaved) addAll(target, unsaved);
  }
  /**
   * Runs again after an error that left it unknown whether it was committed: it was if all counts are stored. Another daemon may have added as
   * much meanwhile; then requests are not counted, rather than twice.
   */
  async function saveCounts(tx: Tx, saving: Saving): Promise<void> {
    const before = await getRowsById(tx.usage, [...saving.stored.keys()]);
    if (saving.stored.size > 0 && [...saving.stored].every(([id, count]) => (before.get(id)?.count ?? 0) >= count)) {
      saving.counts.clear();
      saving.lastUsed.clear();
    }
    saving.stored = new Map();
    moveInto(saving.tenantId, saving);
    // The tenant is gone if a snapshot has been restored.
    if (await tx.tenants.get(saving.tenantId)) saving.stored = await addUsage(tx, saving.counts, saving.lastUsed);
  }
  return {
    count(key, capability, now) {
      let unsaved = tenants.get(key.tenantId);
      if (!unsaved) tenants.set(key.tenantId, (unsaved = createEmptyCounts()));
      addCount(unsaved.counts, getMonthStart(now), capability, 1);
      unsaved.lastUsed.set(key.id, now);
    },
    getUnsaved(tenantId, { start, end }, stored) {
      const sum = new Map<string, number>();
      const add = (counts: MonthCounts, isStored: (id: string) => boolean): void => {
        for (const [month, capabilities] of counts) {
          if (month < start || month > end) continue;
          for (const [capability, count] of capabilities)
            if (!isStored(getUsageId(month, capability))) sum.set(capability, (sum.get(capability) ?? 0) + count);
        }
      };
      add(tenants.get(tenantId)?.counts ?? new Map(), () => false);
      const found = new Map(stored.map(({ id, count }) => [id, count]));
      for (const saving of savings)
        if (saving.tenantId === tenantId)
          add(saving.counts, (id) => (found.get(id) ?? 0) >= (saving.stored.get(id) ?? Number.POSITIVE_INFINITY));
      return sum;
    },
    async save(store) {
      const waiting = new Set([...savings].filter(({ isRunning }) => !isRunning).map(({ tenantId }) => tenantId));
      // Tenants that are counted first during this save are part of the next one.
      for (const tenantId of tenants.keys()) if (!waiting.has(tenantId)) savings.add(createSaving(tenantId));
      for (const saving of savings) {
        // Another save at the same time has it, or had it.
        if (saving.isRunning || !savings.has(saving)) continue;
        saving.isRunning = true;
        // After an error, the next save continues with it.
        await store.transact(saving.tenantId, (tx) => saveCounts(tx, saving)).finally(() => (saving.isRunning = false));
        savings.delete(saving);
      }
    },
  };
}

const createEmptyCounts = (): Unsaved => ({ counts: new Map(), lastUsed: new Map() });
const createSaving = (tenantId: string): Saving => ({ ...createEmptyCounts(), tenantId, stored: new Map(), isRunning: false });

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
