/** Request bodies and idempotency keys of every operation, over real HTTP. See `all-operations.test.ts`. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { IDEMPOTENCY_KEY, IDEMPOTENT_REPLAYED, RATE_LIMIT, REQUEST_ID } from '../../../src/contract/headers.ts';
import { isUuid } from '../../../src/contract/schema/formats.ts';
import { IDEMPOTENCY_KEY_MAX_CHARS } from '../../../src/contract/limits.ts';
import { type Operation, isIdempotent } from '../../../src/contract/operation.ts';
import type { AnySchema } from '../../../src/contract/schema/builder.ts';
import { SCOPES } from '../../../src/contract/scopes.ts';
import type { Parts } from '../../support/contract/operation-fixtures.ts';
import {
  type Matrix,
  UNKNOWN_ID,
  getFixture,
  freshKey,
  openMatrix,
  operationsWith,
  getParams,
  problemsIn,
} from '../../support/contract/operation-matrix.ts';
import { type CallOptions, type Reply, getCode } from '../../support/service/service.ts';
import { stored } from '../../support/service/tenant-client.ts';

let m: Matrix;
beforeAll(async () => {
  m = await openMatrix();
});
afterAll(() => m[Symbol.asyncDispose]());

const withBody = (parts: Parts, more: Readonly<Record<string, unknown>>): Parts => ({ ...parts, body: { ...parts.body, ...more } });

const hasFields = ({ body }: Operation): boolean => Object.keys(body?.properties ?? {}).length > 0;

describe.each(operationsWith(hasFields))('%s', (_id, op) => {
  test('returns 400 with every field that has the wrong type', async () => {
    const wrong = Object.fromEntries(
      Object.keys(op.body?.properties ?? {}).map((name) => [name, op.body?.properties[name]?.kind === 'map' ? [] : {}]),
    );
    const reply = await m.refuses(op, { ...(await m.request(op)), body: wrong }, {}, 400, 'VALIDATION_FAILED');
    expect(problemsIn(reply).map((each) => each.split(' ')[1])).toEqual(Object.keys(op.body?.properties ?? {}).map((name) => `/${name}`));
  });
});

const changesARecord = ({ method, errors = [] }: Operation): boolean =>
  method === 'PATCH' || method === 'DELETE' || errors.includes('PRECONDITION_FAILED');

describe.each(operationsWith(changesARecord))('If-Match of %s', (_id, op) => {
  test('rejects an outdated version and accepts an asterisk', async () => {
    const parts = await m.request(op);
    await m.refuses(op, parts, { headers: { 'if-match': '"2000-01-01T00:00:00.000Z"' } }, 412, 'PRECONDITION_FAILED');
    expect((await m.send(op, parts, { headers: { 'if-match': '*' } })).status).toBe(op.status);
  });
});

describe.each(operationsWith(({ body }) => body !== undefined))('body of %s', (_id, op) => {
  test('returns 400 with the name of an unknown field, also inside lists', async () => {
    const parts = await m.request(op);
    const reply = await m.refuses(op, withBody(parts, { surprise: 1, 'a/b~c': 2 }), {}, 400, 'VALIDATION_FAILED');
    expect(problemsIn(reply).toSorted()).toEqual(['body /a~1b~0c unknown_field', 'body /surprise unknown_field']);
    for (const name of listsOfObjects(op.body)) {
      const nested = await m.refuses(op, withBody(parts, { [name]: [{ surprise: 1 }] }), {}, 400, 'VALIDATION_FAILED');
      expect(problemsIn(nested)).toContain(`body /${name}/0/surprise unknown_field`);
    }
  });

  test('has the same reply for the id of a foreign record as for an unknown id', async () => {
    const newest = Object.values(await stored(m.s, m.other.id)).map((rows) => (rows.at(-1) as { id: string } | undefined)?.id ?? '');
    // Counters and stored replies have other kinds of ids.
    const foreign = newest.filter(isUuid);
    expect(foreign.length).toBeGreaterThan(8);
    const parts = await m.request(op);
    const spoilt = (name: string, list: string | undefined, wrong: string): Parts => {
      if (list === undefined) return withBody(parts, { [name]: wrong });
      const [first] = (parts.body?.[list] ?? []) as object[];
      return withBody(parts, { [list]: [{ ...first, [name]: wrong }] });
    };
    for (const [name, list] of idFields(op.body)) {
      const unknown = await m.send(op, spoilt(name, list, UNKNOWN_ID));
      expect(unknown.status, `${name}: ${unknown.text}`).not.toBe(op.status);
      for (const wrong of foreign) {
        const reply = await m.refuses(op, spoilt(name, list, wrong), {}, unknown.status, getCode(unknown));
        expect(reply.body.error.message.replaceAll(wrong, UNKNOWN_ID)).toBe(unknown.body.error.message);
      }
    }
  });

  test('returns 400 unless it is a JSON object', async () => {
    const parts = await m.request(op);
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', ''])
      await m.refuses(op, parts, { headers: { 'content-type': type } }, 415, 'UNSUPPORTED_MEDIA_TYPE');
    for (const body of ['{', '{"name":"x",}', 'name=x', '{}{}']) await m.refuses(op, parts, { body }, 400, 'MALFORMED_JSON');
    for (const body of ['[]', '"x"', 'null']) {
      const reply = await m.refuses(op, parts, { body }, 400, 'VALIDATION_FAILED');
      expect(problemsIn(reply)).toEqual(['body  wrong_type']);
    }
  });
});

describe.each(operationsWith(isIdempotent))('Idempotency-Key of %s', (id, op) => {
  test('is required once, with 1 to 255 characters', async () => {
    const parts = await m.request(op);
    const bare = (headers: NonNullable<CallOptions['headers']>): CallOptions => ({ headers, idempotencyKey: undefined });
    await m.refuses(op, parts, bare({}), 400, 'IDEMPOTENCY_KEY_REQUIRED');
    for (const wrong of ['', ' ', 'k'.repeat(IDEMPOTENCY_KEY_MAX_CHARS + 1), ['a', 'b'], ['a', 'a']])
      await m.refuses(op, parts, bare({ [IDEMPOTENCY_KEY]: wrong }), 400, 'IDEMPOTENCY_KEY_INVALID');
    // Spaces inside are legal characters of a header.
    const longest = 'k '.repeat(IDEMPOTENCY_KEY_MAX_CHARS).slice(0, IDEMPOTENCY_KEY_MAX_CHARS - id.length) + id;
    expect((await m.send(op, parts, { idempotencyKey: longest })).status).toBe(op.status);
  });

  test('replays the reply to a repeated request, without another change', async () => {
    const [parts, idempotencyKey] = [await m.request(op), freshKey()];
    // A new key, whose rate window starts here.
    const key = await m.s.addKey({ tenantId: m.own.id });
    const first = await m.send(op, parts, { idempotencyKey, key });
    expect(first.status, first.text).toBe(op.status);
    const before = await stored(m.s, m.own.id);
    const reordered = { ...parts, body: Object.fromEntries(Object.entries(parts.body ?? {}).toReversed()) };
    for (const again of [parts, reordered]) {
      const reply = await m.send(op, again, { idempotencyKey, key });
      const getHeaders = ({ headers }: Reply) => ['content-type', 'location', 'etag', 'cache-control'].map((name) => headers[name]);
      expect([reply.status, reply.text, ...getHeaders(reply)]).toEqual([first.status, repeated(op, first.text), ...getHeaders(first)]);
      expect([first, reply].map(({ headers }) => headers[IDEMPOTENT_REPLAYED])).toEqual([undefined, 'true']);
      expect(reply.headers[REQUEST_ID]).not.toBe(first.headers[REQUEST_ID]);
      expect(Number(reply.headers[RATE_LIMIT.remaining])).toBeLessThan(Number(first.headers[RATE_LIMIT.remaining]));
    }
    expect(await stored(m.s, m.own.id)).toEqual(before);
  });

  test('returns 409 for another body, and still replays the first reply', async () => {
    const [parts, another, idempotencyKey] = [await m.request(op), await m.request(op), freshKey()];
    const first = await m.send(op, parts, { idempotencyKey });
    const elsewhere = getParams(op).length > 0 ? [{ ...another, body: parts.body ?? {} }] : [];
    const otherwise = hasFields(op)
      ? [
          { ...parts, body: another.body ?? {} },
          { ...parts, body: {} },
        ]
      : [];
    expect(otherwise.length + elsewhere.length).toBeGreaterThan(0);
    for (const changed of [...otherwise, ...elsewhere]) {
      const reply = await m.refuses(op, changed, { idempotencyKey }, 409, 'CONFLICT');
      expect(reply.body.error.message).toBe('This Idempotency-Key was used with a different request. Use a new key for a new change.');
    }
    expect((await m.send(op, parts, { idempotencyKey })).text).toBe(repeated(op, first.text));
  });

  test('can be used again after an error', async () => {
    const [parts, idempotencyKey] = [await m.request(op), freshKey()];
    await m.refuses(op, withBody(parts, { surprise: 1 }), { idempotencyKey }, 400, 'VALIDATION_FAILED');
    const { reply, events } = await m.traces(m.own, () => m.send(op, parts, { idempotencyKey }));
    expect([reply.status, reply.headers[IDEMPOTENT_REPLAYED], events]).toEqual([op.status, undefined, getEvents(op)]);
  });

  test('is separate for each API key, and replays nothing without the scope of the operation', async () => {
    const [parts, idempotencyKey] = [await m.request(op), freshKey()];
    const limited = await m.s.addKey({ tenantId: m.own.id, scopes: SCOPES.filter((scope) => scope !== op.scope) });
    await m.send(op, parts, { idempotencyKey });
    await m.refuses(op, parts, { idempotencyKey, key: limited }, 403, 'SCOPE_REQUIRED');
    const sibling = await m.send(op, await m.request(op), { idempotencyKey, key: await m.s.addKey({ tenantId: m.own.id }) });
    const foreignKey = await m.send(op, await m.request(op, m.other), { idempotencyKey, key: m.other.key });
    for (const { status, headers } of [sibling, foreignKey]) expect([status, headers[IDEMPOTENT_REPLAYED]]).toEqual([op.status, undefined]);
  });

  test('allows one of several concurrent requests', async () => {
    const [parts, idempotencyKey] = [await m.request(op), freshKey()];
    const { events } = await m.traces(m.own, async () => {
      const replies = await Promise.all(Array.from({ length: 8 }, () => m.send(op, parts, { idempotencyKey })));
      const done = replies.filter(({ status }) => status === op.status);
      expect(new Set(done.map(({ text }) => text)).size).toBe(1);
      expect(done.filter(({ headers }) => headers[IDEMPOTENT_REPLAYED] === undefined)).toHaveLength(1);
      for (const { body, headers } of replies.filter((each) => !done.includes(each))) {
        expect(headers['retry-after']).toBe('1');
        expect(body.error).toMatchObject({
          code: 'IDEMPOTENCY_IN_PROGRESS',
          message: 'A request with this Idempotency-Key is still running. Retry in 1 s.',
        });
      }
      return replies[0]!;
    });
    expect(events).toEqual(getEvents(op));
  });
});

describe.each(operationsWith((op) => !isIdempotent(op)))('Idempotency-Key of %s', (_id, op) => {
  test('is ignored', async () => {
    const headers = { [IDEMPOTENCY_KEY]: 'k'.repeat(IDEMPOTENCY_KEY_MAX_CHARS + 1) };
    const reply = await m.send(op, await m.request(op), { headers });
    expect([reply.status, reply.headers[IDEMPOTENT_REPLAYED]]).toEqual([op.status, undefined]);
  });
});

/** Body fields that are lists of objects. */
function listsOfObjects(schema: AnySchema | undefined): string[] {
  if (schema?.kind !== 'object') return [];
  return Object.entries(schema.properties).flatMap(([name, field]) =>
    field.kind === 'array' && field.items.kind === 'object' ? [name] : [],
  );
}

/** Body fields with ids of other records, and the list that contains each of them. */
function idFields(schema: AnySchema | undefined, list?: string): (readonly [string, string | undefined])[] {
  if (schema?.kind !== 'object') return [];
  return Object.entries(schema.properties).flatMap(([name, field]) => {
    if (field.kind === 'string' && field.format === 'uuid') return [[name, list] as const];
    return field.kind === 'array' ? idFields(field.items, name) : [];
  });
}

/** The events that a successful call records: none for webhooks, or endpoints would receive events about themselves. */
function getEvents(op: Operation): string[] {
  const { event } = getFixture(op);
  return event === undefined ? [] : [event];
}

/** A reply as it is replayed: without the fields that are shown only once. */
function repeated(op: Operation, text: string): string {
  const once = op.shownOnce;
  return once ? JSON.stringify(JSON.parse(text), (key, value: unknown) => (once.includes(key) ? undefined : value)) : text;
}
