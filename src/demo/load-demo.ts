/** Loads the demo tenants into a store, each in one transaction. */
import { StockroomError } from '../domain/kernel/errors.ts';
import type { StockroomStore } from '../domain/tables.ts';
import type { TenantRecord } from '../domain/kernel/tenant.ts';
import { kestrel } from './kestrel/tenant.ts';
import { type ScenarioOptions, getDemoTenantId, createDemoTenant } from './apply-scenario.ts';
import type { DemoTenant } from './scenario.ts';
import { sandbox, spoke } from './spoke.ts';

/** In the order in which they are listed; the first one is the main demo. */
export const DEMO_TENANTS: readonly DemoTenant[] = [kestrel, spoke, sandbox];

export interface LoadedTenant {
  readonly tenant: TenantRecord;
  /** False when the tenant existed before; it is left unchanged. */
  readonly isNew: boolean;
}

/** Creates the demo tenants that do not exist yet. Throws DUPLICATE_VALUE when another tenant uses the slug of a demo tenant. */
export async function loadDemo(store: StockroomStore, options: ScenarioOptions): Promise<LoadedTenant[]> {
  const loaded: LoadedTenant[] = [];
  for (const scenario of DEMO_TENANTS) {
    const id = getDemoTenantId(scenario.slug);
    loaded.push(
      await store.transact(id, async (tx) => {
        const existing = await tx.tenants.get(id);
        if (existing) return { tenant: existing, isNew: false };
        if (await tx.tenants.findUnique('slug', scenario.slug)) {
          throw new StockroomError(
            'DUPLICATE_VALUE',
            `Another tenant already has the slug ${scenario.slug}. Change its slug before loading the demo.`,
            {
              details: { field: 'slug', value: scenario.slug },
            },
          );
        }
        return { tenant: await createDemoTenant(tx, scenario, options), isNew: true };
      }),
    );
  }
  return loaded;
}
