import { expect, test } from 'vitest';
import { parseColumns } from './fields.ts';

const FIELDS = ['id', 'item', 'item.id', 'item.sku', 'item.name', 'site', 'site.name', 'onHand'];

test('--columns accepts paths, and the last part of a path if it is unique', () => {
  expect(parseColumns('sku, onHand,site.name,id', FIELDS)).toEqual(['item.sku', 'onHand', 'site.name', 'id']);
});

test.for([
  ['name', 'Unknown column "name". Did you mean "item.name" or "site.name"?'],
  ['onHnad', 'Unknown column "onHnad". Did you mean "onHand"?'],
  ['onhand', 'Unknown column "onhand". Did you mean "onHand"?'],
  ['SKU', 'Unknown column "SKU". Did you mean "item.sku"?'],
  ['hand', 'Unknown column "hand". Did you mean "onHand"?'],
  ['nothing', 'Unknown column "nothing"'],
  ['', 'Empty column name in --columns'],
])('--columns %s is refused: %s', ([name, message]) => {
  expect(() => parseColumns(`id,${name}`, FIELDS)).toThrow(expect.objectContaining({ message, hint: `Columns: ${FIELDS.join(', ')}` }));
});
