import { describe, expect, test } from 'vitest';
import { createItem } from '../contract/items.ts';
import { createOrder } from '../contract/orders.ts';
import { updateTenant } from '../contract/admin/tenants.ts';
import { type Stdin, bodyOf } from './body.ts';

const noStdin: Stdin = { isTTY: true, read: () => Promise.reject(new Error('nothing to read')) };
const text = async (op: Parameters<typeof bodyOf>[0], flags: Parameters<typeof bodyOf>[1], stdin = noStdin) =>
  JSON.stringify(await bodyOf(op, flags, stdin));

describe('--set', () => {
  test('takes the type that the contract gives the field', async () => {
    expect(await text(createItem, { set: ['sku=123', 'salePrice=1.50', 'isActive=false', 'notes=null', 'mpn=', 'name=true'] })).toBe(
      '{"sku":"123","salePrice":1.50,"isActive":false,"notes":null,"mpn":null,"name":"true"}',
    );
  });
  test('reaches into lists and objects', async () => {
    expect(
      await text(createOrder, {
        data: '{"lines":[{"quantity":1,"notes":"a"}]}',
        set: ['lines.0.quantity=2.5', 'lines.1.itemId=x', 'lines.1.quantity=3'],
      }),
    ).toBe('{"lines":[{"quantity":2.5,"notes":"a"},{"itemId":"x","quantity":3}]}');
    expect(await text(updateTenant, { set: ['numberPrefixes.buy=PUR-', 'numberPrefixes.sell=null'] })).toBe(
      '{"numberPrefixes":{"buy":"PUR-","sell":null}}',
    );
    expect(await text(createOrder, { set: ['lines=[{"quantity":1.0}]'] })).toBe('{"lines":[{"quantity":1.0}]}');
  });
  test('of a field that nobody knows is JSON when it reads as JSON, so that the service can name it', async () => {
    expect(await text(createItem, { set: ['colour=red', 'weight=2', 'tags=["a"]'] })).toBe('{"colour":"red","weight":2,"tags":["a"]}');
  });
  test.for(['x', '=1', 'a..b=1', 'lines.2.quantity=1', 'isActive=yes', 'name.first=x'])(
    'is refused when it cannot be meant: %s',
    async (assignment) => {
      await expect(text(createOrder, { data: '{"name":"n"}', set: [assignment.replace('isActive', 'lines.0.isManual')] })).rejects.toThrow(
        '--set',
      );
    },
  );
});

describe('flags', () => {
  test('an empty value clears what can be cleared, and is sent where it cannot', async () => {
    expect(await text(createItem, { 'sale-price': '', sku: '', name: '', 'category-id': '' })).toBe(
      '{"name":"","sku":null,"categoryId":null,"salePrice":null}',
    );
  });
  test('a boolean that was not given is not sent', async () => {
    expect(await text(createItem, { 'is-active': false })).toBe('{"isActive":false}');
    expect(await text(createItem, { 'is-active': undefined })).toBe('{}');
  });
});

test('stdin is not waited for at a terminal', async () => {
  await expect(text(createItem, { data: '-' })).rejects.toThrow('nothing is piped in');
  expect(await text(createItem, { data: '-' }, { isTTY: false, read: () => Promise.resolve(Buffer.from('{"name":"piped"}')) })).toBe(
    '{"name":"piped"}',
  );
});

test('a body that is no UTF-8 is refused, not stored with other letters', async () => {
  const latin = { isTTY: false, read: () => Promise.resolve(Buffer.from('{"name":"M\u00fctze"}', 'latin1')) };
  await expect(text(createItem, { data: '-' }, latin)).rejects.toThrow('stdin is not UTF-8');
  const marked = { isTTY: false, read: () => Promise.resolve(Buffer.from('\uFEFF{"name":"M\u00fctze"}')) };
  expect(await text(createItem, { data: '-' }, marked)).toBe('{"name":"M\u00fctze"}');
});
