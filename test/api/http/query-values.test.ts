/**
 * Query parameters with characters that no stored text has, for every read of the contract. Runs on both stores, which answer alike: 400
 * where the contract has no such value, else an ordinary reply that matches no row.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toRequest } from '../../../src/client/request.ts';
import type { Operation } from '../../../src/contract/operation.ts';
import type { AnySchema } from '../../../src/contract/schema/builder.ts';
import type { Parts } from '../../support/contract/operation-fixtures.ts';
import { type Matrix, getFixture, openMatrix, operationsWith } from '../../support/contract/operation-matrix.ts';

let m: Matrix;
beforeAll(async () => {
  m = await openMatrix();
});
afterAll(() => m[Symbol.asyncDispose]());

/** As in a URL: characters that a database cannot store or compares in another way. */
const VALUES = [
  '%00',
  'a%00b',
  '%00%00',
  '%01',
  '%7F',
  '%C2%80',
  '%EF%BF%BF',
  '%EE%80%80',
  '%F4%8F%BF%BF',
  '%F4%8F%BF%BF%01',
  '%E2%80%AE',
  '%5C',
  '%25',
  '%27%20or%20%271%27%3D%271',
  '%24%7B1%7D%7B%22%7D',
  '%F0%9F%98%80%CD%8F',
] as const;

/** What is no escape, and what is no UTF-8. */
const BROKEN_VALUES = ['%', '100%', '%zz', 'a%2', '%ED%A0%80', '%FF', '%C3%28'] as const;

/** For parameters that are not compared with stored texts, because nothing of them reaches the store: a character, quotes. */
const REJECTED_VALUES = ['a%00b', '%27%20or%20%271%27%3D%271'] as const;

/** Whether any text is a value of the parameter. */
const isText = (schema: AnySchema): boolean =>
  schema.kind === 'array' ? isText(schema.items) : schema.kind === 'string' && schema.format === undefined && schema.pattern === undefined;

async function send(op: Operation, parts: Parts, name: string, value: string) {
  const { params = {}, query = {} } = parts;
  const { [name]: _replaced, ...others } = query;
  const { path } = toRequest(op, { params, query: others });
  return m.s.call('GET', `${path}${path.includes('?') ? '&' : '?'}${name}=${value}`, { key: m.own.key });
}

describe.each(operationsWith(({ method, query }) => method === 'GET' && query !== undefined))('%s', (id, op) => {
  let parts: Parts;
  beforeAll(async () => {
    parts = await m.request(op);
  });

  test.each(Object.entries(op.query?.properties ?? {}))('answers every value of %s with 200 or 400', async (name, schema) => {
    for (const value of isText(schema) ? VALUES : REJECTED_VALUES) {
      const reply = await send(op, parts, name, value);
      const wanted = isText(schema) ? 200 : 400;
      expect([id, name, value, reply.status, reply.status === wanted ? '' : reply.text]).toEqual([id, name, value, wanted, '']);
      if (wanted === 200 && value.includes('%00') && name !== 'search')
        expect([id, name, value, reply.body.data]).toEqual([id, name, value, []]);
    }
  });

  test.each(Object.keys(op.query?.properties ?? {}))('answers 400 to broken percent-encoding of %s, and names it', async (name) => {
    for (const value of BROKEN_VALUES) {
      const { status, body } = await send(op, parts, name, value);
      const fields = [{ in: 'query', path: `/${name}`, code: 'bad_format' }];
      expect([id, value, status, body.error]).toMatchObject([id, value, 400, { code: 'VALIDATION_FAILED', fields }]);
    }
  });
});

test('a read with such a value does not fail other reads that are sent at the same time', async () => {
  const paths = [
    '/v1/items?sku=%00',
    '/v1/contacts',
    '/v1/items?barcode=a%00b',
    '/v1/orders?module=sell',
    '/v1/items?search=%00',
    '/v1/items',
  ];
  for (let round = 0; round < 5; round += 1) {
    const replies = await Promise.all(paths.map((path) => m.s.call('GET', path, { key: m.own.key })));
    expect(replies.map(({ status }) => status)).toEqual(paths.map(() => 200));
  }
});

test('the fuzzed operations have rows, so that values are compared with something', () => {
  expect(operationsWith(({ query }) => query?.properties['page'] !== undefined).every(([, op]) => getFixture(op).list !== undefined)).toBe(
    true,
  );
});
