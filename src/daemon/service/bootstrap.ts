/** The first tenant and API key of an empty store. */
import type { FirstKey } from '../../contract/admin/snapshots.ts';
import { SCOPES } from '../../contract/scopes.ts';
import { createKey } from '../../domain/tenancy/api-keys.ts';
import { createTenant } from '../../domain/tenancy/tenants.ts';
import type { NewId } from '../../domain/kernel/ports.ts';
import type { StockroomStore } from '../../domain/tables.ts';

interface Parts {
  readonly store: StockroomStore;
  readonly newId: NewId;
}

const SLUG = 'local';
const KEY_NAME = 'first start';

/** Creates the tenant `local` and a key with every scope, in one commit. Returns undefined when the store already has a tenant. */
export async function createFirstTenant({ store, newId }: Parts): Promise<FirstKey | undefined> {
  if ((await store.read('', (tx) => tx.tenants.count())) > 0) return undefined;
  const id = newId();
  return store.transact(id, async (tx) => {
    // Another daemon of the same database may start at the same time.
    if ((await tx.tenants.count()) > 0) return undefined;
    const tenant = await createTenant(tx, id, tx.now, tx.newId, { name: 'Local', slug: SLUG, plan: 'enterprise' });
    const draft = { tenantId: tenant.id, name: KEY_NAME, scopes: SCOPES, environment: 'development', rateLimitTier: 'elevated' } as const;
    const { key, secret } = await createKey(tx, tx.now, tx.newId, draft);
    return { tenant: tenant.slug, prefix: key.prefix, secret };
  });
}
