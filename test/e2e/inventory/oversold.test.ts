/** Oversold is not low: more committed than on hand is an alert of its own, and every list of what is short agrees. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Shop, openShop } from '../../support/cli/running-daemon.ts';

let shop: Shop;
const json = async (...args: string[]) => (await shop.home.json(args)).body;

beforeAll(async () => {
  shop = await openShop([
    { name: 'Bolt', sku: 'BOLT' },
    { name: 'Nut', sku: 'NUT' },
    { name: 'Washer', sku: 'WASHER' },
  ]);
  await json('contacts', 'create', '--name', 'Ana');
  const receive = ['stock', 'documents', 'create', '--type', 'receipt', '--post'];
  await json(...receive, '--line', 'BOLT:5@1', '--line', 'NUT:20@1', '--line', 'WASHER:8@1');
  // Bolts are oversold without a reorder point, nuts are at theirs, washers are fine.
  await json('orders', 'create', '--module', 'sell', '--status', 'open', '--contact-id', 'Ana', '--line', 'BOLT:25');
  const site = (await json('sites', 'list')).data[0].name as string;
  await json('stock', 'levels', 'set', 'NUT', '--site-id', site, '--reorder-point', '20');
});
afterAll(() => shop[Symbol.asyncDispose]());

const listSkus = (rows: { item: { sku: string } }[]) => rows.map(({ item }) => item.sku).toSorted();

test('isLow includes oversold levels, also without a reorder point', async () => {
  const { data } = await json('stock', 'levels');
  expect(Object.fromEntries((data as { item: { sku: string }; isLow: boolean }[]).map(({ item, isLow }) => [item.sku, isLow]))).toEqual({
    BOLT: true,
    NUT: true,
    WASHER: false,
  });
});

test.for([
  ['--low-stock', ['BOLT', 'NUT']],
  ['--no-low-stock', ['WASHER']],
] as const)('stock levels %s agrees with isLow, and counts its rows', async ([flag, skus]) => {
  const { data, pagination } = await json('stock', 'levels', flag);
  expect([listSkus(data), pagination.total]).toEqual([skus, skus.length]);
  const { data: rows } = await json('stock', 'levels', flag, '--item-id', 'BOLT,WASHER', '--all');
  expect(listSkus(rows)).toEqual(skus.filter((sku) => sku !== 'NUT'));
});

test('stock levels --low-stock and stock reorder list the same rows', async () => {
  expect(listSkus((await json('stock', 'reorder')).data)).toEqual(listSkus((await json('stock', 'levels', '--low-stock')).data));
});

test('the alert distinguishes OVERSOLD from LOW', async () => {
  const { stdout } = await shop.home.run(['stock', 'levels', '--columns', 'item.sku,available,alert', '--sort', 'sku']);
  expect(stdout.split('\n').slice(1)).toEqual(['BOLT\t-20\tOVERSOLD', 'NUT\t20\tLOW', 'WASHER\t8\t']);
});

test('negative quantities are red on a terminal', async () => {
  const args = ['stock', 'levels', '--columns', 'item.sku,available'];
  const { stdout } = await shop.home.run(args, { columns: 100, env: { FORCE_COLOR: '1', NO_COLOR: '' } });
  expect(stdout).toContain('\u001b[31m-20\u001b[39m');
  expect(stdout).not.toContain('\u001b[31m8');
});

test('an oversold level that is covered by what is incoming needs no order, and stock reorder says so', async () => {
  const contact = ['contacts', 'create', '--name', 'Rui', '--contact-type', 'supplier'];
  await json(...contact);
  await json('orders', 'create', '--module', 'buy', '--status', 'open', '--contact-id', 'Rui', '--line', 'BOLT:30');
  const { stdout } = await shop.home.run(['stock', 'reorder', '--columns', 'item.sku,reason,note']);
  expect(stdout).toMatch(/^BOLT\toversold\tincoming with PO-\d+$/mu);
});
