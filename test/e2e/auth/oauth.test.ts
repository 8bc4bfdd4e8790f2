/** OAuth flows against the built daemon: registration and consent with the CLI, the rest with an independent client library. */
import { lstatSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as oauth from 'oauth4webapi';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startReceiver } from '../../support/servers/webhook-receiver.ts';
import { type Shop, openShop } from '../../support/cli/running-daemon.ts';

const REDIRECT = 'http://127.0.0.1:4567/callback';
/** Plain http is for this machine only; the library requires explicit permission. */
const LOCAL = { [oauth.allowInsecureRequests]: true };

let shop: Shop;
let as: oauth.AuthorizationServer;
beforeAll(async () => {
  shop = await openShop([{ name: 'Bolt' }], ['--log-level', 'debug']);
  const issuer = new URL(shop.daemon.url ?? '');
  as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { ...LOCAL, algorithm: 'oauth2' }));
});
afterAll(() => shop[Symbol.asyncDispose]());

const json = async (...args: string[]) => {
  const { exit, body, stderr } = await shop.home.json(args);
  expect({ exit, stderr }, args.join(' ')).toMatchObject({ exit: 0 });
  return body;
};
const items = async (key: string) => (await shop.http('GET', '/v1/items', undefined, key)).status;

interface Registered {
  readonly id: string;
  readonly client: oauth.Client;
  readonly auth: oauth.ClientAuth;
  readonly secret: string | null;
}

async function register(type: 'confidential' | 'public', ...more: string[]): Promise<Registered> {
  const scopes = ['--scope', 'items:read', '--scope', 'orders:read'];
  const made = await json('apps', 'create', '--name', 'Shop sync', '--type', type, '--redirect-uri', REDIRECT, ...scopes, ...more);
  const { id, clientId } = made.data as { id: string; clientId: string };
  const secret = made.clientSecret as string | null;
  await json('apps', 'approve', id);
  return { id, client: { client_id: clientId }, auth: secret === null ? oauth.None() : oauth.ClientSecretBasic(secret), secret };
}

/** The page is asked for as a browser would; its request is answered in the terminal. Returns what comes back to the application. */
async function consent({ client }: Registered, verifier: string, more: Record<string, string> = {}) {
  const state = oauth.generateRandomState();
  const url = new URL(String(as.authorization_endpoint));
  const parameters = {
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: REDIRECT,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...more,
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  const page = await fetch(url);
  const request = /name="request" value="(req_[0-9a-f]+)"/u.exec(await page.text())?.[1];
  return { request: String(request), state };
}

test('an authorization code flow with PKCE works from discovery and terminal consent to replay, revocation and webhook', async () => {
  await using receiver = await startReceiver();
  await json('webhooks', 'create', '--name', 'Shop', '--target-url', receiver.url, '--event', 'integration.connected');
  for (const type of ['public', 'confidential'] as const) {
    const app = await register(type);
    const verifier = oauth.generateRandomCodeVerifier();
    const { request, state } = await consent(app, verifier, { scope: 'items:read', resource: as.issuer });
    expect((await json('oauth', 'requests')).data).toMatchObject([{ id: request, application: { name: 'Shop sync' } }]);
    const approved = await json('oauth', 'approve', request);
    const callback = oauth.validateAuthResponse(as, app.client, new URL(approved.data.redirectTo as string), state);
    const exchange = () => oauth.authorizationCodeGrantRequest(as, app.client, app.auth, callback, REDIRECT, verifier, LOCAL);
    const granted = await oauth.processAuthorizationCodeResponse(as, app.client, await exchange());
    expect(granted).toMatchObject({ token_type: 'bearer', scope: 'items:read', expires_in: 2_592_000 });
    const asked = await oauth.protectedResourceRequest(
      granted.access_token,
      'GET',
      new URL('/v1/items', as.issuer),
      undefined,
      null,
      LOCAL,
    );
    expect(((await asked.json()) as { data: { name: string }[] }).data.map(({ name }) => name)).toEqual(['Bolt']);
    expect((await shop.http('GET', '/v1/orders?module=sell', undefined, granted.access_token)).status).toBe(403);
    // The same code again takes the key back.
    const replay = oauth.processAuthorizationCodeResponse(as, app.client, await exchange());
    await expect(replay).rejects.toMatchObject({ error: 'invalid_grant', status: 400 });
    expect(await items(granted.access_token)).toBe(401);
    const refused = oauth.protectedResourceRequest(granted.access_token, 'GET', new URL('/v1/items', as.issuer), undefined, null, LOCAL);
    await expect(refused).rejects.toMatchObject({
      cause: [
        {
          scheme: 'bearer',
          parameters: { error: 'invalid_token', resource_metadata: `${as.issuer}/.well-known/oauth-protected-resource` },
        },
      ],
    });
  }
  // Each application was approved and connected, then allowed by consent.
  const bodies = (await receiver.count(4)).map(({ body }) => JSON.parse(body) as { event: string; data: Record<string, unknown> });
  expect(bodies[0]).toMatchObject({ event: 'integration.connected', data: { integration: { name: 'Shop sync' } } });
});

test('client credentials and revocation accept the secret in the header and in the body', async () => {
  const app = await register('confidential');
  for (const auth of [app.auth, oauth.ClientSecretPost(String(app.secret))]) {
    const reply = await oauth.clientCredentialsGrantRequest(as, app.client, auth, { scope: 'items:read' }, LOCAL);
    const { access_token: key, expires_in } = await oauth.processClientCredentialsResponse(as, app.client, reply);
    expect(expires_in).toBe(86_400);
    expect(await items(key)).toBe(200);
    await oauth.processRevocationResponse(await oauth.revocationRequest(as, app.client, auth, key, LOCAL));
    expect(await items(key)).toBe(401);
  }
  const wrong = await oauth.clientCredentialsGrantRequest(as, app.client, oauth.ClientSecretBasic('wrong'), {}, LOCAL);
  await expect(oauth.processClientCredentialsResponse(as, app.client, wrong)).rejects.toMatchObject({
    cause: [{ scheme: 'basic', parameters: { realm: 'stockroom' } }],
  });
});

test('the client library recognizes a denied request and one rejected for missing PKCE', async () => {
  const app = await register('public');
  const { request, state } = await consent(app, oauth.generateRandomCodeVerifier());
  const denied = await json('oauth', 'deny', request);
  const read = (address: string) => () => oauth.validateAuthResponse(as, app.client, new URL(address), state);
  expect(read(denied.data.redirectTo as string)).toThrow(expect.objectContaining({ error: 'access_denied' }));
  const bare = new URL(String(as.authorization_endpoint));
  const parameters = { response_type: 'code', client_id: app.client.client_id, redirect_uri: REDIRECT, state };
  for (const [name, value] of Object.entries(parameters)) bare.searchParams.set(name, value);
  const reply = await fetch(bare, { redirect: 'manual' });
  expect(read(String(reply.headers.get('location')))).toThrow(expect.objectContaining({ error: 'invalid_request' }));
});

test('the resource metadata names the authorization server', async () => {
  for (const path of ['', '/v1', '/mcp']) {
    const resource = new URL(as.issuer + path);
    const reply = await oauth.resourceDiscoveryRequest(resource, LOCAL);
    const found = await oauth.processResourceDiscoveryResponse(resource, reply);
    expect(found.authorization_servers).toEqual([as.issuer]);
  }
});

describe('the apps commands', () => {
  test('suspension, approval, disconnection and deletion affect a key from its next request', async () => {
    const app = await register('confidential');
    const issue = async () => {
      const reply = await oauth.clientCredentialsGrantRequest(as, app.client, app.auth, {}, LOCAL);
      return (await oauth.processClientCredentialsResponse(as, app.client, reply)).access_token;
    };
    const key = await issue();
    expect(await items(key)).toBe(200);
    expect((await json('apps', 'suspend', app.id)).data.status).toBe('suspended');
    expect(await items(key)).toBe(403);
    const context = await shop.home.run(['auth', 'context', '--json'], { env: { STOCKROOM_API_KEY: key } });
    expect([context.exit, JSON.parse(context.stdout).error.code]).toEqual([4, 'UNAUTHENTICATED']);
    await json('apps', 'approve', app.client.client_id);
    expect(await items(key)).toBe(200);
    await json('apps', 'update', app.id, '--scope', 'orders:read');
    expect(await items(key)).toBe(403);
    await json('apps', 'update', app.id, '--scope', 'items:read');
    expect(await items(key)).toBe(200);
    expect((await json('apps', 'disconnect', app.id)).data.installations).toMatchObject([{ status: 'revoked' }]);
    expect(await items(key)).toBe(403);
    const deleted = await shop.home.run(['apps', 'delete', app.id, '--yes']);
    expect(deleted.exit).toBe(0);
    expect(await items(key)).toBe(401);
    expect((await shop.home.run(['apps', 'get', app.id])).exit).toBe(3);
  });

  test('secrets are shown once, in every output format, and never in lists', async () => {
    const args = ['apps', 'create', '--name', 'Once', '--type', 'confidential', '--scope', 'items:read'];
    const shown = await shop.home.run(args);
    const secret = /cs_[0-9A-Za-z]{43}/u.exec(shown.stdout)?.[0];
    expect(secret).toBeDefined();
    const listed = await shop.home.run(['apps', 'list']);
    expect(listed.stdout).toContain('Once');
    expect(listed.stdout).not.toContain('cs_');
    const id = (await json('apps', 'list', '--search', 'Once')).data[0].id as string;
    expect((await shop.home.run(['apps', 'get', id, '-o', 'yaml'])).stdout).not.toContain('cs_');
    const rotated = await json('apps', 'rotate-secret', id);
    expect(rotated.clientSecret).toMatch(/^cs_/u);
    expect(rotated.clientSecret).not.toBe(secret);
    const open = await json('apps', 'create', '--name', 'Open', '--type', 'public', '--redirect-uri', REDIRECT, '--scope', 'items:read');
    expect(open.clientSecret).toBeNull();
    expect((await shop.home.run(['apps', 'rotate-secret', open.data.id as string])).exit).toBe(5);
  });

  test('invalid input is rejected with the flag and its valid values', async () => {
    const create = ['apps', 'create', '--name', 'X', '--type', 'public', '--scope', 'items:read'];
    for (const [args, message] of [
      [create, 'redirect'],
      [[...create, '--redirect-uri', 'http://shop.example/'], 'https'],
      [[...create, '--redirect-uri', 'https://shop.example/#x'], 'fragment'],
      [[...create, '--redirect-uri', REDIRECT, '--grant-type', 'client_credentials'], 'client_credentials'],
      [['apps', 'create', '--name', 'X', '--type', 'public', '--redirect-uri', REDIRECT], 'scope'],
      [['apps', 'create', '--name', 'X', '--type', 'secret', '--scope', 'items:read'], 'confidential'],
      [['oauth', 'approve'], 'oauth requests'],
    ] as const) {
      const ran = await shop.home.run(args);
      expect([args.join(' '), ran.exit, ran.stdout]).toEqual([args.join(' '), 2, '']);
      expect(ran.stderr).toContain(message);
      expect(ran.stderr).not.toMatch(/\n\s+at /u);
    }
    expect((await shop.home.run(['oauth', 'approve', 'req_nobody'])).exit).toBe(3);
    expect((await shop.home.run(['apps', 'approve', 'app_nobody'])).exit).toBe(3);
  });
});

test('log and data directory contain no secret, code or key', async () => {
  const app = await register('confidential');
  const verifier = oauth.generateRandomCodeVerifier();
  const { request, state } = await consent(app, verifier);
  const { data } = await json('oauth', 'approve', request);
  const callback = oauth.validateAuthResponse(as, app.client, new URL(data.redirectTo as string), state);
  const reply = await oauth.authorizationCodeGrantRequest(as, app.client, app.auth, callback, REDIRECT, verifier, LOCAL);
  const { access_token: key } = await oauth.processAuthorizationCodeResponse(as, app.client, reply);
  const login = (await json('oauth', 'login')).code as string;
  const files = readdirSync(shop.home.directory, { recursive: true, encoding: 'utf8' })
    .map((name) => join(shop.home.directory, name))
    .filter((path) => lstatSync(path).isFile());
  expect(files.some((path) => path.endsWith('daemon.log'))).toBe(true);
  for (const secret of [String(app.secret), String(callback.get('code')), key.slice(16), verifier, login]) {
    expect(files.filter((path) => readFileSync(path).includes(secret))).toEqual([]);
  }
});
