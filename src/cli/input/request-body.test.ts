import { describe, expect, test } from 'vitest';
import { createItem } from '../../contract/resources/items.ts';
import { createOrder } from '../../contract/resources/orders.ts';
import { updateTenant } from '../../contract/admin/tenants.ts';
import { type Stdin, readRequestBody } from './request-body.ts';

const noStdin: Stdin = { isTTY: true, read: () => Promise.reject(new Error('nothing to read')) };
const text = async (op: Parameters<typeof readRequestBody>[0], flags: Parameters<typeof readRequestBody>[1], stdin = noStdin) =>
  JSON.stringify(await readRequestBody(op, flags, stdin));

describe('--set', () => {
  test('converts values to the type of the field', async () => {
    expect(await text(createItem, { set: ['sku=123', 'salePrice=1.50', 'isActive=false', 'notes=null', 'mpn=', 'name=true'] })).toBe(
      '{"sku":"123","salePrice":1.50,"isActive":false,"notes":null,"mpn":null,"name":"true"}',
    );
  });
  test('sets fields in lists and objects', async () => {
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
  test('accepts unknown fields, as JSON if valid, so that the service can report them', async () => {
    expect(await text(createItem, { set: ['colour=red', 'weight=2', 'tags=["a"]'] })).toBe('{"colour":"red","weight":2,"tags":["a"]}');
  });
  test.for(['x', '=1', 'a..b=1', 'lines.2.quantity=1', 'isActive=yes', 'name.first=x'])(
    'rejects the invalid assignment %s',
    async (assignment) => {
      await expect(text(createOrder, { data: '{"name":"n"}', set: [assignment.replace('isActive', 'lines.0.isManual')] })).rejects.toThrow(
        '--set',
      );
    },
  );
});

describe('flags', () => {
  test('an empty value clears nullable fields and is sent as an empty string for others', async () => {
    expect(await text(createItem, { 'sale-price': '', sku: '', name: '', 'category-id': '' })).toBe(
      '{"name":"","sku":null,"categoryId":null,"salePrice":null}',
    );
  });
  test('an omitted boolean is not sent', async () => {
    expect(await text(createItem, { 'is-active': false })).toBe('{"isActive":false}');
    expect(await text(createItem, { 'is-active': undefined })).toBe('{}');
  });
});

test('--data - fails at a terminal instead of waiting for input', async () => {
  await expect(text(createItem, { data: '-' })).rejects.toThrow('--data - requires input on stdin');
  expect(await text(createItem, { data: '-' }, { isTTY: false, read: () => Promise.resolve(Buffer.from('{"name":"piped"}')) })).toBe(
    '{"name":"piped"}',
  );
});

test('a body that is not UTF-8 is rejected instead of stored with replacement characters', async () => {
  const latin = { isTTY: false, read: () => Promise.resolve(Buffer.from('{"name":"M\u00fctze"}', 'latin1')) };
  await expect(text(createItem, { data: '-' }, latin)).rejects.toThrow('stdin is not UTF-8');
  const marked = { isTTY: false, read: () => Promise.resolve(Buffer.from('\uFEFF{"name":"M\u00fctze"}')) };
  expect(await text(createItem, { data: '-' }, marked)).toBe('{"name":"M\u00fctze"}');
});
