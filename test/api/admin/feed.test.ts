/** The feed of the admin API. */
import { describe, expect, test } from 'vitest';
import { type EventStream, type StreamMessage, openEventStream } from '../../../src/client/event-stream.ts';
import type { FeedLimit, FeedRequest } from '../../../src/contract/admin/feed.ts';
import { FEED_PATH } from '../../../src/contract/admin/webhooks.ts';
import { type TestAdmin, startAdmin } from '../../support/service/admin.ts';
import { getCode } from '../../support/service/service.ts';
import { addWebhook } from '../../support/resources/webhooks.ts';

const open = (a: TestAdmin, query = '', lastId?: string) => openEventStream(a.socketPath, FEED_PATH + query, { lastId });

/** The next message of one of the types; what comes between is thrown away. */
async function next<T>({ messages }: EventStream, ...types: readonly string[]): Promise<{ id: string; event: string; data: T }> {
  const iterator = messages[Symbol.asyncIterator]();
  for (;;) {
    const { done, value }: IteratorResult<StreamMessage, undefined> = await iterator.next();
    if (done) throw new Error('the stream has ended');
    if (types.includes(value.event)) return value as { id: string; event: string; data: T };
  }
}

describe('the feed', () => {
  test('publishes requests with operation, status, duration and key, never a query or a secret', async () => {
    await using a = await startAdmin();
    using stream = await open(a, '?types=request');
    const latencyMs = 50;
    a.s.service.faults.set('GET /v1/items', {
      latencyMs,
      status: null,
      retryAfter: null,
      drop: null,
      rate: 1,
      remaining: 1,
      expiresAt: null,
    });
    const startedAt = performance.now();
    const { body, headers, text } = await a.s.get('/v1/items?search=private', { headers: { 'x-request-id': 'mine' } });
    expect(headers['x-request-id'], text).toBe('mine');
    const { data } = await next<FeedRequest>(stream, 'request');
    const elapsedMs = performance.now() - startedAt;
    expect(body.data).toEqual([]);
    expect(data).toEqual({
      at: data.at,
      requestId: 'mine',
      operationId: 'items.list',
      method: 'GET',
      path: '/v1/items',
      status: 200,
      errorCode: null,
      errorMessage: null,
      milliseconds: data.milliseconds,
      keyId: data.keyId,
      keyPrefix: a.s.key.slice(0, 16),
    });
    // Timers may be a millisecond early, and the value is rounded.
    expect(data.milliseconds).toBeGreaterThanOrEqual(latencyMs - 2);
    expect(data.milliseconds).toBeLessThanOrEqual(elapsedMs + 1);
    expect(Date.parse(data.at)).toBeGreaterThan(0);
    expect(JSON.stringify(data)).not.toContain(a.s.key);
  });

  test('lists the requests before it, without health checks and files of the reference page', async () => {
    await using a = await startAdmin();
    for (const path of ['/v1/items', '/healthz', '/docs', '/docs/icon.svg', '/v1/contacts'])
      await (await fetch(a.s.url + path, { headers: { 'x-api-key': a.s.key } })).text();
    const list = async () =>
      (await a.get('/admin/requests/recent')).body.data as {
        requests: { id: string; path: string }[];
        perMinute: { perMinute: number[]; rejectedPerMinute: number[] }[];
      };
    await expect.poll(async () => (await list()).requests.length).toBe(3);
    const { requests, perMinute } = await list();
    expect(requests.map(({ path }) => path)).toEqual(['/v1/items', '/docs', '/v1/contacts']);
    expect(perMinute.map((key) => key.perMinute.reduce((sum, count) => sum + count, 0))).toEqual([2]);
    expect(perMinute.map(({ rejectedPerMinute }) => rejectedPerMinute.length)).toEqual([60]);
    // The ids are those of the feed, so that a reader of both knows each request once.
    using stream = await open(a, '?types=request', requests[0]?.id);
    expect((await next<FeedRequest>(stream, 'request')).id).toBe(requests[1]?.id);
  });

  test('publishes rejected requests', async () => {
    await using a = await startAdmin();
    using stream = await open(a, '?types=request');
    const wrong = `${a.s.key.slice(0, -1)}${a.s.key.endsWith('x') ? 'y' : 'x'}`;
    await a.s.get('/v1/items', { key: wrong });
    const refused = (await next<FeedRequest>(stream, 'request')).data;
    expect(refused).toMatchObject({ operationId: 'items.list', status: 401, keyId: null, keyPrefix: null });
    expect(JSON.stringify(refused)).not.toContain(wrong);
    expect(refused).toMatchObject({ errorCode: 'UNAUTHENTICATED', errorMessage: expect.stringMatching(/\.$/u) });
    await a.s.get('/v1/nowhere');
    expect((await next<FeedRequest>(stream, 'request')).data).toMatchObject({ operationId: null, status: 404, path: '/v1/nowhere' });
    const { body } = await a.s.post('/v1/items', { name: '' });
    const invalid = (await next<FeedRequest>(stream, 'request')).data;
    expect(invalid).toMatchObject({ operationId: 'items.create', method: 'POST', status: 400, errorCode: 'VALIDATION_FAILED' });
    expect(invalid.errorMessage).toBe(body.error.message);
    const { requests } = (await a.get('/admin/requests/recent')).body.data as { requests: FeedRequest[] };
    expect(requests.at(-1)).toMatchObject({ errorCode: invalid.errorCode, errorMessage: invalid.errorMessage });
  });

  test.each(['expired', 'revoked'] as const)('names the key of a request with an %s key, which does not count', async (how) => {
    await using a = await startAdmin();
    const secret = await a.s.addKey(how === 'expired' ? { expiresAt: new Date(a.s.clock.now().getTime() - 1).toISOString() } : {});
    const prefix = secret.slice(0, 16);
    if (how === 'revoked') await a.post(`/admin/keys/${prefix}/revoke`, {});
    using stream = await open(a, '?types=request');
    const reply = await a.s.get('/v1/items', { key: secret });
    expect([reply.status, reply.body.error.message]).toEqual([401, 'Invalid API key.']);
    const { data } = await next<FeedRequest>(stream, 'request');
    expect(data).toMatchObject({
      status: 401,
      errorCode: 'UNAUTHENTICATED',
      keyPrefix: prefix,
      keyId: expect.stringMatching(/^[\da-f-]{36}$/u),
    });
    expect(JSON.stringify(data)).not.toContain(secret.slice(16));
    const keys = (await a.get('/admin/keys')).body.data as { prefix: string; lastUsedAt: string | null }[];
    expect(keys.find((key) => key.prefix === prefix)?.lastUsedAt).toBeNull();
    const { requests, perMinute } = (await a.get('/admin/requests/recent')).body.data;
    expect([requests.at(-1).keyPrefix, perMinute]).toEqual([prefix, []]);
  });

  test('publishes the remaining rate limit of a key, once for many requests', async () => {
    await using a = await startAdmin({ tiers: { small: 5 } });
    const key = await a.s.addKey({ tier: 'small' });
    using stream = await open(a, '?types=limit');
    // All together, so that they are close together on any machine.
    const replies = await Promise.all(Array.from({ length: 7 }, () => a.s.get('/v1/usage', { key })));
    expect(replies.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 200, 200, 200, 200, 429, 429]);
    let latest = await next<FeedLimit>(stream, 'limit');
    let messageCount = 1;
    while (latest.data.remaining > 0) [latest, messageCount] = [await next<FeedLimit>(stream, 'limit'), messageCount + 1];
    expect(latest.data).toEqual({
      keyId: latest.data.keyId,
      keyPrefix: key.slice(0, 16),
      tier: 'small',
      limit: 5,
      remaining: 0,
      resetAt: Number(replies[6]?.headers['x-ratelimit-reset']),
    });
    expect(messageCount).toBeLessThan(7);
  });

  test('begins with the rate windows that were used before', async () => {
    await using a = await startAdmin({ tiers: { small: 5 } });
    const key = await a.s.addKey({ tier: 'small' });
    for (let request = 0; request < 5; request += 1) await a.s.get('/v1/usage', { key });
    await expect.poll(async () => (await readWindow(a)).remaining).toBe(0);
    expect(await readWindow(a)).toMatchObject({ keyPrefix: key.slice(0, 16), limit: 5 });
  });

  test('publishes events and deliveries in commit order', async () => {
    await using a = await startAdmin();
    const { id } = await addWebhook(a.s, 'http://127.0.0.1:9/', { status: 'paused' });
    using stream = await open(a, '?types=event,delivery');
    const item = (await a.s.post('/v1/items', { name: 'Mug' })).body.data;
    const event = await next<{ position: number; body: string }>(stream, 'event', 'delivery');
    expect(event.event).toBe('event');
    expect(JSON.parse(event.data.body)).toMatchObject({ event: 'inventory.item.created', data: { id: item.id } });
    const delivery = await next<Record<string, unknown>>(stream, 'event', 'delivery');
    expect(delivery).toMatchObject({ event: 'delivery', data: { webhookId: id, status: 'pending', attempts: 0 } });
    // The engine does not discard it; subscribers get the message nevertheless.
    await a.s.patch(`/v1/webhooks/${id}`, { status: 'disabled' });
    expect((await next(stream, 'delivery')).data).toMatchObject({ id: delivery.data['id'], status: 'discarded' });
  });

  test('resumes after the last id without gaps or duplicates', async () => {
    await using a = await startAdmin();
    const first = await open(a, '?types=event');
    await a.s.post('/v1/items', { name: 'Seen' });
    const { id } = await next(first, 'event');
    first[Symbol.dispose]();
    for (const name of ['Missed', 'Missed too']) await a.s.post('/v1/items', { name });
    using second = await open(a, '?types=event', id);
    const names: unknown[] = [];
    for (let at = 0; at < 2; at += 1) {
      const { data } = await next<{ body: string }>(second, 'event', 'gap');
      names.push(JSON.parse(data.body).data.name);
    }
    await a.s.post('/v1/items', { name: 'Live' });
    names.push(JSON.parse((await next<{ body: string }>(second, 'event', 'gap')).data.body).data.name);
    expect(names).toEqual(['Missed', 'Missed too', 'Live']);
  });

  test('publishes a gap for an id of an earlier daemon', async () => {
    await using a = await startAdmin();
    using stream = await open(a, '?types=event', 'another-start.7');
    expect(await next(stream, 'gap', 'event')).toMatchObject({ event: 'gap', data: {} });
    await a.s.post('/v1/items', { name: 'Live' });
    expect((await next(stream, 'gap', 'event')).event).toBe('event');
  });

  test('publishes an event once for several changes of one request', async () => {
    await using a = await startAdmin();
    using stream = await open(a, '?types=event');
    const item = (await a.s.post('/v1/items', { name: 'Bolt' })).body.data;
    const supplier = (await a.s.post('/v1/contacts', { name: 'Forge', contactType: 'supplier' })).body.data;
    // Events are read from the store after their commit, possibly after the response.
    for (let count = 0; count < 2; count += 1) await next(stream, 'event');
    await a.s.patch(`/v1/items/${item.id}`, { name: 'Bolt M6', supplierId: supplier.id });
    await a.s.post('/v1/items', { name: 'Nut' });
    const names: unknown[] = [];
    for (let count = 0; count < 2; count += 1) {
      const { data } = await next<{ body: string }>(stream, 'event');
      names.push(JSON.parse(data.body).data.name);
    }
    expect(names).toEqual(['Bolt M6', 'Nut']);
  });

  test('publishes only messages of the chosen tenant', async () => {
    await using a = await startAdmin();
    const other = await a.s.addTenant('second');
    const otherKey = await a.s.addKey({ tenantId: other.id });
    using stream = await open(a, '?tenant=first&types=event,request,limit');
    await a.s.post('/v1/items', { name: 'Theirs' }, { key: otherKey });
    await a.s.post('/v1/items', { name: 'Ours' });
    // Events are read from the store after their commit, so the request may come first.
    const messages = [await next(stream, 'event', 'request'), await next(stream, 'event', 'request')];
    const find = <T>(wanted: string) => messages.find(({ event }) => event === wanted)?.data as T;
    expect(JSON.parse(find<{ body: string }>('event').body).data.name).toBe('Ours');
    expect(find<FeedRequest>('request').keyPrefix).toBe(a.s.key.slice(0, 16));
  });

  test('disconnects a client that has not read 4 MiB, and only then', async () => {
    await using a = await startAdmin();
    using stream = await open(a, '?types=event');
    const body = 'x'.repeat(256 * 1_024);
    const publish = (count: number) => {
      for (let at = 0; at < count; at += 1) a.s.service.feed.publish('event', null, { position: 1, body });
    };
    const read = async (count: number) => {
      for (let at = 0; at < count; at += 1) await next(stream, 'event');
    };
    publish(15);
    await read(15);
    // The system keeps some of it for the client.
    publish(20);
    await expect(read(20)).rejects.toThrow('the stream has ended');
  });

  test('prepares no messages for a client that has left', async () => {
    await using a = await startAdmin();
    let prepared = 0;
    const data = {
      get problem() {
        prepared += 1;
        return '';
      },
    };
    const publish = () => a.s.service.feed.publish('store', null, data);
    const stream = await open(a, '?types=store');
    publish();
    expect(prepared).toBe(1);
    stream[Symbol.dispose]();
    const countPrepared = () => {
      prepared = 0;
      publish();
      return prepared;
    };
    await expect.poll(countPrepared).toBe(0);
  });

  test.for([
    ['an unknown type', '?types=delivery,everything', 400, 'VALIDATION_FAILED'],
    ['an unknown tenant', '?tenant=nobody', 404, 'NOT_FOUND'],
    ['an unknown parameter', '?since=1', 400, 'VALIDATION_FAILED'],
  ] as const)('rejects %s', async ([, query, status, code]) => {
    await using a = await startAdmin();
    const reply = await a.get(FEED_PATH + query);
    expect([reply.status, getCode(reply)]).toEqual([status, code]);
  });

  test('ends when the service stops', async () => {
    const a = await startAdmin();
    using stream = await open(a);
    const ended = (async () => {
      for await (const message of stream.messages) void message;
      return 'ended';
    })();
    await a[Symbol.asyncDispose]();
    expect(await ended).toBe('ended');
  });
});

/** What a new subscriber gets first. */
async function readWindow(a: TestAdmin): Promise<FeedLimit> {
  using stream = await open(a, '?types=limit');
  const { data } = await next<FeedLimit>(stream, 'limit');
  return data;
}
