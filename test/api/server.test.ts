/** What the server does before and around every operation, over real HTTP: the order of its checks, refusals, headers, its last moments. */
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { REQUEST_ID } from '../../src/contract/headers.ts';
import { BODY_MAX_BYTES, BODY_MAX_DEPTH, IDEMPOTENCY_KEY_MAX_CHARS, RATE_WINDOW_S } from '../../src/contract/limits.ts';
import { addCategory } from '../support/records.ts';
import { type TestService, codeOf, startService } from '../support/service.ts';

const TINY = 3;

let s: TestService;
beforeAll(async () => {
  s = await startService({ tiers: { tiny: TINY, closed: 1 } });
});
afterAll(() => s[Symbol.asyncDispose]());

/** Sends bytes and resolves with everything that comes back until the server closes. `onData` sees what has come so far. */
function raw(bytes: string, onData?: (soFar: string, write: (more: string) => void) => void): Promise<string> {
  const { port } = new URL(s.url);
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect({ host: '127.0.0.1', port: Number(port) }, () => socket.write(bytes));
    socket.setEncoding('utf8');
    socket.on('data', (part: string) => {
      text += part;
      onData?.(text, (more) => socket.write(more));
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(text));
  });
}

const head = (...lines: string[]): string => `${lines.join('\r\n')}\r\nHost: ${new URL(s.url).host}\r\nConnection: close\r\n\r\n`;

describe('the order of the checks', () => {
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
  /** Each with the mistake it makes in a request that is right otherwise, in the order in which the server must look. */
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
    // The earliest last: where two mistakes exclude each other, the request has the earlier one.
    for (const at of mistakes.toSorted((a, b) => b - a)) steps[at]?.spoil(wrong);
    const { unknownKey, exhausted = false, scopeless = false, method, path, idempotencyKey, ...rest } = wrong;
    const key = unknownKey ? 'pk_test_unknown' : (keys.get(`${String(exhausted)} ${String(scopeless)}`) ?? '');
    const reply = await s.call(method, path, { ...rest, key, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) });
    return reply.status < 300 ? 'ok' : codeOf(reply);
  }

  test('nothing wrong is let through', async () => {
    expect(await send()).toBe('ok');
  });
  test.each(steps.map(({ code }, at) => ({ code, at })))(
    '$code alone, and before everything that is checked later',
    async ({ code, at }) => {
      expect(await send(at)).toBe(code);
      for (let later = at + 1; later < steps.length; later += 1)
        expect([steps[later]?.code, await send(at, later)]).toEqual([steps[later]?.code, code]);
    },
  );
  test('the scope is checked before the plan', async () => {
    const free = await s.addTenant('free-one', 'free');
    const path = '/v1/audit/events?nonsense=1';
    expect(codeOf(await s.get(path, { key: await s.addKey({ tenantId: free.id, scopes: ['items:read'] }) }))).toBe('SCOPE_REQUIRED');
    const planless = await s.get(path, { key: await s.addKey({ tenantId: free.id, scopes: ['audit:read'] }) });
    expect([codeOf(planless), planless.status, planless.body.error.details]).toEqual([
      'PLAN_REQUIRED',
      403,
      { requiredPlan: 'enterprise' },
    ]);
  });
  test('nothing of a refused request is kept', async () => {
    const { body } = await s.get(`/v1/items/${item}`);
    expect(body.data).toMatchObject({ name: 'Bolt', sku: null, notes: 'other' });
  });
});

describe('paths and methods', () => {
  test('an unknown path is 404, with or without a key, in the envelope', async () => {
    for (const path of ['/', '/v1/nothing', '/v2/items', '/v1/items/', '/V1/items', '/v1/%zz', '/v1/items/../../etc/passwd']) {
      const reply = await s.get(path, { key: '' });
      expect([path, reply.status, codeOf(reply)]).toEqual([path, 404, 'NOT_FOUND']);
      expect(reply.headers['content-type']).toContain('application/json');
    }
  });
  test('a known path with another method is 405 and says which it takes', async () => {
    const list = await s.call('DELETE', '/v1/items');
    expect([list.status, list.headers['allow']]).toEqual([405, 'GET, POST, HEAD']);
    const health = await s.call('POST', '/healthz', { key: '' });
    expect([health.status, health.headers['allow']]).toEqual([405, 'GET, HEAD']);
    expect((await s.call('OPTIONS', '/v1/items')).headers).not.toHaveProperty('access-control-allow-origin');
  });
  test('a body sent to a path or with a method that is not there is taken in, and the connection goes on', async () => {
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
  test('a client that asks before it sends its body to an unknown path is refused at once', async () => {
    const asks = head('POST /v1/nothing HTTP/1.1', 'Content-Length: 100', 'Expect: 100-continue');
    expect(await raw(asks)).toMatch(/^HTTP\/1\.1 404 /u);
  });
  test('a malformed id is an absent resource', async () => {
    for (const path of ['/v1/items/not-a-uuid', '/v1/items/%zz', '/v1/items/%ff'])
      expect([path, codeOf(await s.get(path))]).toEqual([path, 'NOT_FOUND']);
    expect(codeOf(await s.call('PATCH', '/v1/items/%zz', { body: {} }))).toBe('NOT_FOUND');
  });
  test('a version is for If-Match and says nothing of the names of others: If-None-Match is answered in full, by GET and by HEAD', async () => {
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
  test('HEAD answers as GET does, without a body', async () => {
    const get = await s.get('/v1/items?page_size=1');
    const reply = await s.call('HEAD', '/v1/items?page_size=1');
    expect([reply.status, reply.text]).toEqual([200, '']);
    expect(reply.headers['content-length']).toBe(get.headers['content-length']);
    expect((await s.call('HEAD', '/v1/items', { key: '' })).status).toBe(401);
  });
  test('health needs no key and names the instance', async () => {
    const reply = await s.get('/healthz', { key: '' });
    expect(reply.body).toEqual({ status: 'ok', version: s.service.version, instanceId: s.service.instanceId });
  });
});

describe('credentials', () => {
  test('a missing key is 401 with a challenge; a bad one says invalid_token and not why', async () => {
    const missing = await s.get('/v1/items', { key: '' });
    expect([missing.status, codeOf(missing)]).toEqual([401, 'UNAUTHENTICATED']);
    expect(missing.headers['www-authenticate']).toMatch(/^Bearer realm="stockroom"/u);
    expect(missing.headers['www-authenticate']).not.toContain('error=');
    const expired = await s.addKey({ expiresAt: new Date(s.clock.now().getTime() - 1).toISOString() });
    const texts = new Set<string>();
    for (const key of ['nonsense', expired, `${s.key.slice(0, -1)}${s.key.endsWith('0') ? '1' : '0'}`]) {
      const reply = await s.get('/v1/items', { key });
      expect([reply.status, codeOf(reply)]).toEqual([401, 'UNAUTHENTICATED']);
      expect(reply.headers['www-authenticate']).toContain('error="invalid_token"');
      expect(reply.text).not.toContain(key);
      texts.add(reply.body.error.message as string);
    }
    expect(texts.size).toBe(1);
  });
  test('why a key was refused stands in the log, under the id that the caller was given', async () => {
    const told = vi.spyOn(s.service.log, 'debug');
    const expired = await s.addKey({ expiresAt: new Date(s.clock.now().getTime() - 1).toISOString() });
    const reply = await s.get('/v1/items', { key: expired });
    expect(told.mock.calls).toEqual([[{ reason: 'expired', requestId: reply.headers['x-request-id'] }, 'key refused']]);
    told.mockRestore();
  });
  test('either header will do, both when they agree, not when they differ', async () => {
    const bearer = { authorization: `Bearer ${s.key}` };
    expect((await s.get('/v1', { key: '', headers: bearer })).status).toBe(200);
    expect((await s.get('/v1', { headers: bearer })).status).toBe(200);
    for (const authorization of [`Bearer ${await s.addKey()}`, 'Basic abc', 'Bearer']) {
      expect([authorization.slice(0, 6), codeOf(await s.get('/v1', { headers: { authorization } }))]).toEqual([
        authorization.slice(0, 6),
        'AMBIGUOUS_CREDENTIALS',
      ]);
    }
  });
  test('a key in the query string is refused, whatever the headers say, and is not repeated', async () => {
    for (const name of ['api_key', 'apikey', 'access_token', 'token', 'x-api-key']) {
      const reply = await s.get(`/v1/items?${name}=${s.key}`);
      expect([name, reply.status, codeOf(reply)]).toEqual([name, 400, 'AMBIGUOUS_CREDENTIALS']);
      expect(reply.text).not.toContain(s.key);
    }
  });
});

describe('Host and Origin', () => {
  test('only a name of this machine is accepted as Host, with any port', async () => {
    for (const host of ['127.0.0.1', 'localhost:1', '[::1]:8625', 'LOCALHOST']) {
      expect([host, (await s.get('/healthz', { headers: { host } })).status]).toEqual([host, 200]);
    }
    for (const host of ['attacker.example', '127.0.0.1.attacker.example', 'localhost.attacker.example:8625', '169.254.169.254']) {
      const reply = await s.get('/v1/items', { headers: { host } });
      expect([host, reply.status, codeOf(reply)]).toEqual([host, 403, 'ORIGIN_NOT_ALLOWED']);
    }
  });
  test('a page of this service may call it, a foreign or nameless one may not', async () => {
    const { host } = new URL(s.url);
    expect((await s.get('/v1/items', { headers: { origin: `http://${host}` } })).status).toBe(200);
    for (const origin of ['null', 'http://localhost:1', `http://${host}.example`, 'file://']) {
      const reply = await s.get('/v1/items', { headers: { origin } });
      expect([origin, reply.status, codeOf(reply)]).toEqual([origin, 403, 'ORIGIN_NOT_ALLOWED']);
      expect(reply.headers).not.toHaveProperty('access-control-allow-origin');
    }
  });
});

describe('bodies', () => {
  const post = (body: string, headers: Record<string, string> = {}) => s.post('/v1/items', body, { headers });

  test('what is not JSON is refused before anything else is looked at', async () => {
    for (const body of ['{', '{"name":"x",}', "{'name':'x'}", 'name=x', '{"name":"x"} {}', '\u0000', 'NaN']) {
      const reply = await post(body);
      expect([body, reply.status, codeOf(reply)]).toEqual([body, 400, 'MALFORMED_JSON']);
    }
  });
  test('what is not UTF-8 is refused, because other letters would be stored than were meant', async () => {
    const send = async (body: Uint8Array, type: string) => {
      const headers = { 'x-api-key': s.key, 'idempotency-key': 'not-utf-8', 'content-type': type };
      const reply = await fetch(`${s.url}/v1/items`, { method: 'POST', headers, body });
      return [reply.status, ((await reply.json()) as { error: { code: string } }).error.code];
    };
    const latin1 = Buffer.from('{"name":"Caf\u00e9"}', 'latin1');
    for (const type of ['application/json', 'application/json; charset=utf-8', 'application/json; charset=iso-8859-1'])
      expect([type, ...(await send(latin1, type))]).toEqual([type, 400, 'MALFORMED_JSON']);
    expect((await s.get('/v1/items?search=Caf')).body.pagination.total).toBe(0);
  });
  test('JSON that is nested deeper than anything can be walked through is a bad request, not a failure of the service', async () => {
    const nested = (levels: number, [open, close]: readonly [string, string]) => `{"name":${open.repeat(levels)}1${close.repeat(levels)}}`;
    const call = (body: string) => `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_webhook","arguments":${body}}}`;
    for (const levels of [BODY_MAX_DEPTH - 1, BODY_MAX_DEPTH, 5_000, 150_000]) {
      for (const brackets of [
        ['[', ']'],
        ['{"a":', '}'],
      ] as const) {
        const reply = await post(nested(levels, brackets));
        expect([levels, reply.status, codeOf(reply)]).toEqual([levels, 400, 'VALIDATION_FAILED']);
        expect(reply.body.error.fields[0].path).toBe(levels < BODY_MAX_DEPTH ? '/name' : '');
      }
    }
    const viaTool = await s.call('POST', '/mcp', { body: call(nested(5_000, ['[', ']'])) });
    expect([viaTool.status, codeOf(viaTool)]).toEqual([400, 'VALIDATION_FAILED']);
  });
  test('JSON that is no object is a wrong type', async () => {
    for (const body of ['[]', '"x"', '7', 'true', 'null']) {
      const reply = await post(body);
      expect([body, codeOf(reply)]).toEqual([body, 'VALIDATION_FAILED']);
      expect(reply.body.error.fields[0]).toMatchObject({ in: 'body', code: 'wrong_type' });
    }
  });
  test('__proto__ and constructor tricks change nothing', async () => {
    for (const body of ['{"name":"x","__proto__":{"isActive":false}}', '{"name":"x","\\u005f_proto__":{}}'])
      expect(codeOf(await post(body))).toBe('MALFORMED_JSON');
    expect(codeOf(await post('{"name":"x","constructor":{"prototype":{"polluted":1}}}'))).toMatch(/MALFORMED_JSON|VALIDATION_FAILED/u);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
  test('of a repeated key the last one counts', async () => {
    const reply = await post('{"name":"first","name":"last"}');
    expect([reply.status, reply.body.data.name]).toEqual([201, 'last']);
  });
  test('a body needs a JSON media type and no content encoding', async () => {
    for (const type of [
      'application/json',
      'application/json; charset=utf-8',
      'application/merge-patch+json',
      'APPLICATION/JSON',
      'application/json\t;charset=utf-8',
    ])
      expect([type, (await post('{"name":"typed"}', { 'content-type': type })).status]).toEqual([type, 201]);
    for (const headers of [
      { 'content-type': 'text/plain' },
      { 'content-type': 'application/x-www-form-urlencoded' },
      { 'content-type': '' },
      { 'content-encoding': 'gzip' },
    ]) {
      const reply = await post('{"name":"x"}', headers);
      expect([headers, reply.status, codeOf(reply), reply.headers['accept']]).toEqual([
        headers,
        415,
        'UNSUPPORTED_MEDIA_TYPE',
        'application/json',
      ]);
    }
  });
  test('1 MiB is taken, one byte more is not, announced or not', async () => {
    const fitting = JSON.stringify({ name: 'x', notes: '' });
    const filler = (size: number) => fitting.replace('""', `"${'n'.repeat(size - fitting.length)}"`);
    expect(codeOf(await post(filler(BODY_MAX_BYTES)))).toBe('VALIDATION_FAILED');
    const over = await post(filler(BODY_MAX_BYTES + 1));
    expect([over.status, codeOf(over), over.body.error.details]).toEqual([413, 'PAYLOAD_TOO_LARGE', { limit: BODY_MAX_BYTES }]);
    // What a DELETE carries says nothing, and is bounded all the same.
    expect((await s.delete(`/v1/items/${crypto.randomUUID()}`, { body: '{' })).status).toBe(404);
    expect(codeOf(await s.delete('/v1/items/x', { body: filler(BODY_MAX_BYTES + 1) }))).toBe('PAYLOAD_TOO_LARGE');
    const size = (BODY_MAX_BYTES + 1).toString(16);
    const lines = ['POST /v1/items HTTP/1.1', `X-API-Key: ${s.key}`, 'Content-Type: application/json', 'Transfer-Encoding: chunked'];
    expect(await raw(`${head(...lines)}${size}\r\n${'n'.repeat(BODY_MAX_BYTES + 1)}\r\n0\r\n\r\n`)).toMatch(/^HTTP\/1\.1 413 /u);
  });
  test('bytes that stop being HTTP behind the head of a request are a malformed body, not another method', async () => {
    for (const path of ['/v1/items', '/oauth/token']) {
      const lines = [`POST ${path} HTTP/1.1`, `X-API-Key: ${s.key}`, 'Content-Type: application/json', 'Transfer-Encoding: chunked'];
      const reply = await raw(`${head(...lines)}zz\r\n{}\r\n0\r\n\r\n`);
      expect(reply, path).toMatch(/^HTTP\/1\.1 400 /u);
      expect(reply, path).toContain('MALFORMED_JSON');
    }
  });
  test('a key that is revoked while the body arrives writes nothing', async () => {
    const secret = await s.addKey();
    const body = '{"name":"Too late"}';
    const lines = ['POST /v1/items HTTP/1.1', `X-API-Key: ${secret}`, 'Content-Type: application/json', 'Idempotency-Key: too-late'];
    const asks = head(...lines, `Content-Length: ${String(body.length)}`, 'Expect: 100-continue');
    const revoke = () =>
      s.service.store.transact(s.tenant.id, async (tx) => {
        const { rows } = await tx.apiKeys.after({ limit: 100 });
        const key = rows.find(({ prefix }) => secret.startsWith(prefix));
        if (key) await tx.apiKeys.put({ ...key, revokedAt: new Date().toISOString() });
      });
    let isAsked = false;
    const reply = await raw(asks, (soFar, write) => {
      if (isAsked || !soFar.includes('100 Continue')) return;
      isAsked = true;
      void revoke().then(() => write(body));
    });
    expect(reply).toContain('HTTP/1.1 401 ');
    expect((await s.get('/v1/items?search=too+late')).body.pagination.total).toBe(0);
  });
  test('a list that is far too long is told as that alone, without a look at each of its entries', async () => {
    const reply = await s.post('/v1/orders', `{"module":"sell","lines":[${'{"x":1},'.repeat(100_000)}{}]}`);
    const { fields } = reply.body.error as { fields: { path: string; code: string }[] };
    expect(fields.filter(({ path }) => path.startsWith('/lines'))).toEqual([expect.objectContaining({ path: '/lines', code: 'too_big' })]);
  });
  test('an object with thousands of unknown fields is told as that alone, however deep it stands', async () => {
    const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`f${String(at)}`, 1]));
    for (const [path, body] of [
      ['', { name: 'x', ...many }],
      ['/lines/0', { module: 'sell', lines: [many] }],
    ] as const) {
      const { fields } = (await s.post(path === '' ? '/v1/items' : '/v1/orders', body)).body.error as {
        fields: { path: string; code: string }[];
      };
      expect(fields).toEqual([expect.objectContaining({ path, code: 'too_big' })]);
    }
    const few = Object.fromEntries(Object.entries(many).slice(0, 100));
    expect((await s.post('/v1/items', { name: 'x', ...few })).body.error.fields).toHaveLength(100);
  });
  test('every problem of a body is named, with its place', async () => {
    const reply = await s.post('/v1/items', { itemType: 'gadget', salePrice: '3', colour: 'red' });
    const { fields } = reply.body.error as { fields: { in: string; path: string; code: string }[] };
    expect(fields.map(({ in: place, path, code }) => `${place} ${path} ${code}`).toSorted()).toEqual([
      'body /colour unknown_field',
      'body /itemType not_allowed',
      'body /name required',
      'body /salePrice wrong_type',
    ]);
  });
  test('an unknown query key is refused by name', async () => {
    const reply = await s.get('/v1/items?serach=bolt');
    expect([reply.status, reply.body.error.fields[0]]).toMatchObject([400, { in: 'query', path: '/serach', code: 'unknown_field' }]);
    expect(codeOf(await s.post('/v1/items?dry=1', { name: 'x' }))).toBe('VALIDATION_FAILED');
  });
  test('a repeated query key is refused', async () => {
    expect(codeOf(await s.get('/v1/items?page=1&page=2'))).toBe('VALIDATION_FAILED');
  });
  test('an Idempotency-Key is visible ASCII of 1 to 255 characters, sent once', async () => {
    const send = (idempotencyKey: string) => s.post('/v1/items', { name: 'Keyed' }, { idempotencyKey });
    expect((await send('k'.repeat(IDEMPOTENCY_KEY_MAX_CHARS))).status).toBe(201);
    for (const wrong of ['k'.repeat(IDEMPOTENCY_KEY_MAX_CHARS + 1), '', 'two words', 'ümlaut'])
      expect([wrong, codeOf(await send(wrong))]).toEqual([wrong, 'IDEMPOTENCY_KEY_INVALID']);
    const twice = [
      'POST /v1/items HTTP/1.1',
      `X-API-Key: ${s.key}`,
      'Content-Type: application/json',
      'Idempotency-Key: a',
      'Idempotency-Key: b',
      'Content-Length: 12',
    ];
    expect(await raw(`${head(...twice)}{"name":"x"}`)).toContain('IDEMPOTENCY_KEY_INVALID');
  });
  test('a body that does not come is given up with 408 and the connection closed', { timeout: 30_000 }, async () => {
    const lines = [
      'POST /v1/items HTTP/1.1',
      `X-API-Key: ${s.key}`,
      'Content-Type: application/json',
      'Idempotency-Key: slow',
      'Content-Length: 100',
    ];
    const reply = await raw(`${head(...lines).replace('Connection: close', 'Connection: keep-alive')}{"name":`);
    expect(reply).toMatch(/^HTTP\/1\.1 408 /u);
    expect(reply.toLowerCase()).toContain('connection: close');
    expect(reply).toContain('REQUEST_TIMEOUT');
  });
});

describe('bytes that are not HTTP', () => {
  test('are answered with 400 and a closed connection, and the service goes on', async () => {
    for (const bytes of [
      'nonsense\r\n\r\n',
      'GET /v1 HTTP/9.9\r\n\r\n',
      '\u0016\u0003\u0001',
      `GET /v1 HTTP/1.1\r\nHost: x\r\nX: ${'h'.repeat(20_000)}\r\n\r\n`,
    ]) {
      expect(await raw(bytes)).toMatch(/^HTTP\/1\.1 4\d\d /u);
    }
    const smuggled = head('POST /v1/items HTTP/1.1', 'Content-Length: 5', 'Transfer-Encoding: chunked');
    expect(await raw(`${smuggled}0\r\n\r\n`)).toMatch(/^HTTP\/1\.1 400 /u);
    expect((await s.get('/v1')).status).toBe(200);
  });
  test('a request without Host is refused', async () => {
    expect(await raw('GET /v1 HTTP/1.1\r\nConnection: close\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /u);
    expect(await raw('GET /v1 HTTP/1.0\r\n\r\n')).toContain('ORIGIN_NOT_ALLOWED');
  });
});

describe('the request id', () => {
  test('of the caller is kept when it is fit, in the header and in the envelope', async () => {
    const reply = await s.get('/v1/nothing', { headers: { [REQUEST_ID]: 'my.request-1' } });
    expect([reply.headers[REQUEST_ID], reply.body.error.requestId]).toEqual(['my.request-1', 'my.request-1']);
  });
  test('is replaced when it is missing or unfit, or is a key that would end up in the audit', async () => {
    for (const wanted of [undefined, 'x'.repeat(65), 'with blank', '<script>', '', s.key]) {
      const reply = await s.get('/v1', wanted === undefined ? {} : { headers: { [REQUEST_ID]: wanted } });
      expect(reply.headers[REQUEST_ID]).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/u);
    }
  });
});

describe('the rate window', () => {
  const figures = (headers: Record<string, unknown>) =>
    ['ratelimit-policy', 'ratelimit', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'retry-after'].map(
      (name) => headers[name],
    );

  test('begins with the first request, counts every answer but 429, and ends after 60 seconds', async () => {
    const key = await s.addKey({ tier: 'tiny', scopes: ['items:read'] });
    const start = s.clock.now().getTime();
    const reset = (headers: Record<string, unknown>) => Number(headers['x-ratelimit-reset']);
    const first = await s.get('/v1/items', { key });
    expect(figures(first.headers).slice(0, 4)).toEqual([
      `"default";q=${String(TINY)};w=${String(RATE_WINDOW_S)}`,
      `"default";r=2;t=60`,
      '3',
      '2',
    ]);
    expect(Math.abs(reset(first.headers) - start / 1000 - RATE_WINDOW_S)).toBeLessThan(5);
    expect((await s.get('/v1/items/nope', { key })).headers['x-ratelimit-remaining']).toBe('1');
    expect((await s.get('/v1/contacts', { key })).headers['x-ratelimit-remaining']).toBe('0');
    for (const _ of [1, 2]) {
      const over = await s.get('/v1/items', { key });
      expect([over.status, codeOf(over)]).toEqual([429, 'RATE_LIMITED']);
      const [, state, , remaining, , retryAfter] = figures(over.headers);
      expect([remaining, over.body.error.details]).toEqual(['0', { limit: TINY, retryAfterSeconds: Number(retryAfter) }]);
      expect(state).toBe(`"default";r=0;t=${String(retryAfter)}`);
      expect(Number(retryAfter)).toBeGreaterThanOrEqual(1);
      expect(reset(over.headers)).toBe(reset(first.headers));
    }
    s.clock.advance(RATE_WINDOW_S);
    expect((await s.get('/v1/items', { key })).headers['x-ratelimit-remaining']).toBe('2');
  });
  test('is one per key', async () => {
    const [busy, idle] = [await s.addKey({ tier: 'tiny' }), await s.addKey({ tier: 'tiny' })];
    for (let sent = 0; sent <= TINY; sent += 1) await s.get('/v1', { key: busy });
    expect((await s.get('/v1', { key: busy })).status).toBe(429);
    expect((await s.get('/v1', { key: idle })).status).toBe(200);
  });
  test('counts no request without a valid key, and its headers stand on every answer to one with', async () => {
    expect(figures((await s.get('/v1/items', { key: '' })).headers)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    const key = await s.addKey({ scopes: ['usage:read'] });
    for (const reply of [await s.get('/v1', { key }), await s.get('/v1/items', { key }), await s.get('/v1/usage?x=1', { key })])
      expect(figures(reply.headers).slice(0, 5)).not.toContain(undefined);
  });
});

describe('the last moments', () => {
  test('a request under way is answered, one that comes later gets 503, and health with it', async () => {
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
      'Connection: close',
    ];
    const late: number[] = [];
    const reply = await new Promise<string>((resolve, reject) => {
      let text = '';
      const socket = connect({ host: '127.0.0.1', port: Number(port) }, () => socket.write(`${lines.join('\r\n')}\r\n\r\n`));
      socket.setEncoding('utf8');
      socket.on('data', (part: string) => {
        text += part;
        if (text !== 'HTTP/1.1 100 Continue\r\n\r\n') return;
        // The request has been let in; now the service begins to stop, and only then the body comes.
        own.service.beginClosing();
        void (async () => {
          for (const path of ['/v1/items', '/healthz']) {
            const refused = await own.get(path);
            expect([codeOf(refused), refused.headers['retry-after']]).toEqual(['UNAVAILABLE', '5']);
            late.push(refused.status);
          }
          socket.write(body);
        })().catch(reject);
      });
      socket.on('error', reject);
      socket.on('close', () => resolve(text));
    });
    expect(late).toEqual([503, 503]);
    expect(reply).toMatch(/HTTP\/1\.1 201 Created/u);
    await own.restart();
    expect((await own.get('/v1/items')).body.data).toMatchObject([{ name: 'Last' }]);
  });
});
