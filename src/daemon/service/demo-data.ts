/** Loads the demo tenants and generates seed data. */
import type { DemoData, DemoTenantSummary } from '../../api/admin/handler.ts';
import type { LoadedDemoTenant, SeedProgress } from '../../contract/admin/demo.ts';
import { SCOPES } from '../../contract/scopes.ts';
import { getDemoTenantId } from '../../demo/apply-scenario.ts';
import { DEMO_TENANTS, loadDemo } from '../../demo/load-demo.ts';
import { generateSeedData, createSeedPlan } from '../../demo/generate.ts';
import { createKey } from '../../domain/tenancy/api-keys.ts';
import type { Clock } from '../../domain/kernel/ports.ts';
import type { StockroomStore } from '../../domain/tables.ts';
import type { TenantRecord } from '../../domain/kernel/tenant.ts';
import type { DemoReceiver } from './demo-receiver.ts';

interface Parts {
  readonly receiver: DemoReceiver;
  readonly store: StockroomStore;
  readonly clock: Clock;
}

const KEY_NAME = 'demo';
/** The key of the demo is the oldest of its tenant. */
const KEYS_SEARCHED = 20;
const IDLE: SeedProgress = {
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

export function createDemoData(parts: Parts): DemoData {
  let progress = IDLE;
  return {
    load: () => loadWithKeys(parts),
    list: () => listDemoTenants(parts),
    getSeedProgress: () => progress,
    startSeed({ tenant, createContext, items, orders, seed }) {
      const plan = createSeedPlan(items, orders);
      const startedAt = performance.now();
      const elapsedMs = () => Math.round(performance.now() - startedAt);
      progress = { ...IDLE, ...plan, status: 'running', tenant: tenant.slug };
      const report = (more: Partial<SeedProgress>) => {
        progress = { ...progress, ...more, elapsedMs: elapsedMs() };
      };
      generateSeedData(parts.store, { tenant, createContext }, plan, seed, report).then(
        () => report({ status: 'done' }),
        (error: unknown) => report({ status: 'failed', error: error instanceof Error ? error.message : String(error) }),
      );
    },
  };
}

async function loadWithKeys(parts: Parts): Promise<LoadedDemoTenant[]> {
  const tenants: LoadedDemoTenant[] = [];
  const receiverPort = await parts.receiver.start();
  for (const { tenant, isNew } of await loadDemo(parts.store, { now: parts.clock.now(), receiverPort })) {
    const { id, slug, name, plan } = tenant;
    const created = isNew ? await createDemoKey(parts, tenant) : undefined;
    tenants.push({ id, slug, name, plan, isNew, keyPrefix: created?.key.prefix ?? null, secret: created?.secret ?? null });
  }
  // Tenants that existed before may have endpoints with another port.
  await parts.receiver.resume();
  return tenants;
}

/** A tenant with another slug or name belongs to the user now. */
async function listDemoTenants({ store, clock }: Parts): Promise<DemoTenantSummary[]> {
  const found = DEMO_TENANTS.map(({ slug, name }) => {
    const id = getDemoTenantId(slug);
    return store.read(id, async (tx) => {
      const tenant = await tx.tenants.get(id);
      if (!tenant?.isActive || tenant.slug !== slug || tenant.name !== name) return [];
      const now = clock.now(id).toISOString();
      const { rows } = await tx.apiKeys.listAfter({ where: [{ field: 'tenantId', equals: id }], limit: KEYS_SEARCHED });
      const key = rows.find((row) => row.name === KEY_NAME && row.revokedAt === null && (row.expiresAt ?? now) >= now);
      return [{ slug, plan: tenant.plan, keyPrefix: key?.prefix ?? null }];
    });
  });
  return (await Promise.all(found)).flat();
}

function createDemoKey({ store }: Parts, { id }: TenantRecord) {
  const draft = { tenantId: id, name: KEY_NAME, scopes: SCOPES, environment: 'development', rateLimitTier: 'elevated' } as const;
  return store.transact(id, (tx) => createKey(tx, tx.now, tx.newId, draft));
}
