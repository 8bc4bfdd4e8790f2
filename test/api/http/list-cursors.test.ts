/** Lists with cursors while others write: rows are neither missed nor repeated, and changes never missed. */
import { request } from 'undici';
import { expect, test } from 'vitest';
import { startSecondServer } from '../../support/service/second-server.ts';
import { useService } from '../../support/service/shared-service.ts';

const s = useService();

interface Row {
  readonly id: string;
  readonly name: string;
  readonly updatedAt: string;
}
interface Page {
  readonly data: readonly Row[];
  readonly pagination: { readonly nextCursor: string | null };
}

async function* walk(key: string, query: Record<string, string>, url = s.url): AsyncGenerator<readonly Row[]> {
  for (let cursor: string | null = ''; cursor !== null;) {
    const path = `/v1/items?${new URLSearchParams({ ...query, cursor }).toString()}`;
    const reply = await request(`${url}${path}`, { headers: { 'x-api-key': key } });
    const { data, pagination } = (await reply.body.json()) as Page;
    yield data;
    cursor = pagination.nextCursor;
  }
}

async function openTenant(slug: string) {
  const tenant = await s.addTenant(slug);
  const key = await s.addKey({ tenantId: tenant.id });
  const create = async (name: string) => (await s.post('/v1/items', { name }, { key })).body.data as Row;
  const update = async (id: string, name: string) => (await s.patch(`/v1/items/${id}`, { name }, { key })).body.data as Row;
  return { tenant, key, create, update };
}

test('a row that exists throughout is seen exactly once, whatever is created, changed and deleted between the pages', async () => {
  const { key, create, update } = await openTenant('walked');
  const rows: Row[] = [];
  for (let at = 0; at < 60; at += 1) rows.push(await create(`Item ${String(at)}`));
  const deleted = new Set<string>();
  const seen: string[] = [];
  let pages = 0;
  for await (const page of walk(key, { page_size: '7' })) {
    seen.push(...page.map(({ id }) => id));
    pages += 1;
    await create(`New ${String(pages)}`);
    // Names and times of change move rows in other orders, to both ends.
    for (const at of [pages, 59 - pages]) await update(rows[at]!.id, `${pages % 2 === 0 ? 'AAA' : 'zzz'} ${String(pages)}`);
    for (const { id } of [rows[pages * 2]!, rows[50 - pages]!]) {
      if (deleted.has(id)) continue;
      deleted.add(id);
      await s.delete(`/v1/items/${id}`, { key });
    }
  }
  expect(new Set(seen).size).toBe(seen.length);
  for (const { id } of rows) if (!deleted.has(id)) expect(seen).toContain(id);
});

test('300 rows that share a time of change are seen exactly once by pages of 200', async () => {
  const { key, tenant, create } = await openTenant('sharing');
  const { id: first } = await create('Item 0');
  await s.service.store.transact(tenant.id, async (tx) => {
    const row = (await tx.items.get(first))!;
    for (let at = 1; at < 300; at += 1) await tx.items.put({ ...row, id: tx.newId(), name: `Item ${String(at)}` });
  });
  // What has just changed may be repeated.
  s.clock.advance(2);
  const pages: (readonly Row[])[] = [];
  for await (const page of walk(key, { sort: 'updated_at', updated_since: '2020-01-01T00:00:00Z', page_size: '200' })) pages.push(page);
  const rows = pages.flat();
  expect(pages.map(({ length }) => length)).toEqual([200, 100]);
  expect(new Set(rows.map(({ updatedAt }) => updatedAt)).size).toBe(1);
  expect(new Set(rows.map(({ id }) => id)).size).toBe(300);
});

test('a reader of updated_since with sort=updated_at and cursors sees every change at least once, through either of two daemons', async () => {
  const { key, create, update } = await openTenant('followed');
  const second = await startSecondServer(s.service);
  const rows: Row[] = [];
  for (let at = 0; at < 12; at += 1) rows.push(await create(`Item ${String(at)}`));
  const expected = new Map<string, string>();
  let isDone = false;
  const writing = Promise.all(
    [0, 1, 2, 3].map(async (writer) => {
      for (let step = 0; step < 60; step += 1) {
        // Each writer has rows of its own, so that the last change is known. The same row changes several times in a millisecond.
        const { id } = rows[writer * 3 + (step % 3 === 0 ? 0 : 1)]!;
        expected.set(id, (await update(id, `Writer ${String(writer)} ${String(step)}`)).name);
      }
    }),
  ).then(() => (isDone = true));
  const copy = new Map<string, string>();
  let since = '2020-01-01T00:00:00Z';
  for (let round = 0, rest = 1; rest >= 0; round += 1) {
    if (isDone) rest -= 1;
    let newest = since;
    for await (const page of walk(key, { sort: 'updated_at', updated_since: since, page_size: '3' }, [s.url, second.info.uri][round % 2]))
      for (const { id, name, updatedAt } of page) {
        copy.set(id, name);
        if (updatedAt > newest) newest = updatedAt;
      }
    since = newest;
  }
  await writing;
  expect(Object.fromEntries([...expected].map(([id]) => [id, copy.get(id)]))).toEqual(Object.fromEntries(expected));
});
