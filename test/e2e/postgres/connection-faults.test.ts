/**
 * Packets, answers and connections that are lost or late at each moment of the talk between daemon and database: a request is answered in
 * time, nothing is lost or made twice, and the daemon recovers by itself.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getLogFile } from '../../../src/platform/local-paths.ts';
import { getData } from '../../support/cli/daemon.ts';
import type { Home } from '../../support/cli/home.ts';
import { isLongRun } from '../../support/long-run.ts';
import { createDatabase } from '../../support/postgres/databases.ts';
import { makeDatabaseHome } from '../../support/postgres/homes.ts';
import { type DatabaseProxy, type Fault, type Moment, startDatabaseProxy } from '../../support/postgres/proxy.ts';
import { type DaemonApi, createDaemonApi } from '../../support/service/daemon-api.ts';

/** A statement that gets no answer takes 6 s, finding out the outcome of its commit 10 s more; the rest is for a busy machine. */
const ANSWER_LIMIT_MS = 30_000;
const WRITERS = 3;

const stack = new AsyncDisposableStack();
let proxy: DatabaseProxy;
let home: Home;
let api: DaemonApi;
let counter = 0;

beforeAll(async () => {
  const database = stack.use(await createDatabase());
  proxy = stack.use(await startDatabaseProxy(database.url));
  const daemon = stack.use(await makeDatabaseHome(proxy.url));
  ({ home } = daemon);
  const { url } = await daemon.start(['--tier', 'bulk=1000000', '--drain-seconds', '0']);
  const { body } = await home.json(['keys', 'create', '--all-scopes', '--tier', 'bulk']);
  api = createDaemonApi(() => url!, (body as { secret: string }).secret);
});
afterAll(() => stack.disposeAsync());

const isReady = async (): Promise<boolean> => (await api.checkReadiness()).status === 200;

/** Sends a request until it succeeds, with the same key. Every answer comes in time, and each before the last is a 503. */
async function persist(method: 'GET' | 'POST', path: string, body?: object): Promise<{ id: string }> {
  const key = randomUUID();
  for (;;) {
    const startedAt = performance.now();
    const reply = await api.send(method, path, body, key);
    expect(performance.now() - startedAt).toBeLessThan(ANSWER_LIMIT_MS);
    if (reply.status < 300) return (reply.body as { data: { id: string } }).data;
    expect(reply).toMatchObject({ status: 503, code: 'STORE_UNAVAILABLE', retryAfter: expect.any(String) as string });
  }
}

/** Receives a piece of a new item: it has one piece, whatever happens to the requests. */
async function receiveStock(): Promise<{ item: string; name: string }> {
  const name = `Item ${String((counter += 1))}`;
  const { id: item } = await persist('POST', '/v1/items', { name });
  const { id } = await persist('POST', '/v1/stock-documents', { type: 'receipt', lines: [{ itemId: item, quantity: 1, unitCost: 1 }] });
  await persist('POST', `/v1/stock-documents/${id}/submit`, {});
  await persist('POST', `/v1/stock-documents/${id}/approve`, {});
  await persist('GET', `/v1/items?search=${encodeURIComponent(name)}`);
  return { item, name };
}

/** Runs requests while the fault happens, which `trigger` leads to. Returns what they have received. */
async function workWith(fault: { at: Moment; kind: Fault }, trigger: () => void): Promise<{ item: string; name: string }[]> {
  proxy.fault = fault;
  trigger();
  const working = Promise.all(Array.from({ length: WRITERS }, receiveStock));
  working.catch(() => undefined);
  await expect.poll(() => proxy.fault, { interval: 5 }).toBeUndefined();
  const received = await working;
  // What is late arrives when the daemon has given up.
  proxy.resume();
  return received;
}

async function expectRecovery(received: readonly { item: string; name: string }[]): Promise<void> {
  await expect.poll(isReady).toBe(true);
  for (const { item, name } of [...received, await receiveStock()]) {
    const found = await api.send('GET', `/v1/items?search=${encodeURIComponent(name)}&page_size=200`);
    expect((found.body.data as { name: string }[]).filter((each) => each.name === name)).toHaveLength(1);
    expect((await api.send('GET', `/v1/stock-levels?item_id=${item}`)).body.data).toMatchObject([{ onHand: 1 }]);
  }
  expect(await home.json(['doctor'])).toMatchObject({ exit: 0, body: { data: { ok: true } } });
}

const FAULTS: readonly [at: Moment, kind: Fault][] = [
  ['read', 'reset'],
  ['read', 'swallow'],
  ['read', 'freeze'],
  ['read', 'delay'],
  ['begin', 'reset'],
  ['begin', 'swallow'],
  ['begin', 'freeze'],
  ['begin', 'delay'],
  ['commit', 'reset'],
  ['commit', 'answer'],
  ['commit', 'swallow'],
  ['commit', 'freeze'],
  ['commit', 'delay'],
  ['connect', 'reset'],
  ['connect', 'swallow'],
  ['connect', 'delay'],
];
/** Those that only cut a connection take no time; of the others one of each moment, unless everything is run. */
const SAMPLE: ReadonlySet<Fault> = new Set(['reset', 'answer', 'freeze']);
const isRun = (kind: Fault): boolean => isLongRun || SAMPLE.has(kind);

test.each(FAULTS.filter(([, kind]) => isRun(kind)))(
  '%s with the fault %s: requests get an answer in time and change something once',
  async (at, kind) => {
    const received = await workWith({ at, kind }, () => (at === 'connect' ? proxy.cut() : undefined));
    expect(received).toHaveLength(WRITERS);
    await expectRecovery(received);
  },
);

test.each((['reset', 'swallow', 'freeze', 'delay'] as const).filter(isRun))(
  'LISTEN with the fault %s: requests succeed, and notifications arrive again',
  async (kind) => {
    const log = getLogFile(getData(home));
    const start = readFileSync(log, 'utf8').length;
    const received = await workWith({ at: 'listen', kind }, () => proxy.cut());
    await expect.poll(() => readFileSync(log, 'utf8').slice(start)).toContain('notifications restored');
    await expectRecovery(received);
  },
);
