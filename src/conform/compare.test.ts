import { expect, test } from 'vitest';
import { compareReplies } from './compare.ts';

const reply = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) => ({
  status,
  headers,
  text: body === undefined ? '' : JSON.stringify(body),
});
const ok = (data: unknown) => reply(200, { data });
const list = (left: unknown, right: unknown, isOwn = false) =>
  compareReplies(ok(left), ok(right), isOwn).map(({ what, expected, got }) => `${what}: ${expected}, ${got}`);

test('data of other records, ids and times are no difference', () => {
  expect(list({ id: 'a', name: 'Bolt', createdAt: 'x' }, { id: 'b', name: 'Nut', createdAt: 'y' })).toEqual([]);
  expect(list({ id: 'a', name: 'Bolt' }, { id: 'b', name: 'Bolt' }, true)).toEqual([]);
});

test('another value of an own record is one', () => {
  expect(list({ price: 0.35 }, { price: 35 }, true)).toEqual(['data.price: 0.35, 35']);
});

test('a field that is missing, added or of another type is one', () => {
  expect(list({ a: 1, b: 'x' }, { b: 1, c: null })).toEqual(['data.a: number, absent', 'data.b: string, number', 'data.c: absent, null']);
});

test('null says nothing about a type, and a list without rows nothing about its rows', () => {
  expect(list({ unit: null, rows: [] }, { unit: { id: 'a' }, rows: [{ id: 'b' }] })).toEqual([]);
  expect(list([{ a: 1 }, { a: null }], [{ a: null }, { a: 'x' }])).toEqual(['data[].a: number, string']);
});

test('statuses, codes and fields of errors, and headers are compared', () => {
  const error = (code: string, path = '/name') => ({ error: { code, message: 'm', fields: [{ in: 'body', path, code: 'too_big' }] } });
  const compare = (left: unknown, right: unknown) => compareReplies(reply(400, left), reply(400, right), false).map(({ what }) => what);
  expect(compareReplies(reply(404, error('NOT_FOUND')), reply(200, {}), false)).toEqual([
    { what: 'status', expected: '404 NOT_FOUND', got: '200' },
  ]);
  expect(compare(error('A'), error('B'))).toEqual(['error.code']);
  expect(compare(error('A'), error('A', '/sku'))).toEqual(['error.fields']);
  expect(compareReplies(reply(201, {}, { location: '/v1/items/a' }), reply(201, {}), false)).toEqual([
    { what: 'header location', expected: 'present', got: 'absent' },
  ]);
});

test('the records that a rejection names as examples are no difference', () => {
  const inUse = (more: object) => reply(409, { error: { code: 'RESOURCE_IN_USE', details: { references: { orderLines: 1 }, ...more } } });
  expect(compareReplies(inUse({ examples: { orderLines: ['SO-1'] } }), inUse({}), false)).toEqual([]);
  expect(compareReplies(inUse({ hint: 'x' }), inUse({}), false)).toHaveLength(1);
});
