import { expect, test } from 'vitest';
import { validateBody } from '../../../contract/schema/field-problems.ts';
import { updateItem } from '../../../contract/resources/items.ts';
import { parseMap } from './column-mapping.ts';
import type { Header, FileRecord } from './records.ts';
import { ITEMS, ORDERS } from '../resources.ts';
import { listMappedFields } from '../bulk-resource.ts';
import { type Row, parseRows } from './rows.ts';

const { body } = ITEMS.create;

async function read(
  records: readonly (Header | FileRecord)[],
  {
    resource = ITEMS,
    map = [] as readonly string[],
    upsert = undefined as string | undefined,
    decimal = undefined as ',' | '.' | undefined,
  } = {},
) {
  const from = async function* () {
    for (const record of records) yield await Promise.resolve(record);
  };
  const rows: Row[] = [];
  const options = {
    resource,
    map: parseMap(map, listMappedFields(resource, upsert)),
    upsert,
    decimal,
    check: (value: unknown, isUpdate: boolean) => validateBody(isUpdate ? updateItem.body : resource.create.body, value),
  };
  for await (const row of parseRows(from(), options)) rows.push(row);
  return rows;
}
const csv = (names: readonly string[], ...cells: readonly (readonly string[])[]) =>
  [{ names }, ...cells.map((each, at) => ({ line: at + 2, cells: each }))] as const;
const messages = (rows: readonly Row[]) =>
  rows.flatMap(({ problems }) => problems.map(({ line, column, message }) => `${String(line)} ${column}: ${message}`));

test('columns are matched regardless of case and punctuation, and numbers keep their digits', async () => {
  const [row] = await read(csv(['Name', 'Sale Price', 'item_type', 'IsActive'], ['Bolt', '0.10', 'Material', 'no']));
  expect(row).toMatchObject({
    number: 1,
    line: 2,
    problems: [],
    body: '{"name":"Bolt","salePrice":0.10,"itemType":"material","isActive":false}',
  });
});

test('an empty cell is null for nullable fields and omitted for others', async () => {
  const [row] = await read(csv(['name', 'sku', 'isActive'], ['Bolt', '', '']));
  expect(row?.body).toBe('{"name":"Bolt","sku":null}');
});

test('--map maps and ignores columns; read-only fields are ignored', async () => {
  const names = ['id', 'Bezeichnung', 'Farbe', 'category.name', 'sku'];
  const [row] = await read(csv(names, ['x', 'Schraube', 'rot', 'y', '1']), { map: ['Bezeichnung=name', 'Farbe='] });
  expect(row?.body).toBe('{"name":"Schraube","sku":"1"}');
});

test('--map accepts each name that a column can have', async () => {
  const names = ['Name', 'Einheit', 'Gruppe', 'Preis'];
  const map = ['Einheit=unit', 'Gruppe=Category.name', 'Preis=sale price'];
  const [row] = await read(csv(names, ['Bolt', 'pcs', 'Fasteners', '2']), { map });
  expect([row?.body, row?.getGiven()]).toEqual([
    '{"name":"Bolt","salePrice":2}',
    { name: 'Bolt', unit: 'pcs', 'category.name': 'Fasteners', salePrice: 2 },
  ]);
});

test('lines of different orders stay apart when --map ignores their order numbers', async () => {
  const names = ['module', 'orderNumber', 'itemId', 'quantity'];
  const item = crypto.randomUUID();
  const file = csv(names, ['sell', 'SO-1', item, '1'], ['sell', 'SO-2', item, '2'], ['sell', 'SO-1', item, '3'], ['', '', item, '4']);
  const rows = await read(file, { resource: ORDERS, map: ['orderNumber='] });
  const quantities = rows.map(({ value }) => (value['lines'] as { quantity: number }[]).map(({ quantity }) => quantity));
  expect([messages(rows), quantities]).toEqual([[], [[1, 3, 4], [2]]]);
});

test.for([
  [['name', 'farbe'], [], 'Unknown column "farbe"'],
  [['name', 'sk'], [], 'Did you mean "sku"?'],
  [['name', 'Name'], [], 'Columns 1 (name) and 2 (Name) are both name'],
  [['name'], ['x=sku'], 'the file has no such column'],
] as const)('an invalid header is rejected: %j', async ([names, map, words]) => {
  await expect(read(csv(names), { map })).rejects.toThrow(words);
});

test('an invalid --map is rejected before the file is read', () => {
  expect(() => parseMap(['a=nmae'], body)).toThrow('unknown field "nmae". Did you mean "name"?');
  expect(() => parseMap(['a'], body)).toThrow('Invalid --map "a". Expected COLUMN=FIELD');
});

test('invalid values are reported with line and column', async () => {
  const rows = await read(csv(['Titel', 'salePrice', 'isActive'], ['', '2,50', 'maybe'], ['A', '1']), { map: ['Titel=name'] });
  expect(messages(rows)).toEqual([
    '2 Titel: name is required',
    '2 salePrice: salePrice must be a number, not "2,50"; for a decimal comma pass --decimal ,',
    '2 isActive: isActive must be true or false, not "maybe"',
    '3 : 2 values for 3 columns',
  ]);
});

test('in a file with semicolons a point before three digits is rejected, as it may separate thousands, unless --decimal decides', async () => {
  const prices = ['0,5', '1.249,90', '0.125', '12.5', '1.234.567', '1.249', '-12.500'];
  const file = [{ names: ['name', 'salePrice'], delimiter: ';' }, ...prices.map((price, at) => ({ line: at + 2, cells: ['A', price] }))];
  const rows = await read(file);
  expect(rows.map(({ value }) => value['salePrice'])).toEqual([0.5, 1249.9, 0.125, 12.5, 1_234_567, '1.249', '-12.500']);
  expect(messages(rows)).toEqual([
    '7 salePrice: salePrice must be a number; 1.249 or 1249? Pass --decimal . or --decimal ,',
    '8 salePrice: salePrice must be a number; -12.500 or -12500? Pass --decimal . or --decimal ,',
  ]);
  const readPrices = async (decimal: ',' | '.', ...cells: string[]) =>
    (await read([file[0]!, ...cells.map((cell) => ({ line: 2, cells: ['A', cell] }))], { decimal })).map(({ value }) => value['salePrice']);
  expect(await readPrices(',', '1.249', '0,5')).toEqual([1249, 0.5]);
  expect(await readPrices('.', '1.249', '0.5')).toEqual([1.249, 0.5]);
});

test('a duplicate SKU or barcode is rejected regardless of case', async () => {
  const rows = await read(csv(['name', 'sku', 'barcode'], ['A', 'b-1', '7'], ['B', 'B-1 ', '8'], ['C', 'b-2', '7'], ['D', '', '']));
  expect(messages(rows)).toEqual(['3 sku: duplicate sku "B-1", also in line 2', '4 barcode: duplicate barcode "7", also in line 2']);
});

test('thousands of unique values are not considered duplicates', async () => {
  const cells = Array.from({ length: 20_000 }, (_, at) => ['A', `S${String(at)}`]);
  expect(messages(await read(csv(['name', 'sku'], ...cells)))).toEqual([]);
});

test('a row without the value for --upsert is rejected', async () => {
  expect(messages(await read(csv(['name', 'sku'], ['A', '']), { upsert: 'sku' }))).toEqual(['2 sku: sku is required with --upsert sku']);
});

test('NDJSON rows are sent unchanged, and rejected rows of an earlier import are accepted', async () => {
  const rows = await read([
    { line: 1, text: '{"name":"A", "salePrice":0.10}' },
    { line: 2, text: '{"line":7,"error":{"code":"X"},"row":{"name":"B","salePrice":0.20}}' },
    { line: 3, text: '{"id":"x","name":"C","createdAt":"y"}' },
    { line: 4, text: '{"name":"D","colour":"red"}' },
  ]);
  expect(rows.slice(0, 3).map((row) => row.body)).toEqual([
    '{"name":"A", "salePrice":0.10}',
    '{"name":"B","salePrice":0.20}',
    '{"name":"C"}',
  ]);
  expect(messages(rows)).toEqual(['4 colour: colour is not a known field']);
});

test('--upsert id takes the id from a column or a field, not into the body, and validates rows with an id as changes', async () => {
  const id = '7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e';
  const rows = await read(csv(['Item id', 'name', 'salePrice'], [id, '', '0.10'], ['', 'New', ''], ['', '', '1'], ['x', 'A', '']), {
    map: ['Item id=id'],
    upsert: 'id',
  });
  expect(rows.map((row) => [row.key, row.body])).toEqual([
    [id, '{"salePrice":0.10}'],
    [undefined, '{"name":"New","salePrice":null}'],
    [undefined, '{"salePrice":1}'],
    ['x', '{"name":"A","salePrice":null}'],
  ]);
  expect(messages(rows)).toEqual(['4 name: name is required', '5 Item id: id must be a UUID']);
  const [row] = await read([{ line: 1, text: `{"id":"${id}","salePrice":0.10,"updatedAt":"x"}` }], { upsert: 'id' });
  expect(row).toMatchObject({ key: id, body: '{"salePrice":0.10}', value: { salePrice: 0.1 }, problems: [] });
});
