/** The demo data: complete, consistent, with stock that adds up. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DOCUMENT_STATUSES, DOCUMENT_TYPES } from '../../src/contract/resources/stock-documents.ts';
import { ORDER_MODULES, type OrderDetail } from '../../src/contract/resources/orders.ts';
import type { StockLevel } from '../../src/contract/resources/stock-levels.ts';
import { DEMO_TENANTS, loadDemo } from '../../src/demo/load-demo.ts';
import { getDemoTenantId } from '../../src/demo/apply-scenario.ts';
import { type SeedTarget, generateSeedData, createSeedPlan } from '../../src/demo/generate.ts';
import type { TenantRecord } from '../../src/domain/kernel/tenant.ts';
import { type TestAdmin, startAdmin } from '../support/service/admin.ts';

let a: TestAdmin;
let key: string;
const kestrel = getDemoTenantId('kestrel-coffee');
beforeAll(async () => {
  a = await startAdmin();
  await loadDemo(a.s.service.store, { now: a.s.clock.now(), receiverPort: 9 });
  key = await a.s.addKey({ tenantId: kestrel });
}, 60_000);
afterAll(() => a[Symbol.asyncDispose]());

const createSeedTarget = (tenant: TenantRecord): SeedTarget => ({
  tenant,
  createContext: ({ now, newId }) => ({ tenant, actor: { type: 'system', id: 'seed' }, requestId: 'seed', ipAddress: null, now, newId }),
});

const all = async (path: string) => (await a.s.get(`${path}${path.includes('?') ? '&' : '?'}page_size=200`, { key })).body.data;

test('demo data pass every integrity check in every tenant', async () => {
  for (const { slug } of DEMO_TENANTS) {
    const { ok, checks } = (await a.get(`/admin/doctor?tenant=${slug}`)).body.data;
    expect([slug, checks.filter((check: { ok: boolean }) => !check.ok)]).toEqual([slug, []]);
    expect(ok).toBe(true);
  }
});

test('Kestrel has documents of every type but revaluations and of every state, one reversed and one count with a variance', async () => {
  const documents = await all('/v1/stock-documents');
  const seen = new Set(documents.map(({ type, status }: { type: string; status: string }) => `${type} ${status}`));
  const types = DOCUMENT_TYPES.filter((type) => type !== 'revaluation');
  expect(seen).toEqual(new Set(types.flatMap((type) => DOCUMENT_STATUSES.map((status) => `${type} ${status}`))));
  expect(documents.filter(({ reversedAt }: { reversedAt: string | null }) => reversedAt !== null)).toHaveLength(1);
  const count = documents.find(({ type, status }: { type: string; status: string }) => type === 'count' && status === 'approved');
  const { data: lines } = (await a.s.get(`/v1/stock-documents/${count.id}/lines`, { key })).body;
  expect(lines.map(({ postedQuantity }: { postedQuantity: number }) => postedQuantity)).toEqual([-4, -1, 0, 1]);
});

test('Kestrel is healthy: only the 250 g bags are low, nothing is oversold or below zero, and one purchase is late', async () => {
  const low = await all('/v1/stock-levels?low_stock=true');
  expect(low.map(({ item, site }: StockLevel) => [item.sku, site.name])).toEqual([['PKG-BAG-250', 'Roastery']]);
  expect(await all('/v1/stock-levels?below_zero=true')).toEqual([]);
  expect((await all('/v1/stock-levels')).length).toBeGreaterThan(40);
  const late: string[] = [];
  for (const module of ORDER_MODULES)
    for (const { orderNumber } of (await all(`/v1/orders?module=${module}&overdue=true`)) as { orderNumber: string }[])
      late.push(orderNumber);
  expect(late).toEqual(['PO-000006']);
});

test('an order in progress for weeks is shipped in part, and what is counted in hours has them as its unit', async () => {
  const orders = (await all('/v1/orders?module=all&include=totals,lines')) as Pick<OrderDetail, 'orderNumber' | 'fulfilment' | 'lines'>[];
  expect(orders.find(({ orderNumber }) => orderNumber === 'SO-000007')).toMatchObject({ fulfilment: 'partial' });
  const lines = orders.flatMap((order) => order.lines ?? []);
  const fractions = lines.filter(({ quantity }) => !Number.isInteger(quantity));
  expect(fractions.length).toBeGreaterThan(3);
  expect(fractions.map(({ unit }) => unit?.symbol).filter((symbol) => symbol === undefined || symbol === 'pcs')).toEqual([]);
});

test('completed demo orders have posted their quantities', async () => {
  for (const module of ['buy', 'sell', 'make', 'fix']) {
    const completed = (await all(`/v1/orders?module=${module}&status=completed`)) as { id: string }[];
    expect(completed.length).toBeGreaterThan(0);
    for (const { id } of completed) {
      const { data: order } = (await a.s.get(`/v1/orders/${id}`, { key })).body;
      expect([order.orderNumber, order.stockDocumentIds.length]).toEqual([order.orderNumber, order.closedShort ? 0 : 1]);
    }
  }
});

test('seed generates stock for its items and passes every integrity check', async () => {
  const { service } = a.s;
  const tenant = await a.s.addTenant('generated');
  await generateSeedData(service.store, createSeedTarget(tenant), createSeedPlan(600, 100), 42, () => undefined);
  const of = { key: await a.s.addKey({ tenantId: tenant.id }) };
  const completed = (await a.s.get('/v1/orders?module=sell&status=completed&page_size=1', of)).body.pagination.total;
  expect(completed).toBeGreaterThan(20);
  expect((await a.s.get('/v1/stock-levels?page_size=1', of)).body.pagination.total).toBeGreaterThan(500);
  const recorded = await service.store.read(tenant.id, async (tx) => [await tx.events.count(), await tx.auditEvents.count()]);
  expect(recorded).toEqual([0, 0]);
  const { checks } = (await a.get('/admin/doctor?tenant=generated')).body.data;
  expect(checks.filter((check: { ok: boolean }) => !check.ok)).toEqual([]);
}, 60_000);

test('a second seed continues after the first, despite equal names and fourEyes', async () => {
  const { service } = a.s;
  const tenant = { ...(await a.s.addTenant('generated-again')), fourEyes: true };
  const of = { key: await a.s.addKey({ tenantId: tenant.id }) };
  for (const sku of ['gen-set', 'GEN-9']) expect((await a.s.post('/v1/items', { name: sku, sku }, of)).status).toBe(201);
  for (const seed of [1, 2]) await generateSeedData(service.store, createSeedTarget(tenant), createSeedPlan(5), seed, () => undefined);
  const { data } = (await a.s.get('/v1/items?search=gen-00&sort=sku', of)).body;
  const numbers = Array.from({ length: 10 }, (_, at) => `GEN-${String(at + 1).padStart(7, '0')}`);
  expect(data.map(({ sku }: { sku: string }) => sku)).toEqual(numbers);
});

test('seed reports the total number of items, contacts and orders from the start', async () => {
  await a.s.addTenant('generated-later');
  const { status, body } = await a.post('/admin/seed?tenant=generated-later', { items: 1, orders: 0 });
  // One item, and the contacts that there are at least.
  expect([status, body.data]).toEqual([200, expect.objectContaining({ status: 'running', done: 0, total: 21, items: 1, contacts: 20 })]);
  await expect.poll(async () => (await a.get('/admin/seed')).body.data).toMatchObject({ status: 'done', done: 21, total: 21, error: null });
});
