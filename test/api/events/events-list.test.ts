/** GET /v1/events: every change in the order of the commits, exactly once, for readers that keep a cursor. */
import { request } from 'undici';
import { expect, test } from 'vitest';
import { CHANGE_EVENTS } from '../../../src/contract/change-events.ts';
import { EVENTS_SCANNED_MAX } from '../../../src/contract/limits.ts';
import { recordEvents } from '../../../src/domain/events/record-events.ts';
import { startAdmin } from '../../support/service/admin.ts';
import { startSecondServer } from '../../support/service/second-server.ts';
import { type TestService, contextFor, getCode, startService } from '../../support/service/service.ts';

interface Entry {
  readonly id: string;
  readonly event: string;
  readonly resourceType: string;
  readonly resourceId: string;
  readonly sequence: number;
  readonly data: Readonly<Record<string, unknown>>;
}

/** All events from a cursor to the end, page by page. */
async function readAll(s: TestService, query: Record<string, string> = {}, key = s.key): Promise<{ entries: Entry[]; cursor: string }> {
  const entries: Entry[] = [];
  for (let cursor = query['cursor'] ?? ''; ;) {
    const reply = await s.get(`/v1/events?${new URLSearchParams({ ...query, cursor }).toString()}`, { key });
    expect(reply.status, reply.text).toBe(200);
    entries.push(...(reply.body.data as Entry[]));
    cursor = reply.body.pagination.nextCursor as string;
    if (reply.body.pagination.hasMore !== true) return { entries, cursor };
  }
}

/** Resolves when a long poll waits for commits. */
function untilWaiting({ store }: TestService['service']): Promise<void> {
  const waits = Promise.withResolvers<void>();
  const original = store.onCommit.bind(store);
  const onCommit: typeof original = (listener) => {
    waits.resolve();
    return original(listener);
  };
  Object.assign(store, { onCommit });
  return waits.promise;
}

/** How to start again, which ends the message of each expired cursor. */
const START_AGAIN =
  'To follow events, get the cursor `latest`, read the lists again, and continue from that cursor; an empty cursor starts at the oldest kept event.';

const getNext = async (s: TestService, cursor: string): Promise<string> =>
  (await s.get(`/v1/events?cursor=${cursor}`)).body.pagination.nextCursor as string;

test('GET /v1/events lists every change of records and settings, with data as in webhooks and a sequence without gaps', async () => {
  await using a = await startAdmin();
  const { s } = a;
  const item = (await s.post('/v1/items', { name: 'Bolt' })).body.data.id as string;
  const site = (await a.post('/admin/sites', { name: 'North', code: 'N' })).body.data.id as string;
  await a.patch(`/admin/sites/${site}`, { name: 'North 2' });
  await a.post('/admin/units', { name: 'Bag', symbol: 'bag' });
  const category = (await a.post('/admin/categories', { name: 'Green' })).body.data.id as string;
  await a.delete(`/admin/categories/${category}`);
  await a.post('/admin/stock/reorder-points', { itemId: item, siteId: site, reorderPoint: 4 });
  const lines = [{ itemId: item, quantity: 3, unitCost: 2 }];
  const document = (await s.post('/v1/stock-documents', { type: 'receipt', siteId: site, lines })).body.data.id as string;
  await s.post(`/v1/stock-documents/${document}/submit`, {});
  await s.post(`/v1/stock-documents/${document}/approve`, {});
  await s.delete(`/v1/items/${(await s.post('/v1/items', { name: 'Nut' })).body.data.id as string}`);

  const { entries } = await readAll(s, { limit: '3' });
  expect(entries.map(({ sequence }) => sequence)).toEqual(entries.map((_, index) => index + 1));
  const level = `${item}:${site}`;
  expect(entries.map(({ event, resourceType, resourceId }) => [event, resourceType, resourceId])).toEqual(
    expect.arrayContaining([
      ['inventory.item.created', 'item', item],
      ['site.created', 'site', site],
      ['site.updated', 'site', site],
      ['unit.created', 'unit', expect.any(String)],
      ['category.created', 'category', category],
      ['category.deleted', 'category', category],
      ['reorder_point.updated', 'reorder_point', level],
      ['stock_document.created', 'stock_document', document],
      ['stock_level.updated', 'stock_level', level],
    ]),
  );
  const [submitted, approved] = entries.filter(({ event }) => event === 'stock_level.updated');
  expect(submitted?.data).toMatchObject({ changes: ['incoming', 'projected'], incoming: 3, onHand: 0, projected: 3, averageCost: null });
  expect(approved?.data).toMatchObject({
    id: level,
    itemId: item,
    siteId: site,
    onHand: 3,
    committed: 0,
    incoming: 0,
    available: 3,
    averageCost: 2,
  });
  expect(entries.at(-1)?.data).toMatchObject({ changes: ['deleted'], sequence: entries.length, eventId: entries.at(-1)?.id });
  for (const { id, sequence, data } of entries) expect(data).toMatchObject({ eventId: id, sequence, position: sequence });
  expect(CHANGE_EVENTS).toEqual(expect.arrayContaining(entries.map(({ event }) => event)));
});

test('a cursor continues without a gap or a repetition, also after a restart, and latest starts at the end', async () => {
  await using s = await startService();
  const create = (name: string) => s.post('/v1/contacts', { name });
  await create('One');
  const end = await getNext(s, 'latest');
  await create('Two');
  const { entries, cursor } = await readAll(s, { cursor: end });
  expect(entries.map(({ data }) => data['name'])).toEqual(['Two']);
  await s.restart();
  await create('Three');
  expect((await readAll(s, { cursor })).entries.map(({ data }) => data['name'])).toEqual(['Three']);
  const whole = (await readAll(s, { limit: '1' })).entries;
  expect(whole.map(({ data }) => data['name'])).toEqual(['One', 'Two', 'Three']);
});

test('since starts with the first event at or after a time', async () => {
  await using s = await startService();
  const times: string[] = [];
  for (const name of ['One', 'Two', 'Three']) {
    s.clock.advance(60);
    times.push((await s.post('/v1/contacts', { name })).body.data.createdAt as string);
  }
  const read = async (since: string) => (await readAll(s, { since })).entries.map(({ data }) => data['name']);
  expect(await read(times[1]!)).toEqual(['Two', 'Three']);
  expect(await read(new Date(Date.parse(times[1]!) + 1).toISOString())).toEqual(['Three']);
  expect(
    await read(
      s.clock
        .now()
        .toISOString()
        .replace(/^\d{4}/u, '2999'),
    ),
  ).toEqual([]);
});

test('filters by type and record return the matching events only, and advance the cursor past all others', async () => {
  await using s = await startService();
  const ids = await Promise.all(['One', 'Two'].map(async (name) => (await s.post('/v1/contacts', { name })).body.data.id as string));
  await s.patch(`/v1/contacts/${ids[0] ?? ''}`, { name: 'Uno' });
  await s.post('/v1/items', { name: 'Bolt' });
  const names = async (query: Record<string, string>) =>
    (await readAll(s, query)).entries.map(({ event, data }) => `${event} ${String(data['name'])}`);
  expect(await names({ types: 'contact.updated,inventory.item.created' })).toEqual(['contact.updated Uno', 'inventory.item.created Bolt']);
  expect(await names({ resource_id: ids[0] ?? '' })).toEqual(['contact.created One', 'contact.updated Uno']);
  const { cursor } = await readAll(s, { types: 'order.created' });
  expect(cursor).toBe(await getNext(s, 'latest'));
  expect(getCode(await s.get('/v1/events?types=nonsense'))).toBe('VALIDATION_FAILED');
});

test('a rare event is found in a long log by pages that may be empty and say that there is more', async () => {
  await using s = await startService();
  const update = { name: 'contact.updated', updatedAt: s.clock.now().toISOString(), changes: ['name'], data: {} } as const;
  const size = EVENTS_SCANNED_MAX / 10;
  for (let batch = 0; batch <= 10; batch += 1) {
    const events = Array.from({ length: size }, () => ({ ...update, resourceId: s.service.newId() }));
    await s.service.store.transact(s.tenant.id, (tx) => recordEvents(tx, contextFor(s), events));
  }
  await s.post('/v1/items', { name: 'Bolt' });
  const first = await s.get('/v1/events?types=inventory.item.created&wait=30');
  expect([first.body.data, first.body.pagination.hasMore]).toEqual([[], true]);
  expect((await readAll(s, { types: 'inventory.item.created' })).entries).toHaveLength(1);
});

test('a key sees the events of the resources that it may read, and asking for others is an error', async () => {
  await using s = await startService();
  await s.post('/v1/items', { name: 'Bolt' });
  await s.post('/v1/contacts', { name: 'Ana' });
  const key = await s.addKey({ scopes: ['contacts:read'] });
  expect((await readAll(s, {}, key)).entries.map(({ event }) => event)).toEqual(['contact.created']);
  const reply = await s.get('/v1/events?types=inventory.item.created', { key });
  expect([reply.status, getCode(reply), reply.body.error.details]).toEqual([403, 'SCOPE_REQUIRED', { requiredScope: 'items:read' }]);
  const free = await s.addTenant('small', 'free');
  expect((await readAll(s, {}, await s.addKey({ tenantId: free.id }))).entries).toEqual([]);
});

test('a cursor before the oldest kept event, of replaced data, or of another form is rejected with how to start again', async () => {
  await using s = await startService({ retention: { maxRows: 2 } });
  const start = await getNext(s, 'latest');
  await s.post('/v1/contacts', { name: 'One' });
  const one = await getNext(s, 'latest');
  for (const name of ['Two', 'Three']) await s.post('/v1/contacts', { name });
  expect((await readAll(s, { cursor: start })).entries).toHaveLength(3);
  await s.restart();
  await expect.poll(async () => (await s.get(`/v1/events?cursor=${start}`)).status).toBe(410);
  const expired = await s.get(`/v1/events?cursor=${start}`);
  expect(expired.body.error).toMatchObject({
    code: 'CURSOR_EXPIRED',
    message: `Events after the cursor were removed: their retention has ended, or the data was replaced. ${START_AGAIN}`,
  });
  // Everything after the first event is kept.
  expect((await readAll(s, { cursor: one })).entries.map(({ data }) => data['name'])).toEqual(['Two', 'Three']);
  expect((await readAll(s)).entries).toHaveLength(2);
  const other = await s.addTenant('other');
  const key = await s.addKey({ tenantId: other.id });
  for (const name of ['A', 'B', 'C', 'D']) await s.post('/v1/contacts', { name }, { key });
  // Of another tenant, as of data that was there before a snapshot was loaded.
  expect((await s.get(`/v1/events?cursor=${one}`, { key })).body.error).toMatchObject({
    code: 'CURSOR_EXPIRED',
    message: `The cursor is of data that has been replaced. ${START_AGAIN}`,
  });
  const encode = (text: string): string => Buffer.from(text).toString('base64url');
  for (const cursor of ['nonsense', 'LATEST', '1', `${one}=`, ...['01.abc', '1', '-1.abc', '1.abc.d', '.abc', 'a.abc'].map(encode)])
    expect([cursor, getCode(await s.get(`/v1/events?cursor=${cursor}`))]).toEqual([cursor, 'VALIDATION_FAILED']);
});

test.each([
  ['cursor=nonsense', 'cursor', 'bad_format', 'cursor must be empty, `latest` or the nextCursor of a previous page'],
  ['cursor=latest&since=2026-01-01T00:00:00Z', 'since', 'not_allowed', 'since requires an empty cursor'],
])('GET /v1/events?%s is rejected with what is allowed', async (query, name, code, message) => {
  await using s = await startService();
  const reply = await s.get(`/v1/events?${query}`);
  expect([reply.status, reply.body.error]).toMatchObject([
    400,
    { message: `${message}.`, fields: [{ in: 'query', path: `/${name}`, code, message }] },
  ]);
});

test('a long poll ends with the first event, of whichever daemon', async () => {
  await using s = await startService();
  const second = await startSecondServer(s.service);
  const cursor = await getNext(s, 'latest');
  const poll = (url: string) => request(`${url}/v1/events?cursor=${cursor}&wait=30`, { headers: { 'x-api-key': s.key } });
  const isWaiting = untilWaiting(s.service);
  const replies = Promise.all([poll(s.url), poll(second.info.uri)]);
  await isWaiting;
  // An event of another tenant and a commit without an event do not end it.
  const other = await s.addTenant('other');
  await s.post('/v1/contacts', { name: 'Else' }, { key: await s.addKey({ tenantId: other.id }) });
  await s.post('/v1/contacts', { name: 'Ana' });
  for (const reply of await replies) {
    expect(reply.statusCode).toBe(200);
    expect(await reply.body.json()).toMatchObject({ data: [{ event: 'contact.created' }], pagination: { hasMore: false } });
  }
});

test('a long poll without an event ends after its time with the cursor to continue from, and at once when the service stops', async () => {
  await using s = await startService();
  const cursor = await getNext(s, 'latest');
  const idle = await s.get(`/v1/events?cursor=${cursor}&wait=1`);
  expect(idle.body).toEqual({ data: [], pagination: { nextCursor: cursor, hasMore: false } });
  const isWaiting = untilWaiting(s.service);
  const poll = s.get(`/v1/events?cursor=${cursor}&wait=30`);
  await isWaiting;
  s.service.beginClosing();
  expect((await poll).body).toEqual(idle.body);
});

test('a long poll whose key is revoked meanwhile returns no events', async () => {
  await using s = await startService();
  const key = await s.addKey();
  const cursor = await getNext(s, 'latest');
  const isWaiting = untilWaiting(s.service);
  const poll = s.get(`/v1/events?cursor=${cursor}&wait=30`, { key });
  await isWaiting;
  const { store } = s.service;
  await store.transact(s.tenant.id, async (tx) => {
    const { rows } = await tx.apiKeys.listAfter({ limit: 10 });
    const newest = rows.toSorted((a, b) => a.id.localeCompare(b.id)).at(-1);
    if (newest) await tx.apiKeys.put({ ...newest, revokedAt: s.clock.now().toISOString() });
  });
  await s.post('/v1/contacts', { name: 'Secret' });
  expect((await poll).body.error).toMatchObject({ code: 'UNAUTHENTICATED', message: 'Invalid API key.' });
});
