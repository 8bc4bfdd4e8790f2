/** Amounts of money in tables and details of tenants whose currency does not have two decimals. */
import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Shop, openShop } from '../../support/cli/running-daemon.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => shop[Symbol.asyncDispose]());

/** Runs commands for a new tenant with some stock and an order, with its own key. */
async function openTenant(currency: string, [sale, purchase, cost]: readonly [string, string, string]) {
  const created = await shop.home.json(['tenants', 'create', '--name', `In ${currency}`, '--currency', currency]);
  const { slug } = created.body.data as { slug: string };
  const env = { STOCKROOM_API_KEY: await shop.addKey(['--tenant', slug, '--tier', 'bulk']) };
  const run = async (...args: string[]): Promise<string> => {
    const { exit, stdout, stderr } = await shop.home.run(args, { env, columns: 200 });
    expect({ exit, stderr: exit === 0 ? '' : stderr }, args.join(' ')).toEqual({ exit: 0, stderr: '' });
    return `${stdout}\n${stderr}\n`;
  };
  await run('contacts', 'create', '--name', 'Ana');
  await run('items', 'create', '--name', 'Plane', '--sku', 'PLANE', '--sale-price', sale, '--purchase-price', purchase);
  const line = `PLANE:4@${cost}`;
  const texts = {
    received: (await run('stock', 'receive', line, '--dry-run')) + (await run('stock', 'receive', line)),
    ordered: await run('orders', 'create', '--module', 'sell', '--contact-id', 'Ana', '--line', 'PLANE:3', '--status', 'open'),
    lines: await run('orders', 'lines', 'SO-000001'),
    item: await run('items', 'get', 'PLANE'),
    items: await run('items', 'list', '--columns', 'sku,salePrice,purchasePrice'),
    movements: await run('stock', 'movements', 'list', '--columns', 'item.sku,unitCost,value,stockValueAfter'),
    levels: await run('stock', 'levels', '--columns', 'item.sku,averageCost,stockValue'),
    documents: await run('stock', 'documents', 'list', '--columns', 'documentNumber,totalCost'),
  };
  return { texts, run };
}

/** What would be right for a currency with two decimals only. */
const listAmounts = (text: string): readonly string[] => [...text.matchAll(/(?<![\w.:-])-?\d+\.\d+(?![\w.:])/gu)].map(([amount]) => amount);

test('amounts in yen have decimals only where their value needs them', async () => {
  const { texts } = await openTenant('JPY', ['12500.5', '6000', '4800']);
  const { item, ...others } = texts;
  expect(item).toMatch(/^Sale price +12500\.5 JPY\nPurchase price +6000 JPY$/mu);
  expect(others.lines).toMatch(/PLANE .* 12500\.5 +37502 +0 /u);
  expect(others.movements).toMatch(/UNIT COST \(JPY\) .*\nPLANE +4800 +19200 +19200/u);
  for (const text of Object.values(others))
    expect(
      listAmounts(text).filter((amount) => amount !== '12500.5'),
      text,
    ).toEqual([]);
});

test('amounts in dinars have at least three decimals', async () => {
  const { texts, run } = await openTenant('KWD', ['5.5', '3', '2.55']);
  expect(texts.item).toMatch(/^Sale price +5\.500 KWD\nPurchase price +3\.000 KWD$/mu);
  expect(texts.received).toMatch(/^Total cost +10\.200 KWD$/mu);
  expect(texts.documents).toMatch(/TOTAL COST \(KWD\)\n\S+ +10\.200$/mu);
  for (const text of Object.values(texts)) {
    const amounts = listAmounts(text);
    expect(
      amounts.filter((amount) => !/\.\d{3,}$/u.test(amount)),
      text,
    ).toEqual([]);
    expect(amounts.length, text).toBeGreaterThan(0);
  }
  const prices = shop.home.path('prices.csv');
  await writeFile(prices, 'sku,name,salePrice\nPLANE,Plane,6\n');
  expect(await run('items', 'import', prices, '--upsert', 'sku', '--dry-run')).toContain('salePrice 5.500 → 6.000');
  const file = shop.home.path('stock.csv');
  await writeFile(file, 'item.sku,quantity,unitCost\nPLANE,2,2.5\n');
  expect(await run('stock', 'opening', 'import', file, '--post', '--dry-run')).toContain('the stock value by 5.000 KWD');
});
