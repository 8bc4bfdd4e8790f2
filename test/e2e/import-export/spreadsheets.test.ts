/** Files as spreadsheets write them: names instead of ids, decimal commas, empty rows; and records that are lines of others. */
import { readFileSync, writeFileSync } from 'node:fs';
import { readSheet } from 'read-excel-file/node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeWorkbook } from '../../../src/cli/bulk/files/xlsx.ts';
import { type Shop, openShop } from '../../support/cli/running-daemon.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
  const { home } = shop;
  for (const name of ['Fasteners', 'Boards']) await home.json(['categories', 'create', '--name', name]);
  await home.json(['contacts', 'create', '--name', 'Greta', '--company', 'Sawmill', '--contact-type', 'supplier']);
  await home.json(['contacts', 'create', '--name', 'Ana', '--company', 'Hotel', '--contact-type', 'customer']);
  await home.json(['sites', 'create', '--name', 'North shed', '--code', 'NORTH']);
  for (const sku of ['BOLT', 'NUT', 'BENCH'])
    await home.json(['items', 'create', '--name', `The ${sku.toLowerCase()}`, '--sku', sku, '--unit-id', 'pcs', '--category-id', 'Boards']);
});
afterAll(() => shop[Symbol.asyncDispose]());

let count = 0;
/** Writes a file and imports it. */
const importText = (command: string, text: string, ...flags: string[]) => {
  const file = shop.home.path(`import-${String((count += 1))}.csv`);
  writeFileSync(file, text);
  return shop.home.run([...command.split(' '), file, '--errors', shop.home.path(`errors-${String(count)}.ndjson`), ...flags]);
};
const list = async (command: string, ...columns: string[]) =>
  (await shop.home.run([...command.split(' '), '--columns', columns.join(','), '-o', 'csv'])).stdout.split('\r\n').slice(1);
/** Exports a file, changes its cells and returns it with semicolons. */
async function edit(command: string, change: (row: Record<string, string>) => void): Promise<string> {
  const { stdout } = await shop.home.run(command.split(' '));
  const [header = [], ...rows] = stdout.split(/\r?\n/u).map((line) => line.split(','));
  const edited = rows.map((cells) => {
    const row = Object.fromEntries(header.map((name, at) => [name, cells[at] ?? '']));
    change(row);
    return header.map((name) => row[name] ?? '');
  });
  return [header, ...edited].map((cells) => `${cells.join(';')}\r\n`).join('');
}

describe('an export of items that a spreadsheet changed', () => {
  test('changes what its names say, and again does nothing', async () => {
    const text = await edit('items export', (row) => {
      if (row['sku'] === 'BOLT') Object.assign(row, { salePrice: '0,45', 'category.name': 'Fasteners', 'supplier.name': 'Greta' });
    });
    const withEmptyRow = `${text}${';'.repeat(text.split('\r\n')[0]?.split(';').length ?? 0).slice(1)}\r\n`;
    const planned = await importText('items import', withEmptyRow, '--upsert', 'id', '--dry-run');
    expect(planned.stdout).toBe('Line 2, BOLT: category.name Boards → Fasteners, supplier.name – → Greta, salePrice – → 0.45');
    expect(await importText('items import', withEmptyRow, '--upsert', 'id')).toMatchObject({
      exit: 0,
      stderr: expect.stringContaining('0 created, 1 updated, 2 unchanged'),
    });
    const after = ['BOLT,0.45,Fasteners,Greta,Sawmill'];
    const columns = ['sku', 'salePrice', 'category.name', 'supplier.name', 'supplier.company'];
    expect(await list('items list --sku BOLT', ...columns)).toEqual(after);
    expect((await importText('items import', withEmptyRow, '--upsert', 'id')).stderr).toContain('3 unchanged');
    expect(await list('items list --sku BOLT', ...columns)).toEqual(after);
  });

  test('changes what its ids say', async () => {
    const boards = await list('categories list', 'name', 'id');
    const id = boards.find((line) => line.startsWith('Fasteners,'))?.split(',')[1] ?? '';
    const text = await edit('items export', (row) => {
      if (row['sku'] === 'NUT') row['categoryId'] = id;
    });
    expect((await importText('items import', text, '--upsert', 'id')).stderr).toContain('1 updated');
    expect(await list('items list --sku NUT', 'category.name')).toEqual(['Fasteners']);
  });

  test('is rejected with line and column for an unknown name, and for a changed field of another record', async () => {
    const text = await edit('items export', (row) => {
      if (row['sku'] === 'BOLT') row['supplier.company'] = 'Elsewhere';
      if (row['sku'] === 'NUT') row['category.name'] = 'Fastener';
    });
    const { exit, stderr } = await importText('items import', text, '--upsert', 'id');
    expect(exit).toBe(2);
    expect(stderr).toMatch(/2 +supplier\.company +supplier\.company "Elsewhere" is not that of Greta/u);
    expect(stderr).toMatch(/3 +category\.name +No category with name "Fastener"\. Did you mean Fasteners\?/u);
  });

  test('creates items with names, and explains a decimal comma', async () => {
    const file = 'name,sku,unit,category,salePrice\nWasher,WASHER,pcs,Fasteners,"1,5"\n';
    expect((await importText('items import', file)).stderr).toContain(
      'salePrice must be a number, not "1,5"; for a decimal comma pass --decimal ,',
    );
    expect((await importText('items import', file, '--decimal', ',')).stderr).toContain('1 created');
    expect(await list('items list --sku WASHER', 'salePrice', 'category.name')).toEqual(['1.5,Fasteners']);
  });
});

test('ingredients and supplier terms are imported by SKU and name, updated and exported', async () => {
  const recipe = 'item.sku;ingredient.sku;quantity;unit\r\nBENCH;BOLT;4,5;pcs\r\nBENCH;NUT;4;\r\n';
  expect((await importText('items ingredients import', recipe)).stderr).toContain('2 created');
  const changed = await importText('items ingredients import', recipe.replace('4,5', '6'), '--upsert', 'ingredientItemId');
  expect(changed.stderr).toContain('1 updated, 1 unchanged');
  const columns = 'item.sku,ingredient.sku,quantity,unit.symbol';
  const recipes = await shop.home.run(['items', 'ingredients', 'export', '--columns', columns]);
  expect(recipes.stdout.split(/\r?\n/u)).toEqual([columns, 'BENCH,BOLT,6,pcs', 'BENCH,NUT,4,pcs']);

  const terms = 'item,supplier,purchasePrice,leadTimeDays\nNUT,Greta,0.02,3\n';
  expect((await importText('items suppliers import', terms)).stderr).toContain('1 created');
  expect((await importText('items suppliers import', terms, '--upsert', 'supplierId')).stderr).toContain('1 unchanged');
  const exported = await shop.home.run(['items', 'suppliers', 'export', '--columns', 'item.sku,supplier.name,purchasePrice,leadTimeDays']);
  expect(exported.stdout).toContain('NUT,Greta,0.02,3');
});

test('orders are imported with their lines, also from their own export, and a wrong line names its row', async () => {
  const file = [
    'orderNumber,module,status,contact,item.sku,quantity,unitPrice',
    'WEB-1,sell,open,Ana,BOLT,2,0.5',
    'WEB-2,sell,open,Ana,NUT,1,0.1',
    'WEB-1,sell,open,Ana,NUT,3,0.1',
    ',,,,,,',
  ].join('\n');
  expect((await importText('orders import', file.replace('NUT,3', 'NUT,-3'))).stderr).toMatch(
    / 4 +quantity +quantity must be greater than 0/u,
  );
  expect((await importText('orders import', file)).stderr).toContain('2 created');
  expect(await list('orders lines WEB-1', 'itemSku', 'quantity', 'unitPrice')).toEqual(['BOLT,2,0.5', 'NUT,3,0.1']);
  expect((await importText('orders import', file)).stderr).toContain('2 already imported');

  for (const out of ['orders.csv', 'orders.xlsx'])
    expect((await shop.home.run(['orders', 'export', '--module', 'sell', '--out', shop.home.path(out)])).stderr).toMatch(
      /^2 orders written/u,
    );
  const csv = (await shop.home.run(['orders', 'export', '--module', 'sell'])).stdout.replaceAll('WEB-', 'COPY-');
  expect((await importText('orders import', csv)).stderr).toContain('2 created');
  expect(await list('orders lines COPY-1', 'itemSku', 'quantity', 'unitPrice')).toEqual(['BOLT,2,0.5', 'NUT,3,0.1']);
  const ndjson = (await shop.home.run(['orders', 'export', '--format', 'ndjson'])).stdout.replaceAll(/WEB-|COPY-/gu, 'JSON-');
  const two = ndjson.split('\n').slice(0, 2).join('\n').replaceAll('"itemId":', '"ignored":').replaceAll('"itemSku":', '"itemId":');
  expect((await importText('orders import', two, '--format', 'ndjson')).stderr).toContain('2 created');
  expect(await list('orders lines JSON-1', 'itemSku', 'quantity')).toEqual(['BOLT,2', 'NUT,3']);
});

test('opening stock and a count are imported and posted, one document per site; one that cannot be posted leaves nothing', async () => {
  const opening = 'site,item.sku,quantity,unitCost\nMAIN,BOLT,100,0.05\nNORTH,BOLT,40,0.05\nMAIN,NUT,70,0.02\n';
  expect((await importText('stock opening import', opening, '--post')).stderr).toContain('2 created');
  expect((await importText('stock opening import', opening, '--post')).stderr).toContain('2 already imported');
  expect(await list('stock documents list --type adjustment', 'status', 'reason', 'lineCount')).toEqual([
    'approved,opening,1',
    'approved,opening,2',
  ]);
  const copied = (await shop.home.run(['stock', 'opening', 'export'])).stdout;
  expect(copied).toMatch(/^site\.code,site\.name,item\.sku,item\.name,quantity,unit\.symbol,unitCost\r\n.*,BOLT,The bolt,100,pcs,0\.05/u);

  const sheet = await edit('stock counts export', (row) => {
    if (row['item.sku'] === 'BOLT') row['countedQuantity'] = row['site.name'] === 'North shed' ? '38' : '100';
  });
  const tried = await importText('stock counts import', sheet, '--dry-run');
  expect(tried.stdout).toMatch(/^The bolt\tBOLT\tNorth shed\t40\t-2\t38\t.*\t-0\.1$/mu);
  expect(tried.stdout).not.toMatch(/\t100$/mu);
  expect(tried.stderr).toMatch(/Posting would change 1 level, and the stock value by -0\.10 \w{3}\n2 counts checked: 2 to create/u);
  const counted = await importText('stock counts import', sheet, '--post');
  expect(counted.stderr).toContain('2 created');
  expect(await list('stock levels --item-id BOLT --site-id NORTH', 'onHand')).toEqual(['38']);
  // The sheet expects what was there before.
  const tryStale = (...flags: string[]) => importText('stock counts import', sheet.replace(';38', ';37'), '--dry-run', ...flags);
  const reason = '40 of BOLT expected, but 38 on hand';
  expect(await tryStale('--post')).toMatchObject({ exit: 8, stderr: expect.stringMatching(new RegExp(`${reason}[^]*1 to reject`, 'u')) });
  expect(await tryStale()).toMatchObject({ exit: 0, stderr: expect.stringMatching(new RegExp(`${reason}[^]*: 2 to create`, 'u')) });
  const stale = await importText('stock counts import', sheet.replace(';38', ';37'), '--post');
  expect(stale).toMatchObject({ exit: 8, stderr: expect.stringContaining('1 rejected') });
  expect(readFileSync(shop.home.path(`errors-${String(count)}.ndjson`), 'utf8')).toContain('STALE_COUNT');
  expect(await list('stock documents list --type count', 'status')).toEqual(['approved', 'approved']);
  expect((await shop.home.run(['stock', 'counts', 'export', '--format', 'ndjson'])).exit).toBe(2);
});

test('a workbook is exported, changed and imported; texts that look like numbers stay texts', async () => {
  await shop.home.json(['items', 'create', '--name', 'Zeros', '--sku', '0017', '--sale-price', '0.1']);
  const path = shop.home.path('items.xlsx');
  expect((await shop.home.run(['items', 'export', '--out', path])).stderr).toMatch(/^\d items written/u);
  const unchanged = await shop.home.run(['items', 'import', path, '--upsert', 'id']);
  expect(unchanged).toMatchObject({ exit: 0, stderr: expect.stringMatching(/0 created, \d unchanged/u) });

  const [header = [], ...rows] = await readSheet(path);
  const price = header.indexOf('salePrice');
  const changed = rows.map((row) => row.map((cell, at) => (at === price && row.includes('0017') ? 0.3 : cell)));
  await writeWorkbook(path, [header, ...changed]);
  expect((await shop.home.run(['items', 'import', path, '--upsert', 'id', '--dry-run'])).stdout).toMatch(
    /^Line \d, 0017: salePrice 0\.10 → 0\.30$/u,
  );
  expect((await shop.home.run(['items', 'import', path, '--resume'])).exit).toBe(2);
  writeFileSync(shop.home.path('text.xlsx'), 'name,sku\n');
  expect(await shop.home.run(['items', 'import', shop.home.path('text.xlsx')])).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('text.xlsx is not a workbook that can be read'),
  });
});
