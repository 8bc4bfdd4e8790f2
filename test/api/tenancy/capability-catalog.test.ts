/** GET /v1, the capability catalog. */
import { expect, test } from 'vitest';
import { OPERATIONS } from '../../../src/contract/index.ts';
import type { Operation } from '../../../src/contract/operation.ts';
import { ABSENT, startService } from '../../support/service/service.ts';

const operations = OPERATIONS as readonly Operation[];

test('GET /v1 lists every operation for a key with all scopes on the enterprise plan, and each one is a route', async () => {
  await using s = await startService();
  const { body, status } = await s.get('/v1');
  expect(status).toBe(200);
  expect(Object.keys(body)).toEqual(['version', 'capabilities']);
  expect(body.version).toBe('v1');
  expect(body.capabilities).toEqual(
    operations.map(({ id, method, path, scope, summary }) => ({ id, method, path, scope: scope ?? 'none', description: summary })),
  );
  for (const { method, path } of body.capabilities as { method: string; path: string }[]) {
    const reply = await s.call(method, path.replaceAll(/\{\w+\}/gu, ABSENT));
    expect(reply.text, `${method} ${path}`).not.toMatch(/Unknown path|Method not allowed/u);
  }
});

test('GET /v1 omits operations without the scope', async () => {
  await using s = await startService();
  const { body } = await s.get('/v1', { key: await s.addKey({ scopes: ['items:read'] }) });
  const scopes = new Set(body.capabilities.map(({ scope }: { scope: string }) => scope));
  expect(scopes).toEqual(new Set(['items:read', 'none']));
});

test('GET /v1 lists only scope-free operations for a key without scopes', async () => {
  await using s = await startService();
  const { body } = await s.get('/v1', { key: await s.addKey({ scopes: [] }) });
  expect(body.capabilities.map(({ path }: { path: string }) => path)).toEqual(['/v1', '/v1/auth/context', '/v1/events']);
});

test('GET /v1 omits operations that the plan does not include', async () => {
  await using s = await startService();
  const pro = await s.addTenant('pro-shop', 'pro');
  const { body } = await s.get('/v1', { key: await s.addKey({ tenantId: pro.id }) });
  const expected = operations.filter(({ plan }) => plan !== 'enterprise').map(({ id }) => id);
  expect(body.capabilities.map(({ id }: { id: string }) => id)).toEqual(expected);
  expect(expected).not.toContain('audit.list');
});

test('GET /v1 requires a key', async () => {
  await using s = await startService();
  expect((await s.get('/v1', { key: '' })).status).toBe(401);
});
