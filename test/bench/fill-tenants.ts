/** Fills a data directory with tenants that have one key and one item each: `node fill-tenants.ts DIRECTORY TENANTS`. */
import { v7 } from 'uuid';
import { SCOPES } from '../../src/contract/scopes.ts';
import { createItem } from '../../src/domain/catalog/items.ts';
import { createKey } from '../../src/domain/tenancy/api-keys.ts';
import { tables } from '../../src/domain/tables.ts';
import { createTenant } from '../../src/domain/tenancy/tenants.ts';
import { openFileStore } from '../../src/store/file/index.ts';

const [, , directory = '', tenants = '0'] = process.argv;
const store = await openFileStore({ directory, tables });
for (let n = 0; n < Number(tenants); n += 1) {
  const tenantId = v7();
  const now = new Date();
  await store.transact(tenantId, async (tx) => {
    const tenant = await createTenant(tx, tenantId, now, v7, {
      name: `Tenant ${String(n)}`,
      slug: `tenant-${String(n)}`,
      plan: 'enterprise',
    });
    const { key } = await createKey(tx, now, v7, {
      tenantId,
      name: 'bench',
      scopes: SCOPES,
      environment: 'development',
      rateLimitTier: 'elevated',
    });
    const context = { tenant, actor: { type: 'api', id: key.id }, requestId: 'bench', ipAddress: null, now, newId: v7 } as const;
    await createItem(tx, context, { name: 'Bolt', sku: 'BOLT', itemType: 'product', isActive: true });
  });
}
await store.close();
