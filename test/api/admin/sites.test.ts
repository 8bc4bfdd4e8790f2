/** Sites over the admin API. */
import { expect, test } from 'vitest';
import { type TestAdmin, startAdmin } from '../../support/service/admin.ts';
import { getCode } from '../../support/service/service.ts';

const defaults = async (a: TestAdmin) =>
  (await a.get('/admin/sites')).body.data.filter(({ isDefault }: { isDefault: boolean }) => isDefault).map(({ id }: { id: string }) => id);

test('sites create derives a code and records an audit row without an event', async () => {
  await using a = await startAdmin();
  const reply = await a.post('/admin/sites', { name: 'Café Baixa', address: 'Rua Augusta 1\nLisboa' });
  expect(reply.status).toBe(201);
  expect(reply.body.data).toMatchObject({
    name: 'Café Baixa',
    code: 'CAFE-BAIXA',
    address: 'Rua Augusta 1\nLisboa',
    isDefault: false,
    isActive: true,
  });
  expect((await a.post('/admin/sites', { name: 'Cafe Baixa' })).body.data.code).toBe('CAFE-BAIXA-2');
  const refused = await a.post('/admin/sites', { name: 'Other', code: 'cafe-baixa' });
  expect(refused.body.error).toMatchObject({ code: 'DUPLICATE_VALUE', details: { field: 'code', existingId: reply.body.data.id } });
  expect((await a.audit()).map(({ action }) => action)).toEqual(['site.created', 'site.created']);
  expect(await a.s.events()).toEqual([]);
});

test('exactly one site is the default, and moving it emits one organization.updated', async () => {
  await using a = await startAdmin();
  const first = a.s.tenant.defaultSiteId;
  const { id } = (await a.post('/admin/sites', { name: 'North' })).body.data;
  expect(await defaults(a)).toEqual([first]);
  expect((await a.patch(`/admin/sites/${id}`, { isDefault: true })).body.data.isDefault).toBe(true);
  expect(await defaults(a)).toEqual([id]);
  expect((await a.get('/admin/tenants/first')).body.data.defaultSiteId).toBe(id);
  const { id: third } = (await a.post('/admin/sites', { name: 'South', isDefault: true })).body.data;
  expect(await defaults(a)).toEqual([third]);

  const events = (await a.s.events()).map(({ body }) => JSON.parse(body));
  expect(events.map(({ event, data }) => [event, data.changes])).toEqual([
    ['organization.updated', ['defaultSiteId']],
    ['organization.updated', ['defaultSiteId']],
  ]);
  const trail = await a.audit();
  expect(trail.filter(({ action }) => action === 'organization.updated')).toHaveLength(2);
  expect(trail.filter(({ resourceId, action }) => resourceId === first && action === 'site.updated')).toMatchObject([
    { metadata: { changes: { isDefault: { from: true, to: false } } } },
  ]);
});

test('the default site cannot be unset, deactivated or deleted', async () => {
  await using a = await startAdmin();
  const { defaultSiteId: id } = a.s.tenant;
  expect((await a.patch(`/admin/sites/${id}`, { isDefault: false })).body.error.fields).toMatchObject([{ path: '/isDefault' }]);
  expect((await a.patch(`/admin/sites/${id}`, { isActive: false })).body.error.fields).toMatchObject([{ path: '/isActive' }]);
  expect((await a.post('/admin/sites', { name: 'X', isDefault: true, isActive: false })).status).toBe(400);
  const refused = await a.delete(`/admin/sites/${id}`);
  expect(getCode(refused)).toBe('RESOURCE_IN_USE');
  expect(refused.body.error.message).toContain('Make another site the default first');
  expect(await defaults(a)).toEqual([id]);
  expect(await a.audit()).toEqual([]);
});

test('a site used by orders cannot be deleted, only deactivated', async () => {
  await using a = await startAdmin();
  const { id } = (await a.post('/admin/sites', { name: 'North' })).body.data;
  const { id: unused } = (await a.post('/admin/sites', { name: 'South' })).body.data;
  const order = await a.s.post('/v1/orders', { module: 'make', siteId: id });
  expect(order.status, order.text).toBe(201);
  const refused = await a.delete(`/admin/sites/${id}`);
  expect(refused.body.error).toMatchObject({ code: 'RESOURCE_IN_USE', details: { references: { orders: 1 } } });
  expect((await a.patch(`/admin/sites/${id}`, { isActive: false })).body.data.isActive).toBe(false);
  expect((await a.delete(`/admin/sites/${unused}`)).status).toBe(204);
  expect((await a.get(`/admin/sites/${unused}`)).status).toBe(404);
});

test('updates without change record nothing, and sites of other tenants answer 404', async () => {
  await using a = await startAdmin();
  const { defaultSiteId: id } = a.s.tenant;
  const before = (await a.get(`/admin/sites/${id}`)).body.data;
  expect((await a.patch(`/admin/sites/${id}`, { name: ' Main ', isDefault: true })).body.data).toEqual(before);
  expect(await a.audit()).toEqual([]);
  await a.post('/admin/tenants', { name: 'Second' });
  expect((await a.get(`/admin/sites/${id}?tenant=second`)).status).toBe(404);
  expect((await a.patch(`/admin/sites/${id}?tenant=second`, { name: 'X' })).status).toBe(404);
  expect((await a.delete(`/admin/sites/${id}?tenant=second`)).status).toBe(404);
  expect((await a.get('/admin/sites?tenant=second&search=main')).body.data).toHaveLength(1);
  expect((await a.get('/admin/sites?tenant=first&is_active=false')).body.data).toEqual([]);
});
