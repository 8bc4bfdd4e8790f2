import { expect, test } from 'vitest';
import { createRecordTable } from './existing-records.ts';

const ID = '7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e';
const record = { id: ID, name: 'Bolt', sku: 'B-1', notes: null, salePrice: 0.1, isActive: true, updatedAt: '2026-01-01T00:00:00.000Z' };
const FIELDS = ['name', 'notes', 'salePrice', 'isActive'];

function tableOf(...records: readonly (typeof record)[]) {
  const table = createRecordTable(FIELDS, 'sku');
  for (const each of records) table.add(each.sku, each);
  return table;
}

test('a record is found by its key in any case, with its id', () => {
  expect(tableOf(record).find(' b-1')).toMatchObject([{ id: ID }]);
  expect(tableOf(record).find('b-2')).toEqual([]);
});

test.for([
  ['name', 'Bolt', true],
  ['name', ' Bolt ', true],
  ['name', 'bolt', false],
  ['notes', '', true],
  ['notes', null, true],
  ['notes', 'x', false],
  ['salePrice', 0.1, true],
  ['salePrice', '0.1', false],
  ['salePrice', null, false],
  ['isActive', true, true],
  ['isActive', false, false],
  ['unknown', null, false],
] as const)('%s %j is equal to the stored value: %j', ([field, value, isEqual]) => {
  expect(tableOf(record).find('B-1')[0]?.isEqual(field, value)).toBe(isEqual);
});

test('two records with the same key are both returned', () => {
  expect(tableOf(record, { ...record, id: ID.replace('7', '8') }).find('b-1')).toHaveLength(2);
});

test('the version changes with the record, even if the compared fields do not', () => {
  const version = (each: typeof record) => tableOf(each).find('B-1')[0]?.version;
  expect(version(record)).toBe(version({ ...record }));
  expect(version(record)).not.toBe(version({ ...record, updatedAt: '2026-01-02T00:00:00.000Z' }));
});

test('thousands of records keep their values', () => {
  const table = createRecordTable(['name'], 'sku');
  for (let at = 0; at < 3_000; at += 1) table.add(`S${String(at)}`, { id: ID, name: `N${String(at)}` });
  for (const at of [0, 1_023, 1_024, 2_999]) expect(table.find(`s${String(at)}`)[0]?.isEqual('name', `N${String(at)}`)).toBe(true);
});
