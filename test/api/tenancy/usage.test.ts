/** GET /v1/usage. */
import { expect, test } from 'vitest';
import { RATE_WINDOW_S } from '../../../src/contract/limits.ts';
import { startInMidMonth } from '../../support/service/mid-month.ts';
import { ABSENT, getCode } from '../../support/service/service.ts';

test('GET /v1/usage counts the requests of the tenant, including itself, and the window of the key', async () => {
  await using s = await startInMidMonth();
  const key = await s.addKey({ tier: 'standard' });
  await s.get('/v1/items');
  await s.get('/v1/items', { key });
  await s.post('/v1/items', {}, { key });
  const reply = await s.get('/v1/usage', { key });
  expect(reply.status).toBe(200);
  const { data } = reply.body;
  expect(data).toEqual({
    billing_period: { start: '2027-03-01', end: '2027-03-31', kind: 'monthly' },
    requests: {
      total: 4,
      by_capability: [
        { capability: 'items.create', count: 1 },
        { capability: 'items.list', count: 2 },
        { capability: 'usage.get', count: 1 },
      ],
    },
    rate_limit: { tier: 'standard', enforcement: 'enforced', limit_per_minute: 120, remaining_per_minute: 117 },
    api_key: { id: expect.any(String), prefix: key.slice(0, 16) },
  });
  expect(reply.headers['x-ratelimit-remaining']).toBe('117');
});

test('usage excludes unauthenticated and rate-limited requests and includes later rejections', async () => {
  await using s = await startInMidMonth({ tiers: { three: 3 } });
  const key = await s.addKey({ tier: 'three', scopes: ['usage:read'] });
  expect((await s.get('/v1/items', { key: 'pk_test_nonsense' })).status).toBe(401);
  expect((await s.get('/v1/items', { key })).status).toBe(403);
  const { data } = (await s.get('/v1/usage', { key })).body;
  expect(data.requests.total).toBe(2);
  expect(data.rate_limit.remaining_per_minute).toBe(1);
  await s.get('/v1/usage', { key });
  expect(getCode(await s.get('/v1/usage', { key }))).toBe('RATE_LIMITED');
  s.clock.advance(RATE_WINDOW_S);
  const later = (await s.get('/v1/usage', { key })).body.data;
  expect(later.requests.total).toBe(4);
  expect(later.rate_limit.remaining_per_minute).toBe(2);
});

test('usage survives a restart without counting twice', async () => {
  await using s = await startInMidMonth();
  await s.get('/v1/items');
  await s.restart();
  await s.get('/v1/items');
  const { data } = (await s.get('/v1/usage')).body;
  expect(data.requests).toEqual({
    total: 3,
    by_capability: [
      { capability: 'items.list', count: 2 },
      { capability: 'usage.get', count: 1 },
    ],
  });
});

test('usage restarts each month, or each year for yearly billing', async () => {
  await using s = await startInMidMonth();
  s.clock.set(new Date('2027-01-31T12:00:00Z'));
  await s.get('/v1/items');
  await s.restart();
  s.clock.set(new Date('2027-02-01T00:00:00Z'));
  const monthly = (await s.get('/v1/usage')).body.data;
  expect(monthly.billing_period).toEqual({ start: '2027-02-01', end: '2027-02-28', kind: 'monthly' });
  expect(monthly.requests.total).toBe(1);
  await s.service.store.transact(s.tenant.id, (tx) => tx.tenants.put({ ...s.tenant, billingPeriod: 'yearly' }));
  const yearly = (await s.get('/v1/usage')).body.data;
  expect(yearly.billing_period).toEqual({ start: '2027-01-01', end: '2027-12-31', kind: 'yearly' });
  expect(yearly.requests.total).toBe(3);
});

test('usage of a month is not added to an earlier one after the test clock is set back', async () => {
  await using s = await startInMidMonth();
  const countAt = async (at: string) => {
    s.clock.set(new Date(at));
    const { total } = (await s.get('/v1/usage')).body.data.requests;
    await s.restart();
    return total as number;
  };
  expect(await countAt('2027-02-10T12:00:00Z')).toBe(1);
  expect(await countAt('2027-01-31T12:00:00Z')).toBe(1);
  expect(await countAt('2027-02-11T12:00:00Z')).toBe(2);
});

test('GET /v1/usage counts per tenant and requires usage:read', async () => {
  await using s = await startInMidMonth();
  const other = await s.addTenant('second');
  await s.get('/v1/items');
  const reply = await s.get('/v1/usage', { key: await s.addKey({ tenantId: other.id }) });
  expect(reply.body.data.requests.total).toBe(1);
  expect(getCode(await s.get('/v1/usage', { key: await s.addKey({ scopes: [] }) }))).toBe('SCOPE_REQUIRED');
});

test('requests count in the month they were made, even if saved in the next one', async () => {
  await using s = await startInMidMonth();
  s.clock.set(new Date('2027-01-31T23:59:58Z'));
  for (let i = 0; i < 3; i += 1) await s.get('/v1/items');
  s.clock.set(new Date('2027-02-01T00:00:01Z'));
  const unsaved = (await s.get('/v1/usage')).body.data;
  expect(unsaved.billing_period.start).toBe('2027-02-01');
  expect(unsaved.requests).toEqual({ total: 1, by_capability: [{ capability: 'usage.get', count: 1 }] });
  await s.restart();
  expect((await s.get('/v1/usage')).body.data.requests.total).toBe(2);
  s.clock.set(new Date('2027-01-31T23:59:59Z'));
  expect((await s.get('/v1/usage')).body.data.requests.by_capability).toEqual([
    { capability: 'items.list', count: 3 },
    { capability: 'usage.get', count: 1 },
  ]);
});

test('requests of a tenant that a restore has removed are not stored', async () => {
  await using s = await startInMidMonth();
  const { store, usage } = s.service;
  const { rows } = await store.read('', (tx) => tx.apiKeys.listAfter({ limit: 1 }));
  usage.count({ ...rows[0]!, tenantId: ABSENT }, 'items.list', s.clock.now());
  await usage.save(store);
  expect(await store.read(ABSENT, (tx) => tx.usage.count())).toBe(0);
});
