/** Idempotency keys of the admin API: the rules of /v1, and no stored secret (A-3, D-22). */
import { describe, expect, test } from 'vitest';
import { IDEMPOTENCY_VALIDITY_H } from '../../../src/contract/limits.ts';
import { type TestAdmin, startAdmin } from '../../support/service/admin.ts';
import { getCode } from '../../support/service/service.ts';

const send = (a: TestAdmin, path: string, body: object, key = 'same', method = 'POST') =>
  a.call(method, path, { body, headers: { 'idempotency-key': key } });

const CREATIONS: readonly [path: string, body: object, secret: string | undefined][] = [
  ['/admin/keys', { name: 'Shop', allScopes: true }, 'secret'],
  ['/admin/tenants', { name: 'Other tenant' }, undefined],
  ['/admin/sites', { name: 'North' }, undefined],
  ['/admin/units', { name: 'box', symbol: 'box', dimension: 'count' }, undefined],
  ['/admin/categories', { name: 'Coffee' }, undefined],
  ['/admin/users', { email: 'ana@example.com', name: 'Ana', role: 'admin' }, undefined],
  [
    '/admin/apps',
    { name: 'Sync', type: 'confidential', redirectUris: ['https://shop.example/cb'], scopes: ['items:read'] },
    'clientSecret',
  ],
];

describe('a repeated request with the same Idempotency-Key', () => {
  test.each(CREATIONS)('POST %s is answered with the first reply, without its secret, and creates nothing', async (path, body, secret) => {
    await using a = await startAdmin();
    const first = await send(a, path, body);
    expect([first.status, first.headers['idempotent-replayed']], first.text).toEqual([201, undefined]);
    const total = (await a.get(path)).body.pagination.total;
    const second = await send(a, path, body);
    expect([second.status, second.headers['idempotent-replayed']]).toEqual([201, 'true']);
    expect(second.body.data).toEqual(first.body.data);
    expect((await a.get(path)).body.pagination.total).toBe(total);
    if (secret === undefined) return;
    expect(first.body[secret]).toEqual(expect.any(String));
    expect(second.body).not.toHaveProperty(secret);
    const stored = await a.s.service.store.read(a.s.tenant.id, (tx) => tx.idempotency.listAfter({ limit: 100 }));
    expect(stored.rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(stored.rows)).not.toContain(first.body[secret]);
  });

  test('rotates a key once', async () => {
    await using a = await startAdmin();
    const { id } = (await a.post('/admin/keys', { allScopes: true })).body.data;
    const first = await send(a, `/admin/keys/${id}/rotate`, {});
    const second = await send(a, `/admin/keys/${id}/rotate`, {});
    expect([first.status, second.status, second.body.data.id]).toEqual([201, 201, first.body.data.id]);
    expect([typeof first.body.secret, 'secret' in second.body]).toEqual(['string', false]);
  });

  test('updates once, also when the tenant has another slug since', async () => {
    await using a = await startAdmin();
    const first = await send(a, '/admin/tenants/first', { slug: 'renamed', defaultLeadDays: 3 }, 'same', 'PATCH');
    await a.patch('/admin/tenants/renamed', { defaultLeadDays: 9 });
    const second = await send(a, '/admin/tenants/first', { slug: 'renamed', defaultLeadDays: 3 }, 'same', 'PATCH');
    expect([first.status, second.status, second.text]).toEqual([200, 200, first.text]);
    expect((await a.get('/admin/tenants/renamed')).body.data.defaultLeadDays).toBe(9);
  });

  test.each(CREATIONS)('POST %s with another body is a conflict', async (path, body) => {
    await using a = await startAdmin();
    await send(a, path, body);
    const other = await send(a, path, { ...body, name: 'Different' });
    expect([other.status, getCode(other)]).toEqual([409, 'CONFLICT']);
  });

  test('runs again after a failure, and after the reply has expired', async () => {
    await using a = await startAdmin();
    await a.post('/admin/sites', { name: 'Taken', code: 'TAKEN' });
    expect((await send(a, '/admin/sites?tenant=first', { name: 'North', code: 'TAKEN' })).status).toBe(409);
    const first = await send(a, '/admin/sites?tenant=first', { name: 'North' });
    const tenant = await send(a, '/admin/tenants', { name: 'Daily' }, 'tenant');
    a.s.clock.advance(IDEMPOTENCY_VALIDITY_H * 3_600);
    const second = await send(a, '/admin/sites?tenant=first', { name: 'North' });
    const otherTenant = await send(a, '/admin/tenants', { name: 'Daily' }, 'tenant');
    expect([second.status, otherTenant.status]).toEqual([201, 201]);
    expect(second.body.data.id).not.toBe(first.body.data.id);
    expect(otherTenant.body.data.id).not.toBe(tenant.body.data.id);
  });

  test('runs once of many that arrive together', async () => {
    await using a = await startAdmin();
    const replies = await Promise.all(Array.from({ length: 10 }, () => send(a, '/admin/tenants', { name: 'Once' })));
    const codes = replies.map(({ status, body }) => body.error?.code ?? status);
    expect(codes.filter((code) => code !== 201 && code !== 'IDEMPOTENCY_IN_PROGRESS')).toEqual([]);
    expect((await a.get('/admin/tenants?search=once')).body.pagination.total).toBe(1);
  });
});

test('an invalid Idempotency-Key is rejected, and a request without one is accepted', async () => {
  await using a = await startAdmin();
  const long = await send(a, '/admin/sites?tenant=first', { name: 'North' }, 'k'.repeat(256));
  expect([long.status, getCode(long)]).toEqual([400, 'IDEMPOTENCY_KEY_INVALID']);
  expect([(await a.post('/admin/sites', { name: 'North' })).status, (await a.post('/admin/sites', { name: 'North' })).status]).toEqual([
    201, 201,
  ]);
});
