/** How to ask for settings, which /v1 only reads. They are made as the admin API makes them. */
import { createCategory } from '../../../src/domain/catalog/categories.ts';
import { createUnit } from '../../../src/domain/catalog/units.ts';
import type { Context } from '../../../src/domain/kernel/context.ts';
import { setReorderPoint } from '../../../src/domain/stock/reorder-points.ts';
import type { Tx } from '../../../src/domain/tables.ts';
import { createSite } from '../../../src/domain/tenancy/sites.ts';
import { inviteUser } from '../../../src/domain/tenancy/users.ts';
import { stockUp } from '../resources/stock.ts';
import type { TenantClient } from '../service/tenant-client.ts';
import type { Fixture, Parts } from './operation-fixtures.ts';

type Make = (tx: Tx, context: Context, name: string) => Promise<{ readonly id: string }>;

/** Changes the tenant as its owner. */
export async function asOwner<T>({ s, id }: TenantClient, change: (tx: Tx, context: Context) => Promise<T>): Promise<T> {
  return s.service.store.transact(id, async (tx) => {
    const tenant = (await tx.tenants.get(id))!;
    const actor = { type: 'user', id: 'test' } as const;
    return change(tx, { tenant, actor, requestId: 'fixture', ipAddress: null, now: tx.now, newId: tx.newId });
  });
}

const make = async (client: TenantClient, create: Make): Promise<string> =>
  (await asOwner(client, (tx, context) => create(tx, context, `Setting ${String(client.next())}`))).id;

const nothing = (): Promise<Parts> => Promise.resolve({});

const listOf = (create: Make): Fixture => ({
  request: nothing,
  list: {
    async rows(client, count) {
      for (let at = 0; at < count; at += 1) await make(client, create);
      return {};
    },
  },
});

const oneOf = (param: string, create: Make): Fixture => ({
  request: async (client) => ({ params: { [param]: await make(client, create) } }),
});

const site: Make = (tx, context, name) => createSite(tx, context, { name, address: '', isDefault: false, isActive: true });
const unit: Make = (tx, context, name) =>
  createUnit(tx, context, { name, symbol: name, dimension: 'count', factorNum: 1, factorDen: 1, precision: 0, isActive: true });
const category: Make = (tx, context, name) => createCategory(tx, context, { name, parentId: null, isActive: true });
const user: Make = (tx, context, name) => inviteUser(tx, context, { email: `${name.replace(' ', '-')}@example.com`, name, role: 'staff' });

export const SETTING_FIXTURES = {
  'settings.sites.list': listOf(site),
  'settings.sites.get': oneOf('site_id', site),
  'settings.units.list': listOf(unit),
  'settings.units.get': oneOf('unit_id', unit),
  'settings.categories.list': listOf(category),
  'settings.categories.get': oneOf('category_id', category),
  'settings.users.list': listOf(user),
  'settings.users.get': oneOf('user_id', user),
  'reorder_advice.list': { request: nothing },
  'reorder_points.list': {
    request: nothing,
    list: {
      async rows(client: TenantClient, count: number) {
        for (let at = 0; at < count; at += 1) {
          const code = at % 3 === 0 ? null : `SKU-${String(client.next())}`;
          const itemId = await client.make('/v1/items', { name: `Item ${String(at % 4)}`, sku: code });
          await stockUp(client, [{ itemId, quantity: (at % 5) + 1 }]);
          await asOwner(client, (tx, context) => setReorderPoint(tx, context, { itemId, siteId: client.site, reorderPoint: at }));
        }
        return {};
      },
      sorted: { name: (row) => row.item.name as string, sku: (row) => row.item.sku as string | null },
    },
  },
} as const satisfies Readonly<Record<string, Fixture>>;
