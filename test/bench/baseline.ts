/**
 * The baseline G: what a careful Hapi program of a few dozen lines would be. The same key check (hashed lookup), scope check, joi
 * schemas and response headers as stockroom, answering from memory, storing nothing.
 *
 * It replies behind one `setImmediate`. On loopback that alone makes a server up to 1.6 times faster, because replies leave in bursts
 * and the client is woken less often; a server that groups commits answers in bursts by nature, and would look faster than one that does
 * less work. With the gate both get the same gift.
 *
 * Run by the bench with the number of items and the keys as arguments; prints its port as one line.
 */
import { hash, randomUUID } from 'node:crypto';
import { type ResponseToolkit, server as createServer } from '@hapi/hapi';
import { createItem, getItem, listItems } from '../../src/contract/resources/items.ts';
import { toJoi } from '../../src/contract/schema/joi.ts';
import { RATE_LIMIT, REQUEST_ID } from '../../src/contract/headers.ts';
import { createOrder } from '../../src/contract/resources/orders.ts';
import type { Item } from '../../src/contract/resources/items.ts';
import type { ObjectSpec } from '../../src/contract/schema/builder.ts';
import { RATE_WINDOW_S } from '../../src/contract/limits.ts';
import { SCOPES, type Scope } from '../../src/contract/scopes.ts';
import { BENCH_LIMIT } from './servers.ts';
import { itemRecord, wireItem } from './catalog-rows.ts';

const [, , count = '0', ...secrets] = process.argv;
const items = Array.from({ length: Number(count) }, (_, n) => wireItem(itemRecord(n))).sort(byName);
function byName(a: Item, b: Item): number {
  const [one, other] = [a.name.toLowerCase(), b.name.toLowerCase()];
  return one < other || (one === other && a.id < b.id) ? -1 : 1;
}
const itemById = new Map(items.map((item) => [item.id, item]));
const keys = new Map(secrets.map((secret) => [hash('sha256', secret), { scopes: SCOPES, used: 0 }]));
const windowEnd = Math.ceil(Date.now() / 1000) + RATE_WINDOW_S;

declare module '@hapi/hapi' {
  interface AuthCredentials {
    readonly apiKey?: { readonly scopes: readonly Scope[]; used: number };
  }
}

const server = createServer({ host: '127.0.0.1', port: 0, debug: false });
server.auth.scheme('key', () => ({
  authenticate(request, h) {
    const key = keys.get(hash('sha256', String(request.headers['x-api-key'])));
    if (!key) return h.unauthenticated(new Error('no such key'));
    key.used += 1;
    return h.authenticated({ credentials: { apiKey: key, scope: key.scopes as string[] } });
  },
}));
server.auth.strategy('key', 'key');
server.auth.default('key');
server.ext('onPreResponse', (request, h) => {
  const { response } = request;
  if (response instanceof Error) return h.continue;
  const left = BENCH_LIMIT - (request.auth.credentials.apiKey?.used ?? 0);
  const seconds = Math.max(1, windowEnd - Math.floor(Date.now() / 1000));
  response.header(REQUEST_ID, randomUUID());
  response.header(RATE_LIMIT.policy, `"default";q=${String(BENCH_LIMIT)};w=${String(RATE_WINDOW_S)}`);
  response.header(RATE_LIMIT.state, `"default";r=${String(left)};t=${String(seconds)}`);
  response.header(RATE_LIMIT.limit, String(BENCH_LIMIT));
  response.header(RATE_LIMIT.remaining, String(left));
  response.header(RATE_LIMIT.reset, String(windowEnd));
  return h.continue;
});

const gate = () => new Promise<void>((resolve) => setImmediate(resolve));
const schema = (spec: ObjectSpec) => toJoi(spec) as never;

server.route({
  method: 'GET',
  path: getItem.path,
  options: { auth: { scope: [getItem.scope] }, validate: { params: schema(getItem.params) } },
  async handler(request, h) {
    const item = itemById.get(String(request.params['item_id']));
    await gate();
    return item ? h.response({ data: item }).header('etag', `"${item.updatedAt}"`) : h.response().code(404);
  },
});

server.route({
  method: 'GET',
  path: listItems.path,
  options: { auth: { scope: [listItems.scope] }, validate: { query: schema(listItems.query) } },
  async handler(request) {
    const { page, page_size: pageSize } = request.query as { page: number; page_size: number };
    const data = items.slice((page - 1) * pageSize, page * pageSize);
    await gate();
    return { data, pagination: { page, pageSize, total: items.length, totalPages: Math.ceil(items.length / pageSize) } };
  },
});

server.route({
  method: 'POST',
  path: createItem.path,
  options: { auth: { scope: [createItem.scope] }, validate: { payload: schema(createItem.body) } },
  async handler(request, h) {
    const at = new Date().toISOString();
    const item = { ...(request.payload as Item), id: randomUUID(), createdAt: at, updatedAt: at, category: null, supplier: null };
    await gate();
    return created(h, item, `${createItem.path}/${item.id}`);
  },
});

server.route({
  method: 'POST',
  path: createOrder.path,
  options: { auth: { scope: [createOrder.scope] }, validate: { payload: schema(createOrder.body) } },
  async handler(request, h) {
    const at = new Date().toISOString();
    const { lines, ...order } = request.payload as { lines: readonly object[] };
    const data = { ...order, id: randomUUID(), createdAt: at, updatedAt: at, lines: lines.map((line) => ({ id: randomUUID(), ...line })) };
    await gate();
    return created(h, data, `${createOrder.path}/${data.id}`);
  },
});

function created(h: ResponseToolkit, data: { readonly updatedAt: string }, location: string) {
  return h.response({ data }).code(201).header('location', location).header('etag', `"${data.updatedAt}"`);
}

await server.start();
process.stdout.write(`${JSON.stringify({ url: server.info.uri })}\n`);
process.on('SIGTERM', () => void server.stop());
