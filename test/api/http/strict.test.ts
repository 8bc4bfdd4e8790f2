/** A service with `--contract strict`: what is marked as an extension does not exist. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DOCUMENT_PATHS } from '../../../src/contract/openapi/document-paths.ts';
import { EXTENSION_EXAMPLES } from '../../support/contract/extension-examples.ts';
import { listExtensionOperations, listStrictOperations, stripExtensions } from '../../../src/contract/strict.ts';
import { toRequest } from '../../../src/client/request.ts';
import type { OperationId } from '../../../src/contract/index.ts';
import { isIdempotent } from '../../../src/contract/operation.ts';
import { FIXTURES } from '../../support/contract/operation-fixtures.ts';
import { type TenantClient, openTenantClient } from '../../support/service/tenant-client.ts';
import { addWebhook } from '../../support/resources/webhooks.ts';
import { getProblems } from '../../support/service/call-trace.ts';
import { type TestService, startService } from '../../support/service/service.ts';
import { startReceiver } from '../../support/servers/webhook-receiver.ts';

let s: TestService;
let client: TenantClient;
beforeAll(async () => {
  s = await startService({ contract: 'strict', deliver: true });
  client = await openTenantClient(s, 'strict');
});
afterAll(() => s[Symbol.asyncDispose]());

const NAMED = 'is an extension of stockroom, which this service, started with --contract strict, does not have';

describe.each(listExtensionOperations().map(({ method, path }) => [method, path]))('%s %s', (method, path) => {
  test('is a 404 that names the flag', async () => {
    const reply = await s.call(method, path.replaceAll(/\{\w+\}/gu, 'x'), { body: method === 'GET' ? undefined : {}, idempotencyKey: 'x' });
    expect([reply.status, reply.body.error.message]).toEqual([404, `${method} ${path} ${NAMED}.`]);
  });
});

test.each(EXTENSION_EXAMPLES)('$name is a 400 that names it', async ({ method, path, body, problem }) => {
  const reply = await (method === 'GET' ? s.get(path) : s.post(path, body));
  expect([reply.status, getProblems(reply)]).toEqual([400, [problem]]);
  const [field] = problem.split(' ');
  if (problem.endsWith('unknown_field'))
    expect(reply.body.error.message).toContain(`${String(field).slice(1).replaceAll('/', '.')} ${NAMED}`);
});

describe.each(listStrictOperations().map((op) => [op.id, op] as const))('%s', (id, op) => {
  // Each reply is compared with the document of the service.
  test('answers as the strict document says', async () => {
    const { params, query, body } = await FIXTURES[id as OperationId].request(client);
    const strictQuery = Object.fromEntries(Object.entries(query ?? {}).filter(([name]) => op.query?.properties[name] !== undefined));
    const strictBody = op.extended?.body && stripExtensions(op.extended.body, body);
    const { method, path } = toRequest(op, { params: params ?? {}, query: strictQuery });
    const idempotencyKey = isIdempotent(op) ? { idempotencyKey: `strict-${id}` } : {};
    const reply = await s.call(method, path, { key: client.key, ...(strictBody !== undefined && { body: strictBody }), ...idempotencyKey });
    expect(reply.status, reply.text).toBe(op.status);
  });
});

test('responses have no fields that are extensions, and lists keep their order without a sort', async () => {
  const { data } = (await s.post('/v1/items', { name: 'b' })).body;
  await s.post('/v1/items', { name: 'a' });
  expect(data).not.toHaveProperty('createdAt');
  const { body } = await s.get('/v1/items?page_size=2&search=');
  expect(body.data.map(({ name }: { name: string }) => name)).toEqual(['a', 'b']);
  expect(Object.keys(body.pagination)).toEqual(['page', 'pageSize', 'total', 'totalPages']);
  expect((await s.get('/v1/organization')).body.data).not.toHaveProperty('currency');
  expect((await s.patch(`/v1/items/${String(data.id)}`, { name: 'c' })).body.data).toMatchObject({ name: 'c' });
});

test('catalog and OpenAPI document have exactly what the contract has', async () => {
  const { body } = await s.get('/v1');
  const ids = (body.capabilities as { id: string }[]).map(({ id }) => id);
  expect(ids).toEqual(listStrictOperations().map(({ id }) => id));
  // C-4.
  expect(ids).toHaveLength(47);
  const document = await fetch(`${s.url}${DOCUMENT_PATHS.api}`);
  expect(await document.text()).not.toContain('"x-extension":true');
});

test('webhooks have nothing that the contract does not state', async () => {
  await using receiver = await startReceiver();
  await addWebhook(s, receiver.url);
  await s.post('/v1/items', { name: 'Bolt' });
  const [request] = await receiver.count(1);
  const { data } = JSON.parse(request?.body ?? '') as { data: object };
  expect(data).toMatchObject({ name: 'Bolt' });
  expect(data).not.toHaveProperty('sequence');
});
