/** Snapshots over the admin API of a running service. */
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startAdmin } from '../../support/service/admin.ts';
import { startService } from '../../support/service/service.ts';
import { isAt, later, shiftTransactions } from '../../support/service/transaction-time.ts';
import { startReceiver } from '../../support/servers/webhook-receiver.ts';
import { addWebhook } from '../../support/resources/webhooks.ts';

const DAY_MS = 86_400_000;

const names = async (a: Awaited<ReturnType<typeof startAdmin>>) =>
  ((await a.s.get('/v1/items?sort=name')).body.data as { name: string }[]).map(({ name }) => name);

test('snapshots are saved, listed, loaded and deleted while the service runs', async () => {
  await using a = await startAdmin();
  await a.s.post('/v1/items', { name: 'Before' });
  const saved = await a.post('/admin/snapshots', { name: 'one' });
  expect(saved.body.data).toMatchObject({
    name: 'one',
    tenants: ['first'],
    version: '0.0.0-test',
    problem: null,
    rows: expect.any(Number),
  });
  await a.s.post('/v1/items', { name: 'Later' });
  expect(await names(a)).toEqual(['Before', 'Later']);
  expect((await a.get('/admin/snapshots')).body.data).toEqual([saved.body.data]);

  const loaded = await a.post('/admin/snapshots/one/load', {});
  expect(loaded.body.data).toEqual(saved.body.data);
  expect(await names(a)).toEqual(['Before']);
  expect((await a.s.post('/v1/items', { name: 'After' })).status).toBe(201);
  expect((await a.get('/admin/doctor')).body.data.ok).toBe(true);
  expect((await a.delete('/admin/snapshots/one')).status).toBe(200);
  expect((await a.get('/admin/snapshots')).body.data).toEqual([]);
  const gone = await a.post('/admin/snapshots/one/load', {});
  expect([gone.status, gone.body.error.message]).toEqual([
    404,
    expect.stringMatching(/^There is no snapshot one\. .* has no snapshot that/u),
  ]);
  await a.s.restart();
  expect(await names(a)).toEqual(['After', 'Before']);
});

test('an existing name is rejected unless replaced, an invalid one always', async () => {
  await using a = await startAdmin();
  await a.post('/admin/snapshots', { name: 'one' });
  await a.s.post('/v1/items', { name: 'Bolt' });
  const again = await a.post('/admin/snapshots', { name: 'one' });
  expect([again.status, again.body.error.code]).toEqual([409, 'DUPLICATE_VALUE']);
  expect((await a.post('/admin/snapshots', { name: 'one', replace: true })).status).toBe(200);
  await a.post('/admin/snapshots/one/load', {});
  expect(await names(a)).toEqual(['Bolt']);
  for (const name of ['', '../x', '.hidden', 'a/b', 'x'.repeat(65)]) {
    const reply = await a.post('/admin/snapshots', { name });
    expect([reply.status, reply.body.error.fields[0].path], name).toEqual([400, '/name']);
  }
  expect((await a.post('/admin/snapshots/..%2Fone/load', {})).status).toBe(404);
});

test('damaged and foreign snapshots are listed with their problem and cannot be loaded', async () => {
  await using a = await startAdmin();
  await a.s.post('/v1/items', { name: 'Bolt' });
  await a.post('/admin/snapshots', { name: 'one' });
  const folder = join(a.s.directory, 'snapshots');
  const bytes = await readFile(join(folder, 'one.snapshot'));
  bytes[bytes.length - 100]! ^= 1;
  await writeFile(join(folder, 'spoilt.snapshot'), bytes);
  await writeFile(join(folder, 'foreign.snapshot'), 'SQLite format 3, which is something else');
  await writeFile(join(folder, '.half.snapshot.new'), 'what a killed daemon left');
  const listed = (await a.get('/admin/snapshots')).body.data as { name: string; problem: string | null }[];
  expect(listed.find(({ name }) => name === 'foreign')?.problem).toBe('it is not a stockroom snapshot');
  expect(listed.map(({ name }) => name).sort()).toEqual(['foreign', 'one', 'spoilt']);
  for (const [name, problem] of [
    ['spoilt', 'it is damaged: checksum mismatch'],
    ['foreign', 'it is not a stockroom snapshot'],
  ] as const) {
    const { status, body } = await a.post(`/admin/snapshots/${name}/load`, {});
    expect([status, body.error.code, body.error.message]).toEqual([
      409,
      'SNAPSHOT_UNUSABLE',
      `Cannot restore snapshot ${name}: ${problem}.`,
    ]);
  }
  expect(await names(a)).toEqual(['Bolt']);
  await a.post('/admin/snapshots', { name: 'two' });
  expect((await readdir(folder)).filter((file) => file.startsWith('.'))).toEqual([]);
});

test('tiers, usage and deliveries follow the loaded data', async () => {
  await using a = await startAdmin();
  await using receiver = await startReceiver(500);
  await a.s.service.startDeliveries();
  await a.patch('/admin/tiers/trial', { requestsPerMinute: 5 });
  await a.post('/admin/snapshots', { name: 'quiet' });
  await a.patch('/admin/tiers/trial', { requestsPerMinute: 7 });
  await a.patch('/admin/tiers/other', { requestsPerMinute: 9 });
  await addWebhook(a.s, receiver.url);
  await a.s.post('/v1/items', { name: 'Bolt' });
  await receiver.count(1);
  await a.post('/admin/snapshots', { name: 'busy' });
  const messages: string[] = [];
  const stop = a.s.service.feed.subscribe(
    undefined,
    ({ type, data }) => void messages.push(type === 'gap' ? `gap ${JSON.stringify(data)}` : type),
  );
  const toldOfDeliveries: string[] = [];
  const stopOther = a.s.service.feed.subscribe(undefined, ({ type }) => void toldOfDeliveries.push(type), ['delivery']);

  await a.post('/admin/snapshots/quiet/load', {});
  expect(messages).toContain('gap {"dataReplaced":true}');
  // Also who asked for nothing else.
  expect(toldOfDeliveries).toContain('gap');
  stop();
  stopOther();
  const tiers = (await a.get('/admin/tiers')).body.data as { name: string; requestsPerMinute: number }[];
  expect(tiers.filter(({ name }) => ['trial', 'other'].includes(name))).toEqual([{ name: 'trial', requestsPerMinute: 5 }]);
  await a.post('/admin/clock/advance', { by: '10s' });
  await a.s.post('/v1/items', { name: 'Nut' });
  // The restore removed the endpoint: the nut is not delivered, and the bolt is not delivered again.
  expect((await a.s.get('/v1/webhooks')).body.data).toEqual([]);
  expect(receiver.received).toHaveLength(1);

  receiver.answer = 200;
  await a.post('/admin/snapshots/busy/load', {});
  await a.post('/admin/clock/advance', { by: '10m' });
  await receiver.count(2);
  const [first, second] = receiver.received.map(({ headers }) => headers['x-service-event-id']);
  expect(second).toBe(first);
});

test('reset leaves a tenant and its key; reset to a snapshot restores the rest', async () => {
  await using a = await startAdmin();
  await a.s.post('/v1/items', { name: 'Bolt' });
  await a.post('/admin/snapshots', { name: 'one' });
  const { body } = await a.post('/admin/reset', {});
  expect(body).toMatchObject({ data: { snapshot: null }, firstKey: { tenant: 'local' } });
  expect((await a.s.get('/v1/items')).status).toBe(401);
  expect((await a.s.get('/v1/items', { key: body.firstKey.secret })).body.data).toEqual([]);
  expect((await a.get('/admin/tenants')).body.data).toMatchObject([{ slug: 'local' }]);
  const back = await a.post('/admin/reset', { to: 'one' });
  expect(back.body).toMatchObject({ data: { snapshot: { name: 'one' } }, firstKey: null });
  expect(await names(a)).toEqual(['Bolt']);
  expect((await a.post('/admin/reset', { to: 'two' })).status).toBe(404);
  expect(await names(a)).toEqual(['Bolt']);
});

test('concurrent writes are answered and applied completely or not at all', async () => {
  await using a = await startAdmin();
  await a.post('/admin/snapshots', { name: 'one' });
  const until = { stopped: false };
  const statuses = new Set<number>();
  const writers = Array.from({ length: 8 }, async () => {
    while (!until.stopped) statuses.add((await a.s.post('/v1/items', { name: 'Bolt' })).status);
  });
  for (let round = 0; round < 5; round += 1) expect((await a.post('/admin/snapshots/one/load', {})).status).toBe(200);
  until.stopped = true;
  await Promise.all(writers);
  expect([...statuses]).toEqual([201]);
  expect((await a.get('/admin/doctor')).body.data.ok).toBe(true);
  const items = (await a.s.get('/v1/items')).body.pagination.total as number;
  expect((await a.s.events()).length).toBe(items);
});

test('the first tenant after a reset and its key have the time and ids of their transaction', async () => {
  await using s = await startService();
  const { store, snapshots } = s.service;
  const { ids } = shiftTransactions(s, 3 * DAY_MS);
  const expected = later(s, 3 * DAY_MS);
  await snapshots.reset();
  const [tenant, key] = await store.read('', async (tx) => [
    (await tx.tenants.listAfter({ limit: 1 })).rows[0],
    (await tx.apiKeys.listAfter({ limit: 1 })).rows[0],
  ]);
  expect([tenant?.createdAt, key?.createdAt].map((at) => isAt(at, expected))).toEqual([true, true]);
  expect(ids.has(key?.id ?? '')).toBe(true);
});

test('a tenant is not put back to a state of data that was replaced since', async () => {
  await using a = await startAdmin();
  const shop = { slug: 'shop', name: 'Shop', plan: 'standard', items: [{ sku: 'BOLT', name: 'Bolt' }] };
  expect((await a.post('/admin/fixtures', { tenants: [shop] })).status).toBe(200);
  expect((await a.post('/admin/tenants/shop/snapshots', { name: 'mine' })).status).toBe(200);
  await a.post('/admin/snapshots', { name: 'all' });
  expect((await a.post('/admin/tenants/shop/reset', {})).status).toBe(200);
  await a.post('/admin/snapshots/all/load', {});
  for (const to of [undefined, 'mine']) {
    const { status, body } = await a.post('/admin/tenants/shop/reset', { to });
    expect([status, body.error.code], to).toEqual([404, 'NOT_FOUND']);
  }
  // Fixtures that are applied to the new data count again.
  expect((await a.post('/admin/fixtures', { tenants: [shop] })).status).toBe(200);
  expect((await a.post('/admin/tenants/shop/reset', {})).status).toBe(200);
});
