/** The first start of an empty data directory makes somebody who can use it. */
import type { FirstKey } from '../contract/admin/snapshots.ts';
import { SCOPES } from '../contract/scopes.ts';
import { createKey } from '../domain/keys.ts';
import { createTenant } from '../domain/tenants.ts';
import type { Clock, NewId } from '../domain/ports.ts';
import type { StockroomStore } from '../domain/tables.ts';
import { allTenants } from './tenants.ts';

interface Newcomer {
  readonly store: StockroomStore;
  readonly clock: Clock;
  readonly newId: NewId;
}

const SLUG = 'local';
const KEY_NAME = 'first start';

/** The tenant `local` with a key for everything, in one commit; undefined when the store has a tenant already. */
export async function welcome({ store, clock, newId }: Newcomer): Promise<FirstKey | undefined> {
  if ((await allTenants(store)).length > 0) return undefined;
  const id = newId();
  return store.transact(id, async (tx) => {
    const now = clock.now();
    const tenant = await createTenant(tx, id, now, newId, { name: 'Local', slug: SLUG, plan: 'enterprise' });
    const draft = { tenantId: tenant.id, name: KEY_NAME, scopes: SCOPES, environment: 'development', rateLimitTier: 'elevated' } as const;
    const { key, secret } = await createKey(tx, now, newId, draft);
    return { tenant: tenant.slug, prefix: key.prefix, secret };
  });
}
