/** `stockroom/client` against the service and against misbehaving servers. */
import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { ApiError, type StockroomClientOptions, Unreachable, type Wait, stockroomClient } from '../../src/client/index.ts';
import { OPERATIONS } from '../../src/contract/index.ts';
import { http2Server } from '../support/servers/http2-server.ts';
import { startService } from '../support/service/service.ts';

const service = await startService();
const ours = stockroomClient({ url: service.url, apiKey: service.key });
afterAll(async () => {
  await ours.close();
  await service[Symbol.asyncDispose]();
});

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

/** Answers one after the other, the last one ever after; what it was asked. */
async function scripted(answers: readonly Answer[], options: StockroomClientOptions = {}) {
  const asked: { method: string; path: string; key: string | undefined }[] = [];
  const server = createServer((request, response) => {
    const { method = '', url: path = '', headers } = request;
    asked.push({ method, path, key: headers['idempotency-key'] as string | undefined });
    answers[Math.min(asked.length, answers.length) - 1]?.(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const waits: Wait[] = [];
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const client = stockroomClient({ url, apiKey: 'pk', onWait: (wait) => waits.push(wait), ...options });
  onTestFinished(() => client.close());
  return { asked, waits, client, url };
}

const ok: Answer = (_request, response) => response.end('{"data":{"id":"1"}}');
const refuse =
  (status: number, code: string, headers: Record<string, string> = {}): Answer =>
  (_request, response) =>
    response.writeHead(status, headers).end(JSON.stringify({ error: { code, message: 'No.', requestId: 'r-1' } }));
const breakOff: Answer = (request) => request.socket.destroy();
const reject = (work: PromiseLike<unknown>) =>
  Promise.resolve(work).then(
    () => undefined,
    (error: unknown) => error,
  );

test('stockroomClient has a method for every operation, named after its id', () => {
  const names = (value: object, path = ''): string[] =>
    Object.entries(value).flatMap(([name, inner]) =>
      typeof inner === 'function' ? [path + name] : names(inner as object, `${path}${name}.`),
    );
  const ids = names(ours).map((name) => name.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`));
  expect(ids.toSorted()).toEqual([...OPERATIONS.map(({ id }) => id), 'close', 'send'].toSorted());
});

test('stockroomClient creates, reads, updates and deletes', async () => {
  const { data: item } = await ours.items.create({ name: 'Bolt', salePrice: 0.35 });
  const part = (await ours.items.create({ name: 'Nut' })).data;
  await ours.items.ingredients.create(item.id, { ingredientItemId: part.id, quantity: 2 });
  expect((await ours.items.get(item.id)).data).toMatchObject({ name: 'Bolt', salePrice: 0.35, itemType: 'product' });
  expect((await ours.items.update(item.id, { salePrice: null })).data.salePrice).toBeNull();
  const [row] = (await ours.items.ingredients.list(item.id)).data;
  expect(await ours.items.ingredients.delete(item.id, row?.id ?? '')).toBeUndefined();
  await ours.items.delete(item.id);
  expect(await reject(ours.items.get(item.id))).toMatchObject({ code: 'NOT_FOUND', status: 404 });
});

test('methods reject a missing or empty id instead of calling another path', async () => {
  await expect(ours.items.get('')).rejects.toThrow(new TypeError('items.get: item_id must be a non-empty string'));
  await expect((ours.items.delete as (id?: string) => Promise<unknown>)()).rejects.toThrow(TypeError);
  const { asked, client } = await scripted([ok]);
  await client.items.get('../orders?x=1');
  expect(asked[0]?.path).toBe('/v1/items/..%2Forders%3Fx%3D1');
});

test('a rejected request throws an ApiError with code, request id and all field problems', async () => {
  const error = await reject(ours.items.create({ name: '', salePrice: -1 }));
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ status: 400, code: 'VALIDATION_FAILED', requestId: expect.stringMatching(/^[\w-]{36}$/u) as string });
  expect((error as ApiError).fields?.map(({ path }) => path)).toEqual(['/name', '/salePrice']);
});

test('an awaited list is one page, requested once and only when used', async () => {
  const page = { data: [{ id: '1' }], pagination: { page: 1, pageSize: 50, total: 1, totalPages: 1 } };
  const { asked, client } = await scripted([(_request, response) => response.end(JSON.stringify(page))]);
  const list = client.items.list({ search: 'a b', item_type: ['product', 'combo'] });
  expect(asked).toEqual([]);
  expect(await list).toEqual(page);
  expect(await list).toEqual(page);
  expect(asked.map(({ path }) => path)).toEqual(['/v1/items?search=a%20b&item_type=product,combo']);
});

test('lists iterate all rows of page-based and cursor-based lists and stop requesting when the loop ends', async () => {
  const s = await startService();
  await using client = stockroomClient({ url: s.url, apiKey: s.key });
  onTestFinished(() => s[Symbol.asyncDispose]());
  for (let n = 0; n < 7; n += 1) await client.items.create({ name: `Bolt ${String(n)}` });
  const names: string[] = [];
  for await (const { name } of client.items.list({ page_size: 3 })) names.push(name);
  expect(names).toEqual([0, 1, 2, 3, 4, 5, 6].map((n) => `Bolt ${String(n)}`));
  const sizes: number[] = [];
  for await (const { data } of client.items.list({ page_size: 3 }).pages()) sizes.push(data.length);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(7);
  expect(Math.max(...sizes)).toBe(3);
  const all = await client.audit.list({ action_prefix: 'item.', limit: 2 }).all();
  expect(all.map(({ action }) => action)).toEqual(Array.from({ length: 7 }, () => 'item.created'));
  expect(new Set(all.map(({ id }) => id)).size).toBe(7);

  const paths: string[] = [];
  await using watched = stockroomClient({ url: s.url, apiKey: s.key, onTrace: ({ path }) => paths.push(path) });
  for await (const { name } of watched.items.list({ page_size: 3 })) if (name === 'Bolt 3') break;
  expect(paths).toEqual(['/v1/items?page_size=3&sort=created_at&page=1', '/v1/items?page_size=2&sort=created_at&page=2']);
  await watched.items.list({ search: 'bolt' }).all();
  await watched.audit.list().all();
  expect(paths.slice(2)).toEqual(['/v1/items?page_size=200&search=bolt&sort=created_at&page=1', '/v1/audit/events?limit=1000']);
});

test.each([undefined, '-created_at', 'name', '-sku'] as const)(
  'iterating with sort %s misses and repeats no row, although rows are added, renamed and deleted meanwhile',
  async (sort) => {
    const s = await startService();
    await using client = stockroomClient({ url: s.url, apiKey: s.key });
    onTestFinished(() => s[Symbol.asyncDispose]());
    const made = await Promise.all(
      Array.from({ length: 90 }, (_, n) => client.items.create({ name: `N${String((n * 37) % 90)}`, sku: `S${String((n * 53) % 90)}` })),
    );
    const staying = new Set(made.map(({ data }) => data.id));
    const ids: string[] = [];
    let page = 0;
    for await (const { data } of client.items.list({ page_size: 20, ...(sort && { sort }) }).pages()) {
      ids.push(...data.map(({ id }) => id));
      if ((page += 1) > 3) continue;
      for (const id of ids.slice(0, 7).filter((each) => staying.delete(each))) await client.items.delete(id);
      await client.items.create({ name: `A${String(page)}` });
      const unread = [...staying].filter((id) => !ids.includes(id));
      for (const [index, id] of [unread[0], unread.at(-1)].entries())
        if (id !== undefined)
          await client.items.update(id, { name: `A${String(page)}-${String(index)}`, sku: `Z${String(page)}-${String(index)}` });
    }
    expect(new Set(ids)).toHaveLength(ids.length);
    expect([...staying].filter((id) => !ids.includes(id))).toEqual([]);
  },
);

test('a copy that follows updated_since as documented has every change, although rows change while they are read', async () => {
  const s = await startService();
  await using client = stockroomClient({ url: s.url, apiKey: s.key });
  onTestFinished(() => s[Symbol.asyncDispose]());
  for (let n = 0; n < 60; n += 1) await client.items.create({ name: `Item ${String(n)}` });
  const copy = new Map<string, { readonly updatedAt: string }>();
  let since = '1970-01-01T00:00:00Z';
  let count = 0;
  for (let round = 0; round < 6; round += 1) {
    const {
      data: [newest],
    } = await client.items.list({ sort: '-updated_at', page_size: 1 });
    for await (const item of client.items.list({ updated_since: since, page_size: 10 })) {
      copy.set(item.id, item);
      // Rows that were read change again, and new ones are added.
      const ids = [...copy.keys()];
      if (round < 4 && (count += 1) % 5 === 0)
        await client.items.update(ids[(count * 13) % ids.length] ?? '', { name: `change ${String(count)}` });
      if (round < 4 && count % 10 === 0) await client.items.create({ name: `New ${String(count)}` });
    }
    if (newest) since = newest.updatedAt;
  }
  const all = await client.items.list().all();
  expect(new Map([...copy].map(([id, { updatedAt }]) => [id, updatedAt]))).toEqual(
    new Map(all.map(({ id, updatedAt }) => [id, updatedAt])),
  );
});

test.for([
  [429, 'RATE_LIMITED', 'rate limit'],
  [503, 'UNAVAILABLE', 'service busy'],
] as const)('%i is retried after Retry-After with the same idempotency key', async ([status, code, reason]) => {
  const { asked, waits, client } = await scripted([refuse(status, code, { 'retry-after': '1' }), ok]);
  const started = performance.now();
  await client.items.create({ name: 'Bolt' });
  expect(performance.now() - started).toBeGreaterThanOrEqual(950);
  expect(waits).toEqual([{ milliseconds: expect.any(Number) as number, reason, status, nextTry: 2 }]);
  expect(waits[0]?.milliseconds).toBeGreaterThanOrEqual(1_000);
  expect(waits[0]?.milliseconds).toBeLessThanOrEqual(1_250);
  expect(asked.map(({ method }) => method)).toEqual(['POST', 'POST']);
  expect(asked[0]?.key).toMatch(/^[\w-]{36}$/u);
  expect(asked[1]?.key).toBe(asked[0]?.key);
});

test('a wait beyond maxWaitMs is not started, and other errors are not retried', async () => {
  const late = await scripted([refuse(429, 'RATE_LIMITED', { 'retry-after': '61' }), ok]);
  expect(await reject(late.client.items.list())).toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 61 });
  const never = await scripted([refuse(429, 'RATE_LIMITED', { 'retry-after': '1' }), ok], { maxWaitMs: 0 });
  expect(await reject(never.client.items.list())).toMatchObject({ code: 'RATE_LIMITED' });
  const wrong = await scripted([refuse(500, 'INTERNAL_ERROR'), ok]);
  expect(await reject(wrong.client.items.create({ name: 'Bolt' }))).toMatchObject({ code: 'INTERNAL_ERROR', requestId: 'r-1' });
  for (const { asked } of [late, never, wrong]) expect(asked).toHaveLength(1);
});

test('a broken connection is retried with the same key, except for DELETE', async () => {
  const write = await scripted([breakOff, ok]);
  await write.client.items.create({ name: 'Bolt' }, { idempotencyKey: 'mine' });
  expect(write.asked.map(({ key }) => key)).toEqual(['mine', 'mine']);
  const removal = await scripted([breakOff, ok]);
  const error = await reject(removal.client.items.delete('1'));
  expect(error).toBeInstanceOf(Unreachable);
  expect(error).toMatchObject({ afterSending: true });
  expect(removal.asked).toHaveLength(1);
});

test('Unreachable distinguishes a service that is not running from a broken connection and names the address', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  server.close();
  await once(server, 'close');
  await using client = stockroomClient({ url });
  expect(await reject(client.items.create({ name: 'Bolt' }))).toMatchObject({
    name: 'Unreachable',
    afterSending: false,
    message: `No response from ${url}: connection refused`,
  });
  expect(() => stockroomClient({ url: 'ftp://127.0.0.1' })).toThrow('ftp://127.0.0.1 is not an http or https URL');
  expect(() => stockroomClient({ url: 'localhost:1' })).toThrow(TypeError);
});

test('an AbortSignal ends a hanging request and a wait with its own reason', async () => {
  const hanging = await scripted([() => undefined]);
  const first = new AbortController();
  const reply = reject(hanging.client.items.get('1', { signal: first.signal }));
  await expect.poll(() => hanging.asked.length).toBe(1);
  const enough = new Error('enough');
  first.abort(enough);
  expect(await reply).toBe(enough);

  const second = new AbortController();
  const waiting = await scripted([refuse(429, 'RATE_LIMITED', { 'retry-after': '50' }), ok], { onWait: () => second.abort(enough) });
  expect(await reject(waiting.client.items.list({}, { signal: second.signal }))).toBe(enough);
  expect(waiting.asked).toHaveLength(1);

  const aborted = await scripted([ok]);
  expect(await reject(aborted.client.items.get('1', { signal: AbortSignal.abort(enough) }))).toBe(enough);
  expect(aborted.asked).toEqual([]);
});

test('close() finishes requests in flight, can be repeated, and rejects later requests', async () => {
  let release: () => unknown = () => undefined;
  const { asked, client } = await scripted([(_request, response) => (release = () => response.end('{"data":{"id":"1"}}'))]);
  const reply = client.items.get('1');
  await expect.poll(() => asked.length).toBe(1);
  const closed = [client.close(), client.close()];
  release();
  expect((await reply).data.id).toBe('1');
  await Promise.all(closed);
  await client.close();
  expect(await reject(client.items.create({ name: 'Bolt' }))).toMatchObject({ name: 'Unreachable', afterSending: false });
  expect(asked).toHaveLength(1);
});

test('an error of a proxy is reported with its status', async () => {
  const { client } = await scripted([(_request, response) => response.writeHead(502).end('<html>Bad gateway')]);
  expect(await reject(client.usage.get())).toMatchObject({ status: 502, code: 'HTTP_502' });
});

test('a server that returns HTML is not mistaken for the service', async () => {
  const { client, asked } = await scripted([(_request, response) => response.end('<html>Welcome')]);
  for (const call of [() => client.usage.get(), () => client.items.list(), () => client.items.list().all()])
    expect(await reject(call())).toMatchObject({
      name: 'Unreachable',
      message: expect.stringContaining('is not from a stockroom service'),
    });
  expect(asked).toHaveLength(3);
});

test('url and key default to the environment, and a path prefix is kept', async () => {
  const { asked, url } = await scripted([ok]);
  process.env['STOCKROOM_URL'] = `${url}/behind/`;
  onTestFinished(() => void delete process.env['STOCKROOM_URL']);
  await using client = stockroomClient();
  await client.organization.get();
  expect(asked[0]?.path).toBe('/behind/v1/organization');
});

test('send() sends any request and returns status and headers', async () => {
  const reply = await ours.send({ method: 'POST', path: '/v1/items', body: '{"name":"Bolt"}' }, { idempotencyKey: 'twice' });
  const again = await ours.send({ method: 'POST', path: '/v1/items', body: '{"name":"Bolt"}' }, { idempotencyKey: 'twice' });
  expect([reply.status, again.status, again.text]).toEqual([201, 201, reply.text]);
  expect(again.headers['idempotent-replayed']).toBe('true');
  const inSmallLetters = await ours.send({ method: 'post', path: '/v1/items', body: '{"name":"Bolt"}' });
  expect(inSmallLetters.status).toBe(201);
});

test('headers of the caller override those of the client in any case', async () => {
  const traces: (string | null)[] = [];
  const options = { url: service.url, apiKey: 'pk_of_nobody', headers: { 'X-API-Key': service.key } };
  await using client = stockroomClient({ ...options, onTrace: ({ idempotencyKey }) => traces.push(idempotencyKey) });
  const headers = { 'Idempotency-Key': 'as-a-header' };
  const { data } = await client.items.create({ name: 'Bolt' }, { headers });
  const reply = await client.send({ method: 'POST', path: '/v1/items', body: '{"name":"Bolt"}', headers });
  expect([reply.body, traces]).toEqual([{ data }, ['as-a-header', 'as-a-header']]);
});

test('a request that cannot be sent throws immediately, not as Unreachable', async () => {
  const { client, asked, waits } = await scripted([ok], { apiKey: 'pk_read_from_a_file\n' });
  const error = await reject(client.items.create({ name: 'Bolt' }));
  expect(error).toBeInstanceOf(TypeError);
  expect((error as Error).message).toContain('x-api-key');
  expect([asked, waits]).toEqual([[], []]);
});

test('aborted requests do not block later ones, even if the service offers HTTP/2', async () => {
  let asked = 0;
  const url = await http2Server((request, response) => {
    request.resume();
    response.on('error', () => undefined);
    asked += 1;
    if (asked > 4) response.end('{"data":[],"pagination":{"page":1,"pageSize":50,"total":0}}');
    else response.write(Buffer.alloc(20_000_000, ' '));
  });
  await using client = stockroomClient({ url, apiKey: 'pk', maxWaitMs: 0 });
  for (let count = 1; count <= 4; count += 1) {
    const end = new AbortController();
    const request = client.items.list({}, { signal: end.signal });
    request.catch(() => undefined);
    await expect.poll(() => asked).toBe(count);
    end.abort();
    await expect(request).rejects.toThrow('aborted');
  }
  expect((await client.items.list()).data).toEqual([]);
  expect(asked).toBe(5);
});

test('invalid calls reject the promise instead of throwing synchronously', async () => {
  const errors: unknown[] = [];
  const collect = (error: unknown) => void errors.push(error);
  await ours.items.get('').catch(collect);
  await ours.items.create({ name: 'Bolt', salePrice: Number.NaN }).catch(collect);
  await ours.items.ingredients.list('').catch(collect);
  expect(errors).toEqual([expect.any(TypeError), expect.any(TypeError), expect.any(TypeError)]);
});

test('a response above maxResponseBytes or with deep nesting is rejected without a retry', async () => {
  const large = await scripted([(_request, response) => response.end(`{"data":"${'x'.repeat(2_000)}"}`)], { maxResponseBytes: 1_000 });
  const error = await reject(large.client.organization.get());
  expect(error).toBeInstanceOf(Unreachable);
  expect(String(error)).toContain(`Unexpected response from ${large.url}: it is larger than 1000 bytes`);
  const deep = await scripted([(_request, response) => response.end(`${'['.repeat(600)}${']'.repeat(600)}`)]);
  expect(String(await reject(deep.client.organization.get()))).toContain('more than 500 levels of nesting');
  expect([large.asked.length, deep.asked.length]).toEqual([1, 1]);
});

test('a list that returns the same page forever is rejected', async () => {
  const page = JSON.stringify({ data: [{ id: '1' }], pagination: { page: 1, pageSize: 1, total: 99, totalPages: 99 } });
  const { asked, client } = await scripted([(_request, response) => response.end(page)]);
  expect(String(await reject(client.items.list().all()))).toContain('a page that was already read');
  expect(asked).toHaveLength(2);
});
