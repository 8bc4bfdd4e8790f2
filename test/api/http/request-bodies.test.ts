/** Which bodies, queries and bytes are accepted, and the errors for all others. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { randomUUID } from 'node:crypto';
import type { TenantRecord } from '../../../src/domain/kernel/tenant.ts';
import type { Tx } from '../../../src/domain/tables.ts';
import type { ApiKeyRecord } from '../../../src/domain/tenancy/records.ts';
import { BODY_MAX_BYTES, BODY_MAX_DEPTH, IDEMPOTENCY_KEY_MAX_CHARS, ORDER_LINES_MAX, PROBLEMS_MAX } from '../../../src/contract/limits.ts';
import { sendBytes } from '../../support/service/raw-http.ts';
import { type TestService, getCode, startService } from '../../support/service/service.ts';

let s: TestService;
beforeAll(async () => {
  s = await startService();
});
afterAll(() => s[Symbol.asyncDispose]());

const raw = (bytes: string, onData?: Parameters<typeof sendBytes>[2]) => sendBytes(s.url, bytes, onData);
const head = (...lines: string[]): string => `${lines.join('\r\n')}\r\nHost: ${new URL(s.url).host}\r\nConnection: close\r\n\r\n`;

describe('request bodies', () => {
  const post = (body: string, headers: Record<string, string> = {}) => s.post('/v1/items', body, { headers });
  const JSON_IN_UTF_8 = 'Send the body as Content-Type: application/json in UTF-8, without a content encoding.';

  test('malformed JSON is rejected before any other problem', async () => {
    for (const body of ['{', '{"name":"x",}', "{'name':'x'}", 'name=x', '{"name":"x"} {}', '\u0000', 'NaN']) {
      const reply = await post(body);
      expect([body, reply.status, getCode(reply)]).toEqual([body, 400, 'MALFORMED_JSON']);
      expect(reply.body.error.message).toMatch(/^The body is not valid JSON: .+\.$/su);
    }
  });
  test('invalid UTF-8 is rejected instead of storing replacement characters', async () => {
    const send = async (body: Uint8Array, type: string) => {
      const headers = { 'x-api-key': s.key, 'idempotency-key': 'not-utf-8', 'content-type': type };
      const reply = await fetch(`${s.url}/v1/items`, { method: 'POST', headers, body });
      const { error } = (await reply.json()) as { error: { code: string; message: string } };
      return [reply.status, error.code, error.message];
    };
    const latin1 = Buffer.from('{"name":"Caf\u00e9"}', 'latin1');
    for (const type of ['application/json', 'application/json; charset=utf-8'])
      expect([type, ...(await send(latin1, type))]).toEqual([type, 400, 'MALFORMED_JSON', 'The body is not valid UTF-8.']);
    for (const type of ['application/json; charset=iso-8859-1', 'application/json; x=1; charset="utf-16"'])
      expect([type, ...(await send(Buffer.from('{"name":"Cafe"}'), type))]).toEqual([type, 415, 'UNSUPPORTED_MEDIA_TYPE', JSON_IN_UTF_8]);
    expect((await s.get('/v1/items?search=Caf')).body.pagination.total).toBe(0);
  });
  test('deeply nested JSON returns 400, not 500', async () => {
    const nested = (levels: number, [open, close]: readonly [string, string]) =>
      `{"module":"sell","reference":${open.repeat(levels)}1${close.repeat(levels)}}`;
    const call = (body: string) => `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_webhook","arguments":${body}}}`;
    for (const levels of [BODY_MAX_DEPTH - 1, BODY_MAX_DEPTH, 5_000, 150_000]) {
      for (const brackets of [
        ['[', ']'],
        ['{"a":', '}'],
      ] as const) {
        const reply = await s.post('/v1/orders', nested(levels, brackets));
        expect([levels, reply.status, getCode(reply)]).toEqual([levels, 400, 'VALIDATION_FAILED']);
        expect(reply.body.error.fields[0].path).toBe(levels < BODY_MAX_DEPTH ? '/reference' : '');
      }
    }
    const viaTool = await s.call('POST', '/mcp', { body: call(nested(5_000, ['[', ']'])) });
    expect([viaTool.status, getCode(viaTool)]).toEqual([400, 'VALIDATION_FAILED']);
  });
  test('JSON other than an object returns 400 with wrong_type', async () => {
    for (const body of ['[]', '"x"', '7', 'true', 'null']) {
      const reply = await post(body);
      expect([body, getCode(reply)]).toEqual([body, 'VALIDATION_FAILED']);
      expect(reply.body.error.fields[0]).toMatchObject({ in: 'body', code: 'wrong_type' });
    }
  });
  test('__proto__ and constructor keys pollute no prototypes', async () => {
    for (const body of ['{"name":"x","__proto__":{"isActive":false}}', '{"name":"x","\\u005f_proto__":{}}'])
      expect(getCode(await post(body))).toBe('MALFORMED_JSON');
    expect(getCode(await post('{"name":"x","constructor":{"prototype":{"polluted":1}}}'))).toMatch(/MALFORMED_JSON|VALIDATION_FAILED/u);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
  test('the last value of a duplicate key is used', async () => {
    const reply = await post('{"name":"first","name":"last"}');
    expect([reply.status, reply.body.data.name]).toEqual([201, 'last']);
  });
  test('a body requires a JSON media type and no content encoding', async () => {
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
      { 'content-type': 'json' },
      { 'content-type': 'multipart/form-data' },
      { 'content-type': 'application/json, text/plain' },
      { 'content-encoding': 'gzip' },
    ]) {
      const reply = await post('{"name":"x"}', headers);
      expect([headers, reply.status, getCode(reply), reply.body.error.message, reply.headers['accept']]).toEqual([
        headers,
        415,
        'UNSUPPORTED_MEDIA_TYPE',
        JSON_IN_UTF_8,
        'application/json',
      ]);
    }
  });
  test('the media type of an ignored body is not checked', async () => {
    const headers = { 'content-type': 'json' };
    expect(getCode(await post('', headers))).toBe('VALIDATION_FAILED');
    expect(getCode(await s.delete(`/v1/items/${crypto.randomUUID()}`, { headers }))).toBe('NOT_FOUND');
  });
  test('1 MiB is accepted and one byte more is not, with or without Content-Length', async () => {
    const fitting = JSON.stringify({ name: 'x', notes: '' });
    const filler = (size: number) => fitting.replace('""', `"${'n'.repeat(size - fitting.length)}"`);
    expect((await post(filler(BODY_MAX_BYTES))).body.error.fields).toMatchObject([{ path: '/notes', code: 'too_big' }]);
    const over = await post(filler(BODY_MAX_BYTES + 1));
    expect([over.status, getCode(over), over.body.error.details]).toEqual([413, 'PAYLOAD_TOO_LARGE', { limit: BODY_MAX_BYTES }]);
    // The body of a DELETE is ignored, but has the same limit.
    expect((await s.delete(`/v1/items/${crypto.randomUUID()}`, { body: '{' })).status).toBe(404);
    expect(getCode(await s.delete('/v1/items/x', { body: filler(BODY_MAX_BYTES + 1) }))).toBe('PAYLOAD_TOO_LARGE');
    const size = (BODY_MAX_BYTES + 1).toString(16);
    const lines = ['POST /v1/items HTTP/1.1', `X-API-Key: ${s.key}`, 'Content-Type: application/json', 'Transfer-Encoding: chunked'];
    expect(await raw(`${head(...lines)}${size}\r\n${'n'.repeat(BODY_MAX_BYTES + 1)}\r\n0\r\n\r\n`)).toMatch(/^HTTP\/1\.1 413 /u);
  });
  test('invalid HTTP after the headers of a request is a malformed body', async () => {
    for (const path of ['/v1/items', '/oauth/token']) {
      const lines = [`POST ${path} HTTP/1.1`, `X-API-Key: ${s.key}`, 'Content-Type: application/json', 'Transfer-Encoding: chunked'];
      const reply = await raw(`${head(...lines)}zz\r\n{}\r\n0\r\n\r\n`);
      expect(reply, path).toMatch(/^HTTP\/1\.1 400 /u);
      expect(reply, path).toContain('MALFORMED_JSON');
    }
  });
  const PAST = '2020-01-01T00:00:00.000Z';
  const changeKey = (change: Partial<ApiKeyRecord>) => (tx: Tx, key: ApiKeyRecord) => tx.apiKeys.put({ ...key, ...change });
  const changeTenant = (change: Partial<TenantRecord>) => async (tx: Tx, key: ApiKeyRecord) => {
    const tenant = await tx.tenants.get(key.tenantId);
    if (tenant) await tx.tenants.put({ ...tenant, ...change });
  };
  test.each([
    ['the key is revoked', 401, changeKey({ revokedAt: PAST })],
    ['the key expires', 401, changeKey({ expiresAt: PAST })],
    ['the tenant is deactivated', 401, changeTenant({ isActive: false })],
    ['the plan is downgraded', 403, changeTenant({ plan: 'free' })],
    ['the scopes of the key are narrowed', 403, changeKey({ scopes: ['items:read'] })],
    ['the application of the key is deleted', 403, changeKey({ applicationId: randomUUID() })],
  ] as const)('a request makes no change if %s while its body arrives', async (_name, status, withdraw) => {
    const tenant = await s.addTenant(`late-${randomUUID()}`, 'enterprise');
    const secret = await s.addKey({ tenantId: tenant.id });
    const body = '{"name":"Too late","targetUrl":"http://127.0.0.1:9/","subscribedEvents":["order.created"]}';
    const lines = ['POST /v1/webhooks HTTP/1.1', `X-API-Key: ${secret}`, 'Content-Type: application/json', 'Idempotency-Key: too-late'];
    const asks = head(...lines, `Content-Length: ${String(body.length)}`, 'Expect: 100-continue');
    const change = () =>
      s.service.store.transact(tenant.id, async (tx) => {
        const { rows } = await tx.apiKeys.listAfter({ limit: 1_000 });
        const key = rows.find(({ prefix }) => secret.startsWith(prefix));
        if (key) await withdraw(tx, key);
      });
    let isAsked = false;
    const reply = await raw(asks, (soFar, write) => {
      if (isAsked || !soFar.includes('100 Continue')) return;
      isAsked = true;
      void change().then(() => write(body));
    });
    expect(reply).toContain(`HTTP/1.1 ${String(status)} `);
    expect(await s.service.store.read(tenant.id, (tx) => tx.webhooks.count())).toBe(0);
  });
  test('a body with more fields and entries than its operation can use is rejected unparsed', async () => {
    const bodies = ['{"x":1},'.repeat(100_000), '[],'.repeat(300_000), '1,'.repeat(500_000)].map((many) => `{"name":[${many}{}]}`);
    for (const body of [...bodies, `[${'1,'.repeat(500_000)}`]) {
      for (const path of ['/v1/items', '/v1/orders', '/mcp']) {
        const reply = await s.post(path, body);
        expect([path, reply.status, reply.body.error.fields]).toEqual([
          path,
          400,
          [expect.objectContaining({ path: '', code: 'too_big' })],
        ]);
      }
    }
    expect((await s.post('/v1/items', bodies[0])).text).toContain('The body has more than 135 fields and list entries');
  });
  test('a list above its limit is reported as one problem, without its entries', async () => {
    const reply = await s.post('/v1/orders', `{"module":"sell","lines":[${'{"x":1},'.repeat(ORDER_LINES_MAX)}{}]}`);
    const { fields } = reply.body.error as { fields: { path: string; code: string }[] };
    expect(fields.filter(({ path }) => path.startsWith('/lines'))).toEqual([expect.objectContaining({ path: '/lines', code: 'too_big' })]);
  });
  test('about 100 problems of the entries of a list are reported', async () => {
    const lines = Array.from({ length: ORDER_LINES_MAX }, () => ({ itemId: 'x', quantity: 'y', unitPrice: 'z' }));
    const { fields } = (await s.post('/v1/orders', { module: 'sell', lines })).body.error as { fields: { path: string }[] };
    const inLines = fields.filter(({ path }) => path.startsWith('/lines/'));
    expect(inLines.length).toBeGreaterThanOrEqual(PROBLEMS_MAX);
    expect(inLines.length).toBeLessThan(PROBLEMS_MAX + 3);
  });
  test('more than 100 unknown fields are reported as one problem, at the object that exceeds the number', async () => {
    const make = (length: number) => Object.fromEntries(Array.from({ length }, (_, at) => [`f${String(at)}`, 1]));
    const many = make(PROBLEMS_MAX + 1);
    for (const [path, body] of [
      ['', { module: 'sell', ...many }],
      ['/lines/0', { module: 'sell', lines: [many] }],
      ['/lines/2', { module: 'sell', lines: [make(40), make(40), make(40)] }],
    ] as const) {
      const { fields } = (await s.post('/v1/orders', body)).body.error as {
        fields: { path: string; code: string }[];
      };
      expect(fields).toEqual([expect.objectContaining({ path, code: 'too_big' })]);
    }
    expect((await s.post('/v1/items', { name: 'x', ...make(PROBLEMS_MAX) })).body.error.fields).toHaveLength(PROBLEMS_MAX);
  });
  test('all problems of a body are reported, each with its path', async () => {
    const reply = await s.post('/v1/items', { itemType: 'gadget', salePrice: '3', colour: 'red' });
    const { fields } = reply.body.error as { fields: { in: string; path: string; code: string }[] };
    expect(fields.map(({ in: place, path, code }) => `${place} ${path} ${code}`).toSorted()).toEqual([
      'body /colour unknown_field',
      'body /itemType not_allowed',
      'body /name required',
      'body /salePrice wrong_type',
    ]);
  });
  test('an unknown field is reported with the nearest one of its object', async () => {
    const messages = async (path: string, body: object) =>
      ((await s.post(path, body)).body.error.fields as { message: string }[]).map(({ message }) => message);
    expect(await messages('/v1/items', { name: 'x', salePrise: 1 })).toEqual(['salePrise is not a known field (did you mean salePrice?)']);
    const order = { module: 'sell', status: 'draft', contactId: s.tenant.houseContactId, lines: [{ quantity: 1, item_id: 'x' }] };
    expect(await messages('/v1/orders', order)).toContain('lines.0.item_id is not a known field (did you mean itemId?)');
  });

  test('an unknown query parameter is reported by name', async () => {
    const reply = await s.get('/v1/items?serach=bolt');
    expect([reply.status, reply.body.error.fields[0]]).toMatchObject([400, { in: 'query', path: '/serach', code: 'unknown_field' }]);
    expect(getCode(await s.post('/v1/items?dry=1', { name: 'x' }))).toBe('VALIDATION_FAILED');
  });
  test('a repeated query parameter is rejected, even if each value is valid', async () => {
    for (const [path, name] of [
      ['/v1/items?page=1&page=2', 'page'],
      ['/v1/items?search=a&search=b', 'search'],
      ['/v1/contacts?is_active=true&is_active=true', 'is_active'],
      ['/v1/orders?module=buy&module=sell', 'module'],
      ['/v1/orders?module=buy&due_after=2026-01-01&due_after=2026-01-02', 'due_after'],
    ] as const)
      expect((await s.get(path)).body.error.fields).toEqual([
        { in: 'query', path: `/${name}`, code: 'wrong_type', message: `${name} must be given once` },
      ]);
  });
  test('a list in the query is repeated, joined by commas, or both', async () => {
    for (const name of ['Repeated product', 'Repeated material', 'Repeated combo'])
      await s.post('/v1/items', { name, itemType: name.split(' ')[1] });
    const list = async (types: string) =>
      ((await s.get(`/v1/items?search=Repeated&${types}`)).body.data as { itemType: string }[]).map(({ itemType }) => itemType).toSorted();
    expect(await list('item_type=product&item_type=combo')).toEqual(['combo', 'product']);
    expect(await list('item_type=product,material&item_type=combo')).toEqual(['combo', 'material', 'product']);
    const wrong = await s.get('/v1/items?item_type=product&item_type=kit');
    expect([wrong.status, wrong.body.error.fields]).toMatchObject([400, [{ in: 'query', path: '/item_type', code: 'not_allowed' }]]);
    const many = Array.from({ length: 101 }, () => 'item_type=product').join('&');
    expect((await s.get(`/v1/items?${many}`)).status).toBe(400);
  });
  test('a repetition with an Idempotency-Key has the status, body, ETag and Location of the first reply; lists have no ETag', async () => {
    const show = async () => {
      const { status, text, headers } = await s.post('/v1/items', { name: 'Replayed' }, { idempotencyKey: 'replayed' });
      const { etag, location, 'cache-control': cache, 'idempotent-replayed': replayed } = headers;
      return [{ status, text, etag, location, cache }, replayed];
    };
    const [first] = await show();
    expect(first).toMatchObject({ etag: expect.any(String), location: expect.any(String), cache: 'no-cache' });
    expect(await show()).toEqual([first, 'true']);
    expect((await s.get('/v1/items')).headers).not.toHaveProperty('etag');
  });
  test('an Idempotency-Key has 1 to 255 characters of a header, spaces included, and is sent once', async () => {
    const send = (idempotencyKey: string) => s.post('/v1/items', { name: 'Keyed' }, { idempotencyKey });
    expect((await send('k'.repeat(IDEMPOTENCY_KEY_MAX_CHARS))).status).toBe(201);
    for (const valid of ['two words', 'a, b', 'tab\there', '\u00fcmlaut']) {
      const { status, text } = await send(valid);
      expect(status, text).toBe(201);
      expect((await send(valid)).headers['idempotent-replayed']).toBe('true');
    }
    const limit = String(IDEMPOTENCY_KEY_MAX_CHARS);
    for (const [wrong, message] of [
      [
        'k'.repeat(IDEMPOTENCY_KEY_MAX_CHARS + 1),
        `Idempotency-Key has ${String(IDEMPOTENCY_KEY_MAX_CHARS + 1)} characters; at most ${limit} are allowed.`,
      ],
      ['', `Idempotency-Key must have 1 to ${limit} characters and no control characters.`],
    ] as const)
      expect((await send(wrong)).body.error).toMatchObject({ code: 'IDEMPOTENCY_KEY_INVALID', message });
    expect((await s.call('POST', '/v1/items', { body: { name: 'Keyed' } })).body.error).toMatchObject({
      code: 'IDEMPOTENCY_KEY_REQUIRED',
      message: 'Missing header Idempotency-Key. POST and PATCH require it; use a new value for every change.',
    });
    const twice = [
      'POST /v1/items HTTP/1.1',
      `X-API-Key: ${s.key}`,
      'Content-Type: application/json',
      'Idempotency-Key: a',
      'Idempotency-Key: b',
      'Content-Length: 12',
    ];
    const repeated = await raw(`${head(...twice)}{"name":"x"}`);
    expect(repeated).toContain('IDEMPOTENCY_KEY_INVALID');
    expect(repeated).toContain('"message":"Idempotency-Key must be sent once."');
  });
  test('a body that does not arrive in time returns 408 and closes the connection', async () => {
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
    expect(reply).toContain('"message":"The body did not arrive within 10 s."');
  });
});

describe('the rest of a body that is too large, or of a rejected request,', () => {
  const DISCARDED_BYTES = 16 * BODY_MAX_BYTES;

  /** A request on a socket of its own, with what has arrived so far. */
  async function open(url: string, ...lines: string[]) {
    const { host, port } = new URL(url);
    const socket = connect({ host: '127.0.0.1', port: Number(port) });
    const received = { text: '' };
    socket.setEncoding('utf8').on('data', (part: string) => (received.text += part));
    const send = async (bytes: Buffer | string) => {
      if (!socket.write(bytes)) await once(socket, 'drain');
    };
    await send(`${['POST /v1/items HTTP/1.1', `Host: ${host}`, 'Content-Type: application/json', ...lines].join('\r\n')}\r\n\r\n`);
    return { received, send, socket };
  }

  test.for([
    ['too large', 413],
    ['rejected', 401],
  ] as const)('is received up to 16 MiB before the response (%s)', async ([, status]) => {
    // A service that never gives up waiting for a body.
    await using patient = await startService({ timeouts: { requestBodyMs: 600_000 } });
    const key = status === 413 ? [`X-API-Key: ${patient.key}`] : [];
    const fitting = await open(patient.url, ...key, `Content-Length: ${String(DISCARDED_BYTES)}`);
    await fitting.send(Buffer.alloc(DISCARDED_BYTES - 1, 'n'));
    // Another request shows that the service has reacted to all that it has received.
    await patient.get('/v1/auth/context');
    expect(fitting.received.text).toBe('');
    await fitting.send('n');
    await expect.poll(() => fitting.received.text).toMatch(new RegExp(`^HTTP/1\\.1 ${String(status)} `, 'u'));
    fitting.socket.destroy();

    const larger = await open(patient.url, ...key, `Content-Length: ${String(DISCARDED_BYTES + 2)}`);
    await larger.send(Buffer.alloc(DISCARDED_BYTES + 1, 'n'));
    await expect.poll(() => larger.received.text).toMatch(new RegExp(`^HTTP/1\\.1 ${String(status)} `, 'u'));
    larger.socket.destroy();
  });
});

describe('invalid HTTP', () => {
  test('returns 400 and closes the connection, and the service continues', async () => {
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
  test('a request without Host is rejected', async () => {
    expect(await raw('GET /v1 HTTP/1.1\r\nConnection: close\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /u);
    expect(await raw('GET /v1 HTTP/1.0\r\n\r\n')).toContain('ORIGIN_NOT_ALLOWED');
  });
});
