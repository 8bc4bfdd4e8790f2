/** Tenants put back to a state and copied, and copies that end with their connection. */
import { once } from 'node:events';
import fc from 'fast-check';
import { request } from 'undici';
import { expect, test } from 'vitest';
import { readState } from '../../../src/api/admin/tenant-states/tenant-rows.ts';
import { checkProperty } from '../../support/property.ts';
import { type TestControl, startControl } from '../../support/service/control.ts';
import { getCode } from '../../support/service/service.ts';

const KEY = `pk_test_${'C'.repeat(46)}`;
const SHOP = {
  slug: 'shop',
  name: 'Shop',
  plan: 'enterprise',
  tier: 'elevated',
  keys: [{ name: 'tests', secret: KEY }],
  contacts: [{ name: 'Ana', contactType: 'customer' }],
  items: [
    { sku: 'BOLT', name: 'Bolt', salePrice: 2 },
    { sku: 'NUT', name: 'Nut' },
  ],
  stock: [{ item: 'BOLT', quantity: 10, unitCost: 1 }],
  orders: [{ name: 'first', module: 'sell', status: 'open', contact: 'Ana', lines: [{ item: 'BOLT', quantity: 2 }] }],
  webhooks: [
    { name: 'sync', targetUrl: 'https://shop.example/hooks', subscribedEvents: ['order.created'], signingSecret: 'ab'.repeat(32) },
  ],
};

async function startShop(): Promise<TestControl> {
  const c = await startControl();
  expect((await c.post('/control/fixtures', { tenants: [SHOP] })).status).toBe(200);
  return c;
}

/** Everything that the API shows of a tenant. */
async function readAll({ s }: TestControl, key: string): Promise<unknown> {
  const paths = ['items', 'contacts', 'orders?module=all&include=lines', 'stock-documents', 'stock-levels', 'webhooks', 'organization'];
  const replies = await Promise.all(
    paths.map((path) => s.get(`/v1/${path}${path.includes('?') ? '&' : '?'}${path === 'organization' ? '' : 'page_size=200'}`, { key })),
  );
  expect(replies.map(({ status }) => status)).toEqual(paths.map((path) => (path === 'organization' ? expect.any(Number) : 200)));
  return replies.map(({ body }) => body.data);
}

/** Changes every kind of record, swaps unique values, and deletes. */
async function changeAll({ s }: TestControl, key: string): Promise<void> {
  const { data: items } = (await s.get('/v1/items', { key })).body;
  const [bolt, nut] = ['BOLT', 'NUT'].map((sku) => items.find((item: { sku: string }) => item.sku === sku));
  const check = (reply: { status: number; text: string }) => expect(reply.status, reply.text).toBeLessThan(300);
  check(await s.patch(`/v1/items/${nut.id}`, { sku: 'OTHER' }, { key }));
  check(await s.patch(`/v1/items/${bolt.id}`, { sku: 'NUT', salePrice: 9 }, { key }));
  check(await s.patch(`/v1/items/${nut.id}`, { sku: 'BOLT' }, { key }));
  check(await s.post('/v1/items', { name: 'New', sku: 'NEW' }, { key }));
  const { data: orders } = (await s.get('/v1/orders?module=sell', { key })).body;
  check(await s.patch(`/v1/orders/${orders[0].id}`, { status: 'completed' }, { key }));
  check(await s.post('/v1/orders', { module: 'sell', lines: [{ itemId: bolt.id, quantity: 1 }] }, { key, idempotencyKey: 'same' }));
  const { data: webhooks } = (await s.get('/v1/webhooks', { key })).body;
  check(await s.delete(`/v1/webhooks/${webhooks[0].id}`, { key }));
}

test('a reset puts a tenant back to its fixtures, again and again, and the next changes work', async () => {
  await using c = await startShop();
  const before = await readAll(c, KEY);
  for (let round = 0; round < 3; round += 1) {
    await changeAll(c, KEY);
    expect(await readAll(c, KEY)).not.toEqual(before);
    const reply = await c.post('/control/tenants/shop/reset');
    expect([reply.status, reply.body.data.slug], reply.text).toEqual([200, 'shop']);
    expect(await readAll(c, KEY)).toEqual(before);
  }
  const checks = (await c.get('/control/doctor')).body.data.checks as { ok: boolean }[];
  expect(checks.filter(({ ok }) => !ok)).toEqual([]);
});

test('a reset keeps keys and endpoints that were created since, and revives those of the fixtures', async () => {
  await using c = await startShop();
  const { secret } = (await c.post('/control/keys?tenant=shop', { allScopes: true })).body as { secret: string };
  const later = { name: 'later', targetUrl: 'https://later.example/', subscribedEvents: ['order.created'] };
  expect((await c.s.post('/v1/webhooks', later, { key: secret })).status).toBe(201);
  await c.post(`/control/keys/${KEY.slice(0, 16)}/revoke?tenant=shop`);
  expect((await c.s.get('/v1/items', { key: KEY })).status).toBe(401);
  await c.post('/control/tenants/shop/reset');
  expect((await c.s.get('/v1/items', { key: KEY })).status).toBe(200);
  const { data } = (await c.s.get('/v1/webhooks', { key: secret })).body;
  expect(data.map(({ name }: { name: string }) => name).toSorted()).toEqual(['later', 'sync']);
});

test('events after a reset come after all earlier ones, so that a reader with a cursor misses none', async () => {
  await using c = await startShop();
  await c.s.post('/v1/items', { name: 'Before' }, { key: KEY });
  const { pagination } = (await c.s.get('/v1/events?limit=200', { key: KEY })).body;
  await c.post('/control/tenants/shop/reset');
  await c.s.post('/v1/items', { name: 'After' }, { key: KEY });
  const { data } = (await c.s.get(`/v1/events?cursor=${String(pagination.nextCursor)}`, { key: KEY })).body;
  expect(data.map((event: { data: { name: string } }) => event.data.name)).toEqual(['After']);
});

test('a tenant has named snapshots, and an unknown one is a 404 that names them', async () => {
  await using c = await startShop();
  await c.s.post('/v1/items', { name: 'Kept', sku: 'KEPT' }, { key: KEY });
  expect((await c.post('/control/tenants/shop/snapshots', { name: 'with-kept' })).status).toBe(200);
  await c.post('/control/tenants/shop/reset');
  const find = async () => (await c.s.get('/v1/items?sku=KEPT', { key: KEY })).body.data.length as number;
  expect(await find()).toBe(0);
  await c.post('/control/tenants/shop/reset', { to: 'with-kept' });
  expect(await find()).toBe(1);
  const unknown = await c.post('/control/tenants/shop/reset', { to: 'nope' });
  expect([unknown.status, unknown.body.error.message]).toEqual([404, 'shop has no snapshot nope. There are: fixtures, with-kept.']);
  expect(getCode(await c.post('/control/tenants/first/reset'))).toBe('NOT_FOUND');
});

test('a copy has the records of its template with the same ids, a key and endpoints of its own, and is reset to them', async () => {
  await using c = await startShop();
  const { data, secret } = (await c.post('/control/tenants', { template: 'shop' })).body;
  expect(data).toMatchObject({ slug: 'shop-2', plan: 'enterprise' });
  const [base, copy] = [await readAll(c, KEY), await readAll(c, secret)] as [unknown[][], unknown[][]];
  expect(copy.slice(0, 5)).toEqual(base.slice(0, 5));
  expect(copy[5]).toMatchObject([{ name: 'sync' }]);
  expect(copy[5]).not.toEqual(base[5]);
  await changeAll(c, secret);
  expect(await readAll(c, KEY)).toEqual(base);
  await c.post('/control/tenants/shop-2/reset');
  expect(await readAll(c, secret)).toEqual(copy);
  const third = (await c.post('/control/tenants', { template: 'shop', slug: 'mine', plan: 'free' })).body;
  expect(third.data).toMatchObject({ slug: 'mine', plan: 'free' });
  expect((await c.post('/control/tenants', { template: 'nope' })).status).toBe(404);
  expect(getCode(await c.post('/control/tenants', {}))).toBe('VALIDATION_FAILED');
  expect(getCode(await c.post('/control/tenants', { name: 'X', lease: true }))).toBe('VALIDATION_FAILED');
  expect(getCode(await c.post('/control/tenants', { template: 'shop', slug: 'shop' }))).toBe('DUPLICATE_VALUE');
});

test('a leased copy lives as long as the connection, also when the client is gone without a word', async () => {
  await using c = await startShop();
  const listSlugs = async () => (await c.get('/control/tenants')).body.data.map(({ slug }: { slug: string }) => slug) as string[];
  const lease = async () => {
    const { body } = await request(`${c.url}/control/tenants`, {
      method: 'POST',
      headers: { authorization: `Bearer ${c.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ template: 'shop', lease: true }),
    });
    const [chunk] = (await once(body, 'data')) as [Buffer];
    return { body, copy: JSON.parse(chunk.toString()) as { data: { slug: string }; secret: string } };
  };
  const leases = await Promise.all([lease(), lease(), lease()]);
  expect(await listSlugs()).toHaveLength(5);
  for (const { copy } of leases) expect((await c.s.get('/v1/items', { key: copy.secret })).body.data).toHaveLength(2);
  for (const { body } of leases) body.destroy();
  await expect.poll(listSlugs).toHaveLength(2);
  expect((await c.s.get('/v1/items', { key: leases[0].copy.secret })).status).toBe(401);
});

const OPERATIONS = ['create', 'rename', 'delete', 'sell', 'complete', 'webhook', 'reset'] as const;

/** One operation of a tenant; one that is not possible fails, and changes nothing. */
async function operate({ s, post }: TestControl, operation: (typeof OPERATIONS)[number], slug: string, key: string): Promise<void> {
  const [item] = (await s.get('/v1/items?sort=-created_at', { key })).body.data;
  const [order] = (await s.get('/v1/orders?module=sell&status=open', { key })).body.data;
  switch (operation) {
    case 'create':
      return void (await s.post('/v1/items', { name: 'New' }, { key }));
    case 'rename':
      return void (await s.patch(`/v1/items/${item?.id}`, { name: 'Renamed' }, { key }));
    case 'delete':
      return void (await s.delete(`/v1/items/${item?.id}`, { key }));
    case 'sell':
      return void (await s.post('/v1/orders', { module: 'sell', status: 'draft', lines: [{ itemId: item?.id, quantity: 1 }] }, { key }));
    case 'complete':
      return void (await s.patch(`/v1/orders/${order?.id}`, { status: 'completed' }, { key }));
    case 'webhook':
      return void (await s.post(
        '/v1/webhooks',
        { name: 'w', targetUrl: 'https://w.example/', subscribedEvents: ['order.created'] },
        { key },
      ));
    case 'reset':
      return void (await post(`/control/tenants/${slug}/reset`));
  }
}

test('operations in one copy never show in another copy or in its template', async () => {
  await using c = await startShop();
  const { id } = (await c.get('/control/tenants/shop')).body.data as { id: string };
  const tenants = [{ id, slug: 'shop', key: KEY }];
  for (let copy = 0; copy < 2; copy += 1) {
    const { data, secret } = (await c.post('/control/tenants', { template: 'shop' })).body;
    tenants.push({ id: data.id, slug: data.slug, key: secret });
  }
  const read = (at: number) => readState(c.s.service.store, tenants[at]!.id);
  const step = fc.tuple(fc.nat(tenants.length - 1), fc.constantFrom(...OPERATIONS));
  await checkProperty(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      for (const [at, operation] of steps) {
        const others = tenants.flatMap((_, other) => (other === at ? [] : [other]));
        const before = await Promise.all(others.map(read));
        await operate(c, operation, tenants[at]!.slug, tenants[at]!.key);
        expect(await Promise.all(others.map(read))).toEqual(before);
      }
    }),
    { shortRuns: 6 },
  );
});
