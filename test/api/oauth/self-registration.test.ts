/** Applications that register themselves (RFC 7591), up to the official MCP client that does. */
import {
  Client,
  type OAuthClientInformationMixed,
  type OAuthClientProvider,
  type OAuthTokens,
  StreamableHTTPClientTransport,
  auth,
} from '@modelcontextprotocol/client';
import { request } from 'undici';
import { expect, test } from 'vitest';
import { SELF_REGISTERED_MAX, SELF_REGISTRATION_LIFETIME_MIN } from '../../../src/contract/limits.ts';
import { SCOPES } from '../../../src/contract/scopes.ts';
import { type App, REDIRECT, type TestOAuth, getCookie, getParameters, pkce, requestIn, startOAuth } from '../../support/service/oauth.ts';
import { startService } from '../../support/service/service.ts';

async function register(base: string, metadata: unknown) {
  const reply = await request(`${base}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(metadata),
  });
  return { status: reply.statusCode, headers: reply.headers, body: (await reply.body.json()) as Record<string, unknown> };
}

const toApp = ({ body }: Awaited<ReturnType<typeof register>>): App => ({
  id: '',
  clientId: String(body['client_id']),
  clientSecret: null,
});

/** Allows the request of a page in the browser of the owner. */
async function allow(o: TestOAuth, path: string): Promise<URLSearchParams> {
  const id = requestIn(await o.page(path));
  const { code } = (await o.a.post('/admin/oauth/login', {})).body as { code: string };
  const cookie = getCookie(await o.page('/oauth/consent', { request: id, decision: 'login', code }));
  return getParameters(await o.page('/oauth/consent', { request: id, decision: 'allow', tenant: 'first' }, { cookie }));
}

test('a client registers, asks, and gets a key once the owner allows it', async () => {
  await using o = await startOAuth();
  const registered = await register(o.base, {
    client_name: 'Desk\u202e assistant',
    redirect_uris: [REDIRECT],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    scope: 'items:read orders:read openid',
    logo_uri: 'https://desk.example/logo.png',
  });
  expect([registered.status, registered.headers['cache-control']]).toEqual([201, 'no-store']);
  expect(registered.body).toMatchObject({
    client_name: 'Desk assistant',
    redirect_uris: [REDIRECT],
    grant_types: ['authorization_code'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    scope: 'items:read orders:read',
  });
  expect(registered.body).not.toHaveProperty('client_secret');
  const app = toApp(registered);
  const page = await o.authorize(app, { scope: 'items:read' });
  expect([page.status, page.text.includes('nobody has verified its name')]).toEqual([200, true]);
  const { verifier, challenge } = pkce();
  const code = String((await o.allow(app, { scope: 'items:read', code_challenge: challenge })).get('code'));
  const granted = await o.exchange(app, code, verifier);
  expect([granted.status, granted.body.scope]).toEqual([200, 'items:read']);
  expect((await o.a.s.get('/v1/items', { key: granted.body.access_token as string })).status).toBe(200);
  expect((await o.a.get('/admin/apps')).body.data).toMatchObject([{ name: 'Desk assistant', status: 'approved' }]);
  const audit = (await o.a.s.get('/v1/audit/events?since=2000-01-01T00:00:00Z')).body.data as { action: string }[];
  expect(audit.map(({ action }) => action)).toContain('application.approved');
  // It is known now.
  expect((await o.authorize(app)).text).not.toContain('nobody has verified');
});

test('an unapproved client expires after an hour, and at most 20 are kept', async () => {
  await using o = await startOAuth();
  const first = await register(o.base, { redirect_uris: [REDIRECT] });
  expect(first.body['scope']).toBe(SCOPES.join(' '));
  for (let count = 1; count < SELF_REGISTERED_MAX; count += 1)
    expect((await register(o.base, { redirect_uris: [REDIRECT] })).status).toBe(201);
  const refused = await register(o.base, { redirect_uris: [REDIRECT] });
  expect([refused.status, refused.body['error']]).toEqual([503, 'temporarily_unavailable']);
  o.a.s.clock.advance(SELF_REGISTRATION_LIFETIME_MIN * 60);
  expect((await o.authorize(toApp(first))).status).toBe(400);
  expect((await register(o.base, { redirect_uris: [REDIRECT] })).status).toBe(201);
  expect((await o.a.get('/admin/apps')).body.data).toHaveLength(1);
});

test.each([
  [{}, 'invalid_redirect_uri'],
  [{ redirect_uris: [] }, 'invalid_redirect_uri'],
  [{ redirect_uris: ['cursor://callback'] }, 'invalid_redirect_uri'],
  [{ redirect_uris: ['http://shop.example/callback'] }, 'invalid_redirect_uri'],
  [{ redirect_uris: [REDIRECT, 'https://*.example/callback'] }, 'invalid_redirect_uri'],
  [{ redirect_uris: [REDIRECT], client_name: '' }, 'invalid_client_metadata'],
  [{ redirect_uris: [REDIRECT], client_name: 'x'.repeat(500) }, 'invalid_client_metadata'],
  [{ redirect_uris: [REDIRECT], token_endpoint_auth_method: 'client_secret_basic' }, 'invalid_client_metadata'],
  [{ redirect_uris: [REDIRECT], grant_types: ['client_credentials'] }, 'invalid_client_metadata'],
  [{ redirect_uris: [REDIRECT], response_types: ['token'] }, 'invalid_client_metadata'],
  [{ redirect_uris: [REDIRECT], scope: 'openid profile' }, 'invalid_client_metadata'],
  [[], 'invalid_client_metadata'],
])('%j is rejected as %s, and nothing is registered', async (metadata, error) => {
  await using o = await startOAuth();
  const reply = await register(o.base, metadata);
  expect([reply.status, reply.body['error']]).toEqual([400, error]);
  expect((await o.a.get('/admin/apps')).body.data).toEqual([]);
});

test('a service with a public URL lets no client register itself', async () => {
  await using s = await startService({ publicUrl: 'https://stock.example' });
  expect((await register(s.url, { redirect_uris: [REDIRECT] })).status).toBe(404);
  const metadata = await s.get('/.well-known/oauth-authorization-server', { key: '' });
  expect(metadata.body).not.toHaveProperty('registration_endpoint');
});

test('the official MCP client registers itself, is allowed by the owner, and calls tools', async () => {
  await using o = await startOAuth();
  const saved: { information?: OAuthClientInformationMixed; tokens?: OAuthTokens; verifier?: string; asked?: URL } = {};
  const provider: OAuthClientProvider = {
    redirectUrl: REDIRECT,
    clientMetadata: { client_name: 'Official client', redirect_uris: [REDIRECT] },
    clientInformation: () => saved.information,
    saveClientInformation: (given) => void (saved.information = given),
    tokens: () => saved.tokens,
    saveTokens: (given) => void (saved.tokens = given),
    redirectToAuthorization: (url) => void (saved.asked = url),
    saveCodeVerifier: (given) => void (saved.verifier = given),
    codeVerifier: () => saved.verifier ?? '',
  };
  const serverUrl = `${o.base}/mcp`;
  expect(await auth(provider, { serverUrl })).toBe('REDIRECT');
  const answer = await allow(o, `${String(saved.asked?.pathname)}${String(saved.asked?.search)}`);
  expect(await auth(provider, { serverUrl, authorizationCode: String(answer.get('code')), iss: String(answer.get('iss')) })).toBe(
    'AUTHORIZED',
  );
  const client = new Client({ name: 'official', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(serverUrl), { authProvider: provider }));
  expect((await client.listTools()).tools).toHaveLength(12);
  expect((await client.callTool({ name: 'list_items', arguments: {} })).isError).not.toBe(true);
  await client.close();
});
