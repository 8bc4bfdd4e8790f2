/** The audit trail over the admin API, with the names of records and actors. */
import { expect, test } from 'vitest';
import { made } from '../../support/resources/order-world.ts';
import { startAdmin } from '../../support/service/admin.ts';

interface Row {
  readonly action: string;
  readonly actorName: string | null;
  readonly recordName: string | null;
}

test('GET /admin/audit names records and actors, finds those of one by any of its names, and also names what was deleted', async () => {
  await using a = await startAdmin();
  const item = await made(a.s.post('/v1/items', { name: 'Bolt', sku: 'B-1' }));
  expect((await a.s.patch(`/v1/items/${item}`, { name: 'Hex bolt' })).status).toBe(200);
  await made(a.s.post('/v1/orders', { module: 'make' }));
  const user = await made(a.post('/admin/users', { email: 'ana@example.com', name: 'Ana' }));
  const gone = await made(a.s.post('/v1/contacts', { name: 'Ada' }));
  expect((await a.s.delete(`/v1/contacts/${gone}`)).status).toBe(204);

  const list = async (query = '') => (await a.get(`/admin/audit${query}`)).body.data as Row[];
  const summarize = (rows: readonly Row[]) => rows.map(({ action, recordName }) => `${action} ${String(recordName)}`);
  expect(summarize(await list('?limit=6'))).toEqual([
    'contact.deleted Ada',
    'contact.created null',
    'user.invited ana@example.com',
    expect.stringMatching(/^order\.created MO-\d+$/u),
    'item.updated B-1',
    'item.created B-1',
  ]);
  for (const name of ['B-1', 'b-1', 'Hex bolt', item])
    expect(summarize(await list(`?record=${encodeURIComponent(name)}`)), name).toEqual(['item.updated B-1', 'item.created B-1']);
  expect(summarize(await list('?record=MO-000001&action_prefix=order.'))).toEqual(['order.created MO-000001']);
  expect(summarize(await list(`?record=${user}`))).toEqual(['user.invited ana@example.com']);
  const [{ actorName }] = (await list('?record=B-1')) as [Row];
  expect(actorName).toMatch(/ \(pk_test_/u);
  expect((await list('?actor=pk_test')).every((row) => row.actorName === actorName)).toBe(true);
  expect(summarize(await list('?actor=local&action_prefix=user.'))).toEqual(['user.invited ana@example.com']);
  const unknown = await a.get('/admin/audit?record=B-2');
  expect([unknown.status, unknown.body.error.code]).toEqual([404, 'NOT_FOUND']);
});

test('GET /admin/audit finds a record whose changes are older than the rows of one batch', async () => {
  await using a = await startAdmin();
  const old = await made(a.s.post('/v1/items', { name: 'Old', sku: 'OLD' }));
  await a.s.service.store.transact(a.s.tenant.id, async (tx) => {
    const [row] = (await tx.auditEvents.listAfter({ limit: 1 })).rows;
    if (!row) throw new Error('no audit row');
    const createdAt = tx.now.toISOString();
    for (let count = 0; count < 1_200; count += 1)
      await tx.auditEvents.put({ ...row, id: tx.newId(), resourceId: a.s.tenant.id, resourceType: 'organization', createdAt });
  });
  const { data } = (await a.get('/admin/audit?record=OLD')).body as { data: { resourceId: string }[] };
  expect(data.map(({ resourceId }) => resourceId)).toEqual([old]);
});

test('GET /admin/audit finds the changes of one request by its id', async () => {
  await using a = await startAdmin();
  await made(a.s.post('/v1/items', { name: 'Bolt' }, { headers: { 'x-request-id': 'first-request' } }));
  await made(a.s.post('/v1/items', { name: 'Nut' }));
  const { data } = (await a.get('/admin/audit?request_id=first-request')).body as { data: { metadata: { requestId: string } }[] };
  expect(data.map(({ metadata }) => metadata.requestId)).toEqual(['first-request']);
  expect((await a.get('/admin/audit?request_id=unknown')).body.data).toEqual([]);
});

test('GET /admin/audit continues after its cursor, also between rows of one commit, and with filters', async () => {
  await using a = await startAdmin();
  const item = await made(a.s.post('/v1/items', { name: 'Bolt', sku: 'B-1' }));
  const created = await a.s.service.store.transact(a.s.tenant.id, async (tx) => {
    const [row] = (await tx.auditEvents.listAfter({ limit: 1 })).rows;
    if (!row) throw new Error('no audit row');
    const rows = Array.from({ length: 5 }, () => ({ ...row, id: tx.newId(), resourceId: item, createdAt: tx.now.toISOString() }));
    await tx.auditEvents.putMany(rows);
    return rows.map(({ id }) => id);
  });
  for (const filter of ['', '&record=B-1', '&actor=pk_test']) {
    const ids: string[] = [];
    let next = '';
    for (let hasMore = true; hasMore;) {
      const { status, body, text } = await a.get(`/admin/audit?limit=2${filter}${next}`);
      expect(status, text).toBe(200);
      ids.push(...(body.data as { id: string }[]).map(({ id }) => id));
      const { nextCursor } = body.pagination;
      next = `&cursor_created_at=${nextCursor.createdAt}&cursor_id=${nextCursor.id}`;
      ({ hasMore } = body.pagination);
    }
    const { data } = (await a.get(`/admin/audit?limit=1000${filter}`)).body as { data: { id: string }[] };
    expect(ids, filter).toEqual(data.map(({ id }) => id));
    expect(ids, filter).toEqual(expect.arrayContaining(created));
  }
  const half = await a.get(`/admin/audit?cursor_id=${item}`);
  expect(half.body.error.fields).toMatchObject([{ path: '/cursor_created_at', code: 'required' }]);
});

test('GET /admin/audit has the whole history of a deleted record, found by each of its last names, also on later pages', async () => {
  await using a = await startAdmin();
  const create = (name: string) => made(a.s.post('/v1/items', { name, sku: 'B-1' }));
  const read = async (query: string) =>
    (await a.get(`/admin/audit?${query}`)).body as { data: (Row & { resourceId: string })[]; pagination: unknown };
  const summarize = (rows: readonly Row[]) => rows.map(({ action, recordName }) => `${action} ${String(recordName)}`);
  const first = await create('Bolt');
  await a.s.patch(`/v1/items/${first}`, { name: 'Hex bolt' });
  expect((await a.s.delete(`/v1/items/${first}`)).status).toBe(204);
  const history = ['item.deleted B-1', 'item.updated B-1', 'item.created B-1'];
  for (const name of ['B-1', 'b-1', 'hex bolt'])
    expect(summarize((await read(`record=${encodeURIComponent(name)}`)).data), name).toEqual(history);
  expect(summarize((await read('record=B-1&action_prefix=item.created')).data)).toEqual(['item.created B-1']);
  const { nextCursor } = (await read('record=B-1&limit=1')).pagination as { nextCursor: { createdAt: string; id: string } };
  const after = `cursor_created_at=${nextCursor.createdAt}&cursor_id=${nextCursor.id}`;
  expect(summarize((await read(`record=B-1&${after}`)).data)).toEqual(history.slice(1));

  const second = await create('Nut');
  expect(summarize((await read('record=B-1')).data)).toEqual(['item.created B-1', 'item.deleted B-1']);
  expect((await a.s.delete(`/v1/items/${second}`)).status).toBe(204);
  expect(new Set((await read('record=B-1')).data.map(({ resourceId }) => resourceId))).toEqual(new Set([first, second]));
});
