/** Applications whose `client_id` is the URL of a document. Connections go to a server of the test instead of through TLS. */
import { connect } from 'node:net';
import type { buildConnector } from 'undici';
import { expect, test } from 'vitest';
import { CLIENT_DOCUMENT_MAX_BYTES } from '../../../src/contract/limits.ts';
import { type App, REDIRECT, type TestOAuth, pkce, requestIn, startOAuth } from '../../support/service/oauth.ts';
import { type Received, startReceiver } from '../../support/servers/webhook-receiver.ts';

const URL_OF_CLIENT = 'https://desk.example/client.json';
const APP: App = { id: '', clientId: URL_OF_CLIENT, clientSecret: null };
const CUT_OFF = Symbol('cut off');
const DOCUMENT = { client_id: URL_OF_CLIENT, client_name: 'Desk assistant', redirect_uris: [REDIRECT], scope: 'items:read' };

interface Host extends AsyncDisposable {
  readonly o: TestOAuth;
  /** What the server answers. */
  document: unknown;
  status: number;
  type: string;
  readonly requests: readonly Received[];
}

/** A service, and a server that is https://desk.example. `address`: what its name resolves to. */
async function startHost(address = '93.184.216.34'): Promise<Host> {
  const stack = new AsyncDisposableStack();
  const server = stack.use(
    await startReceiver((response) => {
      const { document, status, type } = host;
      response.writeHead(status, { 'content-type': type, location: '/other' });
      if (document === CUT_OFF) response.write('{', () => response.destroy());
      else response.end(typeof document === 'string' ? document : JSON.stringify(document));
    }),
  );
  const createConnector = (() => (_options, callback) => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.once('connect', () => callback(null, socket));
    socket.once('error', (error) => callback(error, null));
  }) as typeof buildConnector;
  const resolve = () => Promise.resolve([{ address, family: 4 }]);
  const o = stack.use(await startOAuth({ service: { resolve, createConnector } }));
  const host: Host = {
    o,
    document: DOCUMENT,
    status: 200,
    type: 'application/json; charset=utf-8',
    requests: server.received,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
  return host;
}

test('a client with a document asks, its page shows who describes it, and the owner allows it', async () => {
  await using host = await startHost();
  const { o } = host;
  const page = await o.authorize(APP);
  expect(page.status).toBe(200);
  for (const text of ['Desk assistant', 'desk.example', 'nobody has verified its name']) expect(page.text).toContain(text);
  const { verifier, challenge } = pkce();
  const code = String((await o.allow(APP, { code_challenge: challenge })).get('code'));
  const granted = await o.exchange(APP, code, verifier);
  expect([granted.status, granted.body.scope]).toEqual([200, 'items:read']);
  expect((await o.a.get('/admin/apps')).body.data).toMatchObject([{ clientId: URL_OF_CLIENT, name: 'Desk assistant', status: 'approved' }]);
  expect(host.requests.map(({ path }) => path)).toEqual(['/client.json']);
  const metadata = JSON.parse((await o.page('/.well-known/oauth-authorization-server')).text) as Record<string, unknown>;
  expect(metadata['client_id_metadata_document_supported']).toBe(true);
});

test.each<[string, (host: Host) => void, string]>([
  [
    'names another client',
    (host) => (host.document = { ...DOCUMENT, client_id: 'https://other.example/client.json' }),
    'does not have its URL',
  ],
  ['is not there', (host) => (host.status = 404), 'it answered 404'],
  ['redirects', (host) => (host.status = 302), 'it answered 302'],
  ['is a page', (host) => (host.type = 'text/html'), 'is not JSON'],
  ['is broken', (host) => (host.document = '{"client_id":'), 'is not JSON'],
  ['is too large', (host) => (host.document = { ...DOCUMENT, more: 'x'.repeat(CLIENT_DOCUMENT_MAX_BYTES) }), 'is larger than'],
  ['is cut off', (host) => (host.document = CUT_OFF), 'its end did not arrive'],
  ['wants a secret', (host) => (host.document = { ...DOCUMENT, token_endpoint_auth_method: 'client_secret_basic' }), 'have no secret'],
  ['has no redirect URI', (host) => (host.document = { ...DOCUMENT, redirect_uris: [] }), 'redirect_uris must have'],
])('a document that %s connects nothing, and the page says why', async (_what, change, problem) => {
  await using host = await startHost();
  change(host);
  const page = await host.o.authorize(APP);
  expect(page.status).toBe(400);
  expect(page.text).toContain(problem);
  expect((await host.o.a.get('/admin/apps')).body.data).toEqual([]);
});

test.each(['10.0.0.7', '169.254.169.254'])('a document at %s is not read', async (address) => {
  await using host = await startHost(address);
  expect((await host.o.authorize(APP)).text).toContain('cannot be read');
  expect(host.requests).toEqual([]);
});

test.each([
  'http://desk.example/client.json',
  'https://desk.example/',
  'https://desk.example/a/../b',
  'https://u:p@desk.example/c',
  'https://desk.example/c#d',
])('the client_id %s names no document', async (clientId) => {
  await using host = await startHost();
  expect((await host.o.authorize({ ...APP, clientId })).text).toContain('does not belong to a registered application');
  expect(host.requests).toEqual([]);
});

test('a suspended application stays suspended, whatever its document says', async () => {
  await using host = await startHost();
  const { o } = host;
  await o.allow(APP);
  const [{ id }] = (await o.a.get('/admin/apps')).body.data as [{ id: string }];
  await o.a.post(`/admin/apps/${id}/suspend?tenant=first`, {});
  const reply = await o.authorize(APP);
  expect(String(reply.headers['location'])).toContain('unauthorized_client');
});

test('what a document changes is in the audit trail of every connected tenant', async () => {
  await using host = await startHost();
  const { a, allow, authorize } = host.o;
  const { id: second } = (await a.post('/admin/tenants', { name: 'Second' })).body.data as { id: string };
  const { id: third } = (await a.post('/admin/tenants', { name: 'Third' })).body.data as { id: string };
  await allow(APP);
  const [{ id }] = (await a.get('/admin/apps')).body.data as [{ id: string }];
  await a.post(`/admin/apps/${id}/approve?tenant=second`, {});
  a.s.clock.advance(600_000);
  host.document = { ...DOCUMENT, client_name: 'Desk 2' };
  expect((await authorize(APP)).text).toContain('Desk 2');
  a.s.clock.advance(600_000);
  await authorize(APP);
  expect(host.requests).toHaveLength(3);
  const changed = async (tenantId: string) => (await a.audit(tenantId)).filter(({ action }) => action === 'application.updated');
  for (const tenantId of [a.s.tenant.id, second])
    expect(await changed(tenantId)).toMatchObject([
      { resourceId: id, actorType: 'system', metadata: { name: 'Desk 2', changes: { name: { from: 'Desk assistant', to: 'Desk 2' } } } },
    ]);
  expect(await changed(third)).toEqual([]);
});

test('a document is read once in ten minutes, and a known client connects while it cannot be read', async () => {
  await using host = await startHost();
  const { o } = host;
  expect(requestIn(await o.authorize(APP))).not.toBe(requestIn(await o.authorize(APP)));
  expect(host.requests).toHaveLength(1);
  await o.allow(APP);
  o.a.s.clock.advance(600_000);
  host.document = { ...DOCUMENT, client_name: 'Desk 2' };
  expect((await o.authorize(APP)).text).toContain('Desk 2');
  expect(host.requests).toHaveLength(2);
  o.a.s.clock.advance(600_000);
  host.status = 500;
  expect((await o.authorize(APP)).text).toContain('Desk 2');
  expect(host.requests).toHaveLength(3);
});
