/** External ids and metadata of items, contacts, orders and stock documents. D-19. */
import { describe, expect, test } from 'vitest';
import { getProblems, refused, trace } from '../../support/service/call-trace.ts';
import { useItems } from '../../support/resources/items.ts';

const { create, read, s, supplier } = useItems();

let serial = 0;
const unique = (prefix: string): string => `${prefix}-${String((serial += 1))}`;

/** The resources with these fields: their path, a body, and the query of their list. */
const RESOURCES = [
  { path: '/v1/items', body: async () => Promise.resolve({ name: 'Bolt' }), query: '' },
  { path: '/v1/contacts', body: async () => Promise.resolve({ name: 'Ana' }), query: '' },
  ...['buy', 'sell', 'make', 'check', 'fix'].map((module) => ({
    path: '/v1/orders',
    body: async () => Promise.resolve({ module }),
    query: `module=${module}&`,
  })),
  { path: '/v1/stock-documents', body: async () => Promise.resolve({ type: 'receipt' }), query: '' },
] as const;

describe.each(RESOURCES)('$path ($query)', ({ path, body, query }) => {
  const add = async (fields: object) => s.post(path, { ...(await body()), ...fields });

  test('stores externalId and metadata, and returns them only where they are set', async () => {
    const externalId = unique('Ext');
    const fields = { externalId, metadata: { channel: 'web', note: 'a\nb' } };
    const reply = await add(fields);
    expect(reply.status, reply.text).toBe(201);
    const { id } = reply.body.data;
    expect((await s.get(`${path}/${id}`)).body.data).toMatchObject(fields);
    const { body: list } = await s.get(`${path}?${query}external_id=${externalId},nothing`);
    expect(list.data).toMatchObject([{ id, ...fields }]);
    const plain = (await add({})).body.data;
    expect(plain).not.toHaveProperty('externalId');
    expect(plain).not.toHaveProperty('metadata');
    const cleared = await s.patch(`${path}/${id}`, { externalId: null, metadata: null });
    expect(cleared.status, cleared.text).toBe(200);
    expect(cleared.body.data).not.toHaveProperty('externalId');
    expect(cleared.body.data).not.toHaveProperty('metadata');
  });

  test('rejects an external id that another record has, exactly compared', async () => {
    const externalId = unique('Taken');
    const first = (await add({ externalId })).body.data;
    await refused(s, () => add({ externalId }), 409, 'DUPLICATE_VALUE');
    const other = await add({ externalId: externalId.toLowerCase() });
    expect(other.status).toBe(201);
    const { body: problem } = await s.patch(`${path}/${other.body.data.id}`, { externalId });
    expect(problem.error).toMatchObject({ code: 'DUPLICATE_VALUE', details: { field: 'externalId', existingId: first.id } });
  });

  test('records changes of the fields like those of others', async () => {
    const { id } = (await add({})).body.data;
    const externalId = unique('ext');
    const { bodies, audit } = await trace(s, () => s.patch(`${path}/${id}`, { externalId, metadata: { a: '1' } }));
    expect(bodies[0].data.changes).toEqual(['externalId', 'metadata']);
    expect(audit[0]).toMatchObject({ metadata: { changes: { externalId: { from: null, to: externalId } } } });
  });
});

test.each([
  ['more than 20 keys', Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`k${String(at)}`, '']))],
  ['a key of 41 characters', { ['k'.repeat(41)]: '' }],
  ['an empty key', { '': 'a' }],
  ['a value of 501 characters', { key: 'v'.repeat(501) }],
  ['a number', { key: 1 }],
  ['a list', []],
])('metadata with %s is rejected', async (_, metadata) => {
  const reply = await refused(s, () => s.post('/v1/items', { name: 'Bolt', metadata }), 400, 'VALIDATION_FAILED');
  expect(reply.body.error.fields[0].path).toMatch(/^\/metadata/u);
});

test('metadata of the largest size is stored', async () => {
  const metadata = Object.fromEntries(
    Array.from({ length: 20 }, (_, at) => [`${String(at).padStart(2, '0')}${'k'.repeat(38)}`, 'v'.repeat(500)]),
  );
  expect((await read((await create({ name: 'Bolt', metadata })).id)).metadata).toEqual(metadata);
});

test('an external id of 256 characters is rejected', async () => {
  const reply = await refused(s, () => s.post('/v1/items', { name: 'Bolt', externalId: 'e'.repeat(256) }), 400, 'VALIDATION_FAILED');
  expect(reply.body.error.message).toContain('at most 255 characters');
});

test('the external id of an approved document and of a completed order can change', async () => {
  const { id } = (await s.post('/v1/orders', { module: 'sell', status: 'draft' })).body.data;
  await s.patch(`/v1/orders/${id}`, { status: 'cancelled' });
  expect((await s.patch(`/v1/orders/${id}`, { externalId: unique('ext') })).status).toBe(200);
  const item = await create({ name: 'Bolt' });
  const document = (await s.post('/v1/stock-documents', { type: 'receipt', lines: [{ itemId: item.id, quantity: 1, unitCost: 1 }] })).body
    .data;
  for (const step of ['submit', 'approve']) expect((await s.post(`/v1/stock-documents/${document.id}/${step}`, {})).status).toBe(200);
  const externalId = unique('ext');
  expect((await s.patch(`/v1/stock-documents/${document.id}`, { externalId })).body.data).toMatchObject({ status: 'approved', externalId });
});

describe.each([
  ['/v1/items', 'inventory.item'],
  ['/v1/contacts', 'contact'],
])('PUT %s/by-external-id', (path, event) => {
  const put = (externalId: string, body: object, options: object = {}) =>
    s.call('PUT', `${path}/by-external-id/${encodeURIComponent(externalId)}`, { body, ...options });

  test('creates a record, then updates it, and needs no idempotency key', async () => {
    const externalId = unique('gid://shop/Product/é, 1');
    const created = await trace(s, () => put(externalId, { name: 'One' }));
    expect(created.reply.status, created.reply.text).toBe(201);
    expect(created.events).toEqual([`${event}.created`]);
    const { id } = created.reply.body.data;
    expect(created.reply.headers['location']).toBe(`${path}/${id}`);
    expect(created.reply.body.data).toMatchObject({ name: 'One', externalId, isActive: true });
    const repeated = await trace(s, () => put(externalId, { name: 'One' }));
    expect([repeated.reply.status, repeated.events]).toEqual([200, []]);
    expect(repeated.reply.headers['location']).toBeUndefined();
    const updated = await trace(s, () => put(externalId, { name: 'Two', isActive: false }));
    expect(updated.reply.body.data).toMatchObject({ id, name: 'Two', isActive: false, externalId });
    expect(updated.events).toEqual([`${event}.updated`]);
    expect((await put(externalId, { name: 'Three' })).body.data).toMatchObject({ name: 'Three', isActive: false });
  });

  test('creates one record when sent ten times at once', async () => {
    const externalId = unique('race');
    const replies = await Promise.all(Array.from({ length: 10 }, () => put(externalId, { name: 'One' })));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(9);
  });

  test('honors If-Match, and rejects it if there is no record', async () => {
    const externalId = unique('version');
    const headers = { 'if-match': '"2020-01-01T00:00:00.000Z"' };
    expect((await put(externalId, { name: 'One' }, { headers })).status).toBe(412);
    const { etag = '' } = (await put(externalId, { name: 'One' })).headers;
    expect((await put(externalId, { name: 'Two' }, { headers })).status).toBe(412);
    expect((await put(externalId, { name: 'Two' }, { headers: { 'if-match': String(etag) } })).status).toBe(200);
  });

  test.each([
    ['no name', {}, '/name required'],
    ['another external id in the body', { name: 'One', externalId: 'other' }, '/externalId unknown_field'],
  ])('rejects %s', async (_, body, problem) => {
    expect(getProblems(await refused(s, () => put(unique('bad'), body), 400, 'VALIDATION_FAILED'))).toEqual([problem]);
  });

  test('needs the write scope', async () => {
    const key = await s.addKey({ scopes: ['items:read', 'contacts:read'] });
    const reply = await refused(s, () => put(unique('scope'), { name: 'One' }, { key }), 403, 'SCOPE_REQUIRED');
    expect(reply.body.error.message).toContain(':write');
  });
});

test('PUT /v1/items/by-external-id rejects the SKU of another item and changes nothing', async () => {
  const { sku } = await create({ name: 'Taken', sku: unique('SKU') });
  const put = () => s.call('PUT', `/v1/items/by-external-id/${unique('sku')}`, { body: { name: 'One', sku } });
  expect((await refused(s, put, 409, 'DUPLICATE_VALUE')).body.error.details.field).toBe('sku');
});

test('PUT /v1/items/by-external-id links a supplier as a create does', async () => {
  const supplierId = await supplier('Linked');
  const reply = await s.call('PUT', `/v1/items/by-external-id/${unique('link')}`, { body: { name: 'One', supplierId } });
  expect(reply.body.data.supplier.id).toBe(supplierId);
});

test('external ids are separate in each tenant', async () => {
  const other = await s.addTenant(unique('tenant'));
  const key = await s.addKey({ tenantId: other.id });
  const externalId = unique('tenant-ext');
  const here = await create({ name: 'Here', externalId });
  const there = await s.post('/v1/items', { name: 'There', externalId }, { key });
  expect(there.status).toBe(201);
  expect((await s.get(`/v1/items?external_id=${externalId}`)).body.data).toMatchObject([{ id: here.id }]);
});
