/** The demo's story: whole, sound, and with stock that adds up. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DOCUMENT_STATUSES, DOCUMENT_TYPES } from '../../src/contract/stock-documents.ts';
import type { StockLevel } from '../../src/contract/stock-levels.ts';
import { DEMO_TENANTS, loadDemo } from '../../src/demo/load.ts';
import { demoTenantId } from '../../src/demo/play.ts';
import { generate, planOf } from '../../src/demo/scale.ts';
import { type TestAdmin, startAdmin } from '../support/admin.ts';

let a: TestAdmin;
let key: string;
const kestrel = demoTenantId('kestrel-coffee');
beforeAll(async () => {
  a = await startAdmin();
  await loadDemo(a.s.service.store, a.s.clock.now());
  key = await a.s.addKey({ tenantId: kestrel });
}, 60_000);
afterAll(() => a[Symbol.asyncDispose]());

const all = async (path: string) => (await a.s.get(`${path}${path.includes('?') ? '&' : '?'}page_size=200`, { key })).body.data;

test('passes every check of the doctor, in every tenant', async () => {
  for (const { slug } of DEMO_TENANTS) {
    const { ok, checks } = (await a.get(`/admin/doctor?tenant=${slug}`)).body.data;
    expect([slug, checks.filter((check: { ok: boolean }) => !check.ok)]).toEqual([slug, []]);
    expect(ok).toBe(true);
  }
});

test('Kestrel has documents of every type in every state, one of them reversed and one count that found a difference', async () => {
  const documents = await all('/v1/stock-documents');
  const seen = new Set(documents.map(({ type, status }: { type: string; status: string }) => `${type} ${status}`));
  expect(seen).toEqual(new Set(DOCUMENT_TYPES.flatMap((type) => DOCUMENT_STATUSES.map((status) => `${type} ${status}`))));
  expect(documents.filter(({ reversedAt }: { reversedAt: string | null }) => reversedAt !== null)).toHaveLength(1);
  const count = documents.find(({ type, status }: { type: string; status: string }) => type === 'count' && status === 'approved');
  const { data: lines } = (await a.s.get(`/v1/stock-documents/${count.id}/lines`, { key })).body;
  expect(lines.map(({ postedQuantity }: { postedQuantity: number }) => postedQuantity)).toEqual([-4, -1, 0, 1]);
});

test('bags of 250 g are low, and nothing else is; nowhere is less than nothing', async () => {
  const low = await all('/v1/stock-levels?low_stock=true');
  expect(low.map(({ item, site }: StockLevel) => [item.sku, site.name])).toEqual([['PKG-BAG-250', 'Roastery']]);
  expect(await all('/v1/stock-levels?below_zero=true')).toEqual([]);
  expect((await all('/v1/stock-levels')).length).toBeGreaterThan(40);
});

test('orders that were completed have moved what they say', async () => {
  for (const module of ['buy', 'sell', 'make', 'fix']) {
    const completed = (await all(`/v1/orders?module=${module}&status=completed`)) as { id: string }[];
    expect(completed.length).toBeGreaterThan(0);
    for (const { id } of completed) {
      const { data: order } = (await a.s.get(`/v1/orders/${id}`, { key })).body;
      expect([order.orderNumber, order.stockDocumentIds.length]).toEqual([order.orderNumber, order.closedShort ? 0 : 1]);
    }
  }
});

test('generated rows at scale have their stock as well, and pass every check', async () => {
  const { service, clock } = a.s;
  const tenant = await a.s.addTenant('generated');
  const contextOf = () => ({
    tenant,
    actor: { type: 'system' as const, id: 'seed' },
    requestId: 'seed',
    ipAddress: null,
    now: clock.now(),
    newId: service.newId,
  });
  await generate(service.store, contextOf, planOf(600), 42, () => undefined);
  const of = { key: await a.s.addKey({ tenantId: tenant.id }) };
  const completed = (await a.s.get('/v1/orders?module=sell&status=completed&page_size=1', of)).body.pagination.total;
  expect(completed).toBeGreaterThan(20);
  expect((await a.s.get('/v1/stock-levels?page_size=1', of)).body.pagination.total).toBeGreaterThan(500);
  const { checks } = (await a.get('/admin/doctor?tenant=generated')).body.data;
  expect(checks.filter((check: { ok: boolean }) => !check.ok)).toEqual([]);
}, 60_000);

test('generated rows go on behind those of an earlier run, whatever else is named alike, and wait for no second pair of eyes', async () => {
  const { service, clock } = a.s;
  const tenant = { ...(await a.s.addTenant('generated-again')), fourEyes: true };
  const of = { key: await a.s.addKey({ tenantId: tenant.id }) };
  for (const sku of ['gen-set', 'GEN-9']) expect((await a.s.post('/v1/items', { name: sku, sku }, of)).status).toBe(201);
  const actor = { type: 'system' as const, id: 'seed' };
  const contextOf = () => ({ tenant, actor, requestId: 'seed', ipAddress: null, now: clock.now(), newId: service.newId });
  for (const seed of [1, 2]) await generate(service.store, contextOf, planOf(5), seed, () => undefined);
  const { data } = (await a.s.get('/v1/items?search=gen-00&sort=sku', of)).body;
  const numbers = Array.from({ length: 10 }, (_, at) => `GEN-${String(at + 1).padStart(7, '0')}`);
  expect(data.map(({ sku }: { sku: string }) => sku)).toEqual(numbers);
});

test('the generating tells from its beginning how many rows there will be', async () => {
  await a.s.addTenant('generated-later');
  const { status, body } = await a.post('/admin/seed?tenant=generated-later', { items: 1, orders: 0 });
  // One item, its recipe, the document with its stock, and the contacts that there are at least.
  expect([status, body.data]).toEqual([200, expect.objectContaining({ status: 'running', done: 0, total: 23, items: 1, contacts: 20 })]);
  await expect.poll(async () => (await a.get('/admin/seed')).body.data).toMatchObject({ status: 'done', done: 23, total: 23, error: null });
});
