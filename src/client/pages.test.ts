import fc from 'fast-check';
import { expect, test } from 'vitest';
import { listItems } from '../contract/items.ts';
import type { Client } from './client.ts';
import { stretchesOf } from './pages.ts';

const SEED = 20_261_121;

interface Row {
  readonly id: string;
  readonly createdAt: string;
}

const rowAt = (at: number, moment: number): Row => ({
  id: `r${String(at).padStart(6, '0')}`,
  createdAt: new Date(1.7e12 + moment).toISOString(),
});

/** A service with one list; `onPage` may change it before each answer. */
function serviceOf(list: () => readonly Row[], onPage: (asked: number) => void): { client: Client; requests: () => number } {
  let asked = 0;
  const send = async ({ path }: { readonly path: string }) => {
    const query = new URL(path, 'http://x').searchParams;
    const [page, size, since] = [Number(query.get('page')), Number(query.get('page_size')), query.get('created_since') ?? ''];
    if (query.get('sort') !== 'created_at' || !(size >= 1 && size <= 200)) throw new Error(`a strange request: ${path}`);
    await Promise.resolve();
    onPage((asked += 1));
    const rows = list().filter(({ createdAt }) => createdAt >= since);
    const pagination = { page, pageSize: size, total: rows.length, totalPages: Math.ceil(rows.length / size) };
    return { body: { data: rows.slice((page - 1) * size, page * size), pagination } };
  };
  return { client: { send } as unknown as Client, requests: () => asked };
}

test('a walk through many rows of one moment misses none when as many go as come between two pages', async () => {
  for (const between of [5, 14, 27, 30]) {
    let list = Array.from({ length: 5000 }, (_, at) => rowAt(at, 0));
    const kept = list.slice(1).map(({ id }) => id);
    const { client } = serviceOf(
      () => list,
      (asked) => {
        if (asked === between) list = [...list.slice(1), rowAt(9_000, 0)];
      },
    );
    expect((await walked(client)).ids.filter((id) => id !== rowAt(0, 0).id && id !== rowAt(9_000, 0).id)).toEqual(kept);
  }
});

const walked = async (client: Client, start: Row | null = null): Promise<{ ids: string[]; total: number }> => {
  const ids: string[] = [];
  let last = 0;
  for await (const { rows, total } of stretchesOf(client, listItems, {}, start)) {
    ids.push(...(rows as Row[]).map(({ id }) => id));
    last = total;
  }
  return { ids, total: last };
};

test('a walk tells every row that stays once and in order, whatever comes, goes or begins to match meanwhile', async () => {
  const change = fc.record({
    before: fc.integer({ min: 1, max: 40 }),
    removed: fc.array(fc.nat(), { maxLength: 30 }),
    added: fc.nat({ max: 30 }),
    entered: fc.array(fc.nat(), { maxLength: 30 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.nat({ max: 4000 }),
      fc.constantFrom(1, 3, 150, 5000),
      fc.array(change, { maxLength: 8 }),
      async (count, perMoment, changes) => {
        // Rows of every other number begin as what the filter does not match.
        const all = Array.from({ length: count * 2 }, (_, at) => rowAt(at, Math.floor(at / 2 / perMoment)));
        let list = all.filter((_, at) => at % 2 === 0);
        let next = count * 2;
        const staying = new Set(list.map(({ id }) => id));
        const { client } = serviceOf(
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
        const { ids } = await walked(client);
        expect(ids).toEqual([...new Set(ids)].sort());
        const told = new Set(ids);
        expect([...staying].filter((id) => !told.has(id))).toEqual([]);
      },
    ),
    { seed: SEED, numRuns: 120 },
  );
});

test.each([0, 1, 200, 201, 2268, 2269, 10_001])(
  'a walk through %i rows tells each once, and in the end how many there were',
  async (count) => {
    for (const perMoment of [1, 700, 20_000]) {
      const list = Array.from({ length: count }, (_, at) => rowAt(at, Math.floor(at / perMoment)));
      const { client, requests } = serviceOf(
        () => list,
        () => undefined,
      );
      expect(await walked(client)).toEqual({ ids: list.map(({ id }) => id), total: count });
      if (perMoment === 1) expect(requests()).toBeLessThanOrEqual(Math.ceil(count / 189) + 1);
      const start = list[Math.floor(count / 3)];
      if (start) expect((await walked(client, start)).ids).toEqual(list.slice(Math.floor(count / 3) + 1).map(({ id }) => id));
    }
  },
);
