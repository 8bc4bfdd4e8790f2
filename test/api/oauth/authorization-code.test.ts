/** The authorization code flow, and all requests that it must reject. RFC 6749 §4.1, RFC 7636, RFC 9700. */
import { expect, test } from 'vitest';
import { AUTHORIZATION_CODE_KEY_DAYS, ISSUED_KEYS_MAX, OAUTH_CODE_LIFETIME_S } from '../../../src/contract/limits.ts';
import { type App, REDIRECT, type TestOAuth, getParameters, pkce, requestIn, startOAuth } from '../../support/service/oauth.ts';

/** An authorization code of this application, with its verifier. */
async function coded(o: TestOAuth, app: App, more: Record<string, string | undefined> = {}) {
  const { verifier, challenge } = pkce();
  const answer = await o.allow(app, { code_challenge: challenge, ...more });
  return { code: String(answer.get('code')), verifier, answer };
}

test('the authorization code flow issues a key with exactly the requested scopes', async () => {
  await using o = await startOAuth();
  const app = await o.app();
  const before = await o.a.s.events();
  const { code, verifier, answer } = await coded(o, app, { scope: 'items:read' });
  expect(answer.get('state')).toBe('a b&c');
  expect(answer.get('iss')).toBe(o.base);
  expect([...answer.keys()].toSorted()).toEqual(['code', 'iss', 'state']);
  const reply = await o.exchange(app, code, verifier);
  expect(reply.status, reply.text).toBe(200);
  expect(reply.body).toEqual({
    access_token: expect.stringMatching(/^pk_test_[0-9A-Za-z]{46}$/u),
    token_type: 'Bearer',
    expires_in: AUTHORIZATION_CODE_KEY_DAYS * 86_400,
    scope: 'items:read',
  });
  expect(reply.headers['cache-control']).toBe('no-store');
  const key = reply.body.access_token as string;
  expect((await o.a.s.get('/v1/items', { key })).status).toBe(200);
  expect((await o.a.s.get('/v1/items', { key: '', headers: { authorization: `Bearer ${key}` } })).status).toBe(200);
  expect((await o.a.s.post('/v1/items', { name: 'Bolt' }, { key })).status).toBe(403);
  const events = (await o.a.s.events()).slice(before.length);
  expect(events.map(({ event }) => event)).toEqual(['integration.connected']);
  const { data } = JSON.parse(events[0]?.body ?? '') as { data: object };
  expect(data).toMatchObject({ integration: { id: app.id, name: 'Shop sync' }, scopes: ['items:read'], actor: { type: 'user' } });
  const actions = (await o.a.audit()).map(({ action }) => action);
  expect(actions.slice(-2)).toEqual(['integration.connected', 'oauth.token_issued']);
});

test('a public application needs no secret and may use any port of its loopback redirect URI', async () => {
  await using o = await startOAuth();
  const app = await o.app({ type: 'public', redirectUris: ['http://127.0.0.1/callback?from=stockroom', 'http://localhost:3000/callback'] });
  const redirect_uri = 'http://127.0.0.1:50123/callback?from=stockroom';
  const { code, verifier, answer } = await coded(o, app, { redirect_uri });
  expect(answer.get('from')).toBe('stockroom');
  const reply = await o.exchange(app, code, verifier, { redirect_uri });
  expect(reply.body.scope).toBe('items:read items:write');
});

test('replaying a code is rejected and revokes the key issued for it', async () => {
  await using o = await startOAuth();
  const app = await o.app();
  const { code, verifier } = await coded(o, app);
  const key = (await o.exchange(app, code, verifier)).body.access_token as string;
  expect((await o.a.s.get('/v1/items', { key })).status).toBe(200);
  const other = await coded(o, app);
  const otherKey = (await o.exchange(app, other.code, other.verifier)).body.access_token as string;
  const replay = await o.exchange(app, code, verifier);
  expect([replay.status, replay.body.error]).toEqual([400, 'invalid_grant']);
  expect((await o.a.s.get('/v1/items', { key })).status).toBe(401);
  expect((await o.a.s.get('/v1/items', { key: otherKey })).status).toBe(200);
  expect((await o.a.audit()).at(-1)).toMatchObject({ action: 'oauth.token_revoked', metadata: { reason: 'code replayed' } });
  // Even hours later, and with other parameters wrong.
  const late = await coded(o, app);
  const lateKey = (await o.exchange(app, late.code, late.verifier)).body.access_token as string;
  o.a.s.clock.advance(3_600);
  expect((await o.exchange(app, late.code, 'x'.repeat(43))).body.error).toBe('invalid_grant');
  expect((await o.a.s.get('/v1/items', { key: lateKey })).status).toBe(401);
});

test('replaying a code of another client is rejected and revokes nothing', async () => {
  await using o = await startOAuth();
  const app = await o.app();
  const others = [await o.app(), await o.app({ type: 'public' })];
  const { code, verifier } = await coded(o, app);
  const key = (await o.exchange(app, code, verifier)).body.access_token as string;
  for (const other of others) {
    const replay = await o.exchange(other, code, verifier);
    expect([replay.status, replay.body.error]).toEqual([400, 'invalid_grant']);
  }
  expect((await o.a.s.get('/v1/items', { key })).status).toBe(200);
  expect((await o.a.audit()).map(({ action }) => action)).not.toContain('oauth.token_revoked');
});

test('concurrent exchanges of one code issue at most one key, which is then revoked', async () => {
  await using o = await startOAuth();
  const app = await o.app();
  const { code, verifier } = await coded(o, app);
  const replies = await Promise.all([1, 2, 3, 4].map(() => o.exchange(app, code, verifier)));
  const good = replies.filter(({ status }) => status === 200);
  expect(good).toHaveLength(1);
  expect((await o.a.s.get('/v1/items', { key: good[0]?.body.access_token as string })).status).toBe(401);
});

test('a code is bound to client, redirect URI, verifier and one minute, and a failed exchange does not use it up', async () => {
  await using o = await startOAuth();
  const app = await o.app({ redirectUris: [REDIRECT, 'https://shop.example/callback'] });
  const other = await o.app();
  const { code, verifier } = await coded(o, app);
  const tries: [string, () => ReturnType<TestOAuth['exchange']>, number, string][] = [
    ['other client', () => o.exchange(other, code, verifier), 400, 'invalid_grant'],
    ['other address', () => o.exchange(app, code, verifier, { redirect_uri: 'https://shop.example/callback' }), 400, 'invalid_grant'],
    ['no address', () => o.exchange(app, code, verifier, { redirect_uri: '' }), 400, 'invalid_request'],
    ['other verifier', () => o.exchange(app, code, pkce().verifier), 400, 'invalid_grant'],
    ['the challenge as verifier', () => o.exchange(app, code, pkce().challenge), 400, 'invalid_grant'],
    ['short verifier', () => o.exchange(app, code, verifier.slice(0, 42)), 400, 'invalid_grant'],
    ['no verifier', () => o.exchange(app, code, ''), 400, 'invalid_request'],
    ['no code', () => o.exchange(app, '', verifier), 400, 'invalid_request'],
    ['other code', () => o.exchange(app, `${code}x`, verifier), 400, 'invalid_grant'],
    ['other resource', () => o.exchange(app, code, verifier, { resource: 'https://elsewhere.example' }), 400, 'invalid_target'],
  ];
  for (const [name, attempt, status, error] of tries) {
    const reply = await attempt();
    expect([name, reply.status, reply.body.error]).toEqual([name, status, error]);
  }
  expect((await o.exchange(app, code, verifier)).status).toBe(200);
  const late = await coded(o, app);
  o.a.s.clock.advance(OAUTH_CODE_LIFETIME_S);
  expect((await o.exchange(app, late.code, late.verifier)).body.error).toBe('invalid_grant');
});

test('requests without a valid client and redirect URI get an error page and no redirect', async () => {
  await using o = await startOAuth();
  const app = await o.app({ redirectUris: [REDIRECT, 'https://shop.example/callback', 'http://[::1]:3000/callback'] });
  const desk = await o.app({ type: 'public', redirectUris: ['http://127.0.0.1/callback', 'http://localhost:3000/callback'] });
  const addresses = [
    undefined,
    '',
    'https://evil.example/callback',
    'https://shop.example/callback/',
    'https://shop.example/callback?x=1',
    'https://shop.example/callback#x',
    'https://shop.example/callback/../callback',
    'https://shop.example/other/../callback',
    'https://shop.example:443/callback',
    'https://SHOP.example/callback',
    'https://shop.example@evil.example/callback',
    'https://evil.example\\@shop.example/callback',
    'https://shop.example.evil.example/callback',
    'http://shop.example/callback',
    '//shop.example/callback',
    'javascript:alert(1)',
    'http://127.0.0.1:4568/callback',
    'http://localhost:4567/callback',
    `${REDIRECT} `,
    'http://127.0.0.1:4567/callback\r\nx: y',
  ];
  const cases: [App, Record<string, string | undefined>][] = [
    ...addresses.map((redirect_uri): [App, Record<string, string | undefined>] => [app, { redirect_uri }]),
    ...[
      'http://127.0.0.1:3000/callback/x',
      'http://127.0.0.1:3000/callback?x',
      'http://127.0.0.1:99999/callback',
      'http://[::1]:3000/callback',
      'http://127.0.0.1:3000@evil.example/callback',
      'http://user@127.0.0.1:3000/callback',
      'http://127.0.0.1.evil.example/callback',
      'https://127.0.0.1:3000/callback',
      'http://127.0.0.1:3000/callback#x',
    ].map((redirect_uri): [App, Record<string, string | undefined>] => [desk, { redirect_uri }]),
    [app, { client_id: undefined }],
    [app, { client_id: 'app_unknown' }],
    [app, { client_id: '<script>alert(1)</script>' }],
  ];
  for (const [client, more] of cases) {
    const reply = await o.authorize(client, more);
    const parametersText = JSON.stringify(more);
    expect([parametersText, reply.status]).toEqual([parametersText, 400]);
    expect(reply.headers['location']).toBeUndefined();
    expect(reply.headers['content-type']).toMatch(/^text\/html/u);
    expect(reply.text).not.toContain('<form');
    expect(reply.text).not.toContain('evil.example');
  }
  const twice = await o.page(
    `/oauth/authorize?client_id=${app.clientId}&client_id=${app.clientId}&redirect_uri=${encodeURIComponent(REDIRECT)}`,
  );
  expect(twice.status).toBe(400);
  expect((await o.a.get('/admin/oauth/requests')).body.data).toEqual([]);
});

test('all other errors are sent to the redirect URI, with state and issuer', async () => {
  await using o = await startOAuth();
  const app = await o.app();
  const pending = await o.app({ approve: false });
  const machine = (
    await o.a.post('/admin/apps', {
      name: 'M',
      type: 'confidential',
      redirectUris: [REDIRECT],
      grantTypes: ['client_credentials'],
      scopes: ['items:read'],
    })
  ).body.data as App;
  await o.a.post(`/admin/apps/${machine.id}/approve`, {});
  const cases: [App, Record<string, string | undefined>, string][] = [
    [app, { response_type: undefined }, 'invalid_request'],
    [app, { response_type: 'token' }, 'unsupported_response_type'],
    [app, { response_type: 'code id_token' }, 'unsupported_response_type'],
    [app, { response_mode: 'fragment' }, 'invalid_request'],
    [app, { code_challenge: undefined }, 'invalid_request'],
    [app, { code_challenge: 'short' }, 'invalid_request'],
    [app, { code_challenge: `${'a'.repeat(42)}=` }, 'invalid_request'],
    [app, { code_challenge_method: undefined }, 'invalid_request'],
    [app, { code_challenge_method: 'plain' }, 'invalid_request'],
    [app, { code_challenge_method: 's256' }, 'invalid_request'],
    [app, { scope: 'items:everything' }, 'invalid_scope'],
    [app, { scope: 'orders:read' }, 'invalid_scope'],
    [app, { scope: 'items:read,items:write' }, 'invalid_scope'],
    [app, { resource: 'https://elsewhere.example' }, 'invalid_target'],
    [app, { resource: `${o.base}/v2` }, 'invalid_target'],
    [app, { resource: 'not an address' }, 'invalid_target'],
    [pending, {}, 'unauthorized_client'],
    [machine, {}, 'unauthorized_client'],
  ];
  for (const [client, more, error] of cases) {
    const reply = await o.authorize(client, more);
    const parametersText = JSON.stringify(more);
    expect([parametersText, reply.status]).toEqual([parametersText, 302]);
    expect(String(reply.headers['location'])).toMatch(new RegExp(`^${REDIRECT.replaceAll('.', '\\.')}\\?`, 'u'));
    const parameters = getParameters(reply);
    expect([parametersText, parameters.get('error')]).toEqual([parametersText, error]);
    expect(parameters.get('state')).toBe('a b&c');
    expect(parameters.get('iss')).toBe(o.base);
    expect(parameters.get('code')).toBeNull();
    expect(parameters.get('error_description')).toMatch(/^[\u0020-\u0021\u0023-\u005b\u005d-\u007e]+$/u);
  }
  const twice = await o.page(
    `/oauth/authorize?response_type=code&response_type=code&client_id=${app.clientId}&redirect_uri=${encodeURIComponent(REDIRECT)}`,
  );
  expect(getParameters(twice).get('error')).toBe('invalid_request');
  expect((await o.a.get('/admin/oauth/requests')).body.data).toEqual([]);
});

test('a key is valid for at most the requested resources', async () => {
  await using o = await startOAuth();
  const app = await o.app();
  const stored = async (secret: string) => {
    const key = await o.a.s.service.store.read('', (tx) => tx.apiKeys.findUnique('prefix', secret.slice(0, 16)));
    return key?.audience;
  };
  const fetch = async (resource: string | undefined, narrower?: string) => {
    const { code, verifier } = await coded(o, app, { resource });
    return o.exchange(app, code, verifier, narrower === undefined ? {} : { resource: narrower });
  };
  expect(await stored((await fetch(undefined)).body.access_token as string)).toBeUndefined();
  // RFC 6749 §3.1: a parameter without a value is treated as omitted.
  expect(await stored((await fetch('')).body.access_token as string)).toBeUndefined();
  expect(await stored((await fetch(`${o.base}/v1`, '')).body.access_token as string)).toEqual(['/v1']);
  expect(await stored((await fetch(o.base)).body.access_token as string)).toEqual(['']);
  expect(await stored((await fetch(`${o.base}/v1`)).body.access_token as string)).toEqual(['/v1']);
  expect(await stored((await fetch(`${o.base}/mcp/`)).body.access_token as string)).toEqual(['/mcp']);
  expect(await stored((await fetch(o.base, `${o.base}/mcp`)).body.access_token as string)).toEqual(['/mcp']);
  expect((await fetch(`${o.base}/v1`, `${o.base}/mcp`)).body.error).toBe('invalid_target');
});

test('the oldest keys of an application in a tenant are revoked above a maximum number', async () => {
  await using o = await startOAuth();
  const app = await o.app();
  const form = { grant_type: 'client_credentials', client_id: app.clientId, client_secret: String(app.clientSecret) };
  const secrets: string[] = [];
  for (let at = 0; at < ISSUED_KEYS_MAX + 2; at += 1) {
    if (at % 25 === 0) o.a.s.clock.advance(60);
    secrets.push((await o.send('/oauth/token', form)).body.access_token as string);
  }
  const status = async (at: number) => (await o.a.s.get('/v1/items', { key: secrets.at(at) ?? '' })).status;
  expect([await status(0), await status(1), await status(2), await status(-1)]).toEqual([401, 401, 200, 200]);
});

test('suspending or disconnecting an application invalidates its requests, codes and keys', async () => {
  await using o = await startOAuth();
  const app = await o.app();
  const asked = requestIn(await o.authorize(app));
  const { code, verifier } = await coded(o, app);
  const first = await coded(o, app);
  const key = (await o.exchange(app, first.code, first.verifier)).body.access_token as string;
  await o.a.post(`/admin/apps/${app.id}/suspend`, {});
  expect((await o.exchange(app, code, verifier)).body.error).toBe('unauthorized_client');
  const refused = await o.a.post(`/admin/oauth/requests/${asked}/approve?tenant=first`, {});
  expect([refused.status, refused.body.error.code]).toEqual([403, 'APPLICATION_DISABLED']);
  expect((await o.a.s.get('/v1/items', { key })).body.error.code).toBe('APPLICATION_DISABLED');
  await o.a.post(`/admin/apps/${app.id}/approve?tenant=first`, {});
  expect((await o.a.s.get('/v1/items', { key })).status).toBe(200);
  await o.a.post(`/admin/apps/${app.id}/disconnect?tenant=first`, {});
  expect((await o.a.s.get('/v1/items', { key })).body.error.code).toBe('APPLICATION_DISABLED');
  expect((await o.exchange(app, code, verifier)).body.error).toBe('invalid_grant');
  // After a new consent, earlier codes and keys stay invalid.
  const again = await coded(o, app);
  const fresh = (await o.exchange(app, again.code, again.verifier)).body.access_token as string;
  expect((await o.a.s.get('/v1/items', { key: fresh })).status).toBe(200);
  expect((await o.a.s.get('/v1/items', { key })).status).toBe(401);
});

test('codes, secrets and keys are stored as hashes only, and are in no audit row, event or list', async () => {
  await using o = await startOAuth();
  const app = await o.app();
  const { code, verifier } = await coded(o, app);
  const key = (await o.exchange(app, code, verifier)).body.access_token as string;
  const { store } = o.a.s.service;
  const all = await store.read(o.a.s.tenant.id, async (tx) => ({
    codes: (await tx.oauthCodes.listAfter({ limit: 100 })).rows,
    apps: (await tx.applications.listAfter({ limit: 100 })).rows,
    keys: (await tx.apiKeys.listAfter({ limit: 100 })).rows,
    audit: (await tx.auditEvents.listAfter({ limit: 1_000 })).rows,
    events: (await tx.events.listAfter({ limit: 1_000 })).rows,
  }));
  const listed = await o.a.get('/admin/apps');
  const text = JSON.stringify(all) + listed.text + (await o.a.get(`/admin/apps/${app.id}`)).text;
  expect(all.codes).toHaveLength(1);
  for (const secret of [code, verifier, key.slice(16), String(app.clientSecret)]) expect(text).not.toContain(secret);
  for (const { secrets } of all.apps) for (const { hash } of secrets) expect(listed.text).not.toContain(hash);
});
