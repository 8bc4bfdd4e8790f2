/** GET /v1/organization. */
import { expect, test } from 'vitest';
import { getCode, startService } from '../../support/service/service.ts';

test('GET /v1/organization returns exactly the fields of the contract and its extensions', async () => {
  await using s = await startService();
  const { id, name, slug, plan, currency, timezone, createdAt } = s.tenant;
  const reply = await s.get('/v1/organization');
  expect(reply.status).toBe(200);
  expect(reply.body).toEqual({
    data: { id, name, slug, plan, currency, timezone, eventRetention: { days: 30, maxEvents: 1_000_000 }, createdAt },
  });
});

test('GET /v1/organization returns the organization of the key', async () => {
  await using s = await startService();
  const other = await s.addTenant('second', 'free');
  const reply = await s.get('/v1/organization', { key: await s.addKey({ tenantId: other.id }) });
  expect(reply.body.data).toMatchObject({ id: other.id, slug: 'second', plan: 'free' });
});

test('GET /v1/organization requires organization:read and records nothing', async () => {
  await using s = await startService();
  const reply = await s.get('/v1/organization', { key: await s.addKey({ scopes: ['items:read'] }) });
  expect(reply.status).toBe(403);
  expect(getCode(reply)).toBe('SCOPE_REQUIRED');
  expect((await s.get('/v1/organization?page=1')).status).toBe(400);
  expect(await s.events()).toEqual([]);
});
