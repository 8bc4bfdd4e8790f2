/** Token and revocation endpoints: client authentication, client credentials, and all errors. RFC 6749 §5.2, RFC 7009. */
import { expect, test } from 'vitest';
import {
  ADDRESS_REQUESTS_PER_MIN,
  BODY_MAX_BYTES,
  CLIENT_CREDENTIALS_KEY_H,
  OAUTH_BODY_MAX_BYTES,
  OAUTH_FAILURES_PER_MIN,
  OAUTH_REQUESTS_PER_MIN,
} from '../../../src/contract/limits.ts';
import { SCOPES } from '../../../src/contract/scopes.ts';
import { type App, type TestOAuth, pkce, startOAuth } from '../../support/service/oauth.ts';

const basic = (id: string, secret: string): string => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
const inBody = ({ clientId, clientSecret }: App) => ({ client_id: clientId, client_secret: String(clientSecret) });
const CREDENTIALS = { grant_type: 'client_credentials' };

const keys = async (o: TestOAuth) => (await o.a.get('/admin/keys?tenant=first&page_size=200')).body.pagination.total as number;

test('client credentials issue a key for one day, sent in the header or in the body', async () => {
  await using o = await startOAuth();
  const app = await o.app();
  const form = { ...CREDENTIALS, scope: 'items:read' };
  const byBody = await o.send('/oauth/token', { ...form, ...inBody(app) });
  const byHeader = await o.send('/oauth/token', form, { authorization: basic(app.clientId, String(app.clientSecret)) });
  const both = { authorization: basic(app.clientId, String(app.clientSecret)) };
  const named = await o.send('/oauth/token', { ...form, client_id: app.clientId }, both);
  for (const reply of [byBody, byHeader, named]) {
    expect(reply.status, reply.text).toBe(200);
    expect(reply.body).toMatchObject({ token_type: 'Bearer', expires_in: CLIENT_CREDENTIALS_KEY_H * 3_600, scope: 'items:read' });
    expect(reply.headers['cache-control']).toBe('no-store');
    expect(reply.headers['pragma']).toBe('no-cache');
  }
  const key = byBody.body.access_token as string;
  const context = (await o.a.s.get('/v1/auth/context', { key })).body.data.api_key;
  expect(context).toMatchObject({ scopes: ['items:read'], environment: 'development', rate_limit_tier: 'standard' });
  o.a.s.clock.advance(CLIENT_CREDENTIALS_KEY_H * 3_600);
  expect((await o.a.s.get('/v1/items', { key })).status).toBe(401);
  // Without a scope parameter: all scopes that can be granted.
  expect((await o.send('/oauth/token', { ...CREDENTIALS, ...inBody(app) })).body.scope).toBe('items:read items:write');
});

test('every error of the token endpoint has its code and status, and issues no key', async () => {
  await using o = await startOAuth();
  const app = await o.app();
  const open = await o.app({ type: 'public' });
  const pending = await o.app({ approve: false });
  const coder = (
    await o.a.post('/admin/apps', {
      name: 'C',
      type: 'confidential',
      redirectUris: ['https://c.example/'],
      grantTypes: ['authorization_code'],
      scopes: ['items:read'],
    })
  ).body;
  await o.a.post(`/admin/apps/${coder.data.id as string}/approve`, {});
  const coderForm = { client_id: coder.data.clientId as string, client_secret: coder.clientSecret as string };
  const good = inBody(app);
  const right = { authorization: basic(app.clientId, String(app.clientSecret)) };
  const before = await keys(o);
  type Case = readonly [string, Record<string, string> | string, Record<string, string>, number, string];
  const cases: readonly Case[] = [
    ['no grant type', good, {}, 400, 'invalid_request'],
    ['refresh tokens', { ...good, grant_type: 'refresh_token', refresh_token: 'x' }, {}, 400, 'unsupported_grant_type'],
    ['passwords', { ...good, grant_type: 'password', username: 'a', password: 'b' }, {}, 400, 'unsupported_grant_type'],
    ['a grant type that objects inherit', { ...good, grant_type: 'constructor' }, {}, 400, 'unsupported_grant_type'],
    [
      'a parameter twice',
      `${new URLSearchParams({ ...CREDENTIALS, ...good }).toString()}&grant_type=client_credentials`,
      {},
      400,
      'invalid_request',
    ],
    ['no client', CREDENTIALS, {}, 401, 'invalid_client'],
    ['an unknown client', { ...CREDENTIALS, client_id: 'app_x', client_secret: 'y' }, {}, 401, 'invalid_client'],
    ['a wrong secret', { ...CREDENTIALS, client_id: app.clientId, client_secret: 'cs_wrong' }, {}, 401, 'invalid_client'],
    ['no secret', { ...CREDENTIALS, client_id: app.clientId }, {}, 401, 'invalid_client'],
    [
      'a secret of a public client',
      { grant_type: 'authorization_code', client_id: open.clientId, client_secret: 'x' },
      {},
      401,
      'invalid_client',
    ],
    ['wrong Basic', CREDENTIALS, { authorization: basic(app.clientId, 'wrong') }, 401, 'invalid_client'],
    ['broken Basic', CREDENTIALS, { authorization: 'Basic !!' }, 401, 'invalid_client'],
    [
      'Basic without secret',
      CREDENTIALS,
      { authorization: `Basic ${Buffer.from(app.clientId).toString('base64')}` },
      401,
      'invalid_client',
    ],
    ['badly encoded Basic', CREDENTIALS, { authorization: basic('%zz', 'x') }, 401, 'invalid_client'],
    ['a bearer as client', CREDENTIALS, { authorization: 'Bearer x' }, 401, 'invalid_client'],
    ['two proofs', { ...CREDENTIALS, ...good }, right, 400, 'invalid_request'],
    ['two clients', { ...CREDENTIALS, client_id: open.clientId }, right, 400, 'invalid_request'],
    ['a public client on its own behalf', { ...CREDENTIALS, client_id: open.clientId }, {}, 400, 'unauthorized_client'],
    ['a pending application', { ...CREDENTIALS, ...inBody(pending) }, {}, 400, 'unauthorized_client'],
    ['a grant that is not registered', { ...CREDENTIALS, ...coderForm }, {}, 400, 'unauthorized_client'],
    ['a tenant where it is not installed', { ...CREDENTIALS, ...good, tenant_id: 'elsewhere' }, {}, 400, 'unauthorized_client'],
    ['a scope beyond its own', { ...CREDENTIALS, ...good, scope: 'items:read audit:read' }, {}, 400, 'invalid_scope'],
    ['an unknown scope', { ...CREDENTIALS, ...good, scope: 'everything' }, {}, 400, 'invalid_scope'],
    ['a foreign resource', { ...CREDENTIALS, ...good, resource: 'https://elsewhere.example/' }, {}, 400, 'invalid_target'],
    [
      'an unknown code',
      { ...good, grant_type: 'authorization_code', code: 'x', redirect_uri: 'https://c.example/', code_verifier: pkce().verifier },
      {},
      400,
      'invalid_grant',
    ],
    ['JSON', JSON.stringify({ ...CREDENTIALS, ...good }), { 'content-type': 'application/json' }, 400, 'invalid_request'],
    ['no media type', { ...CREDENTIALS, ...good }, { 'content-type': 'form' }, 400, 'invalid_request'],
    ['too much', { ...CREDENTIALS, ...good, pad: 'x'.repeat(OAUTH_BODY_MAX_BYTES) }, {}, 413, 'invalid_request'],
    ['far too much', 'x'.repeat(BODY_MAX_BYTES + 1), {}, 413, 'invalid_request'],
    ['nothing', '', {}, 401, 'invalid_client'],
  ];
  for (const [name, form, headers, status, error] of cases) {
    o.a.s.clock.advance(60);
    const reply = await o.send('/oauth/token', form, headers);
    expect([name, reply.status, reply.body.error]).toEqual([name, status, error]);
    expect(reply.body.error_description).toMatch(/^[\u0020-\u0021\u0023-\u005b\u005d-\u007e]+$/u);
    expect(Object.keys(reply.body as object)).toEqual(['error', 'error_description']);
    expect(reply.headers['cache-control']).toBe('no-store');
    const challenge = reply.headers['www-authenticate'];
    expect([name, challenge === undefined]).toEqual([name, !(status === 401 && headers['authorization'] !== undefined)]);
    if (challenge !== undefined) expect(challenge).toMatch(/^Basic realm=/u);
    expect(reply.text).not.toContain(String(app.clientSecret));
  }
  const inAddress = await o.send(`/oauth/token?${new URLSearchParams({ ...CREDENTIALS, ...good }).toString()}`, '');
  expect([inAddress.status, inAddress.body.error]).toEqual([400, 'invalid_request']);
  expect(await keys(o)).toBe(before);
});

test('foreign Host and Origin headers are rejected by all endpoints', async () => {
  await using o = await startOAuth();
  const app = await o.app();
  const before = await keys(o);
  for (const headers of [{ origin: 'https://evil.example' }, { origin: 'null' }, { host: 'evil.example' }]) {
    for (const path of ['/oauth/token', '/oauth/revoke']) {
      expect((await o.send(path, { ...CREDENTIALS, ...inBody(app) }, headers)).status).toBe(403);
    }
    expect((await o.page(`/oauth/authorize?client_id=${app.clientId}`, undefined, headers)).status).toBe(403);
  }
  expect(await keys(o)).toBe(before);
  for (const path of ['/oauth/token', '/oauth/revoke']) {
    const reply = await o.page(path);
    expect([reply.status, reply.headers['allow']]).toEqual([405, 'POST']);
  }
});

test('tenant_id is required with several installations', async () => {
  await using o = await startOAuth();
  const app = await o.app();
  const second = (await o.a.post('/admin/tenants', { name: 'Second' })).body.data as { id: string };
  await o.a.post(`/admin/apps/${app.id}/approve?tenant=second`, { scopes: ['items:read'], environment: 'production' });
  const form = { ...CREDENTIALS, ...inBody(app) };
  expect((await o.send('/oauth/token', form)).body.error).toBe('invalid_request');
  const live = await o.send('/oauth/token', { ...form, tenant_id: 'second' });
  expect(live.body).toMatchObject({ scope: 'items:read', access_token: expect.stringMatching(/^pk_live_/u) });
  const key = live.body.access_token as string;
  expect((await o.a.s.get('/v1/auth/context', { key })).body.data.tenant.id).toBe(second.id);
  expect((await o.send('/oauth/token', { ...form, tenant_id: 'first' })).body.scope).toBe('items:read items:write');
  expect((await o.send('/oauth/token', { ...form, tenant_id: 'second', scope: 'items:write' })).body.error).toBe('invalid_scope');
  await o.a.post(`/admin/apps/${app.id}/disconnect?tenant=first`, {});
  expect((await o.send('/oauth/token', form)).status).toBe(200);
  // The keys of an inactive tenant stop working.
  await o.a.patch('/admin/tenants/second', { isActive: false });
  expect((await o.a.s.get('/v1/items', { key })).status).toBe(401);
  expect((await o.send('/oauth/token', form)).body.error).toBe('unauthorized_client');
});

test('a granted scope of a higher plan returns 403 for each call', async () => {
  await using o = await startOAuth();
  const app = await o.app({ scopes: SCOPES });
  const key = (await o.send('/oauth/token', { ...CREDENTIALS, ...inBody(app) })).body.access_token as string;
  expect((await o.a.s.get('/v1/audit/events', { key })).status).toBe(200);
  await o.a.patch('/admin/tenants/first', { plan: 'pro' });
  expect((await o.a.s.get('/v1/audit/events', { key })).body.error.code).toBe('PLAN_REQUIRED');
});

test('revocation takes effect immediately, and reveals nothing about foreign keys', async () => {
  await using o = await startOAuth();
  const [app, other] = [await o.app(), await o.app()];
  const issue = async (from: App) => (await o.send('/oauth/token', { ...CREDENTIALS, ...inBody(from) })).body.access_token as string;
  const [mine, theirs] = [await issue(app), await issue(other)];
  const status = async (key: string) => (await o.a.s.get('/v1/items', { key })).status;
  for (const token of [theirs, o.a.s.key, 'pk_test_nobody', `${mine.slice(0, -1)}${mine.endsWith('x') ? 'y' : 'x'}`, mine.slice(0, 16)]) {
    const reply = await o.send('/oauth/revoke', { ...inBody(app), token });
    expect([reply.status, reply.text, reply.headers['content-type']]).toEqual([200, '', undefined]);
  }
  expect([await status(mine), await status(theirs), await status(o.a.s.key)]).toEqual([200, 200, 200]);
  const reply = await o.send('/oauth/revoke', { ...inBody(app), token: mine, token_type_hint: 'refresh_token' });
  expect([reply.status, reply.text]).toEqual([200, '']);
  expect([await status(mine), await status(theirs)]).toEqual([401, 200]);
  expect((await o.send('/oauth/revoke', { ...inBody(app), token: mine })).status).toBe(200);
  expect((await o.a.audit()).filter(({ action }) => action === 'oauth.token_revoked')).toHaveLength(1);
  expect((await o.send('/oauth/revoke', inBody(app))).body.error).toBe('invalid_request');
  const unauthenticated = await o.send('/oauth/revoke', { client_id: app.clientId, client_secret: 'wrong', token: theirs });
  expect([unauthenticated.status, unauthenticated.body.error]).toEqual([401, 'invalid_client']);
});

test('too many requests block one client, but no others', async () => {
  await using o = await startOAuth();
  const app = await o.app();
  const ask = (from: App) => o.send('/oauth/token', { ...CREDENTIALS, ...inBody(from) });
  for (let at = 0; at < OAUTH_REQUESTS_PER_MIN; at += 1) expect((await ask(app)).status).toBe(200);
  const over = await ask(app);
  expect([over.status, over.body.error]).toEqual([429, 'temporarily_unavailable']);
  expect(Number(over.headers['retry-after'])).toBeGreaterThan(0);
  expect((await ask(await o.app())).status).toBe(200);
  o.a.s.clock.advance(60);
  expect((await ask(app)).status).toBe(200);
});

test('wrong secrets are slowed down with 429, and the right one still works', async () => {
  await using o = await startOAuth();
  const [app, other] = [await o.app(), await o.app()];
  const ask = (from: App, secret = String(from.clientSecret)) =>
    o.send('/oauth/token', { ...CREDENTIALS, client_id: from.clientId, client_secret: secret });
  for (let at = 0; at < OAUTH_FAILURES_PER_MIN; at += 1) expect((await ask(app, 'wrong')).status).toBe(401);
  for (let at = 0; at < OAUTH_REQUESTS_PER_MIN; at += 1) {
    const over = await ask(app, 'wrong');
    expect([over.status, over.body.error, Number(over.headers['retry-after']) > 0]).toEqual([429, 'temporarily_unavailable', true]);
  }
  // Failed requests do not use up the requests of the client either.
  for (let at = 0; at < OAUTH_REQUESTS_PER_MIN; at += 1) expect((await ask(app)).status).toBe(200);
  expect((await o.send('/oauth/revoke', { token: 'x', client_id: other.clientId, client_secret: 'wrong' })).status).toBe(401);
  o.a.s.clock.advance(60);
  expect((await ask(app, 'wrong')).status).toBe(401);
});

test('a client is served after other programs at its address used up the requests without a key', async () => {
  await using o = await startOAuth();
  const app = await o.app();
  const { addressRequests, clock } = o.a.s.service;
  for (let at = 0; at < ADDRESS_REQUESTS_PER_MIN; at += 1) addressRequests.consume('127.0.0.1', clock.now());
  expect((await o.page('/docs')).status).toBe(429);
  const issued = await o.send('/oauth/token', { ...CREDENTIALS, ...inBody(app) });
  expect(issued.status, issued.text).toBe(200);
  const revoked = await o.send('/oauth/revoke', { ...inBody(app), token: issued.body.access_token as string });
  expect(revoked.status, revoked.text).toBe(200);
});

test('unknown clients share one limit of failed attempts', async () => {
  await using o = await startOAuth();
  const app = await o.app();
  const statuses: number[] = [];
  for (let at = 0; at < OAUTH_FAILURES_PER_MIN + 1; at += 1) {
    statuses.push((await o.send('/oauth/token', { ...CREDENTIALS, client_id: `app_${String(at)}`, client_secret: 'wrong' })).status);
  }
  expect([statuses.indexOf(429), statuses.at(-1)]).toEqual([OAUTH_FAILURES_PER_MIN, 429]);
  expect((await o.send('/oauth/token', { ...CREDENTIALS, client_id: app.clientId, client_secret: 'wrong' })).status).toBe(401);
});

test('the limits reset if a test clock is set back', async () => {
  await using o = await startOAuth();
  const app = await o.app();
  const ask = () => o.send('/oauth/token', { ...CREDENTIALS, client_id: app.clientId, client_secret: 'wrong' });
  o.a.s.clock.advance(30 * 86_400);
  for (let at = 0; at < OAUTH_FAILURES_PER_MIN; at += 1) expect((await ask()).status).toBe(401);
  expect((await ask()).status).toBe(429);
  o.a.s.clock.reset();
  expect((await ask()).status).toBe(401);
});

test('after a rotation, the previous secret works for another day, earlier ones do not', async () => {
  await using o = await startOAuth();
  const app = await o.app();
  const rotate = async () => (await o.a.post(`/admin/apps/${app.id}/rotate-secret`, {})).body.clientSecret as string;
  const works = async (secret: string) =>
    (await o.send('/oauth/token', { ...CREDENTIALS, client_id: app.clientId, client_secret: secret })).status === 200;
  const first = String(app.clientSecret);
  const second = await rotate();
  expect([await works(first), await works(second)]).toEqual([true, true]);
  const third = await rotate();
  expect([await works(first), await works(second), await works(third)]).toEqual([false, true, true]);
  o.a.s.clock.advance(86_400);
  expect([await works(second), await works(third)]).toEqual([false, true]);
});

test('expired codes and keys are purged', async () => {
  await using o = await startOAuth();
  const app = await o.app();
  const { verifier, challenge } = pkce();
  const code = String((await o.allow(app, { code_challenge: challenge })).get('code'));
  await o.exchange(app, code, verifier);
  await o.send('/oauth/token', { ...CREDENTIALS, ...inBody(app) });
  const left = () =>
    o.a.s.service.store.read('', async (tx) => ({
      codes: await tx.oauthCodes.count(),
      issued: await tx.apiKeys.count({ where: [{ field: 'applicationId', equals: app.id }] }),
      all: await tx.apiKeys.count(),
    }));
  expect(await left()).toEqual({ codes: 1, issued: 2, all: 3 });
  // Moving the test clock starts a purge.
  o.a.s.clock.advance(9 * 86_400);
  await expect.poll(left).toEqual({ codes: 0, issued: 1, all: 2 });
  o.a.s.clock.advance(60 * 86_400);
  await expect.poll(left).toEqual({ codes: 0, issued: 0, all: 1 });
});
