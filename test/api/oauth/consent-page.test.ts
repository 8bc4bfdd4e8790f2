/** The consent pages over plain HTTP: who may decide, what a page shows, and its security headers. */
import { expect, test } from 'vitest';
import {
  CONSENT_LIFETIME_MIN,
  OAUTH_FAILURES_PER_MIN,
  PENDING_CONSENTS_MAX,
  PENDING_CONSENTS_PER_APPLICATION_MAX,
} from '../../../src/contract/limits.ts';
import { type TestOAuth, getCookie, getParameters, requestIn, startOAuth } from '../../support/service/oauth.ts';

const loginCode = async (o: TestOAuth) => (await o.a.post('/admin/oauth/login', {})).body.code as string;
const login = async (o: TestOAuth, request: string, code?: string) =>
  o.page('/oauth/consent', { request, decision: 'login', code: code ?? (await loginCode(o)) });

test('the page shows application, scopes, expiry and redirect host before the user has logged in', async () => {
  await using o = await startOAuth();
  const app = await o.app();
  const reply = await o.authorize(app, { scope: 'items:read' });
  expect(reply.status).toBe(200);
  for (const text of [
    'Shop sync',
    'list and read items',
    'items:read',
    '127.0.0.1:4567',
    '(30 days)',
    'on your machine',
    'npx stockroom oauth login',
  ]) {
    expect(reply.text).toContain(text);
  }
  // Only the owner may see the name of the organization.
  for (const text of ['items:write', '>first<', 'value="allow"', '<script', 'style=', 'http-equiv']) expect(reply.text).not.toContain(text);
  const policy = String(reply.headers['content-security-policy']);
  expect(policy).toMatch(
    /^default-src 'none'; style-src 'sha256-[\w+/]+='; form-action 'self' http: https:; frame-ancestors 'none'; base-uri 'none'$/u,
  );
  expect(reply.headers).toMatchObject({
    'x-frame-options': 'DENY',
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  });
});

test('the policy allows the form to redirect to the application, and its callback to redirect to any other site', async () => {
  await using o = await startOAuth();
  for (const redirect_uri of ['https://shop.example/callback?a=1', 'http://localhost:3000/', 'http://[::1]:3000/callback']) {
    const app = await o.app({ redirectUris: [redirect_uri] });
    const reply = await o.authorize(app, { redirect_uri });
    expect(reply.headers['content-security-policy']).toContain("form-action 'self' http: https:;");
    expect(reply.text.includes('on your machine')).toBe(!redirect_uri.startsWith('https'));
  }
});

test('a client that requests every scope gets those of the application, and the page names the others', async () => {
  await using o = await startOAuth();
  const app = await o.app({ scopes: ['items:read', 'items:write'] });
  const reply = await o.authorize(app, { scope: 'items:read contacts:read webhooks:delete everything' });
  expect(reply.status).toBe(200);
  expect(reply.text).toMatch(/<ul class="scopes"><li>(?:(?!<li>).)*items:read<\/code><\/span><\/li><\/ul>/u);
  expect(reply.text).toMatch(/also asked for <code>contacts:read<\/code>, <code>webhooks:delete<\/code>, which it is not registered for/u);
  expect(reply.text).not.toContain('everything');
  // Nothing is said about a request that gets what it asked for.
  expect((await o.authorize(app, { scope: 'items:read' })).text).not.toContain('also asked for');
});

test('HTML in the name of an application is escaped', async () => {
  await using o = await startOAuth();
  const name = `<img src=x onerror="alert(1)">&amp;'`;
  const made = (
    await o.a.post('/admin/apps', { name, type: 'public', redirectUris: ['http://127.0.0.1:4567/callback'], scopes: ['items:read'] })
  ).body.data;
  await o.a.post(`/admin/apps/${made.id as string}/approve`, {});
  const reply = await o.authorize({ ...made, clientSecret: null });
  expect(reply.text).not.toContain('<img');
  expect(reply.text).toContain('&lt;img src=x onerror=&quot;alert(1)&quot;&gt;&amp;amp;&#39;');
});

test('allowing requires a login code for this request, denying does not', async () => {
  await using o = await startOAuth();
  const app = await o.app();
  const [mine, other] = [requestIn(await o.authorize(app)), requestIn(await o.authorize(app))];
  const bare = await o.page('/oauth/consent', { request: mine, decision: 'allow', tenant: 'first' });
  expect([bare.status, bare.headers['location']]).toEqual([403, undefined]);
  const code = await loginCode(o);
  const proven = await login(o, mine, code);
  expect([proven.status, proven.headers['location']]).toEqual([303, `/oauth/consent?request=${mine}`]);
  expect(proven.headers['set-cookie']).toMatch(/^stockroom_consent=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/oauth; Max-Age=600$/u);
  const cookie = getCookie(proven);
  // Neither code nor cookie is valid for another request.
  expect((await login(o, other, code)).status).toBe(403);
  expect((await o.page('/oauth/consent', { request: other, decision: 'allow', tenant: 'first' }, { cookie })).status).toBe(403);
  // Submitting the same form twice is allowed.
  expect((await login(o, mine, code)).status).toBe(303);
  const asked = await o.page(`/oauth/consent?request=${mine}`, undefined, { cookie });
  expect(asked.text).toContain('value="allow"');
  expect(asked.text).toContain('<bdi>first</bdi>');
  expect((await o.a.audit()).map(({ action }) => action)).not.toContain('oauth.token_issued');
  const denied = await o.page('/oauth/consent', { request: other, decision: 'deny' });
  expect(getParameters(denied).get('error')).toBe('access_denied');
  expect(getParameters(denied).get('state')).toBe('a b&c');
});

test('forms that are not submitted from the page itself change nothing', async () => {
  await using o = await startOAuth();
  const app = await o.app();
  const request = requestIn(await o.authorize(app));
  const cookie = getCookie(await login(o, request));
  const form = { request, decision: 'allow', tenant: 'first' };
  for (const origin of ['https://evil.example', 'null', o.base.replace('127.0.0.1', 'localhost'), '']) {
    const reply = await o.page('/oauth/consent', form, { cookie, origin });
    expect([origin, reply.status]).toEqual([origin, 403]);
  }
  const other = await o.page('/oauth/consent', form, { cookie, 'content-type': 'text/plain' });
  expect([other.status, other.text]).toEqual([400, expect.stringContaining('<h1>Request failed</h1>')]);
  for (const more of [{ decision: 'maybe' }, { tenant: 'nowhere' }, { tenant: '' }]) {
    const reply = await o.page('/oauth/consent', { ...form, ...more }, { cookie });
    expect([JSON.stringify(more), reply.status]).toEqual([JSON.stringify(more), 400]);
  }
  expect((await o.a.get('/admin/oauth/requests')).body.data).toHaveLength(1);
  expect((await o.page('/oauth/consent', form, { cookie })).status).toBe(303);
});

test('a second decision has no effect, but redirects the browser', async () => {
  await using o = await startOAuth();
  const app = await o.app();
  const request = requestIn(await o.authorize(app));
  const cookie = getCookie(await login(o, request));
  const before = (await o.a.s.events()).length;
  const form = { request, decision: 'allow', tenant: 'first' };
  const [one, two] = await Promise.all([o.page('/oauth/consent', form, { cookie }), o.page('/oauth/consent', form, { cookie })]);
  const [first, second] = one.status === 303 ? [one, two] : [two, one];
  expect([first.status, second.status]).toEqual([303, 409]);
  expect(second.text).toContain('Continue to');
  expect(second.text).not.toContain(String(getParameters(first).get('code')));
  expect((await o.a.s.events()).length).toBe(before + 1);
  const denied = await o.page('/oauth/consent', { request, decision: 'deny' }, { cookie });
  expect(denied.status).toBe(409);
  const again = await o.page(`/oauth/consent?request=${request}`, undefined, { cookie });
  expect(again.headers['location']).toBe(first.headers['location']);
  o.a.s.clock.advance(60);
  const late = await o.page(`/oauth/consent?request=${request}`, undefined, { cookie });
  expect([late.status, late.headers['location']]).toEqual([409, undefined]);
  expect(late.text).not.toContain('Continue to');
});

test('a request expires after its lifetime', async () => {
  await using o = await startOAuth();
  const app = await o.app();
  const request = requestIn(await o.authorize(app));
  const cookie = getCookie(await login(o, request));
  o.a.s.clock.advance(CONSENT_LIFETIME_MIN * 60);
  for (const reply of [
    await o.page('/oauth/consent', { request, decision: 'allow', tenant: 'first' }, { cookie }),
    await o.page(`/oauth/consent?request=${request}`, undefined, { cookie }),
    await o.page('/oauth/consent?request=req_unknown'),
    await o.page('/oauth/consent'),
  ]) {
    expect([reply.status, reply.headers['location']]).toEqual([410, undefined]);
    expect(reply.text).toContain('has expired');
  }
  const late = await o.a.post(`/admin/oauth/requests/${request}/approve?tenant=first`, {});
  expect([late.status, late.body.error.code]).toEqual([404, 'NOT_FOUND']);
  expect((await o.a.audit()).filter(({ action }) => action === 'integration.connected')).toHaveLength(1);
});

test('too many wrong login codes block the login of their request only', async () => {
  await using o = await startOAuth();
  const request = requestIn(await o.authorize(await o.app()));
  for (let at = 0; at < OAUTH_FAILURES_PER_MIN; at += 1) expect((await login(o, request, 'AAAA-AAAA')).status).toBe(403);
  const code = await loginCode(o);
  const over = await login(o, request, code);
  expect(over.status).toBe(429);
  expect(over.text).toContain('Too many failed attempts');
  const unaffected = requestIn(await o.authorize(await o.app()));
  expect((await login(o, unaffected)).status).toBe(303);
  o.a.s.clock.advance(60);
  expect((await login(o, request, code.toLowerCase().replace('-', ' '))).status).toBe(303);
  o.a.s.clock.advance(CONSENT_LIFETIME_MIN * 60);
  const later = requestIn(await o.authorize(await o.app()));
  expect((await login(o, later, code)).status).toBe(403);
});

test('the page offers a choice of the active organizations', async () => {
  await using o = await startOAuth();
  const app = await o.app();
  for (const name of ['Second', 'Closed']) await o.a.post('/admin/tenants', { name });
  await o.a.patch('/admin/tenants/closed', { isActive: false });
  const request = requestIn(await o.authorize(app));
  const cookie = getCookie(await login(o, request));
  const asked = await o.page(`/oauth/consent?request=${request}`, undefined, { cookie });
  const offered = [...asked.text.matchAll(/type="radio" name="tenant" value="([^"]+)"/gu)].map(([, slug]) => slug);
  expect(offered).toEqual(['first', 'second']);
  expect((await o.page('/oauth/consent', { request, decision: 'allow', tenant: 'closed' }, { cookie })).status).toBe(400);
  await o.page('/oauth/consent', { request, decision: 'allow', tenant: 'second' }, { cookie });
  const { installations } = (await o.a.get(`/admin/apps/${app.id}`)).body.data;
  expect(installations.map(({ tenant, status }: { tenant: string; status: string }) => `${tenant} ${status}`)).toEqual([
    'first active',
    'second active',
  ]);
});

test('after a decision in the terminal, the page redirects to the application', async () => {
  await using o = await startOAuth();
  const app = await o.app();
  const request = requestIn(await o.authorize(app, { scope: 'items:read' }));
  const waiting = (await o.a.get('/admin/oauth/requests')).body.data;
  expect(waiting).toEqual([
    {
      id: request,
      application: { id: app.id, name: 'Shop sync' },
      redirectHost: '127.0.0.1:4567',
      scopes: ['items:read'],
      createdAt: expect.any(String),
      expiresAt: expect.any(String),
    },
  ]);
  const { data } = (await o.a.post(`/admin/oauth/requests/${request}/approve?tenant=first`, {})).body;
  expect(data).toMatchObject({ id: request, tenant: 'first', redirectTo: expect.stringContaining('code=') });
  const page = await o.page(`/oauth/consent?request=${request}`);
  expect([page.status, page.headers['location']]).toEqual([303, data.redirectTo]);
  const twice = await o.a.post(`/admin/oauth/requests/${request}/approve?tenant=first`, {});
  expect([twice.status, twice.body.error.code]).toEqual([409, 'INVALID_STATE']);
  expect((await o.a.post(`/admin/oauth/requests/${request}/deny`, {})).status).toBe(409);
  expect((await o.a.post('/admin/oauth/requests/req_x/approve?tenant=first', {})).status).toBe(404);
  const denied = requestIn(await o.authorize(app));
  const answer = (await o.a.post(`/admin/oauth/requests/${denied}/deny`, {})).body.data;
  expect(answer).toMatchObject({ tenant: null, redirectTo: expect.stringContaining('error=access_denied') });
  expect((await o.a.get('/admin/oauth/requests')).body.data).toEqual([]);
});

const pendingIds = async (o: TestOAuth) => ((await o.a.get('/admin/oauth/requests')).body.data as { id: string }[]).map(({ id }) => id);

test('GET /oauth/authorize rejects requests of browsers that are not top-level navigations with 403', async () => {
  await using o = await startOAuth();
  const app = await o.app();
  const first = requestIn(await o.authorize(app));
  const navigation = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
  for (const headers of [
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'empty' },
    { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
    { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'same-origin', 'sec-fetch-dest': 'empty' },
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'object' },
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' },
    { 'sec-fetch-mode': 'no-cors' },
    { 'sec-fetch-dest': 'image' },
    { ...navigation, 'sec-purpose': 'prefetch' },
    { ...navigation, 'sec-purpose': 'prefetch;prerender' },
  ]) {
    const reply = await o.authorize(app, {}, headers);
    const name = JSON.stringify(headers);
    expect([name, reply.status, reply.headers['location']]).toEqual([name, 403, undefined]);
    expect(reply.text).not.toContain('<form');
    // Errors are not sent to the application either.
    expect((await o.authorize(app, { response_type: 'token' }, headers)).headers['location']).toBeUndefined();
  }
  expect(await pendingIds(o)).toEqual([first]);
  // Links of applications are navigations from other sites; `fetch` of Node.js sends the mode alone, and other programs send nothing.
  for (const headers of [navigation, { ...navigation, 'sec-fetch-site': 'none' }, { 'sec-fetch-mode': 'cors' }, {}]) {
    expect((await o.authorize(app, {}, headers)).status).toBe(200);
  }
  expect(await pendingIds(o)).toHaveLength(5);
});

test('an application above its maximum number of pending requests loses its own oldest one, and none with a login', async () => {
  await using o = await startOAuth();
  const [app, other] = [await o.app(), await o.app()];
  const theirs = requestIn(await o.authorize(other));
  const mine = requestIn(await o.authorize(app));
  const cookie = getCookie(await login(o, mine));
  const oldest = requestIn(await o.authorize(app));
  for (let at = 0; at < PENDING_CONSENTS_PER_APPLICATION_MAX - 2; at += 1) await o.authorize(app);
  expect(await pendingIds(o)).toHaveLength(PENDING_CONSENTS_PER_APPLICATION_MAX + 1);
  expect((await o.page(`/oauth/consent?request=${oldest}`)).status).toBe(200);
  await o.authorize(app);
  expect((await o.page(`/oauth/consent?request=${oldest}`)).status).toBe(410);
  for (let at = 0; at < PENDING_CONSENTS_PER_APPLICATION_MAX; at += 1) await o.authorize(app);
  const left = await pendingIds(o);
  expect(left.slice(0, 2)).toEqual([theirs, mine]);
  expect(left).toHaveLength(PENDING_CONSENTS_PER_APPLICATION_MAX + 1);
  expect((await o.page('/oauth/consent', { request: mine, decision: 'allow', tenant: 'first' }, { cookie })).status).toBe(303);
});

test('a request above the maximum number of all applications is sent back with temporarily_unavailable, until others are decided', async () => {
  await using o = await startOAuth();
  const ids: string[] = [];
  for (let at = 0; at < PENDING_CONSENTS_MAX / PENDING_CONSENTS_PER_APPLICATION_MAX; at += 1) {
    const app = await o.app();
    for (let each = 0; each < PENDING_CONSENTS_PER_APPLICATION_MAX; each += 1) ids.push(requestIn(await o.authorize(app)));
  }
  const late = await o.app();
  const rejected = await o.authorize(late);
  expect([rejected.status, getParameters(rejected).get('error')]).toEqual([302, 'temporarily_unavailable']);
  expect(await pendingIds(o)).toEqual(ids);
  await o.page('/oauth/consent', { request: ids[7] ?? '', decision: 'deny' });
  const accepted = requestIn(await o.authorize(late));
  expect(await pendingIds(o)).toEqual([...ids.filter((id) => id !== ids[7]), accepted]);
  o.a.s.clock.advance(CONSENT_LIFETIME_MIN * 60);
  expect((await o.authorize(late)).status).toBe(200);
});
