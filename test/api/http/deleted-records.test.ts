/** Lists of changes with include_deleted: a copy learns what was deleted without webhooks. */
import { expect, test } from 'vitest';
import { addWebhook } from '../../support/resources/webhooks.ts';
import { getCode, startService, type TestService } from '../../support/service/service.ts';

interface Tombstone {
  readonly id: string;
  readonly deletedAt: string;
}
interface Page {
  readonly data: readonly { readonly id: string; readonly updatedAt: string }[];
  readonly deleted?: readonly Tombstone[];
  readonly pagination: { readonly nextCursor: string | null };
}

/** All pages of a list of changes. */
async function readChanges(
  s: TestService,
  path: string,
  since: string,
  { size = '3', ...more }: { readonly size?: string; readonly sort?: string } = {},
): Promise<{ ids: string[]; deleted: Tombstone[] }> {
  const ids: string[] = [];
  const deleted: Tombstone[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const query = { updated_since: since, include_deleted: 'true', page_size: size, cursor, ...more };
    const reply = await s.get(`${path}?${new URLSearchParams(query).toString()}`);
    expect(reply.status, reply.text).toBe(200);
    const page = reply.body as Page;
    ids.push(...page.data.map(({ id }) => id));
    deleted.push(...(page.deleted ?? []));
    cursor = page.pagination.nextCursor;
  }
  return { ids, deleted };
}

const START = '2020-01-01T00:00:00Z';

test('include_deleted lists each item, contact and draft that was deleted since, with the time of its deletion', async () => {
  await using s = await startService();
  const { id: itemId } = (await s.post('/v1/items', { name: 'Kept' })).body.data;
  const drafts = {
    '/v1/items': { name: 'Bolt' },
    '/v1/contacts': { name: 'Ana' },
    '/v1/stock-documents': { type: 'receipt', lines: [{ itemId, quantity: 1 }] },
  };
  for (const [path, draft] of Object.entries(drafts)) {
    const created: string[] = [];
    for (let at = 0; at < 8; at += 1) created.push((await s.post(path, draft)).body.data.id as string);
    const gone = created.slice(0, 5);
    for (const id of gone) expect((await s.delete(`${path}/${id}`)).status).toBe(204);
    const { ids, deleted } = await readChanges(s, path, START, { sort: 'updated_at' });
    expect(deleted.map(({ id }) => id)).toEqual(gone);
    expect(new Set(ids.filter((id) => created.includes(id)))).toEqual(new Set(created.slice(5)));
    const events = (await s.events())
      .filter(({ resourceId }) => gone.includes(resourceId))
      .map(({ body }) => JSON.parse(body) as { data: Tombstone });
    expect(deleted.map(({ deletedAt }) => deletedAt)).toEqual(events.flatMap(({ data }) => ('deletedAt' in data ? [data.deletedAt] : [])));
    s.clock.advance(10);
    expect((await readChanges(s, path, s.clock.now().toISOString())).deleted).toEqual([]);
  }
});

test('include_deleted lists the lines that were removed from an order, and no line of another one', async () => {
  await using s = await startService();
  const { id: contactId } = (await s.post('/v1/contacts', { name: 'Ana' })).body.data;
  const { id: itemId } = (await s.post('/v1/items', { name: 'Bolt' })).body.data;
  const line = { itemId, quantity: 1, unitPrice: 1 };
  const draft = { module: 'sell', contactId, lines: [line, line, line] };
  const orders = [await s.post('/v1/orders', draft), await s.post('/v1/orders', draft)].map(({ body }) => body.data);
  const removed: string[] = [];
  for (const { id, lines } of orders) {
    const [first, ...others] = (lines as { id: string }[]).map((each) => each.id);
    removed.push(...others);
    const reply = await s.patch(`/v1/orders/${String(id)}`, { lines: [{ id: first, ...line }] });
    expect(reply.status, reply.text).toBe(200);
    const { updatedAt: deletedAt } = reply.body.data;
    const found = await readChanges(s, `/v1/orders/${String(id)}/lines`, START, { size: '1' });
    expect(found).toEqual({ ids: [first], deleted: others.map((each) => ({ id: each, deletedAt })) });
  }
  const feed = await s.get('/v1/events?types=order_line.deleted');
  expect((feed.body.data as { resourceId: string }[]).map(({ resourceId }) => resourceId)).toEqual(removed);
});

test('include_deleted needs a time and a cursor, and fails when deletions since then are no longer kept', async () => {
  await using s = await startService({ retention: { maxRows: 3 } });
  for (const query of ['include_deleted=true', `include_deleted=true&updated_since=${START}`, 'include_deleted=true&cursor=']) {
    const reply = await s.get(`/v1/contacts?${query}`);
    expect([query, reply.status, getCode(reply)]).toEqual([query, 400, 'VALIDATION_FAILED']);
  }
  const { id } = (await s.post('/v1/contacts', { name: 'Gone' })).body.data;
  await s.delete(`/v1/contacts/${String(id)}`);
  expect((await readChanges(s, '/v1/contacts', START)).deleted).toHaveLength(1);
  for (const name of ['One', 'Two', 'Three']) await s.post('/v1/contacts', { name });
  await s.restart();
  const first = await s.get(`/v1/contacts?updated_since=${START}&include_deleted=true&cursor=`);
  const next = `/v1/contacts?updated_since=${START}&include_deleted=true&cursor=${String(first.body.pagination.nextCursor)}`;
  await expect.poll(async () => (await s.get(next)).status).toBe(410);
  const { error } = (await s.get(next)).body;
  expect(error.code).toBe('CURSOR_EXPIRED');
  expect(error.message).toMatch(/^Deletions since that time are no longer kept: read the whole list again\. To follow events, /u);
});

test('include_deleted fails when deletions were purged, although an older event is kept for its delivery', async () => {
  await using s = await startService({ retention: { maxRows: 3 } });
  await addWebhook(s, 'https://shop.example/hooks');
  await s.post('/v1/items', { name: 'Waits for its delivery' });
  s.clock.advance(10);
  const since = s.clock.now().toISOString();
  const { id } = (await s.post('/v1/contacts', { name: 'Gone' })).body.data;
  await s.delete(`/v1/contacts/${String(id)}`);
  for (const name of ['One', 'Two', 'Three']) await s.post('/v1/contacts', { name });
  const kept = (await s.changeLog())[0];
  await s.restart();
  const first = await s.get(`/v1/contacts?updated_since=${since}&include_deleted=true&cursor=`);
  const next = `/v1/contacts?updated_since=${since}&include_deleted=true&cursor=${String(first.body.pagination.nextCursor)}`;
  await expect.poll(async () => (await s.changeLog()).length).toBe(4);
  expect((await s.changeLog())[0]).toEqual(kept);
  const reply = await s.get(next);
  expect([reply.status, getCode(reply)]).toEqual([410, 'CURSOR_EXPIRED']);
});
