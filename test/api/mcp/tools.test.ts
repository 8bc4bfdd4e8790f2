/** MCP tools over HTTP, with the official client and with raw requests: each call is one operation with its errors. */
import { ProtocolError } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { BODY_MAX_BYTES } from '../../../src/contract/limits.ts';
import { MCP_PATH, TOOLS } from '../../../src/contract/mcp-tools.ts';
import { createKey } from '../../../src/domain/tenancy/api-keys.ts';
import { type CallOptions, type TestService, ABSENT, getCode, startService } from '../../support/service/service.ts';
import { PROTOCOL_VERSIONS, type ProtocolVersion, connectOverHttp } from '../../support/mcp/client.ts';
import { auditRows } from '../../support/service/call-trace.ts';
import { addWebhook } from '../../support/resources/webhooks.ts';

const LOW_LIMIT = 3;

let s: TestService;
beforeAll(async () => {
  s = await startService({ tiers: { low: LOW_LIMIT } });
  for (const name of ['Bolt', 'Nut', 'Washer']) await s.post('/v1/items', { name });
});
afterAll(() => s[Symbol.asyncDispose]());

const connect = (version: ProtocolVersion, key = s.key) => connectOverHttp(s.url, key, version);
const ACCEPT = { accept: 'application/json, text/event-stream' };
const rpc = (method: string, params: Record<string, unknown> = {}, id: number | string = 1) => ({ jsonrpc: '2.0', id, method, params });
const toolCall = (name: string, args: Record<string, unknown> = {}) => rpc('tools/call', { name, arguments: args });
const post = (body: unknown, { headers = {}, ...more }: CallOptions = {}) =>
  s.call('POST', MCP_PATH, { body, headers: { ...ACCEPT, ...headers }, ...more });
const countRequests = async (key: string): Promise<number> => {
  const { total } = (await s.get('/v1/usage', { key })).body.data.requests as { total: number };
  return total;
};

describe.for(PROTOCOL_VERSIONS)('MCP client of protocol %s', (version) => {
  test('lists the twelve tools in order', async () => {
    await using tools = await connect(version);
    const { tools: list } = await tools.client.listTools();
    expect(list.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
    expect(tools.client.getServerVersion()).toMatchObject({ name: 'stockroom', version: '0.0.0-test' });
  });

  test('gets the body of the operation as valid structured content and as text', async () => {
    await using tools = await connect(version);
    // The client validates structured content only for tools that it has listed.
    await tools.client.listTools();
    const result = await tools.call('list_items', { page_size: 2, search: 'u' });
    const reply = await s.get('/v1/items?page_size=2&search=u');
    expect(result).toEqual({ isError: false, texts: [reply.text], data: reply.body, code: undefined });
    const [item] = result.data.data;
    expect((await tools.call('get_item', { item_id: item.id })).data).toEqual({ data: item });
    expect((await tools.call('list_orders', { module: 'sell', status: 'open,draft' })).data.data).toEqual([]);
    expect((await tools.call('list_contacts', { contact_types: 'customer,both' })).isError).toBe(false);
    expect((await tools.call('get_organization')).data.data.slug).toBe('first');
    expect((await tools.call('get_usage_summary')).data.data.rate_limit.enforcement).toBe('enforced');
  });

  test('creates, updates, reads and deletes an endpoint, with idempotent calls', async () => {
    await using tools = await connect(version);
    await tools.client.listTools();
    const draft = {
      confirm: true,
      idempotency_key: `create-${version}`,
      name: 'Shop',
      target_url: 'http://127.0.0.1:9/',
      subscribed_events: ['order.created'],
    };
    const created = await tools.call('create_webhook', draft);
    expect(created.data.signingSecret).toMatch(/^[0-9a-f]{64}$/u);
    const { id: webhook_id } = created.data.data as { id: string };
    const repeated = await tools.call('create_webhook', draft);
    expect(repeated.data).toEqual({ data: created.data.data });
    expect((await tools.call('create_webhook', { ...draft, name: 'Other' })).code).toBe('CONFLICT');
    const change = { confirm: true, idempotency_key: `change-${version}`, webhook_id };
    expect((await tools.call('update_webhook', { ...change, status: 'paused' })).data.data.status).toBe('paused');
    expect((await tools.call('get_webhook', { webhook_id })).data.data).toMatchObject({ name: 'Shop', status: 'paused' });
    expect((await tools.call('list_webhook_deliveries', { webhook_id })).data.data).toEqual([]);
    expect((await tools.call('list_webhooks')).data.data.map((row: { id: string }) => row.id)).toContain(webhook_id);
    expect(await tools.call('delete_webhook', { webhook_id, confirm_delete: true })).toMatchObject({ isError: false, data: undefined });
    expect((await tools.call('get_webhook', { webhook_id })).code).toBe('NOT_FOUND');
  });

  test('gets 25 endpoints in one call of list_webhooks, which has no pagination inputs, and how many it does not list', async () => {
    const tenant = await s.addTenant(`endpoints-${version}`);
    const key = await s.addKey({ tenantId: tenant.id });
    const draft = { name: 'Shop', targetUrl: 'http://127.0.0.1:9', subscribedEvents: ['order.created'] };
    for (let created = 0; created < 27; created += 1) await s.post('/v1/webhooks', draft, { key });
    await using tools = await connect(version, key);
    const { data, texts } = await tools.call('list_webhooks');
    expect([data.data.length, data.pagination.total, texts[1]]).toEqual([25, 27, '2 more exist, which this tool does not list.']);
  });

  test('gets invalid params for an unknown tool', async () => {
    await using tools = await connect(version);
    const refusal = await tools.client.callTool({ name: 'drop_tables', arguments: {} }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ProtocolError);
    expect(refusal).toMatchObject({ code: -32_602, message: expect.stringContaining('drop_tables') as string });
  });

  test('changes nothing without confirm: true', async () => {
    await using tools = await connect(version);
    const { id } = await addWebhook(s, 'http://127.0.0.1:9/');
    const before = await s.get('/v1/webhooks');
    const draft = { idempotency_key: 'never', name: 'No', target_url: 'http://127.0.0.1:9/', subscribed_events: ['order.created'] };
    for (const confirm of [false, 'true', 1, null]) {
      const result = await tools.call('create_webhook', { ...draft, confirm });
      expect(result.code).toBe('VALIDATION_FAILED');
      expect(result.texts[0]).toContain('confirm must be true');
    }
    expect((await tools.call('create_webhook', draft)).texts[0]).toContain('confirm is required');
    expect((await tools.call('delete_webhook', { webhook_id: id, confirm_delete: false })).code).toBe('VALIDATION_FAILED');
    expect((await tools.call('delete_webhook', { webhook_id: id })).code).toBe('VALIDATION_FAILED');
    expect((await s.get('/v1/webhooks')).text).toBe(before.text);
  });

  test('gets the errors of the operation unchanged', async () => {
    await using tools = await connect(version);
    expect((await tools.call('list_items', { page_size: 201 })).texts[0]).toContain('page_size must be at most 200');
    expect((await tools.call('list_orders', { module: 'lend' })).code).toBe('VALIDATION_FAILED');
    expect((await tools.call('get_item', { item_id: ABSENT })).code).toBe('NOT_FOUND');
    expect((await tools.call('get_item', { item_id: 'no-uuid' })).code).toBe('NOT_FOUND');
    const refused = JSON.parse((await tools.call('get_item', { item_id: '..' })).texts[0] ?? '') as { error: { requestId: string } };
    expect(refused.error.requestId).toMatch(/^[\w-]{36}$/u);
  });

  test('gets Retry-After above the rate limit, and each call counts once', async () => {
    const key = await s.addKey({ tier: 'low' });
    await using tools = await connect(version, key);
    await tools.client.listTools();
    for (let sent = 0; sent < LOW_LIMIT; sent += 1) expect((await tools.call('list_items')).isError).toBe(false);
    const result = await tools.call('list_items');
    expect(result.code).toBe('RATE_LIMITED');
    expect(result.texts[1]).toMatch(/^Retry-After: \d+ s$/u);
  });

  test('sees no data of another tenant', async () => {
    const other = await s.addTenant(`other-${version}`);
    await using tools = await connect(version, await s.addKey({ tenantId: other.id }));
    expect((await tools.call('list_items')).data.data).toEqual([]);
    const [item] = (await s.get('/v1/items')).body.data as { id: string }[];
    expect((await tools.call('get_item', { item_id: item?.id })).code).toBe('NOT_FOUND');
  });
});

test('a call that the plan does not include returns an error result, after the scope check', async () => {
  const small = await s.addTenant('small', 'standard');
  await using tools = await connect('2025-11-25', await s.addKey({ tenantId: small.id }));
  const draft = {
    confirm: true,
    idempotency_key: 'k',
    name: 'No',
    target_url: 'http://127.0.0.1:9/',
    subscribed_events: ['order.created'],
  };
  expect((await tools.call('create_webhook', draft)).code).toBe('PLAN_REQUIRED');
});

test('a call that fails because of the service is logged with its request id, a rejected one is not', async () => {
  const logged = vi.spyOn(s.service.log, 'error');
  const bug = new Error('a bug');
  const read = vi.spyOn(s.service.store, 'read').mockRejectedValueOnce(bug);
  const headers = { 'x-request-id': 'failed-call' };
  await post(toolCall('list_items'), { headers });
  await post(toolCall('get_item', { item_id: ABSENT }), { headers });
  expect(logged.mock.calls).toEqual([
    [{ err: bug, code: 'INTERNAL_ERROR', requestId: 'failed-call', method: 'post', path: MCP_PATH, status: 500 }, expect.any(String)],
  ]);
  for (const spy of [logged, read]) spy.mockRestore();
});

test('an injected fault is logged as one line with the request id, for a tool call and for a request', async () => {
  const logged = vi.spyOn(s.service.log, 'warn');
  const fault = { status: 503, latencyMs: 0, retryAfter: null, drop: null, rate: 1, remaining: null, expiresAt: null };
  const logsOf = (requestId: string) => logged.mock.calls.filter(([facts]) => (facts as { requestId?: string }).requestId === requestId);
  try {
    for (const [id, status, body] of [
      ['fault-with-code', 503, null],
      // No code of the API has this status, and a body replaces the envelope.
      ['fault-of-a-gateway', 502, null],
      ['fault-with-body', 500, '{}'],
    ] as const) {
      s.service.faults.set('GET /v1/items', { ...fault, status, body });
      expect((await s.get('/v1/items', { headers: { 'x-request-id': id } })).status).toBe(status);
      expect(logsOf(id)).toEqual([
        [{ requestId: id, operation: 'items.list', method: 'get', path: '/v1/items', status }, expect.stringContaining('fault')],
      ]);
    }
    s.service.faults.clear();
    s.service.faults.set('GET /v1/items', fault);
    const { body } = await post(toolCall('list_items'), { headers: { 'x-request-id': 'fault-of-a-tool' } });
    expect(JSON.stringify(body)).toContain('UNAVAILABLE');
    expect(logsOf('fault-of-a-tool')).toHaveLength(1);
  } finally {
    s.service.faults.clear();
    logged.mockRestore();
  }
});

test('a call is counted once as its operation, and a change is audited once for the key', async () => {
  const key = await s.addKey();
  const before = await countRequests(key);
  const count = async (capability: string) => {
    const rows = (await s.get('/v1/usage')).body.data.requests.by_capability as { capability: string; count: number }[];
    return rows.find((row) => row.capability === capability)?.count ?? 0;
  };
  const [items, made] = [await count('items.list'), await count('webhooks.create')];
  await post(toolCall('list_items'), { key });
  await post(toolCall('create_webhook', { confirm: false }), { key });
  const args = {
    confirm: true,
    idempotency_key: 'audited',
    name: 'A',
    target_url: 'http://127.0.0.1:9/',
    subscribed_events: ['order.created'],
  };
  const { headers } = await post(toolCall('create_webhook', args), { key, headers: { 'x-request-id': 'from-a-tool' } });
  expect(headers['x-request-id']).toBe('from-a-tool');
  expect(headers['cache-control']).toBe('no-store');
  // Three calls, three reads of the usage by operation, and the second read of the total.
  expect([await count('items.list'), await count('webhooks.create')]).toEqual([items + 1, made + 2]);
  expect(await countRequests(key)).toBe(before + 3 + 4 + 1);
  const rows = (await auditRows(s)).filter(({ metadata }) => metadata['requestId'] === 'from-a-tool');
  expect(rows.map(({ action, actorType }) => [action, actorType])).toEqual([['webhook.created', 'api']]);
});

test('a tool call and an API request with the same idempotency key are one change', async () => {
  const body = { name: 'Both', targetUrl: 'http://127.0.0.1:9/', subscribedEvents: ['order.created'] };
  const made = await s.post('/v1/webhooks', body, { idempotencyKey: 'both-ways' });
  const args = {
    confirm: true,
    idempotency_key: 'both-ways',
    name: 'Both',
    target_url: body.targetUrl,
    subscribed_events: body.subscribedEvents,
  };
  const result = await post(toolCall('create_webhook', args));
  expect(result.body.result.structuredContent).toEqual({ data: made.body.data });
});

describe('credentials of /mcp', () => {
  const metadata = () => `resource_metadata="${s.url}/.well-known/oauth-protected-resource${MCP_PATH}"`;

  test('missing and invalid keys return 401 with a challenge, for every message', async () => {
    for (const message of [rpc('initialize'), rpc('tools/list'), toolCall('list_items')]) {
      const none = await post(message, { key: '' });
      expect([none.status, getCode(none), none.headers['www-authenticate']]).toEqual([
        401,
        'UNAUTHENTICATED',
        `Bearer realm="stockroom", ${metadata()}`,
      ]);
      const bad = await post(message, { key: 'pk_test_x' });
      expect([bad.status, bad.headers['www-authenticate']]).toEqual([
        401,
        `Bearer realm="stockroom", error="invalid_token", ${metadata()}`,
      ]);
    }
  });

  test('a key that was issued for the API only returns 401', async () => {
    const draft = { tenantId: s.tenant.id, name: 'api', scopes: ['items:read'], environment: null, rateLimitTier: 'test' } as const;
    const make = (audience: readonly ('/v1' | '/mcp' | '')[]) =>
      s.service.store.transact(s.tenant.id, (tx) => createKey(tx, s.clock.now(), s.service.newId, { ...draft, audience }));
    const { secret } = await make(['/v1']);
    expect((await s.get('/v1/items', { key: secret })).status).toBe(200);
    const refused = await post(toolCall('list_items'), { key: secret });
    expect([refused.status, getCode(refused)]).toEqual([401, 'UNAUTHENTICATED']);
    for (const audience of [['/mcp'], ['']] as const) {
      expect((await post(toolCall('list_items'), { key: (await make(audience)).secret })).status).toBe(200);
    }
  });

  test('a missing scope returns 403 with its name, before the arguments are validated', async () => {
    const key = await s.addKey({ scopes: ['items:read'] });
    const before = await s.get('/v1/webhooks');
    for (const args of [
      {},
      { confirm: true, idempotency_key: 'x', name: 'No', target_url: 'http://127.0.0.1:9/', subscribed_events: ['order.created'] },
    ]) {
      const refused = await post(toolCall('create_webhook', args), { key });
      expect([refused.status, getCode(refused)]).toEqual([403, 'SCOPE_REQUIRED']);
      expect(refused.headers['www-authenticate']).toBe(
        `Bearer realm="stockroom", error="insufficient_scope", scope="items:read webhooks:write", ${metadata()}`,
      );
    }
    expect((await s.get('/v1/webhooks')).text).toBe(before.text);
    expect((await post(toolCall('list_items'), { key })).status).toBe(200);
  });

  test('all twelve tools are listed for any key', async () => {
    const { body } = await post(rpc('tools/list'), { key: await s.addKey({ scopes: [] }) });
    expect(body.result.tools).toHaveLength(TOOLS.length);
  });
});

describe('other requests to /mcp', () => {
  const status = async (options: CallOptions & { body?: unknown }, method = 'POST') => {
    const reply = await s.call(method, MCP_PATH, { body: toolCall('list_items'), ...options, headers: { ...ACCEPT, ...options.headers } });
    return `${String(reply.status)} ${(reply.body as { error?: { code: string | number } }).error?.code ?? ''}`;
  };

  test.for<[string, CallOptions, string]>([
    ['a foreign Origin', { headers: { origin: 'http://elsewhere.example' } }, '403 ORIGIN_NOT_ALLOWED'],
    ['an opaque Origin', { headers: { origin: 'null' } }, '403 ORIGIN_NOT_ALLOWED'],
    ['a foreign Host', { headers: { host: 'rebound.example' } }, '403 ORIGIN_NOT_ALLOWED'],
    ['another media type', { headers: { 'content-type': 'text/plain' } }, '415 UNSUPPORTED_MEDIA_TYPE'],
    ['an invalid media type', { headers: { 'content-type': 'json' } }, '415 UNSUPPORTED_MEDIA_TYPE'],
    ['an Accept without JSON', { headers: { accept: 'text/html' } }, '406 NOT_ACCEPTABLE'],
    ['malformed JSON', { body: '{"jsonrpc":' }, '400 MALFORMED_JSON'],
    ['a body of ten megabytes', { body: toolCall('list_items', { search: 'x'.repeat(10 * BODY_MAX_BYTES) }) }, '413 PAYLOAD_TOO_LARGE'],
    ['an unknown protocol version', { headers: { 'mcp-protocol-version': '1999-01-01' } }, '400 -32000'],
    ['a message without method', { body: { jsonrpc: '2.0', id: 1 } }, '400 -32600'],
    ['an empty body', { body: '' }, '400 -32600'],
    ['an array of arguments', { body: rpc('tools/call', { name: 'list_items', arguments: [] }) }, '200 -32602'],
    ['a method for resources', { body: rpc('resources/list') }, '200 -32601'],
  ])('%s is rejected', async ([, options, expected]) => {
    expect(await status(options)).toBe(expected);
  });

  test('a request of protocol 2026-07-28 without its headers returns 400', async () => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const body = rpc('tools/call', { name: 'list_items', arguments: {}, _meta: meta });
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'list_items' };
    expect(await status({ body, headers })).toBe('200 ');
    for (const [name, value] of [
      ['mcp-protocol-version', '2025-11-25'],
      ['mcp-method', 'tools/list'],
      ['mcp-name', 'get_item'],
    ] as const) {
      expect(await status({ body, headers: { ...headers, [name]: value } }), name).toBe('400 -32020');
      const { [name]: _left, ...fewer } = headers;
      expect(await status({ body, headers: fewer }), name).toBe('400 -32020');
    }
    const later = { ...meta, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' };
    const unknown = { ...headers, 'mcp-protocol-version': '2099-01-01' };
    expect(await status({ body: rpc('tools/call', { name: 'list_items', _meta: later }), headers: unknown })).toBe('400 -32022');
  });

  test('a notification returns 202 without body and content type', async () => {
    const reply = await s.call('POST', MCP_PATH, { body: { jsonrpc: '2.0', method: 'notifications/initialized' }, headers: ACCEPT });
    expect([reply.status, reply.text, reply.headers['content-type']]).toEqual([202, '', undefined]);
  });

  test.for(['GET', 'DELETE', 'PUT'])('%s returns 405 with the allowed methods, because there are no sessions', async (method) => {
    const reply = await s.call(method, MCP_PATH, { headers: ACCEPT });
    expect([reply.status, getCode(reply), reply.headers['allow']]).toEqual([405, 'METHOD_NOT_ALLOWED', 'POST']);
  });
});

test('a subscription ends with the shutdown, which does not wait for it', async () => {
  await using own = await startService();
  const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} };
  const response = await fetch(`${own.url}${MCP_PATH}`, {
    method: 'POST',
    headers: {
      ...ACCEPT,
      'content-type': 'application/json',
      'x-api-key': own.key,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'subscriptions/listen',
    },
    body: JSON.stringify(rpc('subscriptions/listen', { notifications: {}, _meta: meta })),
  });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/u);
  expect(response.headers.get('content-encoding')).toBeNull();
  const reader = response.body?.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  expect(new TextDecoder().decode((await reader.read()).value)).toContain('notifications/subscriptions/acknowledged');
  const rest = reader.read().then(
    ({ done }) => done,
    () => true,
  );
  await own.stop();
  expect(await rest).toBe(true);
  await own.restart();
});

test('subscriptions end by themselves, because no tool sends notifications, so a client cannot hold connections with them', async () => {
  const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} };
  const notifications = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true, resourceSubscriptions: ['a:b'] };
  const headers = { ...ACCEPT, 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' };
  const body = JSON.stringify(rpc('subscriptions/listen', { notifications, _meta: meta }));
  const init = { method: 'POST', headers: { ...headers, 'content-type': 'application/json', 'x-api-key': s.key }, body };
  const replies = await Promise.all(Array.from({ length: 20 }, async () => (await fetch(`${s.url}${MCP_PATH}`, init)).text()));
  for (const text of replies) expect(text).toContain('"resultType":"complete"');
});
