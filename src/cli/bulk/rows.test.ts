import { expect, test } from 'vitest';
import { bodyProblems } from '../../contract/problems.ts';
import { parseMap } from './columns.ts';
import type { Header, Rec } from './records.ts';
import { ITEMS } from './resources.ts';
import { type Row, rowsOf } from './rows.ts';

const { body } = ITEMS.create;

async function read(records: readonly (Header | Rec)[], { map = [] as readonly string[], upsert = undefined as string | undefined } = {}) {
  const from = async function* () {
    for (const record of records) yield await Promise.resolve(record);
  };
  const rows: Row[] = [];
  const options = { resource: ITEMS, map: parseMap(map, body), upsert, check: (value: unknown) => bodyProblems(body, value) };
  for await (const row of rowsOf(from(), options)) rows.push(row);
  return rows;
}
const csv = (names: readonly string[], ...cells: readonly (readonly string[])[]) =>
  [{ names }, ...cells.map((each, at) => ({ line: at + 2, cells: each }))] as const;
const messages = (rows: readonly Row[]) =>
  rows.flatMap(({ problems }) => problems.map(({ line, column, message }) => `${String(line)} ${column}: ${message}`));

test('columns are found whatever their case and spelling, and numbers keep their digits', async () => {
  const [row] = await read(csv(['Name', 'Sale Price', 'item_type', 'IsActive'], ['Bolt', '0.10', 'Material', 'no']));
  expect(row).toMatchObject({
    number: 1,
    line: 2,
    problems: [],
    body: '{"name":"Bolt","salePrice":0.10,"itemType":"material","isActive":false}',
  });
});

test('an empty cell is null where a field may be, else absent', async () => {
  const [row] = await read(csv(['name', 'sku', 'isActive'], ['Bolt', '', '']));
  expect(row?.body).toBe('{"name":"Bolt","sku":null}');
});

test('--map names columns and leaves others out; what only the service sets is passed over', async () => {
  const names = ['id', 'Bezeichnung', 'Farbe', 'category.name', 'sku'];
  const [row] = await read(csv(names, ['x', 'Schraube', 'rot', 'y', '1']), { map: ['Bezeichnung=name', 'Farbe='] });
  expect(row?.body).toBe('{"name":"Schraube","sku":"1"}');
});

test.for([
  [['name', 'farbe'], [], 'column "farbe" is no field'],
  [['name', 'sk'], [], 'did you mean "sku"?'],
  [['name', 'Name'], [], 'columns 1 (name) and 2 (Name) are both name'],
  [['name'], ['x=sku'], 'the file has no such column'],
] as const)('a header that cannot be right is refused: %j', async ([names, map, words]) => {
  await expect(read(csv(names), { map })).rejects.toThrow(words);
});

test('a wrong mapping is refused before the file is read', () => {
  expect(() => parseMap(['a=nmae'], body)).toThrow('there is no field "nmae"; did you mean "name"?');
  expect(() => parseMap(['a'], body)).toThrow('is not of the form COLUMN=FIELD');
});

test('each wrong value is told by line and by the column of the file', async () => {
  const rows = await read(csv(['Titel', 'salePrice', 'isActive'], ['', '2,50', 'maybe'], ['A', '1']), { map: ['Titel=name'] });
  expect(messages(rows)).toEqual([
    '2 Titel: name is required',
    '2 salePrice: salePrice must be a number',
    '2 isActive: isActive must be true or false',
    '3 : the row has 2 values for 3 columns',
  ]);
});

test('a SKU or barcode that stands in an earlier row is refused whatever its case', async () => {
  const rows = await read(csv(['name', 'sku', 'barcode'], ['A', 'b-1', '7'], ['B', 'B-1 ', '8'], ['C', 'b-2', '7'], ['D', '', '']));
  expect(messages(rows)).toEqual(['3 sku: sku B-1 stands in line 2 already', '4 barcode: barcode 7 stands in line 2 already']);
});

test('thousands of different values are all told apart', async () => {
  const cells = Array.from({ length: 20_000 }, (_, at) => ['A', `S${String(at)}`]);
  expect(messages(await read(csv(['name', 'sku'], ...cells)))).toEqual([]);
});

test('a row without the value that --upsert goes by is refused', async () => {
  expect(messages(await read(csv(['name', 'sku'], ['A', '']), { upsert: 'sku' }))).toEqual([
    '2 sku: sku is needed to find the record with --upsert sku',
  ]);
});

test('NDJSON is sent as it is written, and a refused row of an earlier import is a row', async () => {
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
