/** Rate-limit tiers over the admin API. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { TIERS } from '../../../src/contract/limits.ts';
import { SCOPES } from '../../../src/contract/scopes.ts';
import { createRealClock } from '../../../src/daemon/service/clocks/clock.ts';
import { type RunningService, openService } from '../../../src/daemon/service/open-service.ts';
import { createKey } from '../../../src/domain/tenancy/api-keys.ts';
import { createTenant } from '../../../src/domain/tenancy/tenants.ts';
import { startAdmin } from '../../support/service/admin.ts';

test('tiers list lists active tiers by name', async () => {
  await using a = await startAdmin({ tiers: { tiny: 3 } });
  expect((await a.get('/admin/tiers')).body.data).toEqual([
    { name: 'elevated', requestsPerMinute: TIERS.elevated },
    { name: 'standard', requestsPerMinute: TIERS.standard },
    { name: 'test', requestsPerMinute: 1_000_000 },
    { name: 'tiny', requestsPerMinute: 3 },
  ]);
});

test('tiers set applies to open windows immediately and survives a restart', async () => {
  await using a = await startAdmin();
  const key = await a.s.addKey({ tier: 'standard' });
  expect((await a.s.get('/v1', { key })).headers['x-ratelimit-remaining']).toBe('119');
  const reply = await a.patch('/admin/tiers/standard', { requestsPerMinute: 2 });
  expect(reply.body).toEqual({ data: { name: 'standard', requestsPerMinute: 2 } });
  expect((await a.s.get('/v1', { key })).status).toBe(200);
  expect((await a.s.get('/v1', { key })).status).toBe(429);
  await a.patch('/admin/tiers/standard', { requestsPerMinute: 5 });
  const { data } = (await a.s.get('/v1/usage', { key })).body;
  expect(data.rate_limit).toEqual({ tier: 'standard', enforcement: 'enforced', limit_per_minute: 5, remaining_per_minute: 2 });
  await a.s.restart();
  expect((await a.s.get('/v1', { key })).headers['x-ratelimit-limit']).toBe('5');
});

test('a new tier can be assigned to a key; start flags override stored tiers', async () => {
  await using a = await startAdmin({ tiers: { flagged: 7 } });
  expect((await a.post('/admin/keys', { allScopes: true, rateLimitTier: 'mine' })).status).toBe(400);
  await a.patch('/admin/tiers/mine', { requestsPerMinute: 11 });
  await a.patch('/admin/tiers/flagged', { requestsPerMinute: 13 });
  const mine = (await a.post('/admin/keys', { allScopes: true, rateLimitTier: 'mine' })).body.secret;
  const flagged = (await a.post('/admin/keys', { allScopes: true, rateLimitTier: 'flagged' })).body.secret;
  expect((await a.s.get('/v1', { key: mine })).headers['x-ratelimit-limit']).toBe('11');
  expect((await a.s.get('/v1', { key: flagged })).headers['x-ratelimit-limit']).toBe('13');
  await a.s.restart();
  expect((await a.s.get('/v1', { key: mine })).headers['x-ratelimit-limit']).toBe('11');
  expect((await a.s.get('/v1', { key: flagged })).headers['x-ratelimit-limit']).toBe('7');
});

test('a limit below 1, an invalid name and an unknown field are rejected', async () => {
  await using a = await startAdmin();
  for (const requestsPerMinute of [0, -1, 1.5, '9', 1_000_001]) {
    expect((await a.patch('/admin/tiers/standard', { requestsPerMinute })).body.error.fields).toMatchObject([
      { path: '/requestsPerMinute' },
    ]);
  }
  expect((await a.patch('/admin/tiers/standard', {})).status).toBe(400);
  expect((await a.patch('/admin/tiers/Not%20One', { requestsPerMinute: 5 })).status).toBe(404);
  expect((await a.get('/admin/tiers')).body.data).toHaveLength(3);
});

test('a start without the tier of a valid key says so, and what limit the key has', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'stockroom-test-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const log = pino({ level: 'silent' });
  const start = async <T>(tiers: Record<string, number>, use: (service: RunningService) => Promise<T>): Promise<T> => {
    const service = await openService({ directory, clock: createRealClock(), log, version: '0.0.0-test', tiers });
    try {
      return await use(service);
    } finally {
      await service.close();
    }
  };
  const listNotices = (tiers: Record<string, number>) => start(tiers, async ({ notices }) => Promise.resolve(notices));
  await start({ bulk: 6_000, fast: 600 }, async ({ store, newId }) => {
    const id = newId();
    await store.transact(id, async (tx) => {
      await createTenant(tx, id, tx.now, tx.newId, { name: 'Shop', slug: 'shop', plan: 'free' });
      const key = { tenantId: id, name: 'Key', scopes: SCOPES, environment: null };
      const expired = new Date(tx.now.getTime() - 1_000).toISOString();
      for (const rateLimitTier of ['bulk', 'fast', 'standard']) await createKey(tx, tx.now, tx.newId, { ...key, rateLimitTier });
      await createKey(tx, tx.now, tx.newId, { ...key, rateLimitTier: 'old', expiresAt: expired });
    });
  });
  expect(await listNotices({ bulk: 6_000, fast: 600 })).toEqual([]);
  expect(await listNotices({ bulk: 6_000 })).toEqual([
    'API keys have the tier fast, which is not configured; they may send 120 requests per minute, as in tier standard. Set it with `stockroom tiers set fast REQUESTS_PER_MINUTE`.',
  ]);
  expect(await listNotices({})).toEqual([expect.stringContaining('the tiers bulk, fast, which are not configured')]);
});

test('a tier that another daemon has stored applies to the next requests', async () => {
  await using a = await startAdmin({ tiers: { flagged: 7 } });
  const key = await a.s.addKey({ tier: 'flagged' });
  const store = (id: string) => a.s.service.store.transact('', (tx) => tx.tiers.put({ id, requestsPerMinute: 42, updatedAt: '' }));
  await store('other');
  await expect.poll(async () => (await a.get('/admin/tiers')).body.data).toContainEqual({ name: 'other', requestsPerMinute: 42 });
  // A change of another tier leaves what the start flags say.
  expect((await a.s.get('/v1', { key })).headers['x-ratelimit-limit']).toBe('7');
  await store('flagged');
  await expect.poll(async () => (await a.s.get('/v1', { key })).headers['x-ratelimit-limit']).toBe('42');
});
