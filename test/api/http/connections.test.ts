/** Connections and requests of clients without a key: how many, how long, and with which headers. */
import { once } from 'node:events';
import { type Socket, connect } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ADDRESS_REQUESTS_PER_MIN, CONNECTIONS_MAX, RATE_WINDOW_S } from '../../../src/contract/limits.ts';
import { createApiServer } from '../../../src/http/server.ts';
import { sendBytes } from '../../support/service/raw-http.ts';
import { type Reply, type TestService, startService } from '../../support/service/service.ts';

/** Longer than all timeouts, and the second that Node adds. */
const PAUSE_MS = 1_400;

let s: TestService;
beforeAll(async () => {
  s = await startService({ timeouts: { requestHeaderMs: 300 } });
});
afterAll(() => s[Symbol.asyncDispose]());

const getHost = () => new URL(s.url).host;

describe('headers', () => {
  test('a request with two Host headers returns 400', async () => {
    for (const second of [getHost(), 'attacker.example']) {
      for (const path of ['/v1', '/healthz', '/docs']) {
        const reply = await sendBytes(s.url, `GET ${path} HTTP/1.1\r\nHost: ${getHost()}\r\nhOST: ${second}\r\nConnection: close\r\n\r\n`);
        expect(reply, path).toMatch(/^HTTP\/1\.1 400 /u);
        expect(reply, path).toContain('"path":"/host"');
      }
    }
  });
  test('a URL or headers of more than 16 KiB return 400 with the error envelope', async () => {
    const long = 'a'.repeat(17 * 1024);
    for (const head of [`GET /v1/items?search=${long} HTTP/1.1`, `GET /v1/items HTTP/1.1\r\nX-Long: ${long}`]) {
      const reply = await sendBytes(s.url, `${head}\r\nHost: ${getHost()}\r\n\r\n`);
      const [headers = '', body = ''] = reply.split('\r\n\r\n');
      expect(headers).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n[^]*^Connection: close\r$/mu);
      const { error } = JSON.parse(body) as { error: { code: string; message: string; requestId: string } };
      expect(error).toMatchObject({ code: 'VALIDATION_FAILED', message: expect.stringContaining('16 KiB') });
      expect(headers).toContain(error.requestId);
    }
  });

  test('every response forbids the guessing of its media type', async () => {
    const item = (await s.post('/v1/items', { name: 'Bolt' })).body.data as { id: string };
    const replies: Record<string, { readonly headers: Readonly<Record<string, unknown>> }> = {
      read: await s.get('/v1/items'),
      create: await s.post('/v1/items', { name: 'Nut' }),
      delete: await s.delete(`/v1/items/${item.id}`),
      invalid: await s.post('/v1/items', {}),
      malformed: await s.post('/v1/items', '{'),
      unauthenticated: await s.get('/v1/items', { key: '' }),
      absent: await s.get('/nothing', { key: '' }),
      health: await s.get('/healthz', { key: '' }),
      document: await s.get('/openapi.json', { key: '' }),
      metadata: await s.get('/.well-known/oauth-authorization-server', { key: '' }),
      token: await s.post('/oauth/token', '', { key: '' }),
      tools: await listTools(),
    };
    for (const path of ['/docs', '/oauth/authorize']) {
      const { headers } = await fetch(`${s.url}${path}`);
      replies[path] = { headers: Object.fromEntries(headers) };
    }
    for (const [name, { headers }] of Object.entries(replies)) expect([name, headers['x-content-type-options']]).toEqual([name, 'nosniff']);
  });
});

const JSON_RPC = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' };
const sendMessage = (method: string, params: object): Promise<Reply> =>
  s.call('POST', '/mcp', { headers: JSON_RPC, body: { jsonrpc: '2.0', id: 1, method, params } });
const listTools = () => sendMessage('tools/list', {});

describe('requests without a valid key', () => {
  const callTool = (name: string) => sendMessage('tools/call', { name, arguments: {} });
  const kinds: Record<string, () => Promise<Reply>> = {
    'a missing key': () => s.get('/v1/items', { key: '' }),
    'an unknown key': () => s.get('/v1/items', { key: 'pk_test_unknown' }),
    'an unknown key for tools': () => s.call('POST', '/mcp', { key: 'pk_test_unknown', body: {} }),
    'a published document': () => s.get('/webhooks.openapi.json', { key: '' }),
    'an unknown path': () => s.get('/nothing', { key: '' }),
    'a list of tools': listTools,
    'an unknown tool': () => callTool('nothing'),
  };
  test('count by address together, and are limited per minute', async () => {
    s.clock.advance(RATE_WINDOW_S);
    const expected: Record<string, number> = {};
    for (const [kind, send] of Object.entries(kinds)) expect([kind, (expected[kind] = (await send()).status)]).not.toEqual([kind, 429]);
    const rest = ADDRESS_REQUESTS_PER_MIN - Object.keys(kinds).length;
    const statuses: number[] = [];
    while (statuses.length < rest) {
      // Each takes a connection.
      const send = () => fetch(`${s.url}/v1`).then(({ status }) => status);
      statuses.push(...(await Promise.all(Array.from({ length: Math.min(50, rest - statuses.length) }, send))));
    }
    expect(new Set(statuses)).toEqual(new Set([401]));
    for (const [kind, send] of Object.entries(kinds)) {
      const { status, headers, body } = await send();
      expect([kind, status, body.error.code, body.error.message]).toEqual([
        kind,
        429,
        'RATE_LIMITED',
        `Rate limit of ${String(ADDRESS_REQUESTS_PER_MIN)} requests per minute and address without a valid API key exceeded. Retry in ${String(headers['retry-after'])} s.`,
      ]);
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
      expect(Number(headers['retry-after'])).toBeLessThanOrEqual(RATE_WINDOW_S);
    }
    // Health checks and requests with a key are not affected.
    expect((await s.get('/healthz', { key: '' })).status).toBe(200);
    expect((await s.get('/v1/items')).status).toBe(200);
    expect((await callTool('list_items')).status).toBe(200);
    s.clock.advance(RATE_WINDOW_S);
    for (const [kind, send] of Object.entries(kinds)) expect([kind, (await send()).status]).toEqual([kind, expected[kind]]);
  });
});

describe('connections', () => {
  test('requests that arrived while the process was paused are answered, although their timeouts have expired', async () => {
    await using paused = await startService({ timeouts: { requestHeaderMs: 200, requestBodyMs: 200, idleConnectionMs: 200 } });
    const { hostname, host, port } = new URL(paused.url);
    const open = async (): Promise<Socket> => {
      const socket = connect(Number(port), hostname).setEncoding('utf8');
      await once(socket, 'connect');
      return socket;
    };
    // Answered in a later turn of the event loop than it arrives.
    const get = `GET /v1/items HTTP/1.1\r\nHost: ${host}\r\nX-API-Key: ${paused.key}\r\n\r\n`;
    const body = JSON.stringify({ name: 'Bolt' });
    const head = [
      'POST /v1/items HTTP/1.1',
      `Host: ${host}`,
      `X-API-Key: ${paused.key}`,
      'Content-Type: application/json',
      'Idempotency-Key: paused',
      `Content-Length: ${String(body.length)}`,
    ];
    const [idle, silent, partial, receiving] = [await open(), await open(), await open(), await open()] as const;
    idle.write(get);
    await once(idle, 'data');
    partial.write(get.slice(0, 20));
    receiving.write(`${head.join('\r\n')}\r\nExpect: 100-continue\r\n\r\n`);
    await once(receiving, 'data');
    // The bytes are sent immediately, and read after the pause.
    idle.write(get);
    silent.write(get);
    partial.write(get.slice(20));
    receiving.write(body);
    const replies = [idle, silent, partial, receiving].map(async (socket) => String((await once(socket, 'data'))[0]).split(' ', 2)[1]);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    expect(await Promise.all(replies)).toEqual(['200', '200', '200', '201']);
    for (const socket of [idle, silent, partial, receiving]) socket.destroy();
  });
  test('a connection without a complete header is closed with 408', async () => {
    for (const bytes of ['', 'GET /v1 HTTP/1.1\r\n', `GET /healthz HTTP/1.1\r\nHost: ${getHost()}\r\nX-Slow: `])
      expect([bytes, await sendBytes(s.url, bytes)]).toEqual([bytes, expect.stringMatching(/^HTTP\/1\.1 408 [^]*connection: close/iu)]);
  });
  test('requests on more connections than the limit return 503 and close their connection', async () => {
    await using other = await startService();
    const server = createApiServer(other.service, { host: '127.0.0.1', port: 0 });
    await server.start();
    const { uri, host, port } = server.info;
    const sockets = Array.from({ length: CONNECTIONS_MAX }, () => connect(port as number, host));
    // The kernel reports a connection to the client before the server accepts it, possibly after a later one.
    const countAccepted = () => promisify(server.listener.getConnections.bind(server.listener))();
    await expect.poll(countAccepted).toBe(CONNECTIONS_MAX);
    const get = `GET /openapi.json HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
    const body = `{"name":"${'x'.repeat(300_000)}"}`;
    const post = `POST /v1/items HTTP/1.1\r\nHost: ${host}\r\nContent-Length: ${String(body.length)}\r\n\r\n${body}`;
    for (const bytes of [get, post]) {
      const reply = await sendBytes(uri, bytes);
      expect(reply).toMatch(/^HTTP\/1\.1 503 [^]*connection: close/iu);
      expect(reply).toMatch(/retry-after: \d/iu);
      expect(reply).toContain('"code":"UNAVAILABLE"');
    }
    // Health checks are answered, so that the daemon is not restarted.
    for (const path of ['/healthz', '/readyz'])
      expect(await sendBytes(uri, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)).toMatch(
        /"status":"(?:ok|not ready)"/u,
      );
    // The others are served, and a free connection is used again.
    const [first, second] = sockets as [Socket, Socket];
    first.write(get);
    expect(String((await once(first, 'data'))[0])).toMatch(/^HTTP\/1\.1 200 /u);
    second.destroy();
    await expect.poll(async () => sendBytes(uri, get.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))).toMatch(/^HTTP\/1\.1 200 /u);
    for (const socket of sockets) socket.destroy();
    await server.stop({ timeout: 0 });
  });
  test('one address gets at most its part of the connections; others, proxies and health checks are served', async () => {
    const start = async (isProxy?: (address: string) => boolean) => {
      const connections = { max: 8, excess: 8, addressFraction: 1 / 4, ...(isProxy && { isProxy }) };
      const server = createApiServer(s.service, { host: '127.0.0.1', port: 0, connections });
      await server.start();
      return server;
    };
    const server = await start();
    const open = async (localAddress: string, { info } = server): Promise<Socket> => {
      const socket = connect({ port: info.port as number, host: '127.0.0.1', localAddress });
      await once(socket, 'connect');
      return socket;
    };
    const ask = async (socket: Socket, path: string): Promise<string> => {
      const reply = once(socket, 'data');
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      return String((await reply)[0]);
    };
    const crowd = [await open('127.0.0.2'), await open('127.0.0.2'), await open('127.0.0.2'), await open('127.0.0.2')];
    const [first, , third, fourth] = crowd as [Socket, Socket, Socket, Socket];
    // Also those beyond the limit are bounded, so that the places for excess connections are left to others.
    const beyond = await open('127.0.0.2');
    expect(String((await once(beyond, 'data'))[0])).toMatch(/^HTTP\/1\.1 503 /u);
    expect(await ask(first, '/v1')).toContain('"code":"UNAUTHENTICATED"');
    expect(await ask(third, '/v1')).toContain('"code":"UNAVAILABLE"');
    expect(await ask(fourth, '/healthz')).toMatch(/^HTTP\/1\.1 200 /u);
    const other = await open('127.0.0.3');
    expect(await ask(other, '/v1')).toContain('"code":"UNAUTHENTICATED"');
    const proxied = await start((address) => address === '127.0.0.2');
    const many = await Promise.all(Array.from({ length: 6 }, () => open('127.0.0.2', proxied)));
    for (const socket of many) expect(await ask(socket, '/v1')).toContain('"code":"UNAUTHENTICATED"');
    for (const socket of [...crowd, beyond, other, ...many]) socket.destroy();
    await Promise.all([server, proxied].map((each) => each.stop({ timeout: 0 })));
  });
  test('connections above the limit get 503 for their request, far above it before they send one', async () => {
    const server = createApiServer(s.service, { host: '127.0.0.1', port: 0, connections: { max: 1, excess: 1 } });
    await server.start();
    const sockets = [1, 2].map(() => connect(server.info.port as number, '127.0.0.1'));
    for (const socket of sockets) await once(socket, 'connect');
    const [inside, above] = sockets as [Socket, Socket];
    const getReply = async (socket: Socket): Promise<string> => {
      socket.write('GET /v1 HTTP/1.1\r\nHost: localhost\r\n\r\n');
      return String((await once(socket, 'data'))[0]);
    };
    expect(await getReply(inside)).toContain('"code":"UNAUTHENTICATED"');
    // Without the end of the connection, the timeout for a header would add a second response.
    expect(await sendBytes(server.info.uri, '')).toMatch(
      /^HTTP\/1\.1 503 [^\r]+\r\nConnection: close\r\nRetry-After: 1\r\n[^\r]+\r\n\r\n$/u,
    );
    expect(await getReply(above)).toContain('"code":"UNAVAILABLE"');
    for (const socket of sockets) socket.destroy();
    await server.stop({ timeout: 0 });
  });
  test('a connection above the limit that has sent only a part of its request is closed with 503, not reset', async () => {
    const server = createApiServer(
      { ...s.service, timeouts: { ...s.service.timeouts, requestHeaderMs: 15_000 } },
      { host: '127.0.0.1', port: 0, connections: { max: 1, excess: 1 } },
    );
    await server.start();
    const inside = connect(server.info.port as number, '127.0.0.1');
    await once(inside, 'connect');
    inside.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(inside, 'data');
    expect(await sendBytes(server.info.uri, 'GET /v1 HTTP/1.1\r\nHost: loc')).toMatch(
      /^HTTP\/1\.1 503 [^\r]+\r\nConnection: close\r\nRetry-After: 1\r\n/u,
    );
    inside.destroy();
    await server.stop({ timeout: 0 });
  });
});
