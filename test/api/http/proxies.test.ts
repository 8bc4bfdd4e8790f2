/** A service behind a proxy or load balancer: its public URL, and the X-Forwarded headers of trusted proxies. */
import { request as sendRequest } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ADDRESS_REQUESTS_PER_MIN } from '../../../src/contract/limits.ts';
import { createApiServer } from '../../../src/http/server.ts';
import { getCookie, requestIn, startOAuth } from '../../support/service/oauth.ts';
import { type TestService, getCode, startService } from '../../support/service/service.ts';

const PUBLIC = 'https://stock.example';
const CLIENT = '203.0.113.9';

describe('with a public URL', () => {
  let s: TestService;
  beforeAll(async () => {
    s = await startService({ publicUrl: PUBLIC });
  });
  afterAll(() => s[Symbol.asyncDispose]());

  test('documents, challenges and pages name it, whichever host a request names', async () => {
    for (const host of ['stock.example', new URL(s.url).host]) {
      const headers = { host };
      const server = (await s.get('/.well-known/oauth-authorization-server', { key: '', headers })).body;
      expect([server.issuer, server.token_endpoint]).toEqual([PUBLIC, `${PUBLIC}/oauth/token`]);
      const resource = (await s.get('/.well-known/oauth-protected-resource/mcp', { key: '', headers })).body;
      expect([resource.resource, resource.authorization_servers]).toEqual([`${PUBLIC}/mcp`, [PUBLIC]]);
      const refused = await s.get('/v1', { key: '', headers });
      expect(refused.headers['www-authenticate']).toContain(`resource_metadata="${PUBLIC}/.well-known/oauth-protected-resource"`);
      expect((await s.get('/openapi.json', { key: '', headers })).body.servers).toEqual([{ url: PUBLIC }]);
    }
  });

  test('its host is accepted on a loopback address, and no other name', async () => {
    for (const host of ['stock.example', 'STOCK.example', 'stock.example:443', 'localhost:1', '127.0.0.1'])
      expect([host, (await s.get('/v1', { headers: { host } })).status]).toEqual([host, 200]);
    for (const host of ['stock.example:8443', 'stock.example.evil.example', 'other.example', 'stock.example/x']) {
      const reply = await s.get('/v1', { headers: { host } });
      expect([host, reply.status, reply.body.error.message]).toEqual([
        host,
        403,
        `Invalid Host header "${host}". Use stock.example, 127.0.0.1 or localhost.`,
      ]);
    }
  });

  test('its origin is accepted for the API and MCP, also if a proxy replaces the host, and no other origin', async () => {
    const send = async (origin: string) => [
      (await s.get('/v1', { headers: { origin } })).status,
      (await s.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' }, { headers: { origin } })).status,
    ];
    expect(await send(PUBLIC)).toEqual([200, 200]);
    for (const origin of ['http://stock.example', 'https://stock.example:8443', 'https://evil.example', 'null'])
      expect([origin, await send(origin)]).toEqual([origin, [403, 403]]);
  });

  test('X-Forwarded headers change nothing without trusted proxies', async () => {
    const headers = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http', 'x-forwarded-for': CLIENT };
    expect((await s.get('/v1', { headers })).status).toBe(200);
    expect((await s.get('/.well-known/oauth-authorization-server', { key: '', headers })).body.issuer).toBe(PUBLIC);
  });
});

test.each(['0.0.0.0', '::'])(
  'a server on %s without a public URL rejects names of the public DNS and Host headers that are none',
  async (host) => {
    await using s = await startService();
    const server = createApiServer(s.service, { host, port: 0 });
    await server.start();
    const ask = async (name: string) => {
      const { statusCode, body } = await sendRequest(`http://127.0.0.1:${String(server.info.port)}/`, {
        headers: { host: name, accept: 'text/html' },
      });
      return { status: statusCode, text: await body.text() };
    };
    for (const name of [
      '127.0.0.1',
      '192.168.1.5:8625',
      '[fd00::1]:8625',
      '[::ffff:192.168.1.5]:8625',
      'localhost:1',
      'app.localhost',
      'stockroom',
      'stockroom:8625',
    ])
      expect([name, (await ask(name)).status]).toEqual([name, 200]);
    const rejected = async (name: string, message: string) => {
      const { status, text } = await ask(name);
      expect([name, status]).toEqual([name, 403]);
      expect(text).toContain('ORIGIN_NOT_ALLOWED');
      expect(text).toContain(message);
    };
    for (const name of ['evil.example', 'evil.example:28004', 'evil.example.'])
      await rejected(name, 'Use an address, or start the daemon with --public-url for names with a dot.');
    for (const name of ['a", evil="b', 'a/b', 'a b'])
      await rejected(name, 'Invalid Host header. Use a host name or an address, with an optional port.');
    await server.stop({ timeout: 0 });
  },
);

test('a server beyond loopback with a public URL accepts other names, but no Host header that is none', async () => {
  await using s = await startService();
  const server = createApiServer(s.service, { host: '0.0.0.0', port: 0, publicUrl: PUBLIC });
  await server.start();
  const ask = async (name: string) => {
    const { statusCode, headers, body } = await sendRequest(`http://127.0.0.1:${String(server.info.port)}/v1/items`, {
      headers: { host: name },
    });
    await body.dump();
    return [statusCode, String(headers['www-authenticate']).includes('evil="b')];
  };
  expect(await ask('stockroom.default.svc.cluster.local')).toEqual([401, false]);
  expect(await ask('a", evil="b')).toEqual([403, false]);
  await server.stop({ timeout: 0 });
});

test('a consent with an https public URL sets a cookie for https only, and its forms come from that URL', async () => {
  await using o = await startOAuth({ service: { publicUrl: PUBLIC } });
  const app = await o.app();
  const request = requestIn(await o.authorize(app));
  const { code } = (await o.a.post('/admin/oauth/login', {})).body as { code: string };
  expect((await o.page('/oauth/consent', { request, decision: 'login', code })).status).toBe(403);
  const proven = await o.page('/oauth/consent', { request, decision: 'login', code }, { origin: PUBLIC });
  expect(proven.headers['set-cookie']).toMatch(/; Max-Age=600; Secure$/u);
  const cookie = getCookie(proven);
  const allowed = await o.page('/oauth/consent', { request, decision: 'allow', tenant: 'first' }, { origin: PUBLIC, cookie });
  const location = new URL(String(allowed.headers['location']));
  expect([location.searchParams.get('iss'), location.searchParams.has('code')]).toEqual([PUBLIC, true]);
});

/** The address in the audit row of a change. */
async function getAuditedAddress(s: TestService, headers: Record<string, string>): Promise<string | null> {
  const { id } = (await s.post('/v1/items', { name: 'Bolt' }, { headers })).body.data as { id: string };
  const { rows } = await s.service.store.read(s.tenant.id, (tx) => tx.auditEvents.listAfter({ limit: 1_000 }));
  return rows.find(({ resourceId }) => resourceId === id)!.ipAddress;
}

/** The first of as many requests without a key as one address may send, and the next one, each with its own X-Forwarded-For. */
async function exceedLimit(s: TestService): Promise<number[]> {
  const send = async (at: number) =>
    (await s.get('/v1', { key: '', headers: { 'x-forwarded-for': `203.0.113.${String(at % 250)}` } })).status;
  const first = await send(0);
  const { addressRequests, clock } = s.service;
  for (let at = 1; at < ADDRESS_REQUESTS_PER_MIN; at += 1) addressRequests.consume('127.0.0.1', clock.now());
  return [first, await send(1)];
}

describe('without trusted proxies', () => {
  test('X-Forwarded headers change neither audited address, nor limit, nor host', async () => {
    await using s = await startService();
    expect(await getAuditedAddress(s, { 'x-forwarded-for': CLIENT })).toBe('127.0.0.1');
    const { host } = new URL(s.url);
    const headers = { 'x-forwarded-host': 'localhost', 'x-forwarded-proto': 'https' };
    expect((await s.get('/.well-known/oauth-authorization-server', { key: '', headers })).body.issuer).toBe(`http://${host}`);
    expect((await s.get('/v1', { headers: { host: 'evil.example', 'x-forwarded-host': host } })).status).toBe(403);
    expect((await s.get('/v1', { headers: { origin: 'https://evil.example', 'x-forwarded-host': 'evil.example' } })).status).toBe(403);
    expect(await exceedLimit(s)).toEqual([401, 429]);
  });

  test('neither do they if the proxy is in another range', async () => {
    await using s = await startService({ trustProxy: ['10.0.0.0/8', '::1/128'] });
    expect(await getAuditedAddress(s, { 'x-forwarded-for': CLIENT })).toBe('127.0.0.1');
    expect(await exceedLimit(s)).toEqual([401, 429]);
  });
});

describe('with trusted proxies', () => {
  let s: TestService;
  beforeAll(async () => {
    s = await startService({ trustProxy: ['127.0.0.0/8'] });
  });
  afterAll(() => s[Symbol.asyncDispose]());

  test('audit rows have the address of the client, also those of tool calls', async () => {
    expect(await getAuditedAddress(s, { 'x-forwarded-for': `198.51.100.1, ${CLIENT}` })).toBe(CLIENT);
    expect(await getAuditedAddress(s, {})).toBe('127.0.0.1');
    const endpoint = {
      name: 'Shop',
      target_url: 'https://shop.example/',
      subscribed_events: ['order.created'],
      confirm: true,
      idempotency_key: 'through-a-proxy',
    };
    const params = { name: 'create_webhook', arguments: endpoint };
    const headers = { 'x-forwarded-for': CLIENT, accept: 'application/json, text/event-stream' };
    const reply = await s.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, { headers });
    expect(reply.body.result.isError ?? false).toBe(false);
    const { rows } = await s.service.store.read(s.tenant.id, (tx) => tx.auditEvents.listAfter({ limit: 1_000 }));
    expect(rows.at(-1)).toMatchObject({ resourceType: 'webhook', ipAddress: CLIENT });
  });

  test('requests without a key are limited for each client', async () => {
    const { addressRequests, clock } = s.service;
    for (let at = 0; at < ADDRESS_REQUESTS_PER_MIN; at += 1) addressRequests.consume(CLIENT, clock.now());
    const send = async (client: string) => (await s.get('/v1', { key: '', headers: { 'x-forwarded-for': client } })).status;
    expect([await send(CLIENT), await send(`${CLIENT}:4711`), await send('203.0.113.10')]).toEqual([429, 429, 401]);
  });

  test('the forwarded host and protocol are those of the base URL, and the host is checked instead of that of the proxy', async () => {
    const headers = { host: 'internal', 'x-forwarded-host': 'localhost:8443', 'x-forwarded-proto': 'https' };
    expect((await s.get('/.well-known/oauth-authorization-server', { key: '', headers })).body.issuer).toBe('https://localhost:8443');
    expect((await s.get('/v1', { headers: { ...headers, origin: 'https://localhost:8443' } })).status).toBe(200);
    expect((await s.get('/v1', { headers: { ...headers, origin: 'https://internal' } })).status).toBe(403);
    const evil = await s.get('/v1', { headers: { 'x-forwarded-host': 'evil.example' } });
    expect([getCode(evil), evil.body.error.message]).toEqual([
      'ORIGIN_NOT_ALLOWED',
      'Invalid Host header "evil.example". Use 127.0.0.1 or localhost.',
    ]);
  });

  test('malformed headers are ignored', async () => {
    const headers = { 'x-forwarded-host': 'evil.example"', 'x-forwarded-proto': 'gopher', 'x-forwarded-for': 'unknown' };
    expect((await s.get('/.well-known/oauth-authorization-server', { key: '', headers })).body.issuer).toBe(s.url);
    expect(await getAuditedAddress(s, headers)).toBe('127.0.0.1');
  });
});
