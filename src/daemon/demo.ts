/** Loads the demo tenants with a key for each, and generates rows in the background. */
import type { DemoData } from '../api/admin/call.ts';
import type { LoadedDemoTenant, SeedProgress } from '../contract/admin/demo.ts';
import { SCOPES } from '../contract/scopes.ts';
import { loadDemo } from '../demo/load.ts';
import { generate, planOf } from '../demo/scale.ts';
import { createKey } from '../domain/keys.ts';
import type { Clock, NewId } from '../domain/ports.ts';
import type { StockroomStore } from '../domain/tables.ts';
import type { TenantRecord } from '../domain/tenants.ts';

interface Parts {
  readonly store: StockroomStore;
  readonly clock: Clock;
  readonly newId: NewId;
}

const KEY_NAME = 'demo';
const NOTHING: SeedProgress = {
  status: 'idle',
  tenant: null,
  done: 0,
  total: 0,
  items: 0,
  contacts: 0,
  orders: 0,
  elapsedMs: 0,
  error: null,
};

export function demoData(parts: Parts): DemoData {
  let progress = NOTHING;
  return {
    load: () => loadWithKeys(parts),
    seedProgress: () => progress,
    startSeed({ contextOf, items, orders, seed }) {
      const plan = planOf(items, orders);
      const startedAt = performance.now();
      const elapsedMs = () => Math.round(performance.now() - startedAt);
      progress = { ...NOTHING, ...plan, status: 'running', tenant: contextOf().tenant.slug };
      const report = (more: Partial<SeedProgress>) => {
        progress = { ...progress, ...more, elapsedMs: elapsedMs() };
      };
      generate(parts.store, contextOf, plan, seed, report).then(
        () => report({ status: 'done' }),
        (error: unknown) => report({ status: 'failed', error: error instanceof Error ? error.message : String(error) }),
      );
    },
  };
}

async function loadWithKeys(parts: Parts): Promise<LoadedDemoTenant[]> {
  const tenants: LoadedDemoTenant[] = [];
  for (const { tenant, isNew } of await loadDemo(parts.store, parts.clock.now())) {
    const { id, slug, name, plan } = tenant;
    const made = isNew ? await keyOf(parts, tenant) : undefined;
    tenants.push({ id, slug, name, plan, isNew, keyPrefix: made?.key.prefix ?? null, secret: made?.secret ?? null });
  }
  return tenants;
}

function keyOf({ store, clock, newId }: Parts, { id }: TenantRecord) {
  const draft = { tenantId: id, name: KEY_NAME, scopes: SCOPES, environment: 'development', rateLimitTier: 'elevated' } as const;
  return store.transact(id, (tx) => createKey(tx, clock.now(), newId, draft));
}
