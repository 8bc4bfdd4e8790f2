/** What happens in the service: who changed what, and which requests arrived. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getLines, saying } from '../../support/cli/command-output.ts';
import { type Shop, openShop } from '../../support/cli/running-daemon.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop([{ name: 'Bolt', sku: 'BOLT' }]);
  await shop.http('GET', '/v1/items/0197a3c0-1111-7a55-9e0b-4c8d2a6f1b73');
});
afterAll(() => shop[Symbol.asyncDispose]());

test('audit list shows the number of the record, the actor and what changed', async () => {
  await shop.home.run(['items', 'update', 'BOLT', '--name', 'Hex bolt']);
  const { stdout } = await shop.home.run(['audit', 'list', '--record', 'BOLT'], { columns: 120 });
  expect(stdout).toMatch(/^TIME +ACTION +RECORD NAME +ACTOR NAME +CHANGES/mu);
  expect(stdout).toMatch(/\d\d:\d\d:\d\d +item\.updated +BOLT +.*pk_test_\S* +name: Bolt → Hex bolt/u);
  expect((await shop.home.json(['audit', 'list', '--actor', 'nobody'])).body.data).toEqual([]);
});

test('lists of audit events and of requests have --key, and commands for keys have --tier, each also under its longer name', async () => {
  const created = (
    await shop.home.json(['keys', 'create', '--name', 'Clerk', '--scope', 'contacts:write', '--rate-limit-tier', 'elevated'])
  ).body as { data: { prefix: string; rateLimitTier: string }; secret: string };
  expect(created.data.rateLimitTier).toBe('elevated');
  await shop.http('POST', '/v1/contacts', { name: 'Ana' }, created.secret);
  await shop.home.run(['keys', 'update', 'Clerk', '--tier', 'standard']);
  const read = async (...args: string[]) => (await shop.home.json(args)).body.data as { action?: string; keyPrefix?: string }[];
  for (const flag of ['--key', '--api-key', '--api-key-id'])
    for (const key of ['clerk', created.data.prefix]) {
      expect(await read('audit', 'list', flag, key)).toMatchObject([{ action: 'contact.created' }]);
      expect(await read('audit', 'export', flag, key)).toMatchObject([{ action: 'contact.created' }]);
      expect(await read('requests', 'list', flag, key)).toMatchObject([{ keyPrefix: created.data.prefix }]);
    }
  await shop.home.run(['keys', 'revoke', 'Clerk', '--yes']);
  expect(await read('audit', 'list', '--key', created.data.prefix)).toMatchObject([{ action: 'contact.created' }]);
  expect((await shop.home.run(['audit', 'export', '--actor', 'demo'])).stderr).toContain('audit list` has --actor');
});

test('audit list says that there are more rows, and prints all with --all', async () => {
  expect((await shop.home.run(['audit', 'list', '--limit', '1'])).stderr).toBe(
    'The newest 1 — use --limit for more, or --all for every row',
  );
  const all = await shop.home.json(['audit', 'list', '--all']);
  expect(all).toMatchObject({ exit: 0, body: { pagination: { hasMore: false } } });
  const exported = (await shop.home.json(['audit', 'export'])).body.data as { id: string }[];
  const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);
  expect(ids(all.body.data as { id: string }[])).toEqual(ids(exported).toReversed());
});

test('audit list -f prints the latest changes, then new ones with their names', async () => {
  const child = shop.home.spawn(['audit', 'list', '-f', '--record', 'BOLT', '--limit', '1']);
  const lines = getLines(child);
  const following = saying(child, 'Following');
  expect(await lines.next()).toMatchObject({ recordName: 'BOLT' });
  await following;
  await shop.home.run(['items', 'create', '--name', 'Nut']);
  await shop.home.run(['items', 'update', 'BOLT', '--name', 'Bolt']);
  expect(await lines.next()).toMatchObject({ action: 'item.updated', recordName: 'BOLT', metadata: { changes: { name: { to: 'Bolt' } } } });
  child.kill('SIGINT');
  await child;
});

test('audit list -f prints what changed while it was disconnected, once', async () => {
  await using own = await openShop([{ name: 'Bolt', sku: 'BOLT' }]);
  const child = own.home.spawn(['audit', 'list', '-f', '--action-prefix', 'item.', '--limit', '1']);
  const lines = getLines(child);
  const following = saying(child, 'Following');
  expect(await lines.next()).toMatchObject({ action: 'item.created', recordName: 'BOLT' });
  await following;
  // It notices only later that the stream has ended.
  child.kill('SIGSTOP');
  expect((await own.home.run(['daemon', 'restart'])).exit).toBe(0);
  await own.home.run(['items', 'update', 'BOLT', '--name', 'Hex bolt']);
  child.kill('SIGCONT');
  expect(await lines.next()).toMatchObject({ action: 'item.updated', recordName: 'BOLT' });
  await own.home.run(['items', 'delete', 'BOLT', '--yes']);
  expect(await lines.next()).toMatchObject({ action: 'item.deleted' });
  child.kill('SIGINT');
  await child;
});

test('requests list shows the latest requests, by status, key and operation', async () => {
  const list = async (...args: string[]) =>
    (await shop.home.json(['requests', 'list', ...args])).body.data as { operationId: string; status: number; keyPrefix: string }[];
  expect(await list('--status', '404')).toMatchObject([{ operationId: 'items.get', status: 404, errorCode: 'NOT_FOUND' }]);
  expect(await list('--status', '5xx,3xx')).toEqual([]);
  expect((await list('--operation', 'items.')).every(({ operationId }) => operationId.startsWith('items.'))).toBe(true);
  const keyPrefix = (await list('--limit', '1'))[0]?.keyPrefix ?? '';
  expect((await list('--key', keyPrefix)).length).toBeGreaterThan(1);
  const { body } = await shop.home.json(['keys', 'create', '--name', 'Unused', '--scope', 'items:read']);
  expect(await list('--key', 'Unused')).toEqual([]);
  await shop.http('GET', '/v1/items', undefined, body.secret as string);
  expect(await list('--key', 'unused')).toMatchObject([{ operationId: 'items.list' }]);
  expect((await shop.home.run(['requests', 'list', '--status', '7xx'])).stderr).toContain('Invalid --status "7xx"');
  expect((await shop.home.run(['requests', 'list', '--limit', '2'], { columns: 80 })).stdout).toMatch(/^TIME .*PATH/u);
  expect((await list('--limit', '2')).length).toBeLessThan((await list('--all')).length);
});

test('requests tail follows them, and ends after --limit', async () => {
  const child = shop.home.spawn(['requests', 'tail', '--status', '4xx', '--limit', '1']);
  const lines = getLines(child);
  await saying(child, 'Following');
  await shop.http('GET', '/v1/items');
  await shop.http('GET', '/v1/items?page=0');
  expect(await lines.next()).toMatchObject({ path: '/v1/items', status: 400 });
  expect((await child).exitCode).toBe(0);
});

test('requests tail --since prints the past ones first', async () => {
  await shop.http('GET', '/v1/items?page=0');
  const child = shop.home.spawn(['requests', 'tail', '--status', '4xx', '--since', '1h', '--operation', 'items.list']);
  const lines = getLines(child);
  expect(await lines.next()).toMatchObject({ path: '/v1/items', status: 400 });
  child.kill('SIGINT');
  await child;
});

test.each(['list', 'tail', 'export'])('requests %s rejects an operation that does not exist', async (command) => {
  const { exit, stderr } = await shop.home.run(['requests', command, '--operation', 'items.crate']);
  expect([exit, stderr]).toEqual([2, expect.stringMatching(/no operation begins with "items\.crate"/iu)]);
});

test('requests tail prints requests to a restarted daemon that came while it was disconnected, once', async () => {
  await using own = await openShop();
  const child = own.home.spawn(['requests', 'tail', '--status', '4xx']);
  const lines = getLines(child);
  await saying(child, 'Following');
  // It notices only later that the stream has ended.
  child.kill('SIGSTOP');
  expect((await own.home.run(['daemon', 'restart'])).exit).toBe(0);
  for (const page of ['0', '-1']) await own.home.run(['api', 'GET', `/v1/items?page=${page}`]);
  const reconnected = saying(child, 'Reconnected');
  child.kill('SIGCONT');
  expect([await lines.next(), await lines.next()]).toMatchObject([{ status: 400 }, { status: 400 }]);
  await reconnected;
  await own.home.run(['api', 'GET', '/v1/contacts?page=0']);
  expect(await lines.next()).toMatchObject({ path: '/v1/contacts' });
  child.kill('SIGINT');
  await child;
});

test('requests tail follows the tenant of the key in use, as requests list does', async () => {
  await shop.home.run(['tenants', 'create', '--name', 'Other', '--slug', 'other']);
  const otherKey = await shop.addKey(['--tenant', 'other']);
  const child = shop.home.spawn(['requests', 'tail', '--status', '4xx', '--limit', '1']);
  const lines = getLines(child);
  await saying(child, 'Following');
  await shop.http('GET', '/v1/contacts?page=0', undefined, otherKey);
  await shop.http('GET', '/v1/items?page=0');
  expect(await lines.next()).toMatchObject({ path: '/v1/items', status: 400 });
  expect((await child).exitCode).toBe(0);
});

test("metrics prints the daemon's figures as Prometheus reads them, or a row for each with another format", async () => {
  const { stdout } = await shop.home.run(['metrics']);
  expect(stdout).toMatch(/^# TYPE stockroom_ready gauge\nstockroom_ready 1$/mu);
  const { body } = await shop.home.json(['metrics']);
  expect(body.data).toContainEqual({ metric: 'stockroom_ready', labels: '', value: 1 });
  expect(body.data).toContainEqual(expect.objectContaining({ labels: 'operation="items.get",status="4xx"', value: 1 }));
});
