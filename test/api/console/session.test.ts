/** The session of the console: one-time links, and which requests may use it. */
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { CONSENT_LIFETIME_MIN, CONSOLE_SESSION_H } from '../../../src/contract/limits.ts';
import { READ_SCOPES } from '../../../src/contract/scopes.ts';
import { createApiServer } from '../../../src/http/server.ts';
import { type TestAdmin, startAdmin } from '../../support/service/admin.ts';
import { startSecondServer } from '../../support/service/second-server.ts';
import type { Reply } from '../../support/service/service.ts';

let a: TestAdmin;
beforeAll(async () => {
  a = await startAdmin({ consoleUrl: 'http://127.0.0.1:8625/console', service: { cors: ['http://shop.example'] } });
});
afterAll(() => a[Symbol.asyncDispose]());

type Headers = Readonly<Record<string, string>>;

const getCode = async (tenant = 'first', body: object = {}): Promise<string> => {
  const { url } = (await a.post(`/admin/console?tenant=${tenant}`, body)).body as { url: string };
  return new URL(url).hash.replace('#code=', '');
};
const exchange = (code: string, headers: Headers = {}): Promise<Reply> =>
  send('POST', '/console/session', { origin: a.s.url, ...headers }, { code });
const send = async (method: string, path: string, headers: Headers, body?: unknown): Promise<Reply> => {
  const response = await fetch(a.s.url + path, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    text,
    body: text.startsWith('{') ? JSON.parse(text) : undefined,
  };
};
const getSession = async (tenant?: string, body?: object): Promise<{ cookie: string; 'x-console-token': string }> => {
  const reply = await exchange(await getCode(tenant, body));
  const [cookie = ''] = String(reply.headers['set-cookie']).split(';');
  return { cookie, 'x-console-token': reply.body.data.token as string };
};

test('a link signs in once, with a cookie that scripts and other sites cannot use', async () => {
  const code = await getCode();
  const reply = await exchange(code);
  expect(reply.status).toBe(201);
  expect(reply.headers['set-cookie']).toMatch(/^stockroom_console_\d+=pk_test_\w{24}; HttpOnly; SameSite=Strict; Path=\/; Max-Age=43200$/u);
  expect(reply.headers['cache-control']).toBe('no-store');
  expect(reply.body.data).toEqual({ token: expect.stringMatching(/^\w{16}$/u), expiresAt: expect.any(String) });
  const again = await exchange(code);
  expect([again.status, again.headers['set-cookie'], again.body.error.code]).toEqual([401, undefined, 'UNAUTHENTICATED']);
});

test('two browsers that open one link at the same time get one session', async () => {
  const code = await getCode();
  const replies = await Promise.all([1, 2, 3, 4].map(() => exchange(code)));
  expect(replies.map(({ status }) => status).toSorted((one, two) => one - two)).toEqual([201, 401, 401, 401]);
});

test('a link is not valid after its time, and a code of the consent page is not valid here', async () => {
  const late = await getCode();
  a.s.clock.advance(CONSENT_LIFETIME_MIN * 60);
  expect((await exchange(late)).status).toBe(401);
  const { code } = (await a.post('/admin/oauth/login', {})).body as { code: string };
  for (const text of [code, code.replace('-', '')]) expect((await exchange(text)).status).toBe(401);
});

test('a link is exchanged for pages of this origin only', async () => {
  const code = await getCode();
  for (const headers of [{ origin: 'http://shop.example' }, { origin: 'http://evil.example' }, { origin: 'null' }]) {
    const reply = await exchange(code, headers);
    expect([reply.status, reply.body.error.code]).toEqual([403, 'ORIGIN_NOT_ALLOWED']);
  }
  expect((await send('POST', '/console/session', {}, { code })).status).toBe(403);
  expect((await exchange(code)).status).toBe(201);
});

test('a session reads and changes the records of its tenant, and no others', async () => {
  const session = await getSession();
  const other = await a.s.addTenant('other');
  const foreign = await getSession('other');
  const created = await send('POST', '/v1/items', { ...session, origin: a.s.url, 'idempotency-key': 'one' }, { name: 'Bolt', sku: 'B1' });
  expect(created.status).toBe(201);
  const path = `/v1/items/${created.body.data.id as string}`;
  expect((await send('GET', path, session)).status).toBe(200);
  expect((await send('GET', path, foreign)).status).toBe(404);
  const context = await send('GET', '/v1/auth/context', foreign);
  expect(context.body.data.tenant.id).toBe(other.id);
  // Halves of two sessions are no session.
  const mixed = { cookie: session.cookie, 'x-console-token': foreign['x-console-token'] };
  expect((await send('GET', path, mixed)).status).toBe(401);
});

test('a session has the scopes of its link', async () => {
  const session = await getSession('first', { scopes: READ_SCOPES });
  expect((await send('GET', '/v1/items', session)).status).toBe(200);
  const reply = await send('POST', '/v1/items', { ...session, 'idempotency-key': 'two' }, { name: 'Nut', sku: 'N1' });
  expect([reply.status, reply.body.error.code]).toEqual([403, 'SCOPE_REQUIRED']);
});

test('neither the cookie nor the token is enough, for reads and for writes', async () => {
  const { cookie, 'x-console-token': token } = await getSession();
  const parts: readonly Headers[] = [{ cookie }, { 'x-console-token': token }, { cookie, 'x-console-token': 'A'.repeat(16) }];
  for (const headers of parts) {
    expect((await send('GET', '/v1/items', headers)).status).toBe(401);
    const write = { ...headers, origin: a.s.url, 'idempotency-key': 'three' };
    expect((await send('POST', '/v1/items', write, { name: 'Cap', sku: 'C1' })).status).toBe(401);
  }
});

test('a page of another origin cannot use the session, even if it may use the API', async () => {
  const session = await getSession();
  for (const headers of [
    { origin: 'http://shop.example' },
    { origin: 'http://evil.example' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'cross-site' },
  ]) {
    const reply = await send('GET', '/v1/items', { ...session, ...headers });
    expect([401, 403]).toContain(reply.status);
    expect(reply.headers['access-control-allow-credentials']).toBeUndefined();
    expect([401, 403]).toContain((await send('DELETE', '/console/session', { ...session, ...headers })).status);
    expect([401, 403, 404]).toContain((await send('GET', '/console/admin/clock', { ...session, ...headers })).status);
  }
  expect((await send('GET', '/v1/items', { ...session, 'sec-fetch-site': 'same-origin' })).status).toBe(200);
});

test('the halves of a session joined are not an API key, and those of an API key are not a session', async () => {
  const { cookie, 'x-console-token': token } = await getSession();
  const joined = cookie.replace(/^[^=]*=/u, '') + token;
  expect((await a.s.get('/v1/items', { key: joined })).status).toBe(401);
  const key = await a.s.addKey();
  const name = cookie.replace(/=.*/u, '');
  const split = { cookie: `${name}=${key.slice(0, 32)}`, 'x-console-token': key.slice(32, 48) };
  expect((await send('GET', '/v1/items', split)).status).toBe(401);
  expect((await send('GET', '/console/admin/clock', split)).status).toBe(401);
});

test('a session ends with its time, when it is revoked, and when the browser signs out', async () => {
  const [first, second, third] = [await getSession(), await getSession(), await getSession()];
  const prefix = /pk_test_\w{8}/u.exec(second.cookie)?.[0] ?? '';
  const out = await send('DELETE', '/console/session', { ...first, origin: a.s.url });
  expect([out.status, out.headers['set-cookie']]).toEqual([204, expect.stringContaining('Max-Age=0')]);
  await a.post(`/admin/keys/${prefix}/revoke?tenant=first`, {});
  expect((await send('GET', '/v1/items', first)).status).toBe(401);
  expect((await send('GET', '/v1/items', second)).status).toBe(401);
  const ended = await send('GET', '/console/admin/clock', second);
  expect([ended.status, ended.body.error.message]).toEqual([401, 'The session of the console has ended.']);
  expect(ended.headers['www-authenticate']).toContain('Bearer');
  expect((await send('GET', '/v1/items', third)).status).toBe(200);
  a.s.clock.advance(CONSOLE_SESSION_H * 3_600);
  expect((await send('GET', '/v1/items', third)).status).toBe(401);
  // The next session removes those that have ended by time.
  await getSession();
  const keys = (await a.get('/admin/keys?tenant=first&search=Console')).body.data as { status: string }[];
  expect(keys.map(({ status }) => status)).toEqual(['active']);
});

test('the audit trail records the start and the end of a session, without its secret', async () => {
  const session = await getSession();
  await send('DELETE', '/console/session', { ...session, origin: a.s.url });
  const rows = (await a.audit()).slice(-2);
  expect(rows.map(({ action, actorType }) => `${action} ${actorType}`)).toEqual(['api_key.created user', 'api_key.revoked user']);
  expect(JSON.stringify(rows)).not.toContain(session['x-console-token']);
});

test('the page cannot be framed, and its policy allows neither inline scripts nor other origins', async () => {
  for (const path of ['/console', '/console/items/1']) {
    const { status, headers } = await send('GET', path, { accept: 'text/html' });
    expect(status).toBe(200);
    expect(headers['x-frame-options']).toBe('DENY');
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self';.*frame-ancestors 'none'/u,
    );
    expect(headers['content-security-policy']).not.toMatch(/unsafe|https?:|\*/u);
  }
  for (const path of ['/console/assets/..%2f..%2f', '/console/assets/none.js']) expect((await send('GET', path, {})).status).toBe(404);
});

test('the Lab needs a session, and changes the clock of the service', async () => {
  expect((await send('GET', '/console/admin/clock', {})).status).toBe(401);
  const session = await getSession();
  expect((await send('GET', '/console/admin/clock', session)).body.data.testClock).toBe(true);
  const before = a.s.clock.now().getTime();
  const moved = await send('POST', '/console/admin/clock/advance', { ...session, origin: a.s.url }, { by: '1h' });
  expect(moved.status).toBe(200);
  expect(a.s.clock.now().getTime()).toBeGreaterThanOrEqual(before + 3_600_000);
  for (const path of ['/console/admin/keys', '/console/admin/tenants', '/console/admin/status'])
    expect((await send('GET', path, session)).status).toBeGreaterThanOrEqual(404);
  expect((await send('POST', '/console/admin/keys', { ...session, origin: a.s.url }, { allScopes: true })).status).toBe(405);
});

test('the Lab does not exist where other machines reach the service', async () => {
  await using b = await startAdmin({ consoleUrl: 'https://stock.example/console', service: { publicUrl: 'https://stock.example' } });
  const { url } = (await b.post('/admin/console', {})).body as { url: string };
  const response = await fetch(`${b.s.url}/console/session`, {
    method: 'POST',
    headers: { origin: 'https://stock.example', 'content-type': 'application/json' },
    body: JSON.stringify({ code: url.replace(/.*#code=/u, '') }),
  });
  const cookie = response.headers.get('set-cookie') ?? '';
  expect(cookie).toMatch(/^__Host-stockroom_console=.*; Secure$/u);
  const { token } = ((await response.json()) as { data: { token: string } }).data;
  const headers = { cookie: cookie.replace(/;.*/u, ''), 'x-console-token': token };
  expect((await fetch(`${b.s.url}/v1/items`, { headers })).status).toBe(200);
  const lab = await fetch(`${b.s.url}/console/admin/clock`, { headers });
  expect(lab.status).toBeGreaterThanOrEqual(404);
});

test('a session is valid at every daemon of the store', async () => {
  const session = await getSession();
  const second = await startSecondServer(a.s.service);
  const cookie = session.cookie.replace(/_\d+=/u, `_${String(second.info.port)}=`);
  const reply = await fetch(`${second.info.uri}/v1/items`, { headers: { ...session, cookie } });
  expect(reply.status).toBe(200);
});

test('a server without a console accepts no session', async () => {
  const session = await getSession();
  const address = { host: '127.0.0.1', port: 0 };
  const servers = [
    createApiServer(a.s.service, { ...address, console: false }),
    createApiServer({ ...a.s.service, isStrict: true }, address),
  ];
  for (const server of servers) {
    await server.start();
    onTestFinished(() => server.stop());
    const cookie = session.cookie.replace(/_\d+=/u, `_${String(server.info.port)}=`);
    expect((await fetch(`${server.info.uri}/v1/items`, { headers: { ...session, cookie } })).status).toBe(401);
    for (const path of ['/console', '/console/session', '/console/admin/clock'])
      expect((await fetch(server.info.uri + path)).status).toBe(404);
  }
});
