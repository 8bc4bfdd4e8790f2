/** Reorder points over the admin API. */
import { expect, test } from 'vitest';
import { type TestAdmin, startAdmin } from '../../support/service/admin.ts';
import { type Reply, getCode } from '../../support/service/service.ts';
import { made } from '../../support/resources/order-world.ts';

const UNKNOWN_ID = '00000000-0000-7000-8000-000000000000';
const set = (a: TestAdmin, itemId: string, reorderPoint: number | null, siteId = a.s.tenant.defaultSiteId) =>
  a.post('/admin/stock/reorder-points', { itemId, siteId, reorderPoint });
const levels = async (a: TestAdmin, query = '') => (await a.s.get(`/v1/stock-levels${query}`)).body.data;

test('a reorder point creates a level row, and an item without stock is low there', async () => {
  await using a = await startAdmin();
  const itemId = await made(a.s.post('/v1/items', { name: 'Bag' }));
  expect(await levels(a, '?include_zero=true')).toEqual([]);
  const reply = await set(a, itemId, 250.5);
  expect(reply.status, reply.text).toBe(200);
  expect(reply.body.data).toMatchObject({ itemId, site: { name: 'Main' }, onHand: 0, reorderPoint: 250.5, isLow: true });
  expect(await levels(a, '?low_stock=true')).toEqual([reply.body.data]);
  expect((await set(a, itemId, null)).body.data).toMatchObject({ reorderPoint: null, isLow: false });
  expect(await levels(a)).toEqual([]);
  expect(await levels(a, '?include_zero=true')).toHaveLength(1);
  expect((await a.audit()).filter(({ action }) => action === 'item.reorder_point_set')).toMatchObject([
    { resourceId: itemId, metadata: { siteId: a.s.tenant.defaultSiteId, changes: { reorderPoint: { from: null, to: 250.5 } } } },
    { metadata: { changes: { reorderPoint: { from: 250.5, to: null } } } },
  ]);
});

test('setting the current value changes and records nothing', async () => {
  await using a = await startAdmin();
  const itemId = await made(a.s.post('/v1/items', { name: 'Bag' }));
  const first = await set(a, itemId, 0);
  const before = await a.audit();
  a.s.clock.advance(60);
  expect((await set(a, itemId, 0)).body).toEqual(first.body);
  expect(await a.audit()).toEqual(before);
});

test('combos, unknown items and sites and invalid quantities are rejected without a row', async () => {
  await using a = await startAdmin();
  const combo = await made(a.s.post('/v1/items', { name: 'Kit', itemType: 'combo' }));
  const item = await made(a.s.post('/v1/items', { name: 'Bag' }));
  expect((await set(a, combo, 1)).body.error).toMatchObject({
    code: 'INVALID_ITEM_TYPE',
    message: 'Kit is a combo, which has no stock of its own. Set the reorder points of its parts instead.',
  });
  const getPath = async (reply: Promise<Reply>) => (await reply).body.error.fields.map(({ path }: { path: string }) => path);
  expect(await getPath(set(a, item, -1))).toEqual(['/reorderPoint']);
  expect(await getPath(set(a, item, 0.1234567))).toEqual(['/reorderPoint']);
  for (const [reply, path, message] of [
    [await set(a, UNKNOWN_ID, 1), '/itemId', `There is no item ${UNKNOWN_ID}.`],
    [await set(a, item, 1, UNKNOWN_ID), '/siteId', `There is no site ${UNKNOWN_ID}.`],
    [await set(a, item, null), '/reorderPoint', 'Bag has no reorder point at this site.'],
  ] as const)
    expect(reply.body.error).toMatchObject({ message, fields: [{ path }] });
  expect(await levels(a, '?include_zero=true')).toEqual([]);
});

test("a reorder point locks the item's unit and its site until removed", async () => {
  await using a = await startAdmin();
  const { id: siteId } = (await a.post('/admin/sites', { name: 'North' })).body.data;
  const { data: units } = (await a.get('/admin/units')).body;
  const item = await made(a.s.post('/v1/items', { name: 'Bag', unitId: units[0].id }));
  await set(a, item, 5, siteId);
  const refused = await a.s.patch(`/v1/items/${item}`, { unitId: units[1].id });
  expect([getCode(refused), refused.body.error.details.references]).toEqual([
    'RESOURCE_IN_USE',
    expect.objectContaining({ reorderPoints: 1 }),
  ]);
  expect((await a.delete(`/admin/sites/${siteId}`)).body.error.details.references).toMatchObject({ reorderPoints: 1 });
  await set(a, item, null, siteId);
  expect((await a.s.patch(`/v1/items/${item}`, { unitId: units[1].id })).status).toBe(200);
  expect((await a.delete(`/admin/sites/${siteId}`)).status).toBe(204);
  expect(await levels(a, '?include_zero=true')).toEqual([]);
});

test('an item with a reorder point cannot become a combo until it is removed', async () => {
  await using a = await startAdmin();
  const item = await made(a.s.post('/v1/items', { name: 'Bag' }));
  await set(a, item, 5);
  const refused = await a.s.patch(`/v1/items/${item}`, { itemType: 'combo' });
  expect([getCode(refused), refused.body.error.details.references]).toMatchObject(['RESOURCE_IN_USE', { reorderPoints: 1 }]);
  expect((await a.s.patch(`/v1/items/${item}`, { itemType: 'material' })).status).toBe(200);
  await set(a, item, null);
  expect((await a.s.patch(`/v1/items/${item}`, { itemType: 'combo' })).status).toBe(200);
});
