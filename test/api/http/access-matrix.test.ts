/**
 * Who may call which operation, over real HTTP: without a key, as another tenant, with each scope and on each plan.
 * Operations, addresses and requirements are those of the published document, so that a document which differs from the service fails.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RATE_LIMIT } from '../../../src/contract/headers.ts';
import { DOCUMENT_PATHS } from '../../../src/contract/openapi/document-paths.ts';
import { PLANS, type Scope, includesPlan } from '../../../src/contract/scopes.ts';
import type { ApiDocument, DocumentedOperation } from '../../support/contract/openapi-checks.ts';
import { FIXTURES, type Fixture, type Parts } from '../../support/contract/operation-fixtures.ts';
import { type Matrix, freshKey, openMatrix } from '../../support/contract/operation-matrix.ts';
import { type CallOptions, type Reply, getCode } from '../../support/service/service.ts';
import { type TenantClient, stored } from '../../support/service/tenant-client.ts';

const document = JSON.parse(readFileSync(new URL('../../../docs/openapi.json', import.meta.url), 'utf8')) as ApiDocument;
const scopes = Object.keys(document.components.securitySchemes.oauth2.flows.authorizationCode.scopes) as readonly Scope[];

interface Entry extends DocumentedOperation {
  readonly method: string;
  readonly path: string;
  readonly success: number;
  readonly fixture: Fixture;
}

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]): readonly [string, Entry] => {
    const fixture = (FIXTURES as Readonly<Record<string, Fixture>>)[operation.operationId];
    if (!fixture) throw new Error(`${operation.operationId} has no fixture in test/support/contract/operation-fixtures.ts`);
    const success = Number(Object.keys(operation.responses).find((status) => status.startsWith('2')));
    return [operation.operationId, { ...operation, method: method.toUpperCase(), path, success, fixture }];
  }),
);

let m: Matrix;
/** A key of the tenant `own` with one scope, for each scope. */
const keys = new Map<Scope, string>();
beforeAll(async () => {
  m = await openMatrix();
  for (const scope of scopes) keys.set(scope, await m.s.addKey({ tenantId: m.own.id, scopes: [scope] }));
});
afterAll(() => m[Symbol.asyncDispose]());

/** Sends a request to the documented address. Replies that the document does not describe fail. */
function call({ method, path, parameters = [] }: Entry, { params = {}, query, body }: Parts, options: CallOptions): Promise<Reply> {
  const address = path.replaceAll(/\{(\w+)\}/gu, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const search = query ? `?${new URLSearchParams(query).toString()}` : '';
  const isIdempotent = parameters.some((parameter) => '$ref' in parameter && parameter.$ref.endsWith('/IdempotencyKey'));
  return m.s.call(method, address + search, { ...(body && { body }), ...(isIdempotent && { idempotencyKey: freshKey() }), ...options });
}

async function refuse(entry: Entry, parts: Parts, key: string, status: number, code: string): Promise<Reply> {
  const reply = await m.unchanged(() => call(entry, parts, { key }));
  expect([reply.status, getCode(reply)], reply.text).toEqual([status, code]);
  return reply;
}

/** A success, with exactly the events and audit rows of the operation. */
async function succeed(entry: Entry, tenantClient: TenantClient, key: string): Promise<void> {
  const parts = await entry.fixture.request(tenantClient);
  const { reply, events, audited } = await m.traces(tenantClient, () => call(entry, parts, { key }));
  expect(reply.status, reply.text).toBe(entry.success);
  expect(events).toEqual(entry.fixture.event === undefined ? [] : [entry.fixture.event]);
  expect(audited > 0).toBe(entry.method !== 'GET');
}

const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gu;
const findIds = (value: unknown): ReadonlySet<string> => new Set(JSON.stringify(value ?? null).match(UUID));

test('the service publishes the operations and requirements of docs/openapi.json', async () => {
  const { text } = await m.s.get(DOCUMENT_PATHS.api);
  // The samples of requests contain the address that served them.
  const served = JSON.parse(text.replaceAll(m.s.url, document.servers[0]!.url)) as ApiDocument;
  expect(served.paths).toEqual(document.paths);
  expect(operations.map(([id]) => id).toSorted()).toEqual(Object.keys(FIXTURES).toSorted());
});

describe.each(operations)('%s', (_id, entry) => {
  const { 'x-scope': scope, 'x-plan': plan = PLANS[0] } = entry;

  test('declares its scope for OAuth, and a response for each rejection', () => {
    expect(entry.security.flatMap(({ oauth2 = [] }) => oauth2)).toEqual(scope === null ? [] : [scope]);
    const expected = ['401', ...(scope === null ? [] : ['403']), ...(entry.path.includes('{') ? ['404'] : [])];
    expect(Object.keys(entry.responses)).toEqual(expect.arrayContaining(expected));
  });

  test('returns 401 with a challenge without a key', async () => {
    const parts = await entry.fixture.request(m.own);
    for (const key of ['', 'pk_test_nobody']) {
      const reply = await refuse(entry, parts, key, 401, 'UNAUTHENTICATED');
      expect(reply.headers['www-authenticate']).toMatch(/^Bearer realm="stockroom"/u);
      for (const name of Object.values(RATE_LIMIT)) expect(reply.headers).not.toHaveProperty(name);
    }
  });

  test('neither reads nor changes records of another tenant', async () => {
    const parts = await entry.fixture.request(m.own);
    const { key } = m.other;
    const isPut = entry.method.toUpperCase() === 'PUT';
    if (parts.params && !isPut) return void (await refuse(entry, parts, key, 404, 'NOT_FOUND'));
    const sent = findIds(parts.body);
    if (sent.size > 0) return void (await refuse(entry, parts, key, 400, 'VALIDATION_FAILED'));
    const foreign = findIds([m.own.id, await stored(m.s, m.own.id)]);
    const { reply, events, audited } = await m.traces(m.own, () => call(entry, parts, { key }));
    expect([reply.status, events, audited], reply.text).toEqual([isPut ? 201 : entry.success, [], 0]);
    expect([...findIds(reply.body)].filter((id) => foreign.has(id))).toEqual([]);
  });

  test('requires its scope and no other', async () => {
    await succeed(entry, m.own, scope === null ? await m.s.addKey({ tenantId: m.own.id, scopes: [] }) : (keys.get(scope) ?? ''));
    if (scope === null) return;
    const parts = await entry.fixture.request(m.own);
    const others = scopes.filter((each) => each !== scope);
    const allOthers = await m.s.addKey({ tenantId: m.own.id, scopes: others });
    for (const key of [allOthers, ...others.map((each) => keys.get(each) ?? '')]) {
      const reply = await refuse(entry, parts, key, 403, 'SCOPE_REQUIRED');
      expect(reply.body.error).toMatchObject({ message: `The API key lacks the scope ${scope}.`, details: { requiredScope: scope } });
      expect(reply.headers['www-authenticate']).toMatch(new RegExp(`error="insufficient_scope", scope="(?:[^"]+ )?${scope}"`, 'u'));
    }
  });

  test.each(PLANS)('requires its plan: %s', async (each) => {
    const tenantClient = m.on(each);
    if (includesPlan(each, plan)) return succeed(entry, tenantClient, tenantClient.key);
    const parts = await entry.fixture.request(tenantClient);
    const reply = await refuse(entry, parts, tenantClient.key, 403, 'PLAN_REQUIRED');
    expect(reply.body.error).toMatchObject({
      message: `This operation requires the ${plan} plan; the organization has the ${each} plan.`,
      details: { requiredPlan: plan },
    });
    // The scope is checked first.
    const bare = await m.s.addKey({ tenantId: tenantClient.id, scopes: [] });
    await refuse(entry, parts, bare, 403, 'SCOPE_REQUIRED');
  });
});
