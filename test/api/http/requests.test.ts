/** What the server does around every operation, over real HTTP: order of checks, routing, headers, shutdown. */
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { REQUEST_ID } from '../../../src/contract/headers.ts';
import { BODY_MAX_BYTES } from '../../../src/contract/limits.ts';
import { addCategory } from '../../support/resources/units-and-categories.ts';
import { sendBytes } from '../../support/service/raw-http.ts';
import { type TestService, getCode, startService } from '../../support/service/service.ts';

let s: TestService;
beforeAll(async () => {
  s = await startService({ tiers: { closed: 1 } });
});
afterAll(() => s[Symbol.asyncDispose]());

const raw = (bytes: string, onData?: Parameters<typeof sendBytes>[2]) => sendBytes(s.url, bytes, onData);
const head = (...lines: string[]): string => `${lines.join('\r\n')}\r\nHost: ${new URL(s.url).host}\r\nConnection: close\r\n\r\n`;

describe('order of checks', () => {
  interface Wrong {
    method: string;
    path: string;
    headers: Record<string, string>;
    body: unknown;
    idempotencyKey: string | undefined;
    unknownKey?: boolean;
    exhausted?: boolean;
    scopeless?: boolean;
  }
  /** Each check with a mistake that it detects, in the order in which the server must check. */
  const steps: { code: string; spoil: (request: Wrong) => void }[] = [
    { code: 'ORIGIN_NOT_ALLOWED', spoil: (r) => (r.headers['origin'] = 'http://elsewhere.example') },
    { code: 'METHOD_NOT_ALLOWED', spoil: (r) => (r.method = 'PUT') },
    { code: 'UNAUTHENTICATED', spoil: (r) => (r.unknownKey = true) },
    { code: 'RATE_LIMITED', spoil: (r) => (r.exhausted = true) },
    { code: 'SCOPE_REQUIRED', spoil: (r) => (r.scopeless = true) },
    { code: 'PAYLOAD_TOO_LARGE', spoil: (r) => (r.body = 'x'.repeat(BODY_MAX_BYTES + 1)) },
    { code: 'UNSUPPORTED_MEDIA_TYPE', spoil: (r) => (r.headers['content-type'] = 'text/plain') },
    { code: 'MALFORMED_JSON', spoil: (r) => (r.body = '{"name":') },
    { code: 'IDEMPOTENCY_KEY_REQUIRED', spoil: (r) => (r.idempotencyKey = undefined) },
    { code: 'CONFLICT', spoil: (r) => (r.idempotencyKey = 'used-before') },
    { code: 'VALIDATION_FAILED', spoil: (r) => (r.body = { name: 7, sku: 'TAKEN' }) },
    { code: 'NOT_FOUND', spoil: (r) => (r.path = '/v1/items/00000000-0000-7000-8000-000000000000') },
    { code: 'DUPLICATE_VALUE', spoil: (r) => (r.body = { sku: 'TAKEN' }) },
  ];
  let item: string;
  const keys = new Map<string, string>();
  beforeAll(async () => {
    await s.post('/v1/items', { name: 'Holder', sku: 'TAKEN' });
    item = ((await s.post('/v1/items', { name: 'Bolt' })).body as { data: { id: string } }).data.id;
    for (const exhausted of [false, true]) {
      for (const scopeless of [false, true]) {
        const key = await s.addKey({ tier: exhausted ? 'closed' : 'test', ...(scopeless ? { scopes: ['usage:read'] } : {}) });
        keys.set(`${String(exhausted)} ${String(scopeless)}`, key);
        await s.get('/v1', { key });
        if (!exhausted && !scopeless) await s.patch(`/v1/items/${item}`, { notes: 'other' }, { key, idempotencyKey: 'used-before' });
      }
    }
  });

  async function send(...mistakes: readonly number[]): Promise<string> {
    const wrong: Wrong = {
      method: 'PATCH',
      path: `/v1/items/${item}`,
      headers: {},
      body: { name: 'Bolt' },
      idempotencyKey: `order-${mistakes.join('-')}`,
    };
    // The earliest mistake is applied last, so it wins over a later one that excludes it.
    for (const at of mistakes.toSorted((a, b) => b - a)) steps[at]?.spoil(wrong);
    const { unknownKey, exhausted = false, scopeless = false, method, path, idempotencyKey, ...rest } = wrong;
    const key = unknownKey ? 'pk_test_unknown' : (keys.get(`${String(exhausted)} ${String(scopeless)}`) ?? '');
    const reply = await s.call(method, path, { ...rest, key, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) });
    return reply.status < 300 ? 'ok' : getCode(reply);
  }

  test('a request without mistakes succeeds', async () => {
    expect(await send()).toBe('ok');
  });
  test.each(steps.map(({ code }, at) => ({ code, at })))(
    '$code is reported alone, and before all mistakes that are checked later',
    async ({ code, at }) => {
      expect(await send(at)).toBe(code);
      for (let later = at + 1; later < steps.length; later += 1)
        expect([steps[later]?.code, await send(at, later)]).toEqual([steps[later]?.code, code]);
    },
  );
  test('the scope is checked before the plan', async () => {
    const free = await s.addTenant('free-one', 'free');
    const path = '/v1/audit/events?nonsense=1';
    expect(getCode(await s.get(path, { key: await s.addKey({ tenantId: free.id, scopes: ['items:read'] }) }))).toBe('SCOPE_REQUIRED');
    const planless = await s.get(path, { key: await s.addKey({ tenantId: free.id, scopes: ['audit:read'] }) });
    expect([getCode(planless), planless.status, planless.body.error.details]).toEqual([
      'PLAN_REQUIRED',
      403,
      { requiredPlan: 'enterprise' },
    ]);
  });
  test('a rejected request stores nothing', async () => {
    const { body } = await s.get(`/v1/items/${item}`);
    expect(body.data).toMatchObject({ name: 'Bolt', sku: null, notes: 'other' });
  });
});

describe('routing', () => {
  test('an unknown path returns 404 in the error envelope, with or without a key', async () => {
    for (const path of ['/', '/v1/nothing', '/v2/items', '/v1/items/', '/V1/items', '/v1/%zz', '/v1/items/../../etc/passwd']) {
      const reply = await s.get(path, { key: '' });
      expect([path, reply.status, getCode(reply)]).toEqual([path, 404, 'NOT_FOUND']);
      expect(reply.headers['content-type']).toContain('application/json');
    }
  });
  test('a known path with another method returns 405 with the allowed methods', async () => {
    const list = await s.call('DELETE', '/v1/items');
    expect([list.status, list.headers['allow']]).toEqual([405, 'GET, POST, HEAD']);
    const health = await s.call('POST', '/healthz', { key: '' });
    expect([health.status, health.headers['allow']]).toEqual([405, 'GET, HEAD']);
    expect((await s.call('OPTIONS', '/v1/items')).headers).not.toHaveProperty('access-control-allow-origin');
  });
  test('the body of a request with an unknown path or method is drained, and the connection stays open', async () => {
    const keepAlive = (...lines: string[]) => head(...lines).replace('Connection: close', 'Connection: keep-alive');
    const body = 'x'.repeat(300_000);
    const replies = await raw(
      [
        keepAlive('POST /v1/nothing HTTP/1.1', `Content-Length: ${String(body.length)}`) + body,
        `${keepAlive('PUT /v1/items HTTP/1.1', 'Transfer-Encoding: chunked')}5\r\nhello\r\n0\r\n\r\n`,
        head('GET /healthz HTTP/1.1'),
      ].join(''),
    );
    expect(replies.match(/HTTP\/1\.1 \d+/gu)).toEqual(['HTTP/1.1 404', 'HTTP/1.1 405', 'HTTP/1.1 200']);
  });
  test('the body of a request with an invalid key is drained, so that clients which send before they read get the reply', async () => {
    const body = 'x'.repeat(300_000);
    const lines = [`Host: ${new URL(s.url).host}`, `Content-Length: ${String(body.length)}`];
    const [scopeless, exhausted] = [await s.addKey({ scopes: [] }), await s.addKey({ tier: 'closed' })];
    await s.get('/v1', { key: exhausted });
    const posts = [
      ['/v1/items', 'unknown'],
      ['/v1/items', scopeless],
      ['/v1/items', exhausted],
      ['/mcp', 'unknown'],
    ].map(([path, key]) => `${[`POST ${path} HTTP/1.1`, `X-API-Key: ${key}`, ...lines].join('\r\n')}\r\n\r\n${body}`);
    const replies = await raw([...posts, head('GET /healthz HTTP/1.1')].join(''));
    expect(replies.match(/HTTP\/1\.1 \d+/gu)).toEqual([401, 403, 429, 401, 200].map((status) => `HTTP/1.1 ${String(status)}`));
  });
  test('a client with Expect: 100-continue is rejected before it sends its body', async () => {
    for (const [path, status] of [
      ['/v1/nothing', 404],
      ['/v1/items', 401],
      ['/mcp', 401],
    ] as const) {
      const asks = head(`POST ${path} HTTP/1.1`, 'Content-Length: 100', 'Expect: 100-continue');
      expect(await raw(asks), path).toMatch(new RegExp(`^HTTP/1\\.1 ${String(status)} `, 'u'));
    }
  });
  test('a malformed id returns 404', async () => {
    for (const path of ['/v1/items/not-a-uuid', '/v1/items/%zz', '/v1/items/%ff'])
      expect([path, getCode(await s.get(path))]).toEqual([path, 'NOT_FOUND']);
    expect(getCode(await s.call('PATCH', '/v1/items/%zz', { body: {} }))).toBe('NOT_FOUND');
  });
  test('If-None-Match is ignored by GET and HEAD, because an ETag does not cover data of other records', async () => {
    const category = await addCategory(s, 'Loose');
    const { id } = (await s.post('/v1/items', { name: 'Bolt', categoryId: category })).body.data;
    const etag = String((await s.get(`/v1/items/${id}`)).headers['etag']);
    await s.service.store.transact(s.tenant.id, async (tx) => {
      const stored = await tx.categories.get(category);
      if (stored) await tx.categories.put({ ...stored, name: 'Fasteners' });
    });
    const headers = { 'if-none-match': etag };
    const get = await s.get(`/v1/items/${id}`, { headers });
    expect([get.status, get.headers['etag'], get.body.data.category.name]).toEqual([200, etag, 'Fasteners']);
    const reply = await s.call('HEAD', `/v1/items/${id}`, { headers });
    expect([reply.status, reply.headers['etag'], reply.headers['content-length']]).toEqual([200, etag, get.headers['content-length']]);
  });
  test('HEAD returns the same headers as GET, without a body', async () => {
    const get = await s.get('/v1/items?page_size=1');
    const reply = await s.call('HEAD', '/v1/items?page_size=1');
    expect([reply.status, reply.text]).toEqual([200, '']);
    expect(reply.headers['content-length']).toBe(get.headers['content-length']);
    expect((await s.call('HEAD', '/v1/items', { key: '' })).status).toBe(401);
  });
  test('/healthz needs no key and returns the instance id', async () => {
    const reply = await s.get('/healthz', { key: '' });
    expect(reply.body).toEqual({ status: 'ok', version: s.service.version, instanceId: s.service.instanceId });
  });
});

describe('request id', () => {
  test('of the client is returned in the header and in the envelope if it is valid', async () => {
    const reply = await s.get('/v1/nothing', { headers: { [REQUEST_ID]: 'my.request-1' } });
    expect([reply.headers[REQUEST_ID], reply.body.error.requestId]).toEqual(['my.request-1', 'my.request-1']);
  });
  test('is generated if it is missing or invalid, or is an API key, which must not reach the audit log', async () => {
    for (const wanted of [undefined, 'x'.repeat(65), 'with blank', '<script>', '', s.key]) {
      const reply = await s.get('/v1', wanted === undefined ? {} : { headers: { [REQUEST_ID]: wanted } });
      expect(reply.headers[REQUEST_ID]).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/u);
    }
  });
});

describe('shutdown', () => {
  test('a running request completes, and later ones return 503, including /healthz', async () => {
    await using own = await startService();
    const { host, port } = new URL(own.url);
    const body = '{"name":"Last"}';
    const lines = [
      'POST /v1/items HTTP/1.1',
      `Host: ${host}`,
      `X-API-Key: ${own.key}`,
      'Idempotency-Key: last',
      'Content-Type: application/json',
      `Content-Length: ${String(body.length)}`,
      'Expect: 100-continue',
    ];
    const late: number[] = [];
    let stopped: Promise<void> | undefined;
    const reply = await new Promise<string>((resolve, reject) => {
      let text = '';
      const socket = connect({ host: '127.0.0.1', port: Number(port) }, () => socket.write(`${lines.join('\r\n')}\r\n\r\n`));
      socket.setEncoding('utf8');
      socket.on('data', (part: string) => {
        text += part;
        if (text !== 'HTTP/1.1 100 Continue\r\n\r\n') return;
        // The request has been accepted. The shutdown starts before its body arrives.
        own.service.beginClosing();
        void (async () => {
          for (const path of ['/v1/items', '/healthz']) {
            const refused = await own.get(path);
            expect([getCode(refused), refused.headers['retry-after']]).toEqual(['UNAVAILABLE', '5']);
            late.push(refused.status);
          }
          stopped = own.stop();
          socket.write(body);
        })().catch(reject);
      });
      socket.on('error', reject);
      socket.on('close', () => resolve(text));
    });
    expect(late).toEqual([503, 503]);
    expect(reply).toMatch(/HTTP\/1\.1 201 Created/u);
    expect(reply).toMatch(/\r\nconnection: close\r\n/iu);
    expect(reply).toMatch(/\r\nlocation: \/v1\/items\/[\w-]+\r\n/iu);
    await stopped;
    await own.start();
    expect((await own.get('/v1/items')).body.data).toMatchObject([{ name: 'Last' }]);
  });
});
