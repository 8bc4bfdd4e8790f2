/** The four integrations of docs/examples against a service: each prints or stores exactly what the service has. */
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Stockroom, startStockroom } from '../../../src/embedded/index.ts';

const folder = fileURLToPath(new URL('../../../docs/examples/integrations', import.meta.url));
let stockroom: Stockroom;
let directory: string;
beforeAll(async () => {
  stockroom = await startStockroom({ demo: true });
  directory = await mkdtemp(join(tmpdir(), 'stockroom-integrations-'));
});
afterAll(async () => {
  await stockroom.stop();
  await rm(directory, { recursive: true });
});

async function run(name: string, ...args: string[]): Promise<string[]> {
  const env = { STOCKROOM_URL: stockroom.url, STOCKROOM_API_KEY: stockroom.apiKey };
  const { stdout } = await execa(process.execPath, [join(folder, name), ...args], { cwd: directory, env });
  return stdout.split('\n');
}

test('the shop sync copies once, then applies every change, deletions included', async () => {
  const { client } = stockroom;
  await run('shop-sync.ts', 'shop.json', '--once');
  const { data: kept } = await client.items.create({ name: 'New in the shop', sku: 'SHOP-NEW' });
  const { data: gone } = await client.items.create({ name: 'Gone again', sku: 'SHOP-GONE' });
  await client.items.delete(gone.id);
  await client.items.update(kept.id, { name: 'Renamed in the shop' });
  const document = { type: 'receipt', lines: [{ itemId: kept.id, quantity: 7, unitCost: 1 }] } as const;
  await client.stockDocuments.create(document, { query: { approve: true } });
  await run('shop-sync.ts', 'shop.json', '--once');
  const copy = JSON.parse(readFileSync(join(directory, 'shop.json'), 'utf8')) as { items: object; available: Record<string, number> };
  const items = await client.items.list().all();
  expect(copy.items).toEqual(Object.fromEntries(items.map(({ id, name, sku }) => [id, { name, sku }])));
  const levels = await client.stockLevels.list().all();
  for (const { itemId, siteId, available } of levels) expect(copy.available[`${itemId} ${siteId}`]).toBe(available);
});

test('the ERP bridge creates and updates by the numbers of the ERP, and reports changes and deletions', async () => {
  const bolt = { number: 'ERP-1', name: 'Bolt of the ERP', sku: 'ERP-BOLT', salePrice: 0.4 };
  writeFileSync(join(directory, 'items.json'), JSON.stringify([bolt]));
  const since = stockroom.now().toISOString();
  // Changes of the second before are reported again.
  const [first, ...changes] = await run('erp-bridge.ts', 'items.json', since);
  expect([first, changes.filter((line) => line.startsWith('changed ERP-'))]).toEqual([
    'ERP-1 is ERP-BOLT',
    [expect.stringMatching(/^changed ERP-1 at /u)],
  ]);
  writeFileSync(join(directory, 'items.json'), JSON.stringify([{ ...bolt, salePrice: 0.5 }]));
  await run('erp-bridge.ts', 'items.json', since);
  const [item] = (await stockroom.client.items.list({ sku: ['ERP-BOLT'] })).data;
  expect(item).toMatchObject({ externalId: 'ERP-1', salePrice: 0.5 });
  await stockroom.client.items.delete(item!.id);
  writeFileSync(join(directory, 'items.json'), '[]');
  expect(await run('erp-bridge.ts', 'items.json', since)).toContainEqual(
    expect.stringMatching(new RegExp(`^deleted ${item!.id} at `, 'u')),
  );
});

test('the accounting export has each completed sale of the period and the value of the stock', async () => {
  const [head, ...rows] = await run('accounting-export.ts');
  expect(head).toBe('kind,number,date,amount,tax');
  const orders = await stockroom.client.orders.list({ module: 'sell', status: ['completed'] }).all();
  expect(rows.filter((row) => row.startsWith('sale,')).map((row) => row.split(',')[1])).toEqual(
    orders.map(({ orderNumber }) => orderNumber),
  );
  const levels = await stockroom.client.stockLevels.list().all();
  const value = levels.reduce((sum, { stockValue }) => sum + (stockValue ?? 0), 0);
  expect(rows.at(-1)?.split(',')[3]).toBe(value.toFixed(2));
});

test('the assistant previews a receipt, and posts it only after a confirmation', async () => {
  const { data: item } = await stockroom.client.items.create({ name: 'For the assistant', sku: 'ASSIST', purchasePrice: 2 });
  const onHand = async () => (await stockroom.client.stockLevels.list({ item_id: [item.id] })).data[0]?.onHand;
  expect(await run('assistant.ts', 'ASSIST', '5')).toEqual([expect.stringContaining('short: '), 'it would be 5 on hand']);
  expect(await onHand()).toBe(0);
  expect((await run('assistant.ts', 'ASSIST', '5', '--yes')).at(-1)).toMatch(/ is posted$/u);
  expect(await onHand()).toBe(5);
});
