/** The owner-only socket of the admin API. */
import { statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ADMIN_OPERATIONS } from '../../../src/contract/admin/index.ts';
import { OPERATIONS } from '../../../src/contract/index.ts';
import type { Operation } from '../../../src/contract/operation.ts';
import { startAdmin } from '../../support/service/admin.ts';
import { getCode } from '../../support/service/service.ts';

test.skipIf(process.platform === 'win32')('only the owner can open the socket', async () => {
  await using a = await startAdmin();
  const stat = statSync(a.socketPath);
  expect(stat.isSocket()).toBe(true);
  expect(stat.mode & 0o777).toBe(0o600);
});

test('admin operations are neither on the public port nor in the catalog', async () => {
  await using a = await startAdmin();
  const publicIds = new Set<string>(OPERATIONS.map(({ id }) => id));
  const { body } = await a.s.get('/v1');
  const offered = new Set(body.capabilities.map(({ id }: { id: string }) => id));
  for (const { id, method, path, scope } of ADMIN_OPERATIONS as readonly Operation[]) {
    expect(publicIds.has(id), id).toBe(false);
    expect(offered.has(id), id).toBe(false);
    expect(scope).toBeNull();
    expect(path).toMatch(/^\/admin\//u);
    expect((await a.s.call(method, path.replaceAll(/\{\w+\}/gu, 'x'))).status, path).toBe(404);
  }
});

test('a request with an Origin header is rejected', async () => {
  await using a = await startAdmin();
  for (const origin of ['http://127.0.0.1:8625', 'https://evil.example', 'null']) {
    const reply = await a.call('POST', '/admin/tenants', { body: { name: 'X' }, headers: { origin } });
    expect([reply.status, getCode(reply)]).toEqual([403, 'ORIGIN_NOT_ALLOWED']);
  }
  expect((await a.get('/admin/tenants')).body.pagination.total).toBe(1);
});

test('the socket needs no key and has no rate limit', async () => {
  await using a = await startAdmin();
  const { status, headers } = await a.post('/admin/sites', { name: 'North' });
  expect(status).toBe(201);
  expect(Object.keys(headers).filter((name) => name.includes('ratelimit'))).toEqual([]);
  expect((await a.s.get('/v1/usage')).body.data.requests.total).toBe(1);
});

test('errors have the envelope of the public API', async () => {
  await using a = await startAdmin();
  const requestId = 'my-request';
  const unknown = await a.call('GET', '/admin/nothing', { headers: { 'x-request-id': requestId } });
  expect(unknown.status).toBe(404);
  expect(unknown.body.error).toMatchObject({ code: 'NOT_FOUND', status: 404, requestId });
  expect(unknown.headers['x-request-id']).toBe(requestId);
  const method = await a.call('DELETE', '/admin/tenants');
  expect([method.status, getCode(method), method.headers['allow']]).toEqual([405, 'METHOD_NOT_ALLOWED', 'GET, POST, HEAD']);
  expect(getCode(await a.call('POST', '/admin/tenants', { body: '{', headers: { 'content-type': 'application/json' } }))).toBe(
    'MALFORMED_JSON',
  );
  expect(getCode(await a.call('POST', '/admin/tenants', { body: '{}', headers: { 'content-type': 'text/plain' } }))).toBe(
    'UNSUPPORTED_MEDIA_TYPE',
  );
  expect((await a.get('/admin/tenants?colour=red')).body.error.fields).toMatchObject([
    { in: 'query', path: '/colour', code: 'unknown_field' },
  ]);
  expect((await a.get('/admin/sites/not-an-id')).status).toBe(404);
});

test('requests are rejected while the service stops', async () => {
  await using a = await startAdmin();
  a.s.service.beginClosing();
  const reply = await a.get('/admin/tenants');
  expect([reply.status, getCode(reply)]).toEqual([503, 'UNAVAILABLE']);
});
