/** API keys over the admin API. */
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { Agent, request } from 'undici';
import { describe, expect, test } from 'vitest';
import { SCOPES } from '../../../src/contract/scopes.ts';
import { findLiveKey } from '../../../src/domain/oauth/key-access.ts';
import { createRealClock } from '../../../src/daemon/service/clocks/clock.ts';
import { openService } from '../../../src/daemon/service/open-service.ts';
import { createAdminServer } from '../../../src/http/admin-server.ts';
import { type TestAdmin, startAdmin } from '../../support/service/admin.ts';

test('keys create returns the secret once, and the key works with its scopes', async () => {
  await using a = await startAdmin();
  const reply = await a.post('/admin/keys', { name: 'Shop', scopes: ['usage:read', 'items:read'] });
  expect(reply.status).toBe(201);
  const { data, secret } = reply.body;
  expect(secret).toMatch(/^pk_test_[0-9A-Za-z]{46}$/u);
  expect(data).toEqual({
    id: expect.any(String),
    prefix: secret.slice(0, 16),
    name: 'Shop',
    status: 'active',
    scopes: ['items:read', 'usage:read'],
    environment: 'development',
    rateLimitTier: 'standard',
    applicationId: null,
    createdAt: expect.any(String),
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
  });
  expect(reply.headers['cache-control']).toBe('no-store');
  expect((await a.s.get('/v1/items', { key: secret })).status).toBe(200);
  expect((await a.s.get('/v1/organization', { key: secret })).status).toBe(403);
  expect((await a.s.get('/v1/auth/context', { key: secret })).body.data.api_key.id).toBe(data.id);
});

test('the secret and its hash appear in no list, audit row, event or file', async () => {
  await using a = await startAdmin();
  const { secret, data } = (await a.post('/admin/keys', { allScopes: true })).body;
  const hash = createHash('sha256').update(secret).digest('hex');
  await a.post(`/admin/keys/${secret}/revoke`);
  const tail = secret.slice(16);
  const exported = await a.s.get('/v1/audit/events');
  expect(exported.body.data.map(({ action }: { action: string }) => action)).toEqual(['api_key.created', 'api_key.revoked']);
  expect(exported.body.data[0]).toMatchObject({ resourceType: 'api_key', resourceId: data.id, actorType: 'user', actorId: 'local' });
  expect(exported.body.data[0].metadata).toMatchObject({ prefix: data.prefix, rateLimitTier: 'standard' });
  for (const text of [exported.text, (await a.get('/admin/keys')).text]) {
    expect(text).not.toContain(tail);
    expect(text).not.toContain(hash);
  }
  expect(await a.s.events()).toEqual([]);
  const stored = await a.s.service.store.read('', (tx) => tx.apiKeys.get(data.id));
  expect(JSON.stringify(stored)).not.toContain(tail);
});

test('a key passed as an id is not repeated in the error', async () => {
  await using a = await startAdmin();
  const { secret } = (await a.post('/admin/keys', { allScopes: true })).body;
  await a.post('/admin/tenants', { name: 'Second' });
  const reply = await a.post(`/admin/keys/${secret}/revoke?tenant=second`);
  expect(reply.status).toBe(404);
  expect(reply.text).toContain(secret.slice(0, 16));
  expect(reply.text).not.toContain(secret.slice(16));
});

test('environment sets the prefix, tier the limit, expiry the end of validity', async () => {
  await using a = await startAdmin({ tiers: { tiny: 2 } });
  const live = (await a.post('/admin/keys', { allScopes: true, environment: 'production', rateLimitTier: 'tiny', expiresIn: '1h30m' }))
    .body;
  expect(live.secret).toMatch(/^pk_live_/u);
  expect(live.data.scopes).toEqual(SCOPES);
  expect(Date.parse(live.data.expiresAt) - Date.parse(live.data.createdAt)).toBe(5_400_000);
  expect((await a.s.get('/v1', { key: live.secret })).headers['x-ratelimit-limit']).toBe('2');
  a.s.clock.advance(5_401);
  expect((await a.s.get('/v1', { key: live.secret })).status).toBe(401);
  const at = new Date(a.s.clock.now().getTime() + 60_000).toISOString();
  expect((await a.post('/admin/keys', { allScopes: true, expiresAt: at, environment: null })).body).toMatchObject({
    data: { expiresAt: at, environment: null },
    secret: expect.stringMatching(/^pk_test_/u),
  });
});

test('keys update changes the limit of a key that is in use, and nothing for an unknown tier', async () => {
  await using a = await startAdmin();
  const { data, secret } = (await a.post('/admin/keys', { name: 'Shop', allScopes: true })).body;
  const readLimit = async () => (await a.s.get('/v1/items', { key: secret })).headers['x-ratelimit-limit'];
  const before = await readLimit();
  const reply = await a.patch(`/admin/keys/${data.prefix}`, { rateLimitTier: 'elevated', name: 'Shop sync' });
  expect(reply.body.data).toMatchObject({ id: data.id, name: 'Shop sync', rateLimitTier: 'elevated' });
  expect([before, await readLimit()]).toEqual(['120', '600']);
  const unknown = await a.patch(`/admin/keys/${data.prefix}`, { rateLimitTier: 'nope' });
  expect([unknown.status, unknown.body.error.fields[0].path]).toEqual([400, '/rateLimitTier']);
});

describe('keys rotate', () => {
  const create = async (a: TestAdmin, key: string) => {
    const reply = await a.s.post('/v1/items', { name: 'Bolt' }, { key, idempotencyKey: 'once' });
    return { status: reply.status, text: reply.text, etag: reply.headers['etag'], replayed: reply.headers['idempotent-replayed'] };
  };

  test('creates a key like the previous one, which remains valid for a day', async () => {
    await using a = await startAdmin();
    const draft = { name: 'Shop', scopes: ['items:read'], environment: 'production', expiresIn: '30d' };
    const old = (await a.post('/admin/keys', draft)).body;
    a.s.clock.advance(86_400);
    const reply = await a.post(`/admin/keys/${old.data.prefix}/rotate`, {});
    expect(reply.status, reply.text).toBe(201);
    const { data, secret } = reply.body;
    expect(data).toMatchObject({
      name: 'Shop',
      scopes: ['items:read'],
      environment: 'production',
      rateLimitTier: 'standard',
      revokedAt: null,
    });
    expect(Date.parse(data.expiresAt) - Date.parse(data.createdAt)).toBe(30 * 86_400_000);
    expect([data.id === old.data.id, secret === old.secret]).toEqual([false, false]);
    expect((await a.audit()).at(-1)).toMatchObject({
      action: 'api_key.rotated',
      resourceId: old.data.id,
      metadata: { newPrefix: data.prefix },
    });
    for (const key of [old.secret, secret]) expect((await a.s.get('/v1/items', { key })).status).toBe(200);
    a.s.clock.advance(86_400);
    expect((await a.s.get('/v1/items', { key: old.secret })).status).toBe(401);
    expect((await a.s.get('/v1/items', { key: secret })).status).toBe(200);
  });

  test('does not extend the validity of the previous key', async () => {
    await using a = await startAdmin();
    const old = (await a.post('/admin/keys', { allScopes: true, expiresIn: '1h' })).body;
    await a.post(`/admin/keys/${old.data.id}/rotate`, {});
    a.s.clock.advance(3_600);
    expect((await a.s.get('/v1', { key: old.secret })).status).toBe(401);
  });

  test('keeps idempotency keys valid for all successors, and for no other key', async () => {
    await using a = await startAdmin();
    const old = (await a.post('/admin/keys', { allScopes: true })).body;
    const first = await create(a, old.secret);
    const second = (await a.post(`/admin/keys/${old.data.id}/rotate`, {})).body;
    expect(await create(a, second.secret)).toEqual({ ...first, replayed: 'true' });
    const third = (await a.post(`/admin/keys/${second.data.id}/rotate`, {})).body;
    await a.post(`/admin/keys/${old.data.id}/revoke`);
    expect(await create(a, third.secret)).toEqual({ ...first, replayed: 'true' });
    const other = (await a.post('/admin/keys', { allScopes: true })).body;
    expect(await create(a, other.secret)).toMatchObject({ status: 201, replayed: undefined });
  });

  test('rejects keys that are revoked, expired, rotated already, unknown or of an application, and creates nothing', async () => {
    await using a = await startAdmin();
    const [revoked, expired, rotated] = [
      (await a.post('/admin/keys', { allScopes: true })).body.data.id,
      (await a.post('/admin/keys', { allScopes: true, expiresIn: '1h' })).body.data.id,
      (await a.post('/admin/keys', { allScopes: true })).body.data.id,
    ];
    await a.post(`/admin/keys/${revoked}/revoke`);
    await a.post(`/admin/keys/${rotated}/rotate`, {});
    a.s.clock.advance(3_600);
    const issued = await a.s.service.store.transact(a.s.tenant.id, async (tx) => {
      const key = (await tx.apiKeys.get(rotated))!;
      await tx.apiKeys.put({ ...key, id: a.s.service.newId(), prefix: 'pk_test_00000000', applicationId: a.s.service.newId() });
      return 'pk_test_00000000';
    });
    await a.post('/admin/tenants', { name: 'Second' });
    const count = async () => (await a.get('/admin/keys?tenant=first')).body.pagination.total;
    const before = await count();
    const replies = [];
    for (const id of [revoked, expired, rotated, issued, 'pk_test_unknown0'])
      replies.push(await a.post(`/admin/keys/${id}/rotate?tenant=first`, {}));
    replies.push(await a.post(`/admin/keys/${rotated}/rotate?tenant=second`, {}));
    expect(replies.map(({ status }) => status)).toEqual([409, 409, 409, 409, 404, 404]);
    const reasons = ['is revoked', 'has expired', 'was rotated already', 'belongs to an application'];
    for (const [index, reason] of reasons.entries()) expect(replies[index]!.text).toContain(reason);
    expect(await count()).toBe(before);
  });
});

test('a key has expired at the instant of its expiry', async () => {
  await using a = await startAdmin();
  const { data, secret } = (await a.post('/admin/keys', { allScopes: true, expiresIn: '1h' })).body;
  const findAt = (ms: number) =>
    a.s.service.store.read('', (tx) => findLiveKey(tx, secret, { now: () => new Date(Date.parse(data.expiresAt) + ms) }));
  expect(await findAt(-1)).toMatchObject({ key: { id: data.id } });
  expect(await findAt(0)).toMatchObject({ refused: 'expired' });
});

test('keys create rejects invalid fields by name and creates nothing', async () => {
  await using a = await startAdmin();
  const before = (await a.get('/admin/keys')).body.pagination.total;
  const bad = [
    [{}, '/scopes', 'required'],
    [{ scopes: [] }, '/scopes', 'too_small'],
    [{ scopes: ['items:read', 'items:read'] }, '/scopes/1', 'invalid'],
    [{ scopes: ['items:everything'] }, '/scopes/0', 'not_allowed'],
    [{ scopes: ['items:read'], allScopes: true }, '/scopes', 'not_allowed'],
    [{ allScopes: true, environment: 'moon' }, '/environment', 'not_allowed'],
    [{ allScopes: true, rateLimitTier: 'gold' }, '/rateLimitTier', 'not_allowed'],
    [{ allScopes: true, rateLimitTier: 'constructor' }, '/rateLimitTier', 'not_allowed'],
    [{ allScopes: true, expiresAt: '2020-01-01T00:00:00Z' }, '/expiresAt', 'too_small'],
    [{ allScopes: true, expiresIn: 'soon' }, '/expiresIn', 'bad_format'],
    [{ allScopes: true, expiresIn: '0d' }, '/expiresIn', 'too_small'],
    [{ allScopes: true, expiresIn: '1d', expiresAt: '2099-01-01T00:00:00Z' }, '/expiresIn', 'not_allowed'],
    [{ allScopes: true, name: '  ' }, '/name', 'empty'],
  ] as const;
  for (const [body, path, code] of bad) {
    const reply = await a.post('/admin/keys', body);
    expect([reply.status, reply.body.error.fields?.[0]?.path, reply.body.error.fields?.[0]?.code], JSON.stringify(body)).toEqual([
      400,
      path,
      code,
    ]);
  }
  expect((await a.get('/admin/keys')).body.pagination.total).toBe(before);
  expect(await a.audit()).toEqual([]);
});

test('a revoked key is rejected from the next request; revoking again changes nothing', async () => {
  await using a = await startAdmin();
  const { data, secret } = (await a.post('/admin/keys', { allScopes: true })).body;
  expect((await a.s.get('/v1', { key: secret })).status).toBe(200);
  const revoked = await a.post(`/admin/keys/${data.id}/revoke`);
  expect(revoked.status).toBe(200);
  expect(revoked.body.data.revokedAt).toEqual(expect.any(String));
  expect((await a.s.get('/v1', { key: secret })).status).toBe(401);
  a.s.clock.advance(60);
  expect((await a.post(`/admin/keys/${data.prefix}/revoke`)).body.data.revokedAt).toBe(revoked.body.data.revokedAt);
  expect((await a.audit()).map(({ action }) => action)).toEqual(['api_key.created', 'api_key.revoked']);
  await a.s.restart();
  expect((await a.s.get('/v1', { key: secret })).status).toBe(401);
});

test('keys list shows the keys of one tenant, newest first, with their last use', async () => {
  await using a = await startAdmin();
  await a.post('/admin/tenants', { name: 'Second' });
  a.s.clock.advance(1);
  const mine = (await a.post('/admin/keys?tenant=first', { allScopes: true, name: 'mine' })).body.data;
  const other = (await a.post('/admin/keys?tenant=second', { allScopes: true, name: 'other' })).body;
  const names = async (query: string) => (await a.get(`/admin/keys?${query}`)).body.data.map(({ name }: { name: string }) => name);
  expect(await names('tenant=first')).toEqual(['mine', 'test']);
  expect(await names('tenant=second')).toEqual(['other']);
  expect((await a.post(`/admin/keys/${mine.id}/revoke?tenant=second`)).status).toBe(404);
  await a.post(`/admin/keys/${mine.id}/revoke?tenant=first`);
  expect(await names('tenant=first&is_revoked=true')).toEqual(['mine']);
  expect(await names('tenant=first&is_revoked=false')).toEqual(['test']);

  await a.s.get('/v1', { key: other.secret });
  await a.s.service.usage.save(a.s.service.store);
  expect((await a.get('/admin/keys?tenant=second')).body.data[0].lastUsedAt).toEqual(expect.any(String));
});

test('the log contains no secret at the most verbose level', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sr-service-'));
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  const service = await openService({ directory, clock: createRealClock(), log, version: '0.0.0-test' });
  const socketPath = join(directory, 'admin.sock');
  const server = createAdminServer(service, { socketPath });
  await server.start();
  const dispatcher = new Agent({ connect: { socketPath } });
  const post = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json' };
    return (
      await request(`http://admin${path}`, { method: 'POST', dispatcher, headers, body: JSON.stringify(body) })
    ).body.json() as Promise<{ secret: string }>;
  };
  try {
    await post('/admin/tenants', { name: 'Only' });
    const { secret } = await post('/admin/keys', { allScopes: true });
    expect(secret).toMatch(/^pk_test_/u);
    await post(`/admin/keys/${secret}/revoke`, {});
    await post(`/admin/keys/${secret}/revoke?tenant=nobody`, {});
    log.info('the end');
    expect(lines.at(-1)).toContain('the end');
    expect(lines.join('\n')).not.toContain(secret.slice(16));
  } finally {
    await dispatcher.close();
    await server.stop({ timeout: 1_000 });
    await service.close();
    await rm(directory, { recursive: true, force: true });
  }
});

test('an expiry with a five-digit year is rejected', async () => {
  await using a = await startAdmin();
  const reply = await a.post('/admin/keys', { allScopes: true, expiresAt: '9999-12-31T23:59:59-12:00' });
  expect(reply.body.error.fields).toMatchObject([{ path: '/expiresAt', code: 'too_big' }]);
});

test('lastUsedAt is the latest request, even after the test clock is set back', async () => {
  await using a = await startAdmin();
  const lastUsedAt = async (): Promise<string> => {
    await a.s.get('/v1');
    await a.s.service.usage.save(a.s.service.store);
    return (await a.get('/admin/keys')).body.data[0].lastUsedAt;
  };
  await a.post('/admin/clock/set', { at: '2030-01-01T00:00:00Z' });
  expect(await lastUsedAt()).toMatch(/^2030-/u);
  await a.post('/admin/clock/set', { at: '2029-01-01T00:00:00Z' });
  expect(await lastUsedAt()).toMatch(/^2029-/u);
});
