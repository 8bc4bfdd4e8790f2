/** Injected faults in requests, tool calls and deliveries. */
import { request } from 'undici';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { INJECTED_FAULT } from '../../../src/contract/headers.ts';
import { type TestAdmin, startAdmin } from '../../support/service/admin.ts';
import { startReceiver } from '../../support/servers/webhook-receiver.ts';
import { sendBytes } from '../../support/service/raw-http.ts';
import { getCode, startService } from '../../support/service/service.ts';
import { addWebhook, allIn, deliveriesWhen } from '../../support/resources/webhooks.ts';

let a: TestAdmin;
beforeAll(async () => {
  a = await startAdmin();
});
afterAll(() => a[Symbol.asyncDispose]());
beforeEach(() => a.post('/admin/faults/clear', {}));
const set = async (body: Record<string, unknown>) => {
  const reply = await a.post('/admin/faults', body);
  expect(reply.status, reply.text).toBe(200);
  return reply.body.data as Record<string, unknown>;
};
const items = async () => (await a.s.get('/v1/items')).body.pagination.total as number;

describe('a request that matches a fault', () => {
  test('answers with the status, its error and Retry-After, without executing', async () => {
    const before = await items();
    const log = vi.spyOn(a.s.service.log, 'error');
    await set({ target: 'POST /v1/items', status: 503, retryAfter: 2 });
    const reply = await a.s.post('/v1/items', { name: 'Bolt' });
    expect([reply.status, getCode(reply), reply.headers['retry-after'], reply.headers[INJECTED_FAULT]]).toEqual([
      503,
      'UNAVAILABLE',
      '2',
      'set',
    ]);
    expect(reply.headers['x-ratelimit-remaining']).toBeDefined();
    // It is expected, unlike other errors with such a status.
    expect(log).not.toHaveBeenCalled();
    log.mockRestore();
    expect(await items()).toBe(before);
    expect((await a.s.get('/v1/items')).headers[INJECTED_FAULT]).toBeUndefined();
  });

  test('answers without a body for a gateway status, and without Retry-After unless the fault has one', async () => {
    await set({ target: '* /v1/*', status: 502 });
    const reply = await a.s.get('/v1/contacts');
    expect([reply.status, reply.text, reply.headers[INJECTED_FAULT]]).toEqual([502, '', 'set']);
    expect(reply.headers).not.toHaveProperty('retry-after');
  });

  test('is delayed by the latency and then executes', async () => {
    await set({ target: 'GET /v1/usage', latency: '120ms' });
    const began = performance.now();
    expect((await a.s.get('/v1/usage')).status).toBe(200);
    expect(performance.now() - began).toBeGreaterThanOrEqual(100);
  });

  test('loses its connection before or after executing', async () => {
    const before = await items();
    await set({ target: 'POST /v1/items', drop: 'before', times: 1 });
    await expect(a.s.post('/v1/items', { name: 'Never' })).rejects.toThrow('other side closed');
    expect(await items()).toBe(before);
    await set({ target: 'POST /v1/items', drop: 'after', times: 1 });
    const again = { idempotencyKey: 'lost-answer' };
    await expect(a.s.post('/v1/items', { name: 'Once' }, again)).rejects.toThrow('other side closed');
    expect(await items()).toBe(before + 1);
    const replayed = await a.s.post('/v1/items', { name: 'Once' }, again);
    expect([replayed.status, replayed.headers['idempotent-replayed']]).toEqual([201, 'true']);
    expect(await items()).toBe(before + 1);
  });

  test('can be an MCP tool call, which reports the error, or UNAVAILABLE for gateway statuses', async () => {
    const call = async () => {
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_items', arguments: {} } };
      const reply = await a.s.call('POST', '/mcp', { body, headers: { accept: 'application/json, text/event-stream' } });
      return reply.body.result as { isError?: boolean; content: { text: string }[] };
    };
    await set({ target: 'GET /v1/items', status: 409, times: 1 });
    const refused = await call();
    expect([refused.isError, JSON.parse(refused.content[0]?.text ?? '').error.status]).toEqual([true, 409]);
    await set({ target: 'GET /v1/items', status: 502, times: 1 });
    expect(JSON.parse((await call()).content[0]?.text ?? '').error.code).toBe('UNAVAILABLE');
    expect((await call()).isError).not.toBe(true);
  });

  test('can be an MCP tool call that loses its connection before or after executing', async () => {
    const draft = { name: 'Shop', target_url: 'http://127.0.0.1:9/', subscribed_events: ['order.created'] };
    const input = { ...draft, confirm: true, idempotency_key: 'lost-call' };
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'create_webhook', arguments: input } };
    const create = () => a.s.call('POST', '/mcp', { body, headers: { accept: 'application/json, text/event-stream' } });
    const count = async () => ((await a.s.get('/v1/webhooks')).body.data as unknown[]).length;
    await set({ target: 'POST /v1/webhooks', drop: 'before', times: 1 });
    await expect(create()).rejects.toThrow('other side closed');
    expect(await count()).toBe(0);
    await set({ target: 'POST /v1/webhooks', drop: 'after', times: 1 });
    await expect(create()).rejects.toThrow('other side closed');
    expect(await count()).toBe(1);
  });

  test('can have a status and a body of its own', async () => {
    await set({ target: 'GET /v1/items', status: 402, body: '{"error":{"code":"PAY_FIRST"}}', times: 1 });
    const paid = await a.s.get('/v1/items');
    expect([paid.status, paid.body, paid.headers['content-type']]).toEqual([
      402,
      { error: { code: 'PAY_FIRST' } },
      'application/json; charset=utf-8',
    ]);
    await set({ target: 'GET /v1/items', status: 200, body: '<html>a proxy</html>', times: 1 });
    const page = await request(`${a.s.url}/v1/items`, { headers: { 'x-api-key': a.s.key } });
    expect([page.statusCode, await page.body.text(), page.headers['content-type']]).toEqual([
      200,
      '<html>a proxy</html>',
      'text/plain; charset=utf-8',
    ]);
  });

  test('can begin after some requests, as when a key ends between two pages', async () => {
    await set({ target: 'GET /v1/items', status: 401, after: 2 });
    const statuses = [];
    for (let count = 0; count < 4; count += 1) statuses.push((await a.s.get('/v1/items')).status);
    expect(statuses).toEqual([200, 200, 401, 401]);
  });

  test('can be a body whose second half comes late, and which is complete then', async () => {
    const whole = await a.s.get('/v1/items');
    await set({ target: 'GET /v1/items', slowBody: '200ms', times: 1 });
    const startedAt = performance.now();
    const slow = await a.s.get('/v1/items');
    expect(performance.now() - startedAt).toBeGreaterThan(190);
    expect([slow.status, slow.text, slow.headers['content-length']]).toEqual([200, whole.text, undefined]);
    const listNames = ({ headers }: typeof slow) =>
      Object.keys(headers)
        .filter((name) => name !== 'content-length' && name !== 'transfer-encoding')
        .toSorted();
    expect(listNames(slow)).toEqual(listNames(whole));
    expect(slow.headers['content-type']).toBe(whole.headers['content-type']);
  });

  test('can be slow in the second half of its body only, so a reply without a body is complete at once', async () => {
    await set({ target: '* /v1/*', slowBody: '1ms' });
    const { host } = new URL(a.s.url);
    const lines = ['GET /v1/items/nope HTTP/1.1', `Host: ${host}`, `X-API-Key: ${a.s.key}`, 'Connection: close'];
    const reply = await sendBytes(a.s.url, `${lines.join('\r\n')}\r\n\r\n`);
    expect(reply).toMatch(/^HTTP\/1\.1 404 /u);
    const [, , first = '', , second = '', end] = /\r\n\r\n([\da-f]+)\r\n(.*)\r\n([\da-f]+)\r\n(.*)\r\n(0)\r\n\r\n$/u.exec(reply) ?? [];
    expect([second.length, end]).toEqual([Math.floor((first.length + second.length) / 2), '0']);
    expect(JSON.parse(first + second).error.code).toBe('NOT_FOUND');
    const { id } = (await a.s.post('/v1/items', { name: 'Bolt' })).body.data;
    const removed = await a.s.delete(`/v1/items/${id}`);
    expect([removed.status, removed.text]).toEqual([204, '']);
  });

  test('must be authenticated first', async () => {
    await set({ target: '* /v1/*', status: 500 });
    expect((await a.s.get('/v1/items', { key: '' })).status).toBe(401);
    expect((await a.get('/admin/faults')).body.data).toMatchObject([{ met: 0 }]);
  });

  test('is never the health check or the admin API', async () => {
    await set({ target: '* /*', status: 500 });
    expect((await a.s.get('/healthz', { key: '' })).status).toBe(200);
    expect((await a.get('/admin/clock')).status).toBe(200);
  });
});

test('faults are listed, shown in status and feed, and expire', async () => {
  const messages: unknown[] = [];
  const stop = a.s.service.feed.subscribe(undefined, ({ type, data }) => void (type === 'faults' && messages.push(data)));
  const fault = await set({ target: 'GET /v1/items', status: 429, rate: 0.5, for: '10m' });
  expect(fault).toMatchObject({ target: 'GET /v1/items', status: 429, rate: 0.5, latencyMs: 0, drop: null, remaining: null });
  expect((await a.get('/admin/status')).body.data.faults).toEqual([fault]);
  await a.post('/admin/clock/advance', { by: '10m' });
  expect((await a.get('/admin/faults')).body.data).toEqual([]);
  expect((await a.get('/admin/status')).body.data.faults).toEqual([]);
  expect(messages).toEqual([{ faults: [fault] }, { faults: [] }]);
  stop();
});

test.each([
  [{ status: 503 }, '/target'],
  [{ target: 'GET /v1/items' }, '/status'],
  [{ target: 'GET /v1/items', status: 200 }, '/body'],
  [{ target: 'GET /v1/items', status: 199, body: '' }, '/status'],
  [{ target: 'GET /v1/items', latency: '1s', body: '{}' }, '/body'],
  [{ target: 'GET /v1/items', slowBody: '61s' }, '/slowBody'],
  [{ target: 'GET /v1/items', status: 503, rate: 0 }, '/rate'],
  [{ target: 'GET /v1/items', status: 503, rate: 1.1 }, '/rate'],
  [{ target: 'GET /v1/items', latency: '61s' }, '/latency'],
  [{ target: 'GET /v1/items', latency: 'soon' }, '/latency'],
  [{ target: 'GET /v1/items', status: 503, times: 0 }, '/times'],
  [{ target: 'GET /v1/items', drop: 'sometimes' }, '/drop'],
])('faults set rejects %j at %s', async (body, path) => {
  const reply = await a.post('/admin/faults', body);
  expect([reply.status, reply.body.error.fields[0].path]).toEqual([400, path]);
  expect((await a.get('/admin/faults')).body.data).toEqual([]);
});

test('a matching delivery fails as if its receiver had, and is retried', async () => {
  await using receiver = await startReceiver();
  await using s = await startService({ deliver: true, webhooks: { scheduleSeconds: [1, 1, 1], overloadSeconds: 0, timeoutSeconds: 5 } });
  await addWebhook(s, receiver.url);
  const draft = { status: null, latencyMs: 0, retryAfter: null, drop: null, rate: 1, remaining: 1, expiresAt: null } as const;
  s.service.faults.set(receiver.url, { ...draft, status: 500 });
  await s.post('/v1/items', { name: 'Bolt' });
  const attempts = (count: number) => (rows: readonly { attempts: number }[]) => rows[0]?.attempts === count;
  const [first] = await deliveriesWhen(s, attempts(1));
  expect(first).toMatchObject({ status: 'retrying', lastError: 'http_500' });
  expect(receiver.received).toHaveLength(0);

  s.service.faults.set(receiver.url, { ...draft, latencyMs: 60_000 });
  s.clock.advance(2);
  const [second] = await deliveriesWhen(s, attempts(2));
  expect(second).toMatchObject({ lastError: 'timeout' });

  s.service.faults.set(receiver.url, { ...draft, drop: 'after' });
  s.clock.advance(2);
  const [third] = await deliveriesWhen(s, attempts(3));
  expect(third).toMatchObject({ lastError: 'connection_reset' });
  expect(receiver.received).toHaveLength(1);

  s.clock.advance(2);
  const [last] = await deliveriesWhen(s, allIn('delivered'));
  expect(last?.attempts).toBe(4);
  expect(receiver.received).toHaveLength(2);
  expect(new Set(receiver.received.map(({ headers }) => headers['x-service-event-id'])).size).toBe(1);
  expect(s.service.faults.hasFaults()).toBe(false);
});
