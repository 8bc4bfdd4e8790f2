/** Users over the admin API. */
import { expect, test } from 'vitest';
import { startAdmin } from '../../support/service/admin.ts';
import { getCode } from '../../support/service/service.ts';

test('users invite creates a user, an event user.invited and an audit row', async () => {
  await using a = await startAdmin();
  const reply = await a.post('/admin/users', { email: ' Ana@Example.com ', name: 'Ana Reis', role: 'manager' });
  expect(reply.status).toBe(201);
  const { data } = reply.body;
  expect(data).toEqual({
    id: expect.any(String),
    email: 'Ana@Example.com',
    name: 'Ana Reis',
    role: 'manager',
    status: 'invited',
    createdAt: expect.any(String),
    updatedAt: data.createdAt,
  });
  const [event, ...others] = await a.s.events();
  expect(others).toEqual([]);
  expect(JSON.parse(event?.body ?? '')).toEqual({
    event: 'user.invited',
    data: {
      id: data.id,
      eventId: event?.id,
      occurredAt: data.createdAt,
      sequence: 1,
      position: 1,
      updatedAt: data.updatedAt,
      actor: { type: 'user', id: 'local' },
      changes: [],
      email: 'Ana@Example.com',
      role: 'manager',
    },
  });
  expect(await a.audit()).toMatchObject([{ action: 'user.invited', resourceId: data.id, actorType: 'user', actorId: 'local' }]);
  expect((await a.s.get('/v1/audit/events?action_prefix=user.&actor_type=user')).body.data).toHaveLength(1);
});

test('an e-mail address is invited once per tenant, case-insensitively', async () => {
  await using a = await startAdmin();
  const { data } = (await a.post('/admin/users', { email: 'ana@example.com' })).body;
  expect(data).toMatchObject({ name: '', role: 'staff' });
  const again = await a.post('/admin/users', { email: 'ANA@example.com' });
  expect(again.status).toBe(409);
  expect(again.body.error).toMatchObject({ code: 'DUPLICATE_VALUE', details: { field: 'email', existingId: data.id } });
  expect(await a.s.events()).toHaveLength(1);
  await a.post('/admin/tenants', { name: 'Second' });
  expect((await a.post('/admin/users?tenant=second', { email: 'ana@example.com' })).status).toBe(201);
});

test('users become active or deactivated and never invited again', async () => {
  await using a = await startAdmin();
  const { id } = (await a.post('/admin/users', { email: 'ana@example.com' })).body.data;
  const set = (status: string) => a.patch(`/admin/users/${id}`, { status });
  expect((await set('active')).body.data.status).toBe('active');
  expect((await set('deactivated')).body.data.status).toBe('deactivated');
  const back = await set('invited');
  expect(back.status).toBe(400);
  expect(back.body.error.fields).toMatchObject([{ path: '/status', code: 'not_allowed' }]);
  expect((await set('active')).status).toBe(200);
  expect((await a.audit()).map(({ action }) => action)).toEqual(['user.invited', 'user.updated', 'user.updated', 'user.updated']);
  expect(await a.s.events()).toHaveLength(1);
});

test('users update changes single fields and records nothing without change', async () => {
  await using a = await startAdmin();
  const { data } = (await a.post('/admin/users', { email: 'ana@example.com' })).body;
  const changed = (await a.patch(`/admin/users/${data.id}`, { name: 'Ana', role: 'admin', email: 'reis@example.com' })).body.data;
  expect(changed).toMatchObject({ name: 'Ana', role: 'admin', email: 'reis@example.com', status: 'invited' });
  expect(Date.parse(changed.updatedAt)).toBeGreaterThan(Date.parse(data.updatedAt));
  expect((await a.patch(`/admin/users/${data.id}`, { name: 'Ana' })).body.data.updatedAt).toBe(changed.updatedAt);
  expect(await a.audit()).toHaveLength(2);
  await a.post('/admin/users', { email: 'tom@example.com' });
  expect(getCode(await a.patch(`/admin/users/${data.id}`, { email: 'TOM@example.com' }))).toBe('DUPLICATE_VALUE');
});

test('users reject invalid addresses and fields by name', async () => {
  await using a = await startAdmin();
  for (const email of ['', '   ', 'ana', 'ana@', '@example.com', 'a b@example.com', null, 5]) {
    const reply = await a.post('/admin/users', { email });
    expect([reply.status, reply.body.error.fields[0].path], String(email)).toEqual([400, '/email']);
  }
  expect((await a.post('/admin/users', { email: 'a@example.com', role: 'king' })).body.error.fields).toMatchObject([{ path: '/role' }]);
  expect((await a.post('/admin/users', { email: 'a@example.com', status: 'active' })).body.error.fields).toMatchObject([
    { path: '/status', code: 'unknown_field' },
  ]);
  expect((await a.get('/admin/users')).body.data).toEqual([]);
});

test('users with assigned orders cannot be removed', async () => {
  await using a = await startAdmin();
  const { id } = (await a.post('/admin/users', { email: 'ana@example.com' })).body.data;
  const { id: tom } = (await a.post('/admin/users', { email: 'tom@example.com' })).body.data;
  const order = await a.s.post('/v1/orders', { module: 'make', assignedTo: id });
  expect(order.status, order.text).toBe(201);
  const refused = await a.delete(`/admin/users/${id}`);
  expect(refused.status).toBe(409);
  expect(refused.body.error).toMatchObject({ code: 'RESOURCE_IN_USE', details: { references: { orders: 1 } } });
  expect(refused.body.error.message).toContain('deactivated');
  expect((await a.delete(`/admin/users/${tom}`)).status).toBe(204);
  expect((await a.delete(`/admin/users/${tom}`)).status).toBe(404);
  expect((await a.get(`/admin/users/${tom}`)).status).toBe(404);
  expect((await a.get(`/admin/users/${id}`)).status).toBe(200);
});

test('users are listed, filtered and searched within their tenant', async () => {
  await using a = await startAdmin();
  await a.post('/admin/users', { email: 'ana@example.com', name: 'Ana', role: 'admin' });
  await a.post('/admin/users', { email: 'tom@example.com', name: 'Tom' });
  await a.post('/admin/tenants', { name: 'Second' });
  const { id } = (await a.post('/admin/users?tenant=second', { email: 'lea@example.com', name: 'Lea' })).body.data;
  const names = async (query: string) =>
    (await a.get(`/admin/users?tenant=first&${query}`)).body.data.map(({ name }: { name: string }) => name);
  expect(await names('')).toEqual(['Ana', 'Tom']);
  expect(await names('role=admin,manager')).toEqual(['Ana']);
  expect(await names('search=TOM@')).toEqual(['Tom']);
  expect(await names('status=active')).toEqual([]);
  expect((await a.get(`/admin/users/${id}?tenant=first`)).status).toBe(404);
  expect((await a.patch(`/admin/users/${id}?tenant=first`, { name: 'X' })).status).toBe(404);
  expect((await a.delete(`/admin/users/${id}?tenant=first`)).status).toBe(404);
});
