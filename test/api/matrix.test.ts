/**
 * What holds for every operation of the contract, over real HTTP: who may call it and what everybody else is told.
 * Nothing here names an operation. Each check takes a request that succeeds (`test/support/fixtures.ts`) and spoils one thing in it.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RATE_LIMIT } from '../../src/contract/headers.ts';
import { RATE_WINDOW_S } from '../../src/contract/limits.ts';
import { PLANS, SCOPES, planCovers } from '../../src/contract/scopes.ts';
import { FIXTURES } from '../support/fixtures.ts';
import { type Matrix, NOBODY, PAIR, fixtureOf, openMatrix, operationsWith, paramsOf, problemsIn } from '../support/matrix.ts';

let m: Matrix;
beforeAll(async () => {
  m = await openMatrix();
});
afterAll(() => m[Symbol.asyncDispose]());

const every = operationsWith(() => true);

test('every operation has a fixture, every fixture an operation, every write its event, every list its rows', () => {
  expect(Object.keys(FIXTURES).toSorted()).toEqual(every.map(([id]) => id).toSorted());
  for (const [id, op] of every) {
    const { event, list } = fixtureOf(op);
    expect([id, event !== undefined, list !== undefined]).toEqual([
      id,
      op.method !== 'GET' && !id.startsWith('webhooks.'),
      op.query?.properties['page'] !== undefined,
    ]);
  }
});

describe.each(every)('%s', (_id, op) => {
  const least = op.plan ?? PLANS[0];

  test('without a key is refused with a challenge', async () => {
    const parts = await m.request(op);
    for (const key of ['', 'pk_test_nobody']) {
      const reply = await m.refuses(op, parts, { key }, 401, 'UNAUTHENTICATED');
      expect(reply.headers['www-authenticate']).toMatch(/^Bearer realm="stockroom"/u);
      for (const name of Object.values(RATE_LIMIT)) expect(reply.headers).not.toHaveProperty(name);
    }
  });

  test('with exactly its scope, on the smallest plan that has it, succeeds as the contract says', async () => {
    const shelf = m.on(least);
    const key = await m.s.addKey({ tenantId: shelf.id, scopes: op.scope ? [op.scope] : [] });
    const parts = await m.request(op, shelf);
    const { event } = fixtureOf(op);
    const { reply, events, audited } = await m.traces(shelf, () => m.send(op, parts, { key }));
    expect(reply.status, reply.text).toBe(op.status);
    expect(events).toEqual(event === undefined ? [] : [event]);
    expect(audited > 0).toBe(op.method !== 'GET');
  });

  test('with an unknown query parameter is refused by name', async () => {
    const { query, ...rest } = await m.request(op);
    const reply = await m.refuses(op, { ...rest, query: { ...query, surprise: '1' } }, {}, 400, 'VALIDATION_FAILED');
    expect(problemsIn(reply)).toEqual(['query /surprise unknown_field']);
    expect(reply.body.error.message).toContain('surprise');
  });

  test('counts against the window of its key, refused or not, until the window is used up', async () => {
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

describe.each(operationsWith(({ scope }) => scope !== null))('%s', (_id, op) => {
  test('with every scope but its own is refused, whatever the plan', async () => {
    const scopes = SCOPES.filter((scope) => scope !== op.scope);
    const key = await m.s.addKey({ tenantId: m.own.id, scopes });
    const reply = await m.refuses(op, await m.request(op), { key }, 403, 'SCOPE_REQUIRED');
    expect(reply.body.error.details).toEqual({ requiredScope: op.scope });
    expect(reply.body.error.message).toContain(op.scope);
    expect(reply.headers['www-authenticate']).toContain(`error="insufficient_scope", scope="${String(op.scope)}"`);
    const small = m.on(PLANS[0]);
    const smallKey = await m.s.addKey({ tenantId: small.id, scopes });
    await m.refuses(op, await m.request(op, small), { key: smallKey }, 403, 'SCOPE_REQUIRED');
  });
});

describe.each(operationsWith(({ plan }) => plan !== undefined))('%s', (_id, op) => {
  test.each(PLANS.filter((plan) => !planCovers(plan, op.plan ?? PLANS[0])))('on the plan %s is refused', async (plan) => {
    const shelf = m.on(plan);
    const reply = await m.refuses(op, await m.request(op, shelf), { key: shelf.key }, 403, 'PLAN_REQUIRED');
    expect(reply.body.error.details).toEqual({ requiredPlan: op.plan });
  });
});

describe.each(operationsWith((op) => paramsOf(op).length > 0))('%s', (_id, op) => {
  test("with another tenant's id, an unknown one or none at all in the path finds nothing", async () => {
    const [mine, theirs] = [await m.request(op), await m.request(op, m.other)];
    await m.refuses(op, { ...mine, params: theirs.params ?? {} }, {}, 404, 'NOT_FOUND');
    for (const name of paramsOf(op)) {
      for (const wrong of [theirs.params?.[name] ?? '', NOBODY, 'not-a-uuid', '0', "' or 1=1", `${NOBODY}x`, `{${NOBODY}}`, '☕']) {
        const reply = await m.refuses(op, { ...mine, params: { ...mine.params, [name]: wrong } }, {}, 404, 'NOT_FOUND');
        expect(reply.body.error).not.toHaveProperty('fields');
      }
    }
  });
});

describe.each(operationsWith(({ method }) => method === 'DELETE'))('%s', (_id, op) => {
  test('finds nothing the second time', async () => {
    const parts = await m.request(op);
    const { status } = await m.send(op, parts);
    expect(status).toBe(op.status);
    await m.refuses(op, parts, {}, 404, 'NOT_FOUND');
  });
});
