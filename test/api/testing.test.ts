/** `stockroom/testing`: the service inside tests of other programs. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { stockroomClient } from '../../src/client/index.ts';
import { TIER_MAX_PER_MINUTE } from '../../src/contract/limits.ts';
import { ApiError, type Stockroom, type StockroomOptions, startStockroom } from '../../src/embedded/index.ts';
import { startWithStopGrace } from '../../src/embedded/start-stockroom.ts';
import { verifyWebhook } from '../../src/webhook-verifier/index.ts';

/** For programs of their own, which load it in a tenth of the time of the sources. */
const BUILT = JSON.stringify(new URL('../../dist/testing.js', import.meta.url).href);

async function start(options: StockroomOptions = {}) {
  const stockroom = await startStockroom(options);
  onTestFinished(() => stockroom.stop());
  return stockroom;
}
/** Enough to finish the requests of a test, and short, because a request that hangs is waited for. */
const STOP_GRACE_MS = 800;
async function startWithShortGrace() {
  const stockroom = await startWithStopGrace({}, STOP_GRACE_MS);
  onTestFinished(() => stockroom.stop());
  return stockroom;
}
const getCode = (work: PromiseLike<unknown>) =>
  Promise.resolve(work).then(
    () => 'none',
    (error: unknown) => (error instanceof ApiError ? error.code : String(error)),
  );

test('startStockroom with the strict contract has no extensions', async () => {
  await using stockroom = await startStockroom({ contract: 'strict' });
  const { data } = await stockroom.client.items.create({ name: 'Bolt' });
  expect(data).not.toHaveProperty('createdAt');
  await expect(stockroom.client.events.list({})).rejects.toMatchObject({
    status: 404,
    message: expect.stringContaining('--contract strict'),
  });
  await expect(stockroom.client.items.list({ cursor: '' })).rejects.toMatchObject({ status: 400 });
});

test('startStockroom serves real HTTP until disposed and removes its directory', async () => {
  let url: string;
  let directory: string | null;
  {
    await using stockroom = await startStockroom();
    ({ url } = stockroom);
    await using elsewhere = stockroomClient({ url, apiKey: stockroom.apiKey });
    await stockroom.client.items.create({ name: 'Bolt' });
    expect((await elsewhere.items.list()).pagination.total).toBe(1);
    directory = (await stockroom.admin.daemon.status()).data.dataDir;
    expect(existsSync(directory ?? '')).toBe(true);
    await stockroom.stop();
    await stockroom.stop();
  }
  await using late = stockroomClient({ url, apiKey: 'x', maxWaitMs: 0 });
  expect(await getCode(late.items.list())).toContain('connection refused');
  expect(existsSync(directory ?? '')).toBe(false);
});

test('several services run side by side in isolation', async () => {
  const [one, other] = await Promise.all([start(), start()]);
  await one.client.items.create({ name: 'Bolt' });
  expect((await other.client.items.list()).pagination.total).toBe(0);
  expect(await getCode(stockroomClient({ url: other.url, apiKey: one.apiKey }).items.list())).toBe('UNAUTHENTICATED');
});

test('invalid options are rejected by name', async () => {
  const wrong: [string, StockroomOptions][] = [
    ['requestsPerMinute', { requestsPerMinute: 1.5 }],
    ['requestsPerMinute', { requestsPerMinute: 0 }],
    ['plan', { plan: 'gold' as 'free' }],
    ['webhookRetries.1', { webhookRetries: [1, -1] }],
  ];
  for (const [name, options] of wrong) {
    const started = startStockroom(options).then((stockroom) => stockroom.stop());
    await expect(started).rejects.toThrow(new RegExp(`^${name} must be `, 'u'));
  }
});

test('the tenant has the enterprise plan by default, or the given plan; keys can have fewer scopes', async () => {
  const { client, addKey, tenant } = await start();
  expect(tenant).toMatchObject({ name: 'Test', plan: 'enterprise' });
  // Nothing has happened yet, so that a test sees only what its program does.
  expect((await client.audit.list()).data).toEqual([]);
  const reader = await addKey({ scopes: ['items:read'] });
  expect((await reader.client.items.list()).data).toEqual([]);
  expect(await getCode(reader.client.items.create({ name: 'Bolt' }))).toBe('SCOPE_REQUIRED');
  const free = await start({ plan: 'free' });
  expect(await getCode(free.client.audit.list())).toBe('PLAN_REQUIRED');
});

test('addTenant creates a tenant with its own rows and key', async () => {
  const { client, addTenant } = await start();
  const another = await addTenant({ name: 'Another', plan: 'pro', timezone: 'Europe/Lisbon' });
  expect(another.tenant).toMatchObject({ slug: 'another', timezone: 'Europe/Lisbon' });
  const { data: item } = await client.items.create({ name: 'Bolt' });
  expect(await getCode(another.client.items.get(item.id))).toBe('NOT_FOUND');
});

test('no rate limit applies unless requested, and then 429 is returned without waiting', async () => {
  const { client } = await start();
  expect((await client.usage.get()).data.rate_limit.limit_per_minute).toBe(TIER_MAX_PER_MINUTE);
  const slow = await start({ requestsPerMinute: 2 });
  await slow.client.usage.get();
  await slow.client.usage.get();
  // After waiting until the window ends, it would succeed.
  expect(await getCode(slow.client.usage.get())).toBe('RATE_LIMITED');
  await slow.advance('60s');
  await slow.client.usage.get();
});

test('the clock of one tenant can be moved alone', async () => {
  const { now, advance, setTime, addTenant } = await start({ now: '2026-01-31T12:00:00Z' });
  const [ahead, other] = [await addTenant({ name: 'Ahead' }), await addTenant({ name: 'Other' })];
  const readYear = async ({ client }: Pick<Stockroom, 'client'>) =>
    (await client.items.create({ name: 'Bolt' })).data.createdAt.slice(0, 4);
  expect((await setTime('2030-01-01T00:00:00Z', 'ahead')).toISOString()).toMatch(/^2030-01-01T00:0/u);
  expect((await advance('366d', ahead.tenant.id)).getUTCFullYear()).toBe(2031);
  expect([await readYear(ahead), await readYear(other)]).toEqual(['2031', '2026']);
  expect([now(ahead.tenant.id).getUTCFullYear(), now().getUTCFullYear()]).toEqual([2031, 2026]);
});

test('the clock starts at now, runs, and can be set forward and back', async () => {
  const { client, now, advance, setTime, addKey } = await start({ now: '2026-01-31T12:00:00Z' });
  const day = async () => (await client.items.create({ name: 'Bolt' })).data.updatedAt.slice(0, 10);
  expect(await day()).toBe('2026-01-31');
  const key = await addKey({ expiresIn: '2h' });
  await key.client.usage.get();
  expect((await advance('2h')).getTime() - Date.parse('2026-01-31T14:00:00Z')).toBeLessThan(60_000);
  expect(await getCode(key.client.usage.get())).toBe('UNAUTHENTICATED');
  await advance(86_400_000);
  expect(await day()).toBe('2026-02-01');
  await setTime(new Date('2025-06-01T00:00:00Z'));
  expect(now().toISOString()).toMatch(/^2025-06-01T00:0/u);
  expect(await getCode(advance('soon'))).toBe('VALIDATION_FAILED');
  expect(await getCode(setTime('soon'))).toContain('Invalid time "soon"');
  expect(await getCode(startStockroom({ now: 'soon' }))).toContain('Invalid time "soon"');
});

test('demo: true creates the demo tenants with keys and uses the first', async () => {
  const { client, tenant, demo, addTenant } = await start({ demo: true });
  expect(demo.map(({ slug, secret }) => [slug, secret?.startsWith('pk_test_')])).toEqual([
    ['kestrel-coffee', true],
    ['spoke-chain', true],
    ['sandbox', true],
  ]);
  expect(tenant.slug).toBe('kestrel-coffee');
  expect((await client.items.list({ search: 'guji' })).data.length).toBeGreaterThan(0);
  expect((await addTenant({ name: 'Fourth' })).tenant.slug).toBe('fourth');
});

test('seed() generates the same rows every time', async () => {
  const names = async () => {
    const stockroom = await start();
    await stockroom.seed({ items: 30, orders: 2, seed: 7 });
    return (await stockroom.client.items.list({ sort: 'sku' }).all()).map(({ name }) => name);
  };
  const [one, other] = [await names(), await names()];
  expect(one.length).toBeGreaterThanOrEqual(30);
  expect(other).toEqual(one);
});

test('events() lists recorded events, deliveries are signed, and settled() waits for due attempts', async () => {
  const stockroom = await start({ webhookRetries: [3_600] });
  const { client, events, settled, advance } = stockroom;
  const got: string[] = [];
  let secret = '';
  let status = 503;
  const receiver = createServer((request, response) => {
    void buffer(request).then((body) => {
      got.push(verifyWebhook(body, request.headers, secret, { now: stockroom.now }).event);
      return response.writeHead(status).end();
    });
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  onTestFinished(() => void receiver.close());
  const targetUrl = `http://127.0.0.1:${String((receiver.address() as AddressInfo).port)}`;
  const { signingSecret = '' } = await client.webhooks.create({ name: 'Shop', targetUrl, subscribedEvents: ['inventory.item.created'] });
  secret = signingSecret;
  await settled();
  expect(got).toEqual([]);
  await client.items.create({ name: 'Bolt' });
  await settled();
  expect(got).toEqual(['inventory.item.created']);
  status = 204;
  await advance('2h');
  await settled();
  expect(got).toHaveLength(2);
  const [event] = await events();
  expect(event).toMatchObject({ event: 'inventory.item.created', data: { name: 'Bolt' } });
  expect(await events()).toHaveLength(1);
});

test('admin provides the admin API without a socket, except stopping', async () => {
  const { admin } = await start();
  await admin.users.invite({ email: 'ana@example.com', name: 'Ana', role: 'admin' });
  expect((await admin.users.list()).data.map(({ email }) => email)).toEqual(['ana@example.com']);
  expect((await admin.doctor.run()).data.ok).toBe(true);
  expect(await getCode(admin.daemon.stop())).toBe('NOT_ENABLED');
  expect(await getCode(admin.keys.create({ rateLimitTier: 'no such' }))).toBe('VALIDATION_FAILED');
});

test('a program that exits without stop() leaves no directory', async () => {
  const script = `
    const { startStockroom } = await import(${BUILT});
    const { admin } = await startStockroom();
    console.log((await admin.daemon.status()).data.dataDir);
    process.exit(0);`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  expect(stdout.trim()).toContain('stockroom-');
  expect(existsSync(stdout.trim())).toBe(false);
});

test('directories of killed programs are removed at a later start, others are kept', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'testing-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const script = `
    const { startStockroom } = await import(${BUILT});
    const { admin, stop } = await startStockroom();
    console.log((await admin.daemon.status()).data.dataDir);
    process.once('SIGTERM', () => void stop().then(() => process.exit()));`;
  const begin = async () => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      env: { ...process.env, TMPDIR: folder },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [directory] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
    return {
      directory: directory.trim(),
      async end(signal: NodeJS.Signals) {
        child.kill(signal);
        await once(child, 'exit');
      },
    };
  };
  const [killed, fresh, living] = [await begin(), await begin(), await begin()];
  await killed.end('SIGKILL');
  await fresh.end('SIGINT');
  // A user may give the data directory of a daemon such a name.
  const others = ['stockroom-notes', 'stockroom-test-data', 'stockroom-test-plan'];
  for (const name of others) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'stockroom-test-plan', 'plan.md'), 'mine');
  const [yesterday, tomorrow] = [Date.now() / 1_000 - 86_400, Date.now() / 1_000 + 86_400];
  for (const path of [killed.directory, living.directory, ...others.map((name) => join(folder, name))])
    utimesSync(path, yesterday, yesterday);
  // However long it takes to come to the later start.
  utimesSync(fresh.directory, tomorrow, tomorrow);
  const later = await begin();
  expect(readdirSync(folder).toSorted()).toEqual(
    [...[fresh, living, later].map(({ directory }) => basename(directory)), ...others].toSorted(),
  );
  for (const each of [living, later]) await each.end('SIGTERM');
  expect(readdirSync(folder).toSorted()).toEqual([basename(fresh.directory), ...others].toSorted());
});

test('invalid calendar dates are rejected', async () => {
  const day = '2026-02-30T00:00:00Z';
  await expect(startStockroom({ now: day })).rejects.toThrow(`Invalid time "${day}"`);
  const { now, setTime } = await start({ now: '2026-02-28' });
  await expect(setTime(day)).rejects.toThrow(`Invalid time "${day}"`);
  expect(now().toISOString().slice(0, 10)).toBe('2026-02-28');
  await expect(startStockroom({ now: new Date('1960-01-01') })).rejects.toThrow(
    'Invalid time 1960-01-01T00:00:00.000Z. Use a time between',
  );
});

test('settled() rejects when the service stops', async () => {
  const receiver = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  onTestFinished(() => void receiver.close());
  const { client, settled, stop } = await start();
  const targetUrl = `http://127.0.0.1:${String((receiver.address() as AddressInfo).port)}`;
  await client.webhooks.create({ name: 'Shop', targetUrl, subscribedEvents: ['inventory.item.created'] });
  const asked = once(receiver, 'request');
  await client.items.create({ name: 'Bolt' });
  await asked;
  const waiting = settled();
  const stopped = stop();
  await expect(waiting).rejects.toThrow('stopped');
  receiver.closeAllConnections();
  await stopped;
  await expect(settled()).rejects.toThrow('stopped');
});

test('stop() waits for requests in flight, but not for a hanging one', async () => {
  const { client, admin, stop } = await startWithShortGrace();
  await admin.faults.set({ target: 'GET /v1/items', latency: '60s' });
  const hanging = getCode(client.items.list());
  await expect.poll(async () => (await admin.faults.list()).data[0]?.hits).toBe(1);
  const created = Promise.all(Array.from({ length: 20 }, (_, at) => client.items.create({ name: `Bolt ${String(at)}` })));
  await stop();
  expect(await hanging).toContain('No response');
  expect(await created).toHaveLength(20);
});

test('stop() interrupts nothing because the process was suspended', async () => {
  const { client, admin, stop } = await startWithShortGrace();
  await admin.faults.set({ target: 'GET /v1/items', latency: '60s' });
  const hanging = getCode(client.items.list());
  await expect.poll(async () => (await admin.faults.list()).data[0]?.hits).toBe(1);
  const created = Promise.all(Array.from({ length: 20 }, (_, at) => client.items.create({ name: `Bolt ${String(at)}` })));
  const stopped = stop();
  // Nothing happens in this process for longer than a hanging request is waited for.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1.5 * STOP_GRACE_MS);
  await stopped;
  expect(await hanging).toContain('No response');
  expect(await created).toHaveLength(20);
});

test('a stopped service does not keep the process alive, not even a delaying fault', async () => {
  const script = `
    const { setTimeout: sleep } = await import('node:timers/promises');
    const { startStockroom } = await import(${BUILT});
    const { client, admin, stop } = await startStockroom();
    await admin.faults.set({ target: 'GET /v1/items', latency: '60s' });
    const hanging = client.items.list().then(undefined, () => 'cut off');
    while ((await admin.faults.list()).data[0].hits === 0) await sleep(1);
    await stop();
    console.log(await hanging, process.getActiveResourcesInfo().includes('Timeout'));
    process.exit();`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  expect(stdout.trim()).toBe('cut off false');
});

test('fixtures of a document are there when the service has started, and an invalid one names the place', async () => {
  const fixtures = {
    tenants: [{ slug: 'shop', name: 'Shop', items: [{ sku: 'BOLT', name: 'Bolt' }], stock: [{ item: 'BOLT', quantity: 3 }] }],
  };
  await using stockroom = await startStockroom({ fixtures });
  expect(stockroom.tenant.slug).toBe('shop');
  const { data } = await stockroom.client.stockLevels.list();
  expect(data).toMatchObject([{ onHand: 3 }]);
  const invalid = { tenants: [{ ...fixtures.tenants[0]!, stock: [{ item: 'BOLTS', quantity: 3 }] }] };
  await expect(startStockroom({ fixtures: invalid })).rejects.toThrow(
    /^fixtures:\d+:\d+ there is no item "BOLTS" \(did you mean "BOLT"\?\)$/u,
  );
});
