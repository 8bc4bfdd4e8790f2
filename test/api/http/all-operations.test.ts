/**
 * Routing, unknown parameters and rate limits of every operation, over real HTTP. Access to them is in `access-matrix.test.ts`.
 * No test names an operation. Each one takes a request that succeeds (`test/support/contract/operation-fixtures.ts`) and makes one thing wrong.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RATE_LIMIT } from '../../../src/contract/headers.ts';
import { RATE_WINDOW_S } from '../../../src/contract/limits.ts';
import { FIXTURES } from '../../support/contract/operation-fixtures.ts';
import {
  type Matrix,
  UNKNOWN_ID,
  PAIR,
  getFixture,
  openMatrix,
  operationsWith,
  getParams,
  problemsIn,
} from '../../support/contract/operation-matrix.ts';

let m: Matrix;
beforeAll(async () => {
  m = await openMatrix();
});
afterAll(() => m[Symbol.asyncDispose]());

const every = operationsWith(() => true);

test('fixtures cover every operation, with an event for every write and rows for every list', () => {
  expect(Object.keys(FIXTURES).toSorted()).toEqual(every.map(([id]) => id).toSorted());
  for (const [id, op] of every) {
    const { event, list } = getFixture(op);
    expect([id, event !== undefined, list !== undefined]).toEqual([
      id,
      op.method !== 'GET' && !id.startsWith('webhooks.'),
      op.query?.properties['page'] !== undefined,
    ]);
  }
});

describe.each(every)('%s', (_id, op) => {
  test('returns 400 with the name of an unknown query parameter', async () => {
    const { query, ...rest } = await m.request(op);
    const reply = await m.refuses(op, { ...rest, query: { ...query, surprise: '1' } }, {}, 400, 'VALIDATION_FAILED');
    expect(problemsIn(reply)).toEqual(['query /surprise unknown_field']);
    expect(reply.body.error.message).toContain('surprise');
  });

  test('counts every request in the rate window of its key, until the limit is reached', async () => {
    const parts = await m.request(op);
    const key = await m.s.addKey({ tenantId: m.own.id, tier: PAIR });
    const first = await m.send(op, parts, { key });
    const second = await m.send(op, { ...parts, query: { ...parts.query, surprise: '1' } }, { key });
    expect([first, second].map(({ headers }) => headers[RATE_LIMIT.remaining])).toEqual(['1', '0']);
    const third = await m.refuses(op, await m.request(op), { key }, 429, 'RATE_LIMITED');
    expect(Number(third.headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(third.headers['retry-after'])).toBeLessThanOrEqual(RATE_WINDOW_S);
  });
});

/** A PUT creates what is not there. */
describe.each(operationsWith((op) => getParams(op).length > 0 && op.method !== 'PUT'))('%s', (_id, op) => {
  test('returns 404 for foreign, unknown and malformed ids in the path', async () => {
    const [mine, theirs] = [await m.request(op), await m.request(op, m.other)];
    await m.refuses(op, { ...mine, params: theirs.params ?? {} }, {}, 404, 'NOT_FOUND');
    for (const name of getParams(op)) {
      for (const wrong of [
        theirs.params?.[name] ?? '',
        UNKNOWN_ID,
        'not-a-uuid',
        '0',
        "' or 1=1",
        `${UNKNOWN_ID}x`,
        `{${UNKNOWN_ID}}`,
        '☕',
      ]) {
        const reply = await m.refuses(op, { ...mine, params: { ...mine.params, [name]: wrong } }, {}, 404, 'NOT_FOUND');
        expect(reply.body.error).not.toHaveProperty('fields');
      }
    }
  });
});

describe.each(operationsWith(({ method }) => method === 'DELETE'))('%s', (_id, op) => {
  test('returns 404 the second time', async () => {
    const parts = await m.request(op);
    const { status } = await m.send(op, parts);
    expect(status).toBe(op.status);
    await m.refuses(op, parts, {}, 404, 'NOT_FOUND');
  });
});
