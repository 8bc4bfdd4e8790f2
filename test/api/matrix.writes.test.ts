/** What holds for the bodies and the idempotency keys of every operation of the contract, over real HTTP. See `matrix.test.ts`. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { IDEMPOTENCY_KEY, IDEMPOTENT_REPLAYED, RATE_LIMIT, REQUEST_ID } from '../../src/contract/headers.ts';
import { isUuid } from '../../src/contract/formats.ts';
import { IDEMPOTENCY_KEY_MAX_CHARS } from '../../src/contract/limits.ts';
import { type Operation, isIdempotent } from '../../src/contract/operation.ts';
import type { AnySchema } from '../../src/contract/schema.ts';
import { SCOPES } from '../../src/contract/scopes.ts';
import type { Parts } from '../support/fixtures.ts';
import { type Matrix, NOBODY, fixtureOf, freshKey, openMatrix, operationsWith, paramsOf, problemsIn } from '../support/matrix.ts';
import { type CallOptions, codeOf } from '../support/service.ts';
import { stored } from '../support/shelf.ts';

let m: Matrix;
beforeAll(async () => {
  m = await openMatrix();
});
afterAll(() => m[Symbol.asyncDispose]());

const withBody = (parts: Parts, more: Readonly<Record<string, unknown>>): Parts => ({ ...parts, body: { ...parts.body, ...more } });

const hasFields = ({ body }: Operation): boolean => Object.keys(body?.properties ?? {}).length > 0;

describe.each(operationsWith(hasFields))('the fields of %s', (_id, op) => {
  test('with every field of the wrong type is refused with all of them named', async () => {
    const wrong = Object.fromEntries(Object.keys(op.body?.properties ?? {}).map((name) => [name, {}]));
    const reply = await m.refuses(op, { ...(await m.request(op)), body: wrong }, {}, 400, 'VALIDATION_FAILED');
    expect(problemsIn(reply).map((each) => each.split(' ')[1])).toEqual(Object.keys(op.body?.properties ?? {}).map((name) => `/${name}`));
  });
});

const changesARecord = ({ method, errors = [] }: Operation): boolean =>
  method === 'PATCH' || method === 'DELETE' || errors.includes('PRECONDITION_FAILED');

describe.each(operationsWith(changesARecord))('the version of what %s changes', (_id, op) => {
  test('refuses what names one that is no longer there, and takes any for an asterisk', async () => {
    const parts = await m.request(op);
    await m.refuses(op, parts, { headers: { 'if-match': '"2000-01-01T00:00:00.000Z"' } }, 412, 'PRECONDITION_FAILED');
    expect((await m.send(op, parts, { headers: { 'if-match': '*' } })).status).toBe(op.status);
  });
});

describe.each(operationsWith(({ body }) => body !== undefined))('the body of %s', (_id, op) => {
  test('with an unknown field, also inside of lists, is refused by name', async () => {
    const parts = await m.request(op);
    const reply = await m.refuses(op, withBody(parts, { surprise: 1, 'a/b~c': 2 }), {}, 400, 'VALIDATION_FAILED');
    expect(problemsIn(reply).toSorted()).toEqual(['body /a~1b~0c unknown_field', 'body /surprise unknown_field']);
    for (const name of listsOfObjects(op.body)) {
      const nested = await m.refuses(op, withBody(parts, { [name]: [{ surprise: 1 }] }), {}, 400, 'VALIDATION_FAILED');
      expect(problemsIn(nested)).toContain(`body /${name}/0/surprise unknown_field`);
    }
  });

  test("with an id of another tenant's record is answered as with one that nobody has", async () => {
    const newest = Object.values(await stored(m.s, m.other.id)).map((rows) => (rows.at(-1) as { id: string } | undefined)?.id ?? '');
    // Counters and stored replies have names of another kind.
    const foreign = newest.filter(isUuid);
    expect(foreign.length).toBeGreaterThan(8);
    const parts = await m.request(op);
    const spoilt = (name: string, list: string | undefined, wrong: string): Parts => {
      if (list === undefined) return withBody(parts, { [name]: wrong });
      const [first] = (parts.body?.[list] ?? []) as object[];
      return withBody(parts, { [list]: [{ ...first, [name]: wrong }] });
    };
    for (const [name, list] of idFields(op.body)) {
      const nobody = await m.send(op, spoilt(name, list, NOBODY));
      expect(nobody.status, `${name}: ${nobody.text}`).not.toBe(op.status);
      for (const wrong of foreign) {
        const reply = await m.refuses(op, spoilt(name, list, wrong), {}, nobody.status, codeOf(nobody));
        expect(reply.body.error.message.replaceAll(wrong, NOBODY)).toBe(nobody.body.error.message);
      }
    }
  });

  test('as anything but a JSON object is refused', async () => {
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

describe.each(operationsWith(isIdempotent))('the idempotency key of %s', (id, op) => {
  test('is required, of 1 to 255 visible characters, and sent once', async () => {
    const parts = await m.request(op);
    const bare = (headers: NonNullable<CallOptions['headers']>): CallOptions => ({ headers, idempotencyKey: undefined });
    await m.refuses(op, parts, bare({}), 400, 'IDEMPOTENCY_KEY_REQUIRED');
    for (const wrong of ['', ' ', 'two words', 'k'.repeat(IDEMPOTENCY_KEY_MAX_CHARS + 1), ['a', 'b'], ['a', 'a']])
      await m.refuses(op, parts, bare({ [IDEMPOTENCY_KEY]: wrong }), 400, 'IDEMPOTENCY_KEY_INVALID');
    const longest = 'k'.repeat(IDEMPOTENCY_KEY_MAX_CHARS - id.length) + id;
    expect((await m.send(op, parts, { idempotencyKey: longest })).status).toBe(op.status);
  });

  test('makes a repetition answer the same and do nothing', async () => {
    const [parts, idempotencyKey] = [await m.request(op), freshKey()];
    // Of its own, so that its rate window begins here.
    const key = await m.s.addKey({ tenantId: m.own.id });
    const first = await m.send(op, parts, { idempotencyKey, key });
    expect(first.status, first.text).toBe(op.status);
    const before = await stored(m.s, m.own.id);
    const reordered = { ...parts, body: Object.fromEntries(Object.entries(parts.body ?? {}).toReversed()) };
    for (const again of [parts, reordered]) {
      const reply = await m.send(op, again, { idempotencyKey, key });
      expect([reply.status, reply.text, reply.headers['location']]).toEqual([
        first.status,
        repeated(op, first.text),
        first.headers['location'],
      ]);
      expect([first, reply].map(({ headers }) => headers[IDEMPOTENT_REPLAYED])).toEqual([undefined, 'true']);
      expect(reply.headers[REQUEST_ID]).not.toBe(first.headers[REQUEST_ID]);
      expect(Number(reply.headers[RATE_LIMIT.remaining])).toBeLessThan(Number(first.headers[RATE_LIMIT.remaining]));
    }
    expect(await stored(m.s, m.own.id)).toEqual(before);
  });

  test('is refused for another payload, and its first answer stays', async () => {
    const [parts, another, idempotencyKey] = [await m.request(op), await m.request(op), freshKey()];
    const first = await m.send(op, parts, { idempotencyKey });
    const elsewhere = paramsOf(op).length > 0 ? [{ ...another, body: parts.body ?? {} }] : [];
    const otherwise = hasFields(op)
      ? [
          { ...parts, body: another.body ?? {} },
          { ...parts, body: {} },
        ]
      : [];
    expect(otherwise.length + elsewhere.length).toBeGreaterThan(0);
    for (const changed of [...otherwise, ...elsewhere]) await m.refuses(op, changed, { idempotencyKey }, 409, 'CONFLICT');
    expect((await m.send(op, parts, { idempotencyKey })).text).toBe(repeated(op, first.text));
  });

  test('is free again after a refusal', async () => {
    const [parts, idempotencyKey] = [await m.request(op), freshKey()];
    await m.refuses(op, withBody(parts, { surprise: 1 }), { idempotencyKey }, 400, 'VALIDATION_FAILED');
    const { reply, events } = await m.traces(m.own, () => m.send(op, parts, { idempotencyKey }));
    expect([reply.status, reply.headers[IDEMPOTENT_REPLAYED], events]).toEqual([op.status, undefined, eventsOf(op)]);
  });

  test('is nothing to other keys, and shows nothing to one that may not call the operation', async () => {
    const [parts, idempotencyKey] = [await m.request(op), freshKey()];
    const limited = await m.s.addKey({ tenantId: m.own.id, scopes: SCOPES.filter((scope) => scope !== op.scope) });
    await m.send(op, parts, { idempotencyKey });
    await m.refuses(op, parts, { idempotencyKey, key: limited }, 403, 'SCOPE_REQUIRED');
    const sibling = await m.send(op, await m.request(op), { idempotencyKey, key: await m.s.addKey({ tenantId: m.own.id }) });
    const stranger = await m.send(op, await m.request(op, m.other), { idempotencyKey, key: m.other.key });
    for (const { status, headers } of [sibling, stranger]) expect([status, headers[IDEMPOTENT_REPLAYED]]).toEqual([op.status, undefined]);
  });

  test('lets one of many requests at once through', async () => {
    const [parts, idempotencyKey] = [await m.request(op), freshKey()];
    const { events } = await m.traces(m.own, async () => {
      const replies = await Promise.all(Array.from({ length: 8 }, () => m.send(op, parts, { idempotencyKey })));
      const done = replies.filter(({ status }) => status === op.status);
      expect(new Set(done.map(({ text }) => text)).size).toBe(1);
      expect(done.filter(({ headers }) => headers[IDEMPOTENT_REPLAYED] === undefined)).toHaveLength(1);
      for (const reply of replies.filter((each) => !done.includes(each))) expect(codeOf(reply)).toBe('IDEMPOTENCY_IN_PROGRESS');
      return replies[0]!;
    });
    expect(events).toEqual(eventsOf(op));
  });
});

describe.each(operationsWith((op) => !isIdempotent(op)))('the idempotency key of %s', (_id, op) => {
  test('is ignored', async () => {
    const headers = { [IDEMPOTENCY_KEY]: 'k'.repeat(IDEMPOTENCY_KEY_MAX_CHARS + 1) };
    const reply = await m.send(op, await m.request(op), { headers });
    expect([reply.status, reply.headers[IDEMPOTENT_REPLAYED]]).toEqual([op.status, undefined]);
  });
});

/** Fields of a body that hold lists of objects. */
function listsOfObjects(schema: AnySchema | undefined): string[] {
  if (schema?.kind !== 'object') return [];
  return Object.entries(schema.properties).flatMap(([name, field]) =>
    field.kind === 'array' && field.items.kind === 'object' ? [name] : [],
  );
}

/** Fields that hold ids of other records, each with the list that it stands in. */
function idFields(schema: AnySchema | undefined, list?: string): (readonly [string, string | undefined])[] {
  if (schema?.kind !== 'object') return [];
  return Object.entries(schema.properties).flatMap(([name, field]) => {
    if (field.kind === 'string' && field.format === 'uuid') return [[name, list] as const];
    return field.kind === 'array' ? idFields(field.items, name) : [];
  });
}

/** What a success leaves in the change log: webhooks themselves are no news, or they would be told about themselves. */
function eventsOf(op: Operation): string[] {
  const { event } = fixtureOf(op);
  return event === undefined ? [] : [event];
}

/** An answer as a repetition gives it: without what is shown once. */
function repeated(op: Operation, text: string): string {
  const once = op.shownOnce;
  return once ? JSON.stringify(JSON.parse(text), (key, value: unknown) => (once.includes(key) ? undefined : value)) : text;
}
