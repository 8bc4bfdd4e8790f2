import { expect, test } from 'vitest';
import { listItems, updateItem } from '../contract/resources/items.ts';
import { toQueryString, toRequest } from './request.ts';

test('toRequest puts escaped parameters into the path', () => {
  expect(toRequest(updateItem, { params: { item_id: 'a/b?c' }, body: { name: 'x' } })).toEqual({
    method: 'PATCH',
    path: '/v1/items/a%2Fb%3Fc',
    body: '{"name":"x"}',
  });
});
test('toRequest throws if a path parameter is missing', () => {
  expect(() => toRequest(updateItem)).toThrow('item_id');
});
test('toRequest omits undefined query parameters and joins lists by commas', () => {
  expect(toRequest(listItems, { query: { search: 'a&b c', page: 2, is_active: false, sort: undefined } })).toEqual({
    method: 'GET',
    path: '/v1/items?search=a%26b%20c&page=2&is_active=false',
  });
  expect(toQueryString({ item_type: ['product', 'combo'] })).toBe('?item_type=product,combo');
  expect(toQueryString({})).toBe('');
});
test('toRequest throws for numbers that JSON cannot represent', () => {
  for (const salePrice of [Number.NaN, Infinity, -Infinity]) {
    expect(() => toRequest(updateItem, { params: { item_id: 'a' }, body: { salePrice } })).toThrow(
      new TypeError(`salePrice is ${String(salePrice)}, which JSON cannot represent`),
    );
  }
});
