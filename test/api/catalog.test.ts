import { expect, test } from 'vitest';
import { OPERATIONS } from '../../src/contract/index.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { ABSENT, startService } from '../support/service.ts';

const operations = OPERATIONS as readonly Operation[];

test('a key with every scope on the enterprise plan sees every operation, and each of them is a route', async () => {
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
    expect(reply.text, `${method} ${path}`).not.toMatch(/no such path|This path takes/u);
  }
});

test('the catalog leaves out what the key has no scope for', async () => {
  await using s = await startService();
  const { body } = await s.get('/v1', { key: await s.addKey({ scopes: ['items:read'] }) });
  const scopes = new Set(body.capabilities.map(({ scope }: { scope: string }) => scope));
  expect(scopes).toEqual(new Set(['items:read', 'none']));
});

test('a key without scopes sees only what needs none', async () => {
  await using s = await startService();
  const { body } = await s.get('/v1', { key: await s.addKey({ scopes: [] }) });
  expect(body.capabilities.map(({ path }: { path: string }) => path)).toEqual(['/v1', '/v1/auth/context']);
});

test('the catalog leaves out what the plan does not have', async () => {
  await using s = await startService();
  const pro = await s.addTenant('pro-shop', 'pro');
  const { body } = await s.get('/v1', { key: await s.addKey({ tenantId: pro.id }) });
  const expected = operations.filter(({ plan }) => plan !== 'enterprise').map(({ id }) => id);
  expect(body.capabilities.map(({ id }: { id: string }) => id)).toEqual(expected);
  expect(expected).not.toContain('audit.list');
});

test('the catalog needs a key', async () => {
  await using s = await startService();
  expect((await s.get('/v1', { key: '' })).status).toBe(401);
});
