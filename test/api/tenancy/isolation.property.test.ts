/** Tenant isolation: no request of one tenant returns data of the other. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toRequest } from '../../../src/client/request.ts';
import { isUuid } from '../../../src/contract/schema/formats.ts';
import type { AnySchema } from '../../../src/contract/schema/builder.ts';
import { type Matrix, getFixture, openMatrix, operationsWith, getParams } from '../../support/contract/operation-matrix.ts';
import { getFaults } from '../../support/contract/response-checks.ts';
import { type TenantClient, openTenantClient, stored } from '../../support/service/tenant-client.ts';
import { PROPERTY_TIMEOUT_MS, checkProperty } from '../../support/property.ts';

const ROWS = 6;
const UUIDS = /[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}/gu;

let m: Matrix;
/** Two tenants with the same amount of everything, and the ids that only the one or the other has. */
let sides: { tenantClient: TenantClient; ids: readonly string[]; secrets: ReadonlySet<string> }[] = [];

beforeAll(async () => {
  m = await openMatrix();
  for (const slug of ['left', 'right']) {
    const tenantClient = await openTenantClient(m.s, slug);
    for (const [, op] of operationsWith(() => true)) {
      const { request, list } = getFixture(op);
      const parts = await request(tenantClient);
      if (op.method !== 'GET') await m.send(op, parts, { key: tenantClient.key });
      await list?.rows(tenantClient, ROWS);
    }
    sides.push({ tenantClient, ids: [], secrets: new Set() });
  }
  sides = await Promise.all(
    sides.map(async ({ tenantClient }) => {
      const everything = await stored(m.s, tenantClient.id);
      const ids = Object.values(everything).flatMap((rows) => rows.map((row) => (row as { id: string }).id));
      const secrets = new Set([tenantClient.id, ...(JSON.stringify(everything).match(UUIDS) ?? [])]);
      return { tenantClient, ids: ids.filter(isUuid), secrets };
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
    // A long poll only takes time.
    const fields = Object.entries(op.query?.properties ?? {}).filter(([name]) => name !== 'wait');
    const queries = fields.map(([name, schema]) => [name, valueFor(schema, ids), schema] as const);
    const requiredKeys = queries.filter(([, , schema]) => !schema.optional).map(([name]) => name);
    return fc.record({
      id: fc.constant(id),
      params: fc.record(Object.fromEntries(getParams(op).map((name) => [name, fc.constantFrom(...ids)]))),
      query: fc.record(Object.fromEntries(queries.map(([name, value]) => [name, value])), { requiredKeys }),
    });
  });

test('no response to one tenant contains data of another, for random requests', { timeout: PROPERTY_TIMEOUT_MS }, async () => {
  const [left, right] = sides;
  if (!left || !right) throw new Error('two tenants are needed');
  expect([...left.secrets].filter((id) => right.secrets.has(id))).toEqual([]);
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
      const { path } = toRequest(op, { params, query });
      const reply = await m.s.get(path, { key: mine.tenantClient.key });
      expect([path, reply.status, getFaults(op, reply)]).toEqual([path, expect.any(Number), []]);
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
    for (const { tenantClient } of sides) await check({ id, params: (await getFixture(op).request(tenantClient)).params ?? {}, query: {} });
  }
  await checkProperty(fc.asyncProperty(asks(ids), check), { shortRuns: 150, longRuns: 1_500 });
  // The requests would prove little if nearly all of them found something, or nothing.
  expect(Math.min(found, missing)).toBeGreaterThan((found + missing) / 6);
});
