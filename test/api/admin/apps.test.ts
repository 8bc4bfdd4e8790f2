/** The registry of partner applications over the admin API. */
import { expect, test } from 'vitest';
import { REDIRECT_URIS_MAX } from '../../../src/contract/limits.ts';
import { type TestAdmin, startAdmin } from '../../support/service/admin.ts';

const REDIRECT = 'https://shop.example/callback';
const draft = { name: 'Shop sync', type: 'confidential', redirectUris: [REDIRECT], scopes: ['orders:read', 'items:read'] };

const create = async (a: TestAdmin, more: object = {}, query = '') =>
  (await a.post(`/admin/apps${query}`, { ...draft, ...more })).body.data;
const actions = async (a: TestAdmin, tenantId?: string) => (await a.audit(tenantId)).map(({ action }) => action);

test('apps create registers a pending application and returns its secret once', async () => {
  await using a = await startAdmin();
  const reply = await a.post('/admin/apps', draft);
  expect(reply.status).toBe(201);
  expect(reply.body).toEqual({
    data: {
      id: expect.any(String),
      clientId: expect.stringMatching(/^app_[0-9A-Za-z]{22}$/u),
      name: 'Shop sync',
      type: 'confidential',
      status: 'pending',
      redirectUris: [REDIRECT],
      scopes: ['items:read', 'orders:read'],
      grantTypes: ['authorization_code', 'client_credentials'],
      installations: [],
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    },
    clientSecret: expect.stringMatching(/^cs_[0-9A-Za-z]{43}$/u),
  });
  expect(reply.headers['cache-control']).toBe('no-store');
  const { data } = reply.body;
  for (const id of [data.id, data.clientId]) expect((await a.get(`/admin/apps/${id as string}`)).body).toEqual({ data });
  expect(await actions(a)).toEqual(['application.created']);
  expect(await a.s.events()).toEqual([]);
});

test('grant types follow from type and redirect URIs unless given', async () => {
  await using a = await startAdmin();
  const grants = async (more: object) => (await create(a, more)).grantTypes;
  expect(await grants({ type: 'public' })).toEqual(['authorization_code']);
  expect(await grants({ redirectUris: [] })).toEqual(['client_credentials']);
  expect(await grants({ grantTypes: ['authorization_code'] })).toEqual(['authorization_code']);
});

test('apps rejects invalid fields by name and changes nothing', async () => {
  await using a = await startAdmin();
  const app = await create(a);
  const before = [await a.get('/admin/apps'), await a.audit()].map((each) => JSON.stringify('text' in each ? each.text : each));
  const bad: [object, string][] = [
    [{ name: ' ' }, '/name'],
    [{ scopes: [] }, '/scopes'],
    [{ scopes: ['items:everything'] }, '/scopes/0'],
    [{ scopes: ['items:read', 'items:read'] }, '/scopes/1'],
    [{ redirectUris: [REDIRECT, REDIRECT] }, '/redirectUris/1'],
    [{ redirectUris: Array.from({ length: REDIRECT_URIS_MAX + 1 }, (_, at) => `https://shop.example/${String(at)}`) }, '/redirectUris'],
    [{ redirectUris: [], grantTypes: ['authorization_code'] }, '/redirectUris'],
    ...[
      'shop.example/callback',
      '/callback',
      'http://shop.example/callback',
      'http://127.0.0.1.evil.example/',
      'ftp://shop.example/',
      'javascript:alert(1)',
      'com.example.app:/callback',
      'https://shop.example/#top',
      'https://shop.example/#',
      'https://user@shop.example/',
      'https://user:pw@shop.example/',
      'https://SHOP.example/',
      'https://shop.example:443/',
      'https://shop.example/a/../b',
      'https://shop.example/a b',
      'https:\\\\shop.example\\callback',
      'https://shop.example/\u0000',
      'https://täst.example/',
    ].map((uri): [object, string] => [{ redirectUris: [REDIRECT, uri] }, '/redirectUris/1']),
  ];
  for (const [more, path] of bad) {
    for (const reply of [await a.post('/admin/apps', { ...draft, ...more }), await a.patch(`/admin/apps/${app.id as string}`, more)]) {
      expect([JSON.stringify(more), reply.status, reply.body.error.fields?.[0]?.path]).toEqual([JSON.stringify(more), 400, path]);
    }
  }
  const machine = await a.post('/admin/apps', { ...draft, type: 'public', grantTypes: ['client_credentials'] });
  expect(machine.body.error.fields[0]).toMatchObject({ path: '/grantTypes', code: 'not_allowed' });
  const after = [await a.get('/admin/apps'), await a.audit()].map((each) => JSON.stringify('text' in each ? each.text : each));
  expect(after).toEqual(before);
  for (const uri of [
    'https://shop.example',
    'https://shop.example/',
    'https://xn--tst-qla.example/a?b=c%20d',
    'http://127.0.0.1/callback',
    'http://[::1]:3000/callback',
    'http://localhost:3000/callback',
  ]) {
    expect([uri, (await a.post('/admin/apps', { ...draft, redirectUris: [uri] })).status]).toEqual([uri, 201]);
  }
});

test('apps update audits changed fields, and nothing without a change', async () => {
  await using a = await startAdmin();
  const app = await create(a);
  const path = `/admin/apps/${app.id as string}`;
  expect((await a.patch(path, { name: 'Shop sync', scopes: ['orders:read', 'items:read'] })).body.data).toEqual(app);
  const changed = (await a.patch(path, { name: 'Shop' })).body.data;
  expect(changed).toEqual({ ...app, name: 'Shop', updatedAt: changed.updatedAt });
  expect((await a.audit()).slice(1)).toMatchObject([
    { action: 'application.updated', metadata: { changes: { name: { from: 'Shop sync', to: 'Shop' } } } },
  ]);
});

test('apps approve connects the only or the named tenant, and only approves with several and none named', async () => {
  await using a = await startAdmin();
  const one = await create(a);
  const approved = (await a.post(`/admin/apps/${one.id as string}/approve`, {})).body.data;
  expect(approved).toMatchObject({
    status: 'approved',
    installations: [
      { tenant: 'first', scopes: ['items:read', 'orders:read'], environment: 'development', status: 'active', approvedBy: 'local' },
    ],
  });
  expect(await actions(a)).toEqual(['application.created', 'application.approved', 'integration.connected']);
  expect((await a.s.events()).map(({ event }) => event)).toEqual(['integration.connected']);
  const second = (await a.post('/admin/tenants', { name: 'Second' })).body.data;
  const two = await create(a, { name: 'Two' });
  expect((await a.post(`/admin/apps/${two.id as string}/approve`, {})).body.data).toMatchObject({ status: 'approved', installations: [] });
  await a.post(`/admin/apps/${two.id as string}/approve?tenant=second`, { scopes: ['items:read'], environment: 'production' });
  expect((await a.get(`/admin/apps/${two.id as string}`)).body.data.installations).toMatchObject([
    { tenantId: second.id, tenant: 'second', scopes: ['items:read'], environment: 'production' },
  ]);
  expect((await a.s.events(0, second.id)).map(({ event }) => event)).toEqual(['integration.connected']);
  // An approval says exactly what is allowed, more or less than before.
  await a.post(`/admin/apps/${two.id as string}/approve?tenant=second`, { scopes: ['orders:read'] });
  expect((await a.get(`/admin/apps/${two.id as string}`)).body.data.installations).toMatchObject([
    { scopes: ['orders:read'], environment: 'production' },
  ]);
  const beyond = await a.post(`/admin/apps/${two.id as string}/approve?tenant=second`, { scopes: ['audit:read'] });
  expect([beyond.status, beyond.body.error.fields[0].path]).toEqual([400, '/scopes']);
  expect((await a.post(`/admin/apps/${two.id as string}/approve?tenant=third`, {})).status).toBe(404);
});

test('application changes appear in the audit trail of every connected tenant', async () => {
  await using a = await startAdmin();
  const { id: secondId } = (await a.post('/admin/tenants', { name: 'Second' })).body.data;
  const app = await create(a, {}, '?tenant=second');
  const path = `/admin/apps/${app.id as string}`;
  for (const tenant of ['first', 'second']) await a.post(`${path}/approve?tenant=${tenant}`, {});
  await a.patch(`${path}?tenant=second`, { name: 'Renamed' });
  await a.post(`${path}/suspend`, {});
  await a.post(`${path}/suspend`, {});
  await a.post(`${path}/approve?tenant=second`, {});
  await a.post(`${path}/rotate-secret?tenant=second`, {});
  await a.post(`${path}/disconnect?tenant=first`, {});
  await a.post(`${path}/disconnect?tenant=first`, {});
  await a.delete(`${path}?tenant=second`);
  const [first, second] = [await actions(a), await actions(a, secondId as string)];
  expect(first).toEqual([
    'application.approved',
    'integration.connected',
    'application.updated',
    'application.suspended',
    'application.approved',
    'application.secret_rotated',
    'integration.disconnected',
  ]);
  expect(second).toEqual([
    'organization.created',
    'application.created',
    'integration.connected',
    'application.updated',
    'application.suspended',
    'application.approved',
    'integration.connected',
    'application.secret_rotated',
    'application.deleted',
  ]);
});

test('unknown applications answer 404, and unconnected ones cannot be disconnected', async () => {
  await using a = await startAdmin();
  const app = await create(a);
  expect((await a.post(`/admin/apps/${app.id as string}/disconnect`, {})).status).toBe(404);
  for (const [method, path] of [
    ['GET', ''],
    ['PATCH', ''],
    ['DELETE', ''],
    ['POST', '/approve'],
    ['POST', '/suspend'],
    ['POST', '/disconnect'],
    ['POST', '/rotate-secret'],
  ] as const) {
    const reply = await a.call(method, `/admin/apps/app_nobody${path}`, method === 'GET' || method === 'DELETE' ? {} : { body: {} });
    expect([method, path, reply.status]).toEqual([method, path, 404]);
  }
});

test('apps list searches, filters, sorts and paginates', async () => {
  await using a = await startAdmin();
  const made = [
    await create(a, { name: 'beta' }),
    await create(a, { name: 'Alpha Books', type: 'public' }),
    await create(a, { name: 'gamma' }),
  ];
  await a.post(`/admin/apps/${made[2].id as string}/approve`, {});
  const names = async (query: string) => (await a.get(`/admin/apps?${query}`)).body.data.map(({ name }: { name: string }) => name);
  expect(await names('')).toEqual(['Alpha Books', 'beta', 'gamma']);
  expect(await names('sort=-created_at')).toEqual(['gamma', 'Alpha Books', 'beta']);
  expect(await names('status=approved,suspended')).toEqual(['gamma']);
  expect(await names('type=public')).toEqual(['Alpha Books']);
  expect(await names('search=LPHA%20B')).toEqual(['Alpha Books']);
  expect(await names(`search=${made[0].clientId as string}`)).toEqual(['beta']);
  expect(await names('page=2&page_size=2')).toEqual(['gamma']);
  expect((await a.get('/admin/apps?status=dead')).status).toBe(400);
});

test('applications survive a restart', async () => {
  await using a = await startAdmin();
  const app = await create(a);
  await a.post(`/admin/apps/${app.id as string}/approve`, {});
  const before = (await a.get(`/admin/apps/${app.id as string}`)).body;
  await a.s.restart();
  const { store } = a.s.service;
  const [kept, installed] = await store.read('', async (tx) => [
    await tx.applications.get(app.id as string),
    await tx.installations.count(),
  ]);
  expect([kept?.status, kept?.updatedAt, installed]).toEqual(['approved', before.data.updatedAt, 1]);
});
