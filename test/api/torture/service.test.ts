/** The service of torture: what planned faults do to a program, and what a run leaves. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { API_KEY_FILE_VARIABLE, type PlannedFault } from '../../../src/contract/admin/torture.ts';
import { type TortureService, startTortureService } from '../../../src/daemon/embedded/torture-service.ts';
import { startReceiver } from '../../support/servers/webhook-receiver.ts';

let service: TortureService;
let key: string;
beforeAll(async () => {
  service = await startTortureService({ port: 0, demo: false });
  key = service.env['STOCKROOM_API_KEY']!;
});
afterAll(() => service.stop());

const SECONDS_20 = 20_000;
const ROUNDS = 5;
const request = async (method: string, path: string, body?: object, secret = key) => {
  const headers = { 'X-API-Key': secret, 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID() };
  const response = await fetch(`${service.env['STOCKROOM_URL']!}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  return { status: response.status, body: (await response.json()) as { data: { id: string; name: string }[] & { id: string } } };
};
const listNames = async (query = ''): Promise<string[]> => (await request('GET', `/v1/items${query}`)).body.data.map(({ name }) => name);
const createItems = async (...names: string[]): Promise<void> => {
  for (const name of names) expect((await request('POST', '/v1/items', { name })).status).toBe(201);
};
const control = (path: string, init = {}) => {
  const headers = { Authorization: `Bearer ${service.env['STOCKROOM_CONTROL_TOKEN']!}`, 'Content-Type': 'application/json' };
  return fetch(`${service.env['STOCKROOM_CONTROL_URL']!}/control/${path}`, { headers, ...init });
};
async function begin(...faults: PlannedFault[]) {
  await service.end();
  return service.begin(faults);
}

test('a run leaves nothing to the next one: neither records nor keys nor endpoints nor recorded requests', async () => {
  await begin();
  await createItems('Left');
  const webhook = { name: 'w', targetUrl: 'http://127.0.0.1:9/', subscribedEvents: ['inventory.item.created'] };
  expect((await request('POST', '/v1/webhooks', webhook)).status).toBe(201);
  await createItems('Undeliverable');
  const body = JSON.stringify({ name: 'later', allScopes: true });
  const { secret } = (await (await control('keys', { method: 'POST', body })).json()) as { secret: string };
  expect((await request('GET', '/v1/items', undefined, secret)).status).toBe(200);
  await begin();
  expect((await (await control('requests')).json()) as object).toEqual({ data: [] });
  expect([await listNames(), (await request('GET', '/v1/webhooks')).body.data]).toEqual([[], []]);
  expect((await request('GET', '/v1/items', undefined, secret)).status).toBe(401);
});

test('a lost answer is executed, a restart keeps what was committed', { timeout: SECONDS_20 }, async () => {
  const { counts, injected } = await begin({ kind: 'lose-answer', at: 1 }, { kind: 'restart', at: 3 });
  await expect(request('POST', '/v1/items', { name: 'Lost answer' })).rejects.toThrow('fetch failed');
  expect(await listNames()).toEqual(['Lost answer']);
  await expect(request('POST', '/v1/items', { name: 'Not executed' })).rejects.toThrow('fetch failed');
  await service.isDelivered();
  expect(await listNames()).toEqual(['Lost answer']);
  expect([counts, injected.length]).toEqual([{ requests: 4, writes: 2, pages: 0, deliveries: 0 }, 2]);
});

test('a request that waits during a restart is lost, and the service continues', { timeout: SECONDS_20 }, async () => {
  const { counts } = await begin({ kind: 'restart', at: 2 });
  await control('faults', { method: 'POST', body: JSON.stringify({ target: 'GET /v1/items', latency: '20s' }) });
  const waiting = request('GET', '/v1/items').catch((error: unknown) => error);
  await expect.poll(() => counts.requests).toBe(1);
  await expect(request('GET', '/v1/contacts')).rejects.toThrow('fetch failed');
  expect(String(await waiting)).toContain('fetch failed');
  await service.isDelivered();
  expect((await request('GET', '/v1/items')).status).toBe(200);
});

test(
  'a restart executes no request whose response is lost, keeps the control port, and repeats no delivery',
  { timeout: SECONDS_20 },
  async () => {
    await using receiver = await startReceiver();
    for (let round = 0; round < ROUNDS; round += 1) {
      await begin({ kind: 'restart', at: 3 });
      const webhook = { name: 'w', targetUrl: receiver.url, subscribedEvents: ['inventory.item.created'] };
      await request('POST', '/v1/webhooks', webhook);
      const before = receiver.received.length;
      // The delivery of the first item is in progress when the restart begins.
      const begun = Promise.withResolvers<void>();
      receiver.answer = (response) => void begun.promise.then(() => response.writeHead(204).end());
      await createItems('A');
      await receiver.count(before + 1);
      const create = async (): Promise<void> => {
        const reply = await request('POST', '/v1/items', { name: 'B' }).catch(() => undefined);
        begun.resolve();
        if (reply?.status !== 201) await create();
      };
      await create();
      expect((await control('requests')).status).toBe(200);
      expect(await listNames()).toEqual(['A', 'B']);
      await expect.poll(() => service.isDelivered(), { timeout: SECONDS_20 }).toBe(true);
      expect(receiver.received.length - before).toBe(2);
    }
  },
);

test('deliveries come one at a time, in the order of their events', async () => {
  await using receiver = await startReceiver();
  await begin();
  const held = Promise.withResolvers<void>();
  receiver.answer = (response) => void held.promise.then(() => response.writeHead(204).end());
  const webhook = { name: 'w', targetUrl: receiver.url, subscribedEvents: ['inventory.item.created'] };
  await request('POST', '/v1/webhooks', webhook);
  const names = ['C', 'B', 'A'];
  await createItems(...names);
  await receiver.count(1);
  // The service has had the time to send the others.
  await createItems('D');
  expect(receiver.received).toHaveLength(1);
  held.resolve();
  await expect.poll(() => service.isDelivered(), { timeout: SECONDS_20 }).toBe(true);
  expect(receiver.received.map(({ body }) => (JSON.parse(body) as { data: { name: string } }).data.name)).toEqual([...names, 'D']);
});

test('a key expires, and the next one is in the file', async () => {
  await begin({ kind: 'expire-key', at: 2 });
  expect((await request('GET', '/v1/items')).status).toBe(200);
  expect([(await request('GET', '/v1/items')).status, (await request('GET', '/v1/items')).status]).toEqual([401, 401]);
  const next = readFileSync(service.env[API_KEY_FILE_VARIABLE]!, 'utf8');
  expect((await request('GET', '/v1/items', undefined, next)).status).toBe(200);
  await begin();
  expect(readFileSync(service.env[API_KEY_FILE_VARIABLE]!, 'utf8')).toBe(key);
  expect((await request('GET', '/v1/items')).status).toBe(200);
});

test('a record is removed or added between two pages, and shifts numbered ones', async () => {
  await begin({ kind: 'remove-record', at: 1 }, { kind: 'add-record', at: 2 });
  await createItems('A', 'B', 'C', 'D');
  expect(await listNames('?page_size=2')).toEqual(['A', 'B']);
  expect(await listNames('?page_size=2&page=2')).toEqual(['D']);
  expect(await listNames('?page_size=2&page=2')).toEqual(['C', 'D']);
});

test('reads of a comparison are neither counted nor changed', async () => {
  const { counts } = await begin({ kind: 'limit-requests', at: 1 });
  expect(await service.withoutFaults(() => request('GET', '/v1/items'))).toMatchObject({ status: 200 });
  expect((await request('GET', '/v1/items')).status).toBe(429);
  expect(counts.requests).toBe(1);
});

test.for([
  // Its retry may arrive before or after the others.
  ['lose-delivery', ['A', 'B', 'C']],
  ['double-delivery', ['A', 'B', 'C', 'A']],
  ['reorder-delivery', ['B', 'A', 'C']],
] as const)('%s: every delivery arrives in the end', async ([kind, expected]) => {
  await using receiver = await startReceiver();
  await begin({ kind, at: 1 });
  const webhook = { name: 'w', targetUrl: receiver.url, subscribedEvents: ['inventory.item.created'] };
  await request('POST', '/v1/webhooks', webhook);
  await createItems('A', 'B', 'C');
  await expect.poll(() => service.isDelivered(), { timeout: SECONDS_20 }).toBe(true);
  const names = receiver.received.map(({ body }) => (JSON.parse(body) as { data: { name: string } }).data.name);
  expect(kind === 'lose-delivery' ? names.toSorted() : names).toEqual(expected);
});
