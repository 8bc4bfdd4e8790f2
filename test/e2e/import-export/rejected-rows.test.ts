/** Rows that an import rejects: what is reported, and what importing them again does. */
import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Shop, openShop } from '../../support/cli/running-daemon.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop([
    { name: 'Bolt', sku: 'BOLT' },
    { name: 'Nut', sku: 'NUT' },
    { name: 'Washer', sku: 'WASHER' },
  ]);
  const { home } = shop;
  await home.json(['categories', 'create', '--name', 'Merchandise']);
  await home.json(['contacts', 'create', '--name', 'Greta', '--company', 'Sawmill', '--contact-type', 'both']);
  await home.json(['sites', 'create', '--name', 'North shed', '--code', 'NORTH']);
});
afterAll(() => shop[Symbol.asyncDispose]());

let count = 0;
/** Writes a file and imports it. Returns also the path of the rejected rows. */
async function importText(command: string, text: string, { type = 'csv', flags = [] as readonly string[] } = {}) {
  const file = shop.home.path(`rows-${String((count += 1))}.${type}`);
  writeFileSync(file, text);
  const errors = shop.home.path(`errors-${String(count)}.ndjson`);
  const ran = await shop.home.run([...command.split(' '), file, '--errors', errors, ...flags]);
  return { ...ran, file, errors };
}
interface Rejected {
  readonly line: number;
  readonly error: { readonly code: string; readonly message: string };
  readonly row: Readonly<Record<string, unknown>>;
}
const readRejected = (path: string): Rejected[] =>
  readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Rejected);
const list = async (command: string, ...columns: string[]) =>
  (await shop.home.run([...command.split(' '), '--columns', columns.join(','), '-o', 'csv'])).stdout.split('\r\n').slice(1);

describe('a rejected row has every value as it was given: it is rejected again, and imported when it is corrected', () => {
  test.for([
    ['items import', 'name,sku,category.name,salePrice\nMug,MUG,Goods,9.50\n', 'Goods', 'Merchandise'],
    ['items import', 'Title,Group\nMapped mug,Goods\n', 'Goods', 'Merchandise', 'Title=name', 'Group=categoryId'],
    ['items import', 'name;sku;salePrice;category\nComma;COMMA;4,5;Goods\n', 'Goods', 'Merchandise'],
    ['items import', 'name,supplier.name,supplier.company\nSawn,Greta,Mill\n', 'Mill', 'Sawmill'],
    ['items import', '{"name":"Mug 2","category":"Goods","supplier.name":"Greta"}\n', 'Goods', 'Merchandise'],
    ['items suppliers import', 'item.sku,supplier.name,leadTimeDays\nBOLT,Grant,3\n', 'Grant', 'Greta'],
    ['orders import', 'orderNumber,module,status,contact.name,item.sku,quantity\nW-1,sell,open,Greta,BOLD,2\n', 'BOLD', 'BOLT'],
    ['stock counts import', 'site.code,item.sku,countedQuantity\nNORTH,BOLD,5\nNORTH,NUT,6\n', 'BOLD', 'BOLT'],
    ['stock counts import', 'site.code,item.sku,countedQuantity\nSOUTH,WASHER,5\nSOUTH,NUT,6\n', 'SOUTH', 'NORTH'],
    ['stock counts import', '{"site":"SOUTH","lines":[{"item.sku":"BOLD","countedQuantity":1}]}', /SOUTH|BOLD/gu, ''],
  ] as const)('%s: case %#', async ([command, text, wrong, right, ...map]) => {
    const flags = ['--skip-invalid', ...map.flatMap((pair) => ['--map', pair])];
    const type = text.startsWith('{') ? 'ndjson' : 'csv';
    const first = await importText(command, text, { type, flags });
    expect(first, first.stderr).toMatchObject({ exit: 8, stderr: expect.stringContaining('0 created, 1 rejected') });
    const unedited = await importText(command, readFileSync(first.errors, 'utf8'), { type: 'ndjson' });
    expect(unedited, unedited.stderr).toMatchObject({ exit: 2 });
    const [rejected] = readRejected(first.errors);
    expect(readRejected(unedited.errors)).toMatchObject([{ row: rejected?.row }]);
    const names: Readonly<Record<string, string>> = { SOUTH: 'NORTH', BOLD: 'BOLT' };
    const corrected = JSON.stringify(rejected).replaceAll(wrong, (name) => names[name] ?? right);
    const last = await importText(command, corrected, { type: 'ndjson' });
    expect(last, last.stderr).toMatchObject({ exit: 0, stderr: expect.stringContaining('1 created') });
  });

  test('the corrected values reach the record', async () => {
    expect(await list('items list --sku MUG', 'sku', 'category.name', 'salePrice')).toEqual(['MUG,Merchandise,9.5']);
    expect(await list('items list --search COMMA', 'salePrice', 'category.name')).toEqual(['4.5,Merchandise']);
    expect(await list('orders lines W-1', 'itemSku', 'quantity')).toEqual(['BOLT,2']);
    expect(await list('stock documents list --type count', 'site.name', 'lineCount')).toEqual([
      'North shed,1',
      'North shed,2',
      'North shed,2',
    ]);
  });

  test('cells without columns are kept', async () => {
    const { errors } = await importText('items import', 'name,sku\nShort\nLong,LONG,more\n', { flags: ['--skip-invalid'] });
    expect(readRejected(errors).map(({ row }) => row)).toEqual([{ cells: ['Short'] }, { cells: ['Long', 'LONG', 'more'] }]);
    const again = await importText('items import', readFileSync(errors, 'utf8'), { type: 'ndjson' });
    expect(again).toMatchObject({ exit: 2, stderr: expect.stringContaining('cells is not a known field') });
  });
});

test('rows that were imported before are reported with the flag that imports them again', async () => {
  for (const [command, text] of [
    ['items import', 'name,sku\nAgain,AGAIN\n'],
    ['stock counts import', 'item.sku,countedQuantity\nBOLT,7\n'],
  ] as const) {
    expect((await importText(command, text)).stderr).not.toContain('--fresh');
    const again = await importText(command, text);
    expect(again.stderr).toMatch(/0 created, 1 already imported\n.*same content.*--fresh$/u);
    expect((await importText(command, text, { flags: ['--fresh'] })).stderr).toMatch(/1 (?:created|rejected)/u);
  }
});

describe('--upsert sku with some fields', () => {
  const prices = 'sku,salePrice\nBOLT,0.35\nBOLD,0.40\n';
  const unknown = 'Line 3: no item has the SKU "BOLD", so it would be created: name is required';
  test('is planned by a dry run', async () => {
    const ran = await importText('items import', prices, { flags: ['--upsert', 'sku', '--dry-run'] });
    expect(ran).toMatchObject({ exit: 8, stdout: 'Line 2, BOLT: salePrice – → 0.35' });
    expect(ran.stderr).toBe(`${unknown}\n2 items checked: 1 to update, 1 to reject. Dry run: nothing was sent`);
  });
  test('is planned with the names of the records before and after, whatever the columns are called', async () => {
    await shop.home.json(['categories', 'create', '--name', 'Tools']);
    const flags = ['--upsert', 'sku', '--map', 'Gruppe=category.name'];
    const created = await importText('items import', 'sku,name,unit,Gruppe\nSAW,Saw,kg,Merchandise\n', { flags });
    expect(created.exit, created.stderr).toBe(0);
    const planned = await importText('items import', 'sku,unit,Gruppe\nSAW,pcs,Tools\n', { flags: [...flags, '--dry-run'] });
    expect(planned.stdout).toBe('Line 2, SAW: unit kg → pcs, Gruppe Merchandise → Tools');
  });
  test('is suggested for a value that is taken', async () => {
    const ran = await importText('items import', 'sku,name\nBOLT,Another bolt\n', { flags: ['--fresh'] });
    expect(ran.stderr).toContain('To change the records that exist, import with --upsert sku');
  });
  test('changes these, and rejects a row whose item would be created without a name', async () => {
    const ran = await importText('items import', prices, { flags: ['--upsert', 'sku'] });
    expect(ran).toMatchObject({ exit: 8, stderr: expect.stringContaining(unknown) });
    expect(await list('items list --sku BOLT', 'name', 'salePrice')).toEqual(['Bolt,0.35']);
    expect(readRejected(ran.errors)).toMatchObject([{ line: 3, row: { sku: 'BOLD', salePrice: 0.4 } }]);
    const corrected = readFileSync(ran.errors, 'utf8').replaceAll('BOLD', 'BOLT');
    const again = await importText('items import', corrected, { type: 'ndjson', flags: ['--upsert', 'sku'] });
    expect(again).toMatchObject({ exit: 0, stderr: expect.stringContaining('1 updated') });
    expect(await list('items list --sku BOLT', 'salePrice')).toEqual(['0.4']);
  });
  test('needs a valid name if it has one', async () => {
    const ran = await importText('items import', '{"sku":"BOLT","name":""}', { type: 'ndjson', flags: ['--upsert', 'sku'] });
    expect(ran).toMatchObject({ exit: 2, stderr: expect.stringContaining('name must not be empty') });
  });
});

describe('a stock count', () => {
  const header = 'site.code,item.sku,expectedQuantity,countedQuantity';
  test('reports every invalid line with its line of the file', async () => {
    const text = `${header}\nNORTH,NUT,,1\nNORTH,BOLD,,2\nNORTH,BOLT,,-3\nNORTH,WASHER,,many\n`;
    const { stderr, errors } = await importText('stock counts import', text);
    for (const line of [/ 3 +item\.sku +No item/u, / 4 +countedQuantity +/u, / 5 +countedQuantity +/u]) expect(stderr).toMatch(line);
    expect(readRejected(errors)).toMatchObject([
      { line: 3, error: { message: expect.stringMatching(/^line 3: .*; line 4: .*; line 5: /u) } },
    ]);
  });

  test('that is posted names its document, and one that is stale all lines and what to do', async () => {
    const text = (bolts: string) => `${header}\nNORTH,WASHER,0,0\nNORTH,BOLT,${bolts},12\nNORTH,NUT,${bolts},6\n`;
    const posted = await importText('stock counts import', text(''), { flags: ['--post'] });
    expect(posted.stderr).toMatch(/^1 count in \d+ s: 1 created\nPosted (CN-\d+)$/u);
    const number = posted.stderr.split(' ').at(-1) ?? '';
    expect(await list(`stock documents list --type count --status approved`, 'documentNumber')).toEqual([number]);

    const stale = await importText('stock counts import', text('3'), { flags: ['--post'] });
    expect(stale.exit).toBe(8);
    expect(stale.stderr.split('\n').slice(0, 3)).toEqual([
      'Line 3, expectedQuantity: 3 of BOLT expected, but 12 on hand',
      'Line 4, expectedQuantity: 3 of NUT expected, but 6 on hand',
      expect.stringContaining('leave expectedQuantity empty'),
    ]);
    expect(stale.stderr).toContain(`${stale.errors} --post`);
    const [rejected] = readRejected(stale.errors);
    expect(rejected).toMatchObject({ line: 3, error: { code: 'STALE_COUNT' } });
    expect(rejected?.error.message).not.toMatch(/recall|force/iu);
    const corrected = readFileSync(stale.errors, 'utf8').replaceAll('"expectedQuantity":3', '"expectedQuantity":null');
    const again = await importText('stock counts import', corrected, { type: 'ndjson', flags: ['--post', '--fresh'] });
    expect(again).toMatchObject({ exit: 0, stderr: expect.stringContaining('Posted CN-') });
  });

  test('that is left as a draft is named with the command that posts it', async () => {
    const { stderr } = await importText('stock counts import', `${header}\nNORTH,NUT,,9\n`);
    expect(stderr).toMatch(/Left as draft: (CN-\d+)\. Post it with `stockroom stock documents post \1`$/u);
  });

  test('without a counted quantity is reported once', async () => {
    for (const flags of [[], ['--dry-run']]) {
      const ran = await importText('stock counts import', `${header}\nNORTH,BOLT,3,\n`, { flags });
      expect(ran).toMatchObject({ exit: 0, stdout: '', stderr: `${ran.file} has no rows with a countedQuantity; nothing was imported` });
    }
  });
});

test('only imports that can update mention --upsert', async () => {
  expect((await shop.home.run(['items', 'import', '--help'])).stdout).toContain('--upsert');
  expect((await shop.home.run(['stock', 'counts', 'import', '--help'])).stdout).not.toContain('--upsert');
});
