/** The test clock over the admin API. */
import { join } from 'node:path';
import { pino } from 'pino';
import { Agent, request } from 'undici';
import { expect, test } from 'vitest';
import { CLOCK_FIRST, DURATION_MAX_DAYS } from '../../../src/contract/limits.ts';
import { createRealClock } from '../../../src/daemon/service/clocks/clock.ts';
import { openService } from '../../../src/daemon/service/open-service.ts';
import { createAdminServer } from '../../../src/http/admin-server.ts';
import { startAdmin } from '../../support/service/admin.ts';

test('the test clock can be shown, advanced, set and reset', async () => {
  await using a = await startAdmin();
  const shown = (await a.get('/admin/clock')).body.data;
  expect(shown).toEqual({ now: expect.any(String), offsetSeconds: 0, testClock: true });
  const advanced = await a.post('/admin/clock/advance', { by: '25h' });
  expect(advanced.status).toBe(200);
  expect(Object.keys(advanced.body.data)).toEqual(['now', 'offsetSeconds']);
  expect(advanced.body.data.offsetSeconds).toBe(90_000);
  expect(Date.parse(advanced.body.data.now) - Date.parse(shown.now)).toBeGreaterThanOrEqual(90_000_000);
  expect((await a.post('/admin/clock/set', { at: '2030-05-01T12:00:00+02:00' })).body.data.now).toMatch(/^2030-05-01T10:00:0/u);
  expect((await a.post('/admin/clock/set', { at: '2020-01-01T00:00:00Z' })).body.data.now).toMatch(/^2020-01-01T00:00:0/u);
  expect((await a.post('/admin/clock/reset')).body.data.offsetSeconds).toBe(0);
});

test('key expiry, rate windows and stored replies follow the test clock', async () => {
  await using a = await startAdmin({ tiers: { one: 1 } });
  const { secret } = (await a.post('/admin/keys', { allScopes: true, rateLimitTier: 'one', expiresIn: '2m' })).body;
  const created = await a.s.post('/v1/items', { name: 'Bolt' }, { idempotencyKey: 'again' });
  expect((await a.s.get('/v1', { key: secret })).status).toBe(200);
  expect((await a.s.get('/v1', { key: secret })).status).toBe(429);
  await a.post('/admin/clock/advance', { by: '1m' });
  expect((await a.s.get('/v1', { key: secret })).status).toBe(200);
  await a.post('/admin/clock/advance', { by: '1m' });
  expect((await a.s.get('/v1', { key: secret })).status).toBe(401);
  await a.post('/admin/clock/advance', { by: '24h' });
  const fresh = await a.s.post('/v1/items', { name: 'Bolt' }, { idempotencyKey: 'again' });
  expect(fresh.headers['idempotent-replayed']).toBeUndefined();
  expect(fresh.body.data.id).not.toBe(created.body.data.id);
});

test('requests count for the month in which they were made', async () => {
  await using a = await startAdmin();
  await a.post('/admin/clock/set', { at: '2027-01-31T12:00:00Z' });
  await a.s.get('/v1/items');
  await a.post('/admin/clock/advance', { by: '1d' });
  expect((await a.s.get('/v1/usage')).body.data.requests.total).toBe(1);
});

test('invalid durations and instants are rejected', async () => {
  await using a = await startAdmin();
  for (const body of [{}, { by: '' }, { by: '25' }, { by: '-1h' }, { by: '0s' }, { by: '99999999w' }, { by: 3_600 }]) {
    const reply = await a.post('/admin/clock/advance', body);
    expect([reply.status, reply.body.error.fields[0].path], JSON.stringify(body)).toEqual([400, '/by']);
  }
  expect((await a.post('/admin/clock/set', { at: 'tomorrow' })).body.error.fields).toMatchObject([{ path: '/at', code: 'bad_format' }]);
  expect((await a.get('/admin/clock')).body.data.offsetSeconds).toBe(0);
});

test('without a test clock the time can only be read, and the error explains how to start with one', async () => {
  await using a = await startAdmin();
  const directory = join(a.s.directory, 'real');
  const service = await openService({ directory, clock: createRealClock(), log: pino({ level: 'silent' }), version: '0.0.0-test' });
  const socketPath = join(directory, 'admin.sock');
  const server = createAdminServer(service, { socketPath });
  await server.start();
  const dispatcher = new Agent({ connect: { socketPath } });
  const call = async (method: 'GET' | 'POST', path: string, body?: object) => {
    const headers = body ? { 'content-type': 'application/json' } : {};
    const reply = await request(`http://admin${path}`, { method, dispatcher, headers, body: body ? JSON.stringify(body) : null });
    return (await reply.body.json()) as { data?: unknown; error?: { code: string; status: number; message: string } };
  };
  try {
    expect((await call('GET', '/admin/clock')).data).toEqual({ now: expect.any(String), offsetSeconds: 0, testClock: false });
    for (const [path, body] of [
      ['advance', { by: '1h' }],
      ['set', { at: '2030-01-01T00:00:00Z' }],
      ['reset', {}],
      ['/admin/tenants/test/clock', { by: '1h' }],
    ] as const) {
      const { error } = await call('POST', path.startsWith('/') ? path : `/admin/clock/${path}`, body);
      expect(error).toMatchObject({ code: 'NOT_ENABLED', status: 409, message: expect.stringContaining('--test-clock') });
    }
  } finally {
    await dispatcher.close();
    await server.stop({ timeout: 1_000 });
    await service.close();
  }
});

test('the test clock is limited to years with four digits', async () => {
  await using a = await startAdmin();
  const set = (at: string) => a.post('/admin/clock/set', { at });
  expect((await set('1969-12-31T23:59:59.999Z')).body.error.fields).toMatchObject([{ path: '/at', code: 'too_small' }]);
  expect((await set('9999-12-31T23:59:59Z')).body.error.fields).toMatchObject([{ path: '/at', code: 'too_big' }]);
  expect((await a.get('/admin/clock')).body.data.offsetSeconds).toBe(0);
  expect((await set(CLOCK_FIRST)).body.data.now).toMatch(/^1970-01-01T00:00:0/u);
  expect((await a.s.get('/v1')).status).toBe(200);
  expect((await set('9799-12-01T00:00:00Z')).status).toBe(200);
  const beyond = await a.post('/admin/clock/advance', { by: '31d' });
  expect(beyond.body.error.fields).toMatchObject([{ path: '/by', code: 'too_big' }]);
  expect((await a.get('/admin/clock')).body.data.now).toMatch(/^9799-12-01/u);
  const { expiresAt } = (await a.post('/admin/keys', { allScopes: true, expiresIn: `${String(DURATION_MAX_DAYS)}d` })).body.data;
  expect(expiresAt).toMatch(/^9899-/u);
});
