import fc from 'fast-check';
import { expect, test } from 'vitest';
import { listItems } from '../../contract/resources/items.ts';
import type { Client } from '../client.ts';
import { iterateBatches } from './batches.ts';
import { checkProperty } from '../../../test/support/property.ts';

interface Row {
  readonly id: string;
  readonly createdAt: string;
}

const rowAt = (at: number, moment: number): Row => ({
  id: `r${String(at).padStart(6, '0')}`,
  createdAt: new Date(1.7e12 + moment).toISOString(),
});

/** A service with one list; `onPage` may change it before each response. */
function createService(list: () => readonly Row[], onPage: (asked: number) => void): { client: Client; requests: () => number } {
  let asked = 0;
  const send = async ({ path }: { readonly path: string }) => {
    const query = new URL(path, 'http://x').searchParams;
    const [page, size, since] = [Number(query.get('page')), Number(query.get('page_size')), query.get('created_since') ?? ''];
    if (query.get('sort') !== 'created_at' || !(size >= 1 && size <= 200)) throw new Error(`unexpected request: ${path}`);
    await Promise.resolve();
    onPage((asked += 1));
    const rows = list().filter(({ createdAt }) => createdAt >= since);
    const pagination = { page, pageSize: size, total: rows.length, totalPages: Math.ceil(rows.length / size) };
    return { body: { data: rows.slice((page - 1) * size, page * size), pagination } };
  };
  return { client: { send } as unknown as Client, requests: () => asked };
}

test('iterateBatches misses no row with the same time when as many rows are deleted as added between two pages', async () => {
  for (const between of [5, 14, 27, 30]) {
    let list = Array.from({ length: 5000 }, (_, at) => rowAt(at, 0));
    const kept = list.slice(1).map(({ id }) => id);
    const { client } = createService(
      () => list,
      (asked) => {
        if (asked === between) list = [...list.slice(1), rowAt(9_000, 0)];
      },
    );
    expect((await collectRows(client)).ids.filter((id) => id !== rowAt(0, 0).id && id !== rowAt(9_000, 0).id)).toEqual(kept);
  }
});

const collectRows = async (client: Client, start: Row | null = null): Promise<{ ids: string[]; total: number }> => {
  const ids: string[] = [];
  let last = 0;
  for await (const { rows, total } of iterateBatches(client, listItems, {}, start)) {
    ids.push(...(rows as Row[]).map(({ id }) => id));
    last = total;
  }
  return { ids, total: last };
};

test('iterateBatches yields every remaining row once and in order while rows are added, deleted and start to match', async () => {
  const change = fc.record({
    before: fc.integer({ min: 1, max: 40 }),
    removed: fc.array(fc.nat(), { maxLength: 30 }),
    added: fc.nat({ max: 30 }),
    entered: fc.array(fc.nat(), { maxLength: 30 }),
  });
  await checkProperty(
    fc.asyncProperty(
      fc.nat({ max: 4000 }),
      fc.constantFrom(1, 3, 150, 5000),
      fc.array(change, { maxLength: 8 }),
      async (count, perMoment, changes) => {
        // The filter does not match every other row at first.
        const all = Array.from({ length: count * 2 }, (_, at) => rowAt(at, Math.floor(at / 2 / perMoment)));
        let list = all.filter((_, at) => at % 2 === 0);
        let next = count * 2;
        const staying = new Set(list.map(({ id }) => id));
        const { client } = createService(
          () => list,
          (asked) => {
            for (const { before, removed, added, entered } of changes) {
              if (before !== asked) continue;
              const gone = new Set(removed.map((at) => list[at % Math.max(1, list.length)]?.id));
              for (const id of gone) staying.delete(id ?? '');
              const come = entered.flatMap((at) => all[(at * 2 + 1) % Math.max(1, all.length)] ?? []);
              list = [...new Set([...list.filter(({ id }) => !gone.has(id)), ...come])].sort((a, b) => (a.id < b.id ? -1 : 1));
              for (let each = 0; each < added; each += 1) list.push(rowAt(next++, 1e9 + Math.floor(next / perMoment)));
            }
          },
        );
        const { ids } = await collectRows(client);
        expect(ids).toEqual([...new Set(ids)].sort());
        const yielded = new Set(ids);
        expect([...staying].filter((id) => !yielded.has(id))).toEqual([]);
      },
    ),
    { shortRuns: 20 },
  );
});

test.each([0, 1, 200, 201, 2268, 2269, 10_001])('iterateBatches yields %i rows once, and their total', async (count) => {
  for (const perMoment of [1, 700, 20_000]) {
    const list = Array.from({ length: count }, (_, at) => rowAt(at, Math.floor(at / perMoment)));
    const { client, requests } = createService(
      () => list,
      () => undefined,
    );
    expect(await collectRows(client)).toEqual({ ids: list.map(({ id }) => id), total: count });
    if (perMoment === 1) expect(requests()).toBeLessThanOrEqual(Math.ceil(count / 189) + 1);
    const start = list[Math.floor(count / 3)];
    if (start) expect((await collectRows(client, start)).ids).toEqual(list.slice(Math.floor(count / 3) + 1).map(({ id }) => id));
  }
});
