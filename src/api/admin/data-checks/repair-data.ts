/** Repairs what `doctor` can repair: levels whose average an earlier release distorted. */
import { setImmediate } from 'node:timers/promises';
import type { ResultOf } from '../../../contract/operation.ts';
import type { repairData } from '../../../contract/admin/daemon.ts';
import { fromMicro, fromMicroOrNull } from '../../../domain/kernel/numbers.ts';
import type { TenantRecord } from '../../../domain/kernel/tenant.ts';
import { getReferencedRows } from '../../../domain/kernel/rows.ts';
import type { DistortedLevel } from '../../../domain/integrity/valuation-check.ts';
import { type RepairedLevel, listDistortedLevels, repairLevels } from '../../../domain/integrity/valuation-repair.ts';
import { setUnitCost } from '../../../domain/stock/valuation/valuation.ts';
import type { StockroomStore } from '../../../domain/tables.ts';
import { type AdminCall, withoutReply, writeResolvedTenant } from '../handler.ts';

type Level = ResultOf<typeof repairData>['data']['levels'][number];

/** The distorted levels of these tenants, corrected unless it is a dry run. Each tenant is one transaction. */
export async function repairTenants(
  call: Pick<AdminCall<typeof repairData>, 'services' | 'requestId' | 'body'>,
  tenants: AsyncIterable<TenantRecord> | Iterable<TenantRecord>,
): Promise<Level[]> {
  const { store } = call.services;
  const levels: Level[] = [];
  for await (const tenant of tenants) {
    const distorted = await listDistortedLevels(async (work) => {
      await setImmediate();
      return store.read(tenant.id, work);
    });
    if (distorted.length === 0) continue;
    const done = call.body.dryRun
      ? distorted
      : await writeResolvedTenant(withoutReply(call), tenant, (tx, context) => repairLevels(tx, context, distorted));
    levels.push(...(await present(store, tenant, done)));
  }
  return levels;
}

function present(store: StockroomStore, { id, slug }: TenantRecord, levels: readonly (DistortedLevel | RepairedLevel)[]): Promise<Level[]> {
  return store.read(id, async (tx) => {
    const items = await getReferencedRows(tx.items, levels, ({ itemId }) => itemId);
    const sites = await getReferencedRows(tx.sites, levels, ({ siteId }) => siteId);
    return levels.map((level): Level => {
      const { itemId, siteId, onHand, averageCost, explained } = level;
      const item = items.get(itemId);
      return {
        tenant: slug,
        itemId,
        item: { name: item?.name ?? '', sku: item?.sku ?? null },
        siteId,
        site: { name: sites.get(siteId)?.name ?? '' },
        onHand: fromMicro(onHand),
        averageCost: fromMicro(averageCost),
        newAverageCost: fromMicroOrNull(explained),
        valueChange: fromMicro(setUnitCost(level, explained).valueDelta),
        documentNumber: 'documentNumber' in level ? level.documentNumber : null,
      };
    });
  });
}
