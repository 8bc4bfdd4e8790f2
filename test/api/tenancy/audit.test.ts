/** GET /v1/audit/events. */
import { expect, test } from 'vitest';
import { AUDIT_LIMIT_DEFAULT, AUDIT_LIMIT_MAX } from '../../../src/contract/limits.ts';
import { type TestService, ABSENT, getCode, startService } from '../../support/service/service.ts';

interface AuditEvent {
  id: string;
  action: string;
  createdAt: string;
}
interface Page {
  data: AuditEvent[];
  pagination: { hasMore: boolean; nextCursor: { createdAt: string; id: string } | null };
}

async function addItems(s: TestService, count: number): Promise<void> {
  for (let n = 1; n <= count; n += 1) expect((await s.post('/v1/items', { name: `Item ${String(n)}` })).status).toBe(201);
}

async function page(s: TestService, query: Record<string, string>): Promise<Page> {
  const reply = await s.get(`/v1/audit/events?${new URLSearchParams(query).toString()}`);
  expect(reply.text && reply.status).toBe(200);
  return reply.body as Page;
}

const getCursor = ({ pagination: { nextCursor } }: Page) => ({
  cursor_created_at: nextCursor?.createdAt ?? '',
  cursor_id: nextCursor?.id ?? '',
});

test('GET /v1/audit/events has one event per change with actor, request and changed fields', async () => {
  await using s = await startService();
  const { body: created } = await s.post('/v1/items', { name: 'Bolt' }, { headers: { 'x-request-id': 'first-request' } });
  await s.patch(`/v1/items/${created.data.id}`, { salePrice: 0.35 });
  const { data } = await page(s, {});
  const actorId = (await s.get('/v1/auth/context')).body.data.api_key.id;
  expect(data).toEqual([
    {
      id: expect.any(String),
      actorType: 'api',
      actorId,
      action: 'item.created',
      resourceType: 'item',
      resourceId: created.data.id,
      metadata: { requestId: 'first-request', idempotencyKeyHash: expect.stringMatching(/^[0-9a-f]{64}$/u) },
      ipAddress: '127.0.0.1',
      createdAt: created.data.createdAt,
    },
    expect.objectContaining({
      action: 'item.updated',
      metadata: expect.objectContaining({ changes: { salePrice: { from: null, to: 0.35 } } }),
    }),
  ]);
});

test('cursors yield each event once, oldest first, and end with the cursor for the next export', async () => {
  await using s = await startService();
  await addItems(s, 7);
  const seen: AuditEvent[] = [];
  let last: Page | undefined;
  do {
    last = await page(s, { limit: '3', ...(last ? getCursor(last) : {}) });
    seen.push(...last.data);
  } while (last.pagination.hasMore);
  expect(seen).toHaveLength(7);
  expect(new Set(seen.map(({ id }) => id)).size).toBe(7);
  expect(seen.map(({ createdAt }) => createdAt)).toEqual(seen.map(({ createdAt }) => createdAt).sort());

  const empty = await page(s, getCursor(last));
  expect(empty).toEqual({ data: [], pagination: { hasMore: false, nextCursor: last.pagination.nextCursor } });
  await addItems(s, 2);
  expect((await page(s, getCursor(empty))).data).toHaveLength(2);
});

test('hasMore is false when a page ends with the last event', async () => {
  await using s = await startService();
  await addItems(s, 4);
  expect((await page(s, { limit: '4' })).pagination.hasMore).toBe(false);
  expect((await page(s, { limit: '3' })).pagination.hasMore).toBe(true);
});

test('cursors distinguish events of the same instant by id', async () => {
  await using s = await startService();
  const at = new Date('2030-05-01T10:00:00.000Z').toISOString();
  await s.service.store.transact(s.tenant.id, async (tx) => {
    for (let n = 0; n < 5; n += 1) {
      await tx.auditEvents.put({
        id: s.service.newId(),
        actorType: 'system',
        actorId: 'test',
        action: 'item.updated',
        resourceType: 'item',
        resourceId: String(n),
        metadata: {},
        ipAddress: null,
        createdAt: at,
      });
    }
  });
  const first = await page(s, { limit: '2' });
  const second = await page(s, { limit: '2', ...getCursor(first) });
  const third = await page(s, { limit: '2', ...getCursor(second) });
  expect([first, second, third].flatMap(({ data }) => data.map((row) => (row as unknown as { resourceId: string }).resourceId))).toEqual([
    '0',
    '1',
    '2',
    '3',
    '4',
  ]);
});

test('without events there is no cursor', async () => {
  await using s = await startService();
  expect(await page(s, {})).toEqual({ data: [], pagination: { hasMore: false, nextCursor: null } });
});

test('since and until accept the largest timestamps in any offset', async () => {
  await using s = await startService();
  expect((await s.post('/v1/items', { name: 'Bolt' })).status).toBe(201);
  const all = (await page(s, {})).data.length;
  expect(all).toBeGreaterThan(0);
  for (const end of ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59-05:00']) {
    expect([(await page(s, { until: end })).data.length, (await page(s, { since: end })).data.length]).toEqual([all, 0]);
  }
});

test('filters: since is inclusive, until exclusive, action_prefix matches prefixes, actor_type matches types', async () => {
  await using s = await startService();
  await addItems(s, 2);
  s.clock.advance(60);
  const { body } = await s.post('/v1/items', { name: 'Later' });
  await s.delete(`/v1/items/${body.data.id}`);
  const at = (await page(s, {})).data[2]?.createdAt ?? '';
  expect((await page(s, { since: at })).data).toHaveLength(2);
  expect((await page(s, { until: at })).data).toHaveLength(2);
  const offset = `${new Date(Date.parse(at) + 3_600_000).toISOString().slice(0, -1)}+01:00`;
  expect((await page(s, { since: offset })).data).toHaveLength(2);
  expect((await page(s, { action_prefix: 'item.del' })).data.map(({ action }) => action)).toEqual(['item.deleted']);
  expect((await page(s, { action_prefix: 'Item' })).data).toEqual([]);
  expect((await page(s, { actor_type: 'api' })).data).toHaveLength(4);
  expect((await page(s, { actor_type: 'system' })).data).toEqual([]);
});

test('GET /v1/audit/events rejects incomplete cursors, invalid limits, times and unknown parameters by name', async () => {
  await using s = await startService();
  const fields = async (query: string) => (await s.get(`/v1/audit/events?${query}`)).body.error.fields;
  expect(await fields(`cursor_id=${ABSENT}`)).toMatchObject([{ in: 'query', path: '/cursor_created_at', code: 'required' }]);
  expect(await fields('cursor_created_at=2026-01-01T00:00:00Z')).toMatchObject([{ in: 'query', path: '/cursor_id', code: 'required' }]);
  expect(await fields('limit=0')).toMatchObject([{ path: '/limit', code: 'too_small' }]);
  expect(await fields(`limit=${String(AUDIT_LIMIT_MAX + 1)}`)).toMatchObject([{ path: '/limit', code: 'too_big' }]);
  expect(await fields('since=yesterday&actor_type=robot')).toMatchObject([
    { path: '/since', code: 'bad_format' },
    { path: '/actor_type', code: 'not_allowed' },
  ]);
  expect(await fields('page=1')).toMatchObject([{ path: '/page', code: 'unknown_field' }]);
});

test('GET /v1/audit/events has a default page size', async () => {
  await using s = await startService();
  await addItems(s, AUDIT_LIMIT_DEFAULT + 1);
  const { data, pagination } = await page(s, {});
  expect(data).toHaveLength(AUDIT_LIMIT_DEFAULT);
  expect(pagination.hasMore).toBe(true);
});

test('GET /v1/audit/events requires scope, then plan, and shows only the own tenant', async () => {
  await using s = await startService();
  await addItems(s, 1);
  const pro = await s.addTenant('pro-shop', 'pro');
  expect(getCode(await s.get('/v1/audit/events', { key: await s.addKey({ tenantId: pro.id }) }))).toBe('PLAN_REQUIRED');
  expect(getCode(await s.get('/v1/audit/events', { key: await s.addKey({ tenantId: pro.id, scopes: ['items:read'] }) }))).toBe(
    'SCOPE_REQUIRED',
  );
  const other = await s.addTenant('second');
  expect((await s.get('/v1/audit/events', { key: await s.addKey({ tenantId: other.id }) })).body.data).toEqual([]);
});

test('rejected and replayed writes leave no audit event', async () => {
  await using s = await startService();
  await s.post('/v1/items', {});
  await s.post('/v1/items', { name: 'Once' }, { idempotencyKey: 'same' });
  await s.post('/v1/items', { name: 'Once' }, { idempotencyKey: 'same' });
  expect((await page(s, {})).data.map(({ action }) => action)).toEqual(['item.created']);
});
