/** Two tenants fill the same tables; whatever the one asks for in whatever way, nothing of the other is in an answer. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { requestOf } from '../../src/client/request.ts';
import { isUuid } from '../../src/contract/formats.ts';
import type { AnySchema } from '../../src/contract/schema.ts';
import { type Matrix, fixtureOf, openMatrix, operationsWith, paramsOf } from '../support/matrix.ts';
import { faultsOf } from '../support/replies.ts';
import { type Shelf, openShelf, stored } from '../support/shelf.ts';

const SEED = 20_261_122;
const ROWS = 6;
const UUIDS = /[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}/gu;

let m: Matrix;
/** Two tenants with the same amount of everything, and the ids that only the one or the other has. */
let sides: { shelf: Shelf; ids: readonly string[]; secrets: ReadonlySet<string> }[] = [];

beforeAll(async () => {
  m = await openMatrix();
  for (const slug of ['left', 'right']) {
    const shelf = await openShelf(m.s, slug);
    for (const [, op] of operationsWith(() => true)) {
      const { request, list } = fixtureOf(op);
      const parts = await request(shelf);
      if (op.method !== 'GET') await m.send(op, parts, { key: shelf.key });
      await list?.rows(shelf, ROWS);
    }
    sides.push({ shelf, ids: [], secrets: new Set() });
  }
  sides = await Promise.all(
    sides.map(async ({ shelf }) => {
      const everything = await stored(m.s, shelf.id);
      const ids = Object.values(everything).flatMap((rows) => rows.map((row) => (row as { id: string }).id));
      const secrets = new Set([shelf.id, ...(JSON.stringify(everything).match(UUIDS) ?? [])]);
      return { shelf, ids: ids.filter(isUuid), secrets };
    }),
  );
}, 60_000);
afterAll(() => m[Symbol.asyncDispose]());

/** Values for a query parameter: right ones, and ids and texts of both tenants. */
function valueFor(schema: AnySchema, ids: readonly string[]): fc.Arbitrary<string> {
  switch (schema.kind) {
    case 'enum':
      return fc.constantFrom(...schema.values);
    case 'boolean':
      return fc.constantFrom('true', 'false');
    case 'number':
      return fc.integer({ min: 1, max: 9 }).map(String);
    case 'array':
      return fc.array(valueFor(schema.items, ids), { minLength: 1, maxLength: 3 }).map((values) => values.join(','));
    case 'string':
      if (schema.format === 'uuid') return fc.constantFrom(...ids);
      if (schema.format === 'date') return fc.constantFrom('2020-01-01', '2026-03-02', '2099-12-31');
      if (schema.format === 'date-time') return fc.constantFrom('2020-01-01T00:00:00Z', '2099-12-31T00:00:00Z');
      return fc.constantFrom('a', 'al', 'item', 'contact', 'ALPHA', 'SO-', 'order', '1', '');
    default:
      throw new Error(`no values for a query parameter of kind ${schema.kind}`);
  }
}

interface Ask {
  /** Of the operation. */
  readonly id: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
}

const reads = new Map(operationsWith(({ method }) => method === 'GET'));

const asks = (ids: readonly string[]): fc.Arbitrary<Ask> =>
  fc.constantFrom(...reads).chain(([id, op]) => {
    const queries = Object.entries(op.query?.properties ?? {}).map(([name, schema]) => [name, valueFor(schema, ids), schema] as const);
    const requiredKeys = queries.filter(([, , schema]) => !schema.optional).map(([name]) => name);
    return fc.record({
      id: fc.constant(id),
      params: fc.record(Object.fromEntries(paramsOf(op).map((name) => [name, fc.constantFrom(...ids)]))),
      query: fc.record(Object.fromEntries(queries.map(([name, value]) => [name, value])), { requiredKeys }),
    });
  });

test('no reply to a key of one tenant has anything of the other', { timeout: 60_000 }, async () => {
  const [left, right] = sides;
  if (!left || !right) throw new Error('two tenants are needed');
  for (const id of left.secrets) expect(right.secrets.has(id)).toBe(false);
  expect(left.ids.length).toBeGreaterThan(100);
  let found = 0;
  let missing = 0;
  const ids = [...left.ids, ...right.ids];
  const check = async ({ id, params, query }: Ask): Promise<void> => {
    const op = reads.get(id)!;
    for (const [mine, theirs] of [
      [left, right],
      [right, left],
    ] as const) {
      const { path } = requestOf(op, { params, query });
      const reply = await m.s.get(path, { key: mine.shelf.key });
      expect([path, reply.status, faultsOf(op, reply)]).toEqual([path, expect.any(Number), []]);
      if (reply.status === 200) found += 1;
      else missing += 1;
      // A refusal may repeat what it was asked for, and so may the cursor behind the last row; data never does.
      const asked = new Set([...Object.values(params), ...Object.values(query).flatMap((value) => value.match(UUIDS) ?? [])]);
      const isForeign = (each: string) => theirs.secrets.has(each);
      const inData = (JSON.stringify(reply.body.data ?? null).match(UUIDS) ?? []).filter(isForeign);
      const anywhere = (reply.text.match(UUIDS) ?? []).filter((each) => isForeign(each) && !asked.has(each));
      expect([path, inData, anywhere]).toEqual([path, [], []]);
    }
  };
  // Ids of the path are mostly of the wrong kind when drawn from everything, so every right one is asked for as well.
  for (const [id, op] of reads) {
    for (const { shelf } of sides) await check({ id, params: (await fixtureOf(op).request(shelf)).params ?? {}, query: {} });
  }
  await fc.assert(fc.asyncProperty(asks(ids), check), { seed: SEED, numRuns: 1_500 });
  expect([found > 500, missing > 500]).toEqual([true, true]);
});
