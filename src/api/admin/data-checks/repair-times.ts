/** Finds and repairs what is left after the clock of a machine or of the database was ahead. */
import type { ResultOf } from '../../../contract/operation.ts';
import type { repairData } from '../../../contract/admin/daemon.ts';
import type { CheckResult } from '../../../domain/integrity/checks.ts';
import { clampDeliveryTimes, clampGrantExpiry, clampReplyExpiry } from '../../../domain/integrity/clock-skew.ts';
import type { StockroomStore } from '../../../domain/tables.ts';
import type { AdminServices } from '../handler.ts';

type Services = Pick<AdminServices, 'store' | 'history'>;
type RepairedTime = ResultOf<typeof repairData>['data']['times'][number];

const ROWS_PER_TRANSACTION = 500;

/** Replaces the ids of tenants by their slugs; null for the service. */
export function toSlugs<T extends { readonly tenant: string }>(
  store: StockroomStore,
  entries: readonly T[],
): Promise<(Omit<T, 'tenant'> & { tenant: string | null })[]> {
  if (entries.length === 0) return Promise.resolve([]);
  return store.read('', async (tx) => {
    const tenants = await tx.tenants.getMany(entries.map(({ tenant }) => tenant));
    return entries.map((entry, at) => ({ ...entry, tenant: entry.tenant === '' ? null : (tenants[at]?.slug ?? entry.tenant) }));
  });
}

/** The check when a tenant cannot continue from its last change, which fails, or when changes continue before one in the future. */
export async function checkTimes({ store, history }: Services): Promise<CheckResult | undefined> {
  const ahead = await toSlugs(store, await history.listAhead());
  if (ahead.length === 0) {
    const detail = await history.explainFutureChange();
    return detail === undefined ? undefined : { name: 'times', ok: true, detail };
  }
  const problems = ahead.map(
    ({ tenant, lastChangeAt }) => `${tenant ?? 'the service'}: the last change has the time ${lastChangeAt.toISOString()}`,
  );
  return { name: 'times', ok: false, detail: `${problems.join('; ')}; correct it with doctor --repair` };
}

/**
 * Corrects the times of each tenant that is ahead, or of the given one, unless it is a dry run. Running it again continues a repair that was
 * interrupted.
 */
export async function repairTimes(
  { store, history }: Services,
  { dryRun, tenantId }: { readonly dryRun: boolean; readonly tenantId: string | undefined },
): Promise<RepairedTime[]> {
  const ahead = (await history.listAhead()).filter(({ tenant }) => tenantId === undefined || tenant === tenantId);
  const changed = new Map<string, number>();
  if (!dryRun)
    for (const { tenant } of ahead) {
      // First, because transactions are rejected until then.
      await history.resetTime(tenant);
      changed.set(tenant, await correctRows(store, tenant));
    }
  const repaired = ahead.map(({ tenant, lastChangeAt }) => ({
    tenant,
    lastChangeAt: lastChangeAt.toISOString(),
    changedRows: changed.get(tenant) ?? 0,
  }));
  return toSlugs(store, repaired);
}

async function correctRows(store: StockroomStore, tenant: string): Promise<number> {
  let changed = 0;
  for (const step of tenant === '' ? [clampGrantExpiry] : [clampDeliveryTimes, clampReplyExpiry]) {
    for (let rows = ROWS_PER_TRANSACTION; rows >= ROWS_PER_TRANSACTION; changed += rows)
      rows = await store.transact(tenant, (tx) => step(tx, tx.now, ROWS_PER_TRANSACTION));
  }
  return changed;
}
