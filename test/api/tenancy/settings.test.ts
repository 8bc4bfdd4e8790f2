/** Sites, units, categories, users, reorder points and reorder advice over /v1. */
import { expect, test } from 'vitest';
import type { Scope } from '../../../src/contract/scopes.ts';
import { createUnit } from '../../../src/domain/catalog/units.ts';
import { setReorderPoint } from '../../../src/domain/stock/reorder-points.ts';
import { asOwner } from '../../support/contract/setting-fixtures.ts';
import { openTenantClient } from '../../support/service/tenant-client.ts';
import { useService } from '../../support/service/shared-service.ts';

const s = useService();

test.each<[string, Scope]>([
  ['/v1/sites', 'inventory:read'],
  ['/v1/units', 'items:read'],
  ['/v1/categories', 'items:read'],
  ['/v1/users', 'organization:read'],
  ['/v1/reorder-points', 'inventory:read'],
  ['/v1/reorder-advice', 'inventory:read'],
])('GET %s requires the read scope of its resource', async (path, scope) => {
  expect((await s.get(path, { key: await s.addKey({ scopes: [scope] }) })).status).toBe(200);
  const reply = await s.get(path, { key: await s.addKey({ scopes: ['webhooks:read'] }) });
  expect([reply.status, reply.body.error.code]).toEqual([403, 'SCOPE_REQUIRED']);
});

test('GET /v1/units shows the factors of a unit, by list, cursor and id', async () => {
  const client = await openTenantClient(s, 'settings-units');
  const bag = await asOwner(client, (tx, context) =>
    createUnit(tx, context, {
      name: 'Bag',
      symbol: 'bag60',
      dimension: 'mass',
      factorNum: 60,
      factorDen: 1,
      precision: 0,
      isActive: false,
    }),
  );
  const expected = { id: bag.id, name: 'Bag', symbol: 'bag60', dimension: 'mass', factorNum: 60, factorDen: 1, isActive: false };
  expect((await client.get('/v1/units?is_active=false')).body.data).toMatchObject([expected]);
  expect((await client.get('/v1/units?is_active=false&cursor=')).body).toMatchObject({ data: [expected], pagination: { hasMore: false } });
  expect((await client.get(`/v1/units/${bag.id}`)).body.data).toMatchObject(expected);
});

test('GET /v1/reorder-points lists what is set, and GET /v1/reorder-advice what to order', async () => {
  const client = await openTenantClient(s, 'settings-points');
  const supplierId = await client.make('/v1/contacts', { name: 'Supplier', contactType: 'supplier' });
  const itemId = await client.make('/v1/items', { name: 'Low', supplierId });
  const other = await client.make('/v1/items', { name: 'Enough' });
  await asOwner(client, async (tx, context) => {
    await setReorderPoint(tx, context, { itemId, siteId: client.site, reorderPoint: 5 });
    await setReorderPoint(tx, context, { itemId: other, siteId: client.site, reorderPoint: 5 });
  });
  await asOwner(client, (tx, context) => setReorderPoint(tx, context, { itemId: other, siteId: client.site, reorderPoint: null }));
  expect((await client.get('/v1/reorder-points')).body).toMatchObject({
    data: [{ itemId, siteId: client.site, reorderPoint: 5, projected: 0, isLow: true, item: { name: 'Low' } }],
    pagination: { total: 1 },
  });
  const { body } = await client.get('/v1/reorder-advice');
  expect(body.data).toMatchObject([{ itemId, reason: 'low', module: 'buy', quantity: 10, supplier: { id: supplierId } }]);
  expect(body.data[0]).not.toHaveProperty('command');
});
