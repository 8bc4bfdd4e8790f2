/** The control port: the admin API for test suites, with a token. */
import { expect, test } from 'vitest';
import { ADMIN_OPERATIONS } from '../../../src/contract/admin/index.ts';
import { toControlPath } from '../../../src/contract/admin/control.ts';
import { startStockroom } from '../../../src/embedded/index.ts';
import { startControl } from '../../support/service/control.ts';
import { getCode } from '../../support/service/service.ts';

test('the control port offers every admin operation under /control, and the API port none', async () => {
  await using c = await startControl();
  const { body } = await c.get('/control/openapi.json');
  const found = Object.entries(body.paths as Record<string, Record<string, { operationId: string }>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => `${operationId} ${method.toUpperCase()} ${path}`),
  );
  expect(found.toSorted()).toEqual(ADMIN_OPERATIONS.map(({ id, method, path }) => `${id} ${method} ${toControlPath(path)}`).toSorted());
  expect(body.servers).toEqual([{ url: c.url }]);
  for (const { method, path } of ADMIN_OPERATIONS) {
    const filled = toControlPath(path).replaceAll(/\{\w+\}/gu, 'x');
    expect((await c.s.call(method, filled)).status, filled).toBe(404);
  }
  expect((await c.get('/admin/tenants')).status).toBe(404);
});

test('the control port changes clock, faults, tenants and keys of the service', async () => {
  await using c = await startControl();
  expect((await c.post('/control/clock/set', { at: '2030-01-01T00:00:00Z' })).body.data.now).toMatch(/^2030-01-01T00:00:0/u);
  expect(c.s.clock.now().getUTCFullYear()).toBe(2030);
  await c.post('/control/faults', { target: 'GET /v1/items', status: 503, times: 1 });
  expect((await c.s.get('/v1/items')).status).toBe(503);
  expect((await c.s.get('/v1/items')).status).toBe(200);
  expect((await c.post('/control/tenants', { name: 'Second' })).status).toBe(201);
  const { secret } = (await c.post('/control/keys?tenant=second', { allScopes: true })).body as { secret: string };
  expect((await c.s.get('/v1/auth/context', { key: secret })).status).toBe(200);
  expect((await c.get('/control/requests/recent?tenant=first')).status).toBe(200);
});

test('a request without the token is rejected on every path', async () => {
  await using c = await startControl();
  for (const path of ['/control/tenants', '/control/openapi.json', '/control/feed', '/control/nothing', '/']) {
    for (const authorization of ['', 'Bearer wrong', `Basic ${c.token}`, `Bearer ${c.token}x`]) {
      const reply = await c.call('GET', path, { headers: { authorization } });
      expect([reply.status, getCode(reply)], `${path} ${authorization}`).toEqual([401, 'UNAUTHENTICATED']);
      expect(reply.headers['www-authenticate']).toBe('Bearer realm="stockroom control"');
    }
  }
  const reply = await c.call('POST', '/control/tenants', { body: { name: 'X' }, headers: { authorization: '' } });
  expect(reply.status).toBe(401);
  expect((await c.get('/control/tenants')).body.pagination.total).toBe(1);
});

test('a browser is rejected, also with the token: by its Origin, and by a foreign Host', async () => {
  await using c = await startControl();
  for (const headers of [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: c.url },
    { host: 'evil.example' },
    { host: `evil.example:${new URL(c.url).port}` },
  ]) {
    const reply = await c.call('POST', '/control/tenants', { body: { name: 'X' }, headers });
    expect([reply.status, getCode(reply)], JSON.stringify(headers)).toEqual([403, 'ORIGIN_NOT_ALLOWED']);
    expect(reply.headers['access-control-allow-origin']).toBeUndefined();
  }
  expect((await c.call('OPTIONS', '/control/tenants', { headers: { origin: 'https://evil.example' } })).status).toBe(403);
  expect((await c.get('/control/tenants')).body.pagination.total).toBe(1);
});

test('an embedded service opens its control port on first use, and closes it when it stops', async () => {
  const stockroom = await startStockroom();
  const { url, token } = await stockroom.control();
  expect(await stockroom.control()).toEqual({ url, token });
  expect(url).not.toBe(stockroom.url);
  const headers = { authorization: `Bearer ${token}` };
  const reply = await fetch(`${url}/control/tenants/test`, { headers });
  expect(((await reply.json()) as { data: object }).data).toEqual(stockroom.tenant);
  await stockroom.stop();
  await expect(fetch(`${url}/control/tenants`, { headers })).rejects.toThrow('fetch failed');
});
