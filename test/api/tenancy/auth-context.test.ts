/** GET /v1/auth/context. */
import { expect, test } from 'vitest';
import { SCOPES } from '../../../src/contract/scopes.ts';
import { getCode, startService } from '../../support/service/service.ts';

test('GET /v1/auth/context needs no scope', async () => {
  await using s = await startService();
  const expiresAt = new Date(s.clock.now().getTime() + 3_600_000).toISOString();
  const key = await s.addKey({ scopes: [], tier: 'standard', expiresAt });
  const reply = await s.get('/v1/auth/context', { key });
  expect(reply.status).toBe(200);
  expect(reply.body).toEqual({
    data: {
      tenant: { id: s.tenant.id, plan: 'enterprise' },
      api_key: {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/u),
        prefix: key.slice(0, 16),
        environment: 'development',
        scopes: [],
        rate_limit_tier: 'standard',
        expires_at: expiresAt,
      },
    },
  });
  expect(reply.text).not.toContain(key);
});

test('GET /v1/auth/context returns null for no expiry and lists the scopes', async () => {
  await using s = await startService();
  const { api_key: key } = (await s.get('/v1/auth/context')).body.data;
  expect(key.expires_at).toBeNull();
  expect(key.scopes).toEqual(SCOPES);
});

test('GET /v1/auth/context rejects an expired key', async () => {
  await using s = await startService();
  const key = await s.addKey({ expiresAt: new Date(s.clock.now().getTime() + 60_000).toISOString() });
  expect((await s.get('/v1/auth/context', { key })).status).toBe(200);
  s.clock.advance(61);
  const reply = await s.get('/v1/auth/context', { key });
  expect(reply.status).toBe(401);
  expect(getCode(reply)).toBe('UNAUTHENTICATED');
});
