/** Lists that select by a record, and what they show of the records that they name. */
import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Shop, openShop } from '../../support/cli/running-daemon.ts';

let shop: Shop;
let orderNumber = '';
beforeAll(async () => {
  shop = await openShop([{ name: 'Bolt', sku: 'BOLT' }]);
  await run('contacts', 'create', '--name', 'Buyer', '--contact-type', 'customer');
  const order = ['--module', 'sell', '--status', 'open', '--contact-id', 'Buyer', '--line', 'BOLT:2@5'];
  orderNumber =
    (await run('orders', 'create', ...order, '--order-date', '2020-01-01', '--due-date', '2020-01-31', '--columns', 'orderNumber')).split(
      '\n',
    )[1] ?? '';
  await run('stock', 'receive', 'BOLT:7@1.50');
});
afterAll(() => shop[Symbol.asyncDispose]());

async function run(...args: string[]): Promise<string> {
  const { exit, stdout, stderr } = await shop.home.run(args);
  expect([exit, stderr.startsWith('Error:') ? stderr : '']).toEqual([0, '']);
  return stdout;
}

const table = async (args: readonly string[], columns = 80) => (await shop.home.run([...args, '-o', 'table'], { columns })).stdout;

test.for([
  ['events', 'list'],
  ['audit', 'export', '--since', '2020-01-01'],
])('%s select by the number of an order', async (command) => {
  const rows = (await run(...command, '--resource-id', orderNumber, '-o', 'ndjson')).split('\n').map((line) => JSON.parse(line) as object);
  const { id } = (await shop.home.json(['orders', 'get', orderNumber])).body.data as { id: string };
  expect(rows.length).toBeGreaterThan(0);
  for (const row of rows) expect(row).toMatchObject({ resourceId: id });
});

test('an unknown record is an error, not an empty list of events', async () => {
  const { exit, stderr } = await shop.home.run(['events', 'list', '--resource-id', 'SO-999999']);
  expect([exit, stderr]).toEqual([3, expect.stringContaining('SO-999999')]);
});

test('events tail continues behind a cursor', async () => {
  const { pagination } = (await shop.home.json(['events', 'list', '--limit', '1'])).body as { pagination: { nextCursor: string } };
  const all = (await run('events', 'list', '--all', '-o', 'ndjson')).split('\n');
  const followed = await run('events', 'tail', '--cursor', pagination.nextCursor, '--limit', String(all.length - 1), '-o', 'ndjson');
  expect(followed.split('\n')).toEqual(all.slice(1));
});

test('tables of events name stock levels by SKU and site; other formats have their ids', async () => {
  const types = ['--types', 'stock_level.updated'];
  expect(await table(['events', 'list', ...types], 140)).toMatch(/stock_level.updated +BOLT at Main/u);
  expect(await table(['events', 'tail', '--no-follow', ...types], 140)).toMatch(/stock_level.updated +BOLT at Main/u);
  expect(await table(['events', 'list', ...types, '--columns', 'record'])).toContain('BOLT at Main');
  expect(await run('events', 'list', ...types, '-o', 'csv')).not.toContain('Main');
});

test('orders list --overdue shows the due date at 80 columns', async () => {
  expect(await table(['orders', 'list', '--overdue'])).toMatch(new RegExp(`DUE DATE[^]*${orderNumber}.*2020-01-31`, 'u'));
});

test('stock documents get shows the lines at a terminal', async () => {
  const number = (await run('stock', 'documents', 'list', '--columns', 'documentNumber')).split('\n')[1] ?? '';
  expect(await table(['stock', 'documents', 'get', number])).toMatch(/BOLT +.*7.*1\.50?/u);
});

test('audit list names the request of a change', async () => {
  const { headers } = await request(`${shop.daemon.url ?? ''}/v1/items`, {
    method: 'POST',
    headers: { 'x-api-key': shop.key, 'content-type': 'application/json', 'idempotency-key': 'nut' },
    body: JSON.stringify({ name: 'Nut', sku: 'NUT' }),
  });
  const rows = await run('audit', 'list', '--record', 'NUT', '--columns', 'action,requestId');
  expect(rows).toContain(`item.created\t${String(headers['x-request-id'])}`);
});

test('the history of a deleted record is found by its name; if several had it, their ids are named', async () => {
  const createAndDelete = async (name: string): Promise<string> => {
    const { id } = (await shop.home.json(['items', 'create', '--name', name, '--sku', 'GONE-1'])).body.data as { id: string };
    await run('items', 'delete', id, '--yes');
    return id;
  };
  const first = await createAndDelete('Gone');
  const audit = (await shop.home.json(['audit', 'list', '--record', 'GONE-1'])).body.data as { action: string; resourceId: string }[];
  expect(audit.map(({ action, resourceId }) => [action, resourceId])).toEqual([
    ['item.deleted', first],
    ['item.created', first],
  ]);
  for (const command of [
    ['audit', 'export'],
    ['events', 'list'],
  ]) {
    const rows = (await run(...command, '--resource-id', 'gone-1', '-o', 'ndjson')).split('\n').map((line) => JSON.parse(line) as object);
    expect(rows, command.join(' ')).toHaveLength(2);
    for (const row of rows) expect(row).toMatchObject({ resourceId: first });
  }
  const second = await createAndDelete('Gone again');
  const { stdout, stderr } = await shop.home.run(['audit', 'list', '--record', 'GONE-1']);
  expect(stdout.split('\n')).toHaveLength(5);
  expect(stderr).toContain(`2 records have the name "GONE-1"; for one of them, pass its id to --record: ${second}, ${first}`);
  const exported = await shop.home.run(['audit', 'export', '--resource-id', 'GONE-1']);
  expect([exported.exit, exported.stderr]).toEqual([2, expect.stringContaining('2 deleted records have the name "GONE-1"')]);
  for (const id of [first, second]) expect(exported.stderr).toContain(id);
});
