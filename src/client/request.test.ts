import { expect, test } from 'vitest';
import { listItems, updateItem } from '../contract/items.ts';
import { queryText, requestOf } from './request.ts';

test('the path carries its parameters, escaped', () => {
  expect(requestOf(updateItem, { params: { item_id: 'a/b?c' }, body: { name: 'x' } })).toEqual({
    method: 'PATCH',
    path: '/v1/items/a%2Fb%3Fc',
    body: '{"name":"x"}',
  });
});
test('a parameter that is missing is a mistake, not a wrong request', () => {
  expect(() => requestOf(updateItem)).toThrow('item_id');
});
test('a query leaves out what is undefined and joins lists by commas', () => {
  expect(requestOf(listItems, { query: { search: 'a&b c', page: 2, is_active: false, sort: undefined } })).toEqual({
    method: 'GET',
    path: '/v1/items?search=a%26b%20c&page=2&is_active=false',
  });
  expect(queryText({ item_type: ['product', 'combo'] })).toBe('?item_type=product,combo');
  expect(queryText({})).toBe('');
});
test('a number that JSON does not know is a mistake, not a null that clears the field', () => {
  for (const salePrice of [Number.NaN, Infinity, -Infinity]) {
    expect(() => requestOf(updateItem, { params: { item_id: 'a' }, body: { salePrice } })).toThrow(
      new TypeError(`salePrice is ${String(salePrice)}, which no request can say`),
    );
  }
});
