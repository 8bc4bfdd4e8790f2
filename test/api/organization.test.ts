import { expect, test } from 'vitest';
import { codeOf, startService } from '../support/service.ts';

test('the profile has exactly the fields of the contract', async () => {
  await using s = await startService();
  const { id, name, slug, plan, createdAt } = s.tenant;
  const reply = await s.get('/v1/organization');
  expect(reply.status).toBe(200);
  expect(reply.body).toEqual({ data: { id, name, slug, plan, createdAt } });
});

test('each key sees its own organization', async () => {
  await using s = await startService();
  const other = await s.addTenant('second', 'free');
  const reply = await s.get('/v1/organization', { key: await s.addKey({ tenantId: other.id }) });
  expect(reply.body.data).toMatchObject({ id: other.id, slug: 'second', plan: 'free' });
});

test('reading the profile needs organization:read and leaves no trace', async () => {
  await using s = await startService();
  const reply = await s.get('/v1/organization', { key: await s.addKey({ scopes: ['items:read'] }) });
  expect(reply.status).toBe(403);
  expect(codeOf(reply)).toBe('SCOPE_REQUIRED');
  expect((await s.get('/v1/organization?page=1')).status).toBe(400);
  expect(await s.events()).toEqual([]);
});
