import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ApiError } from '../errors.ts';
import { listItems } from '../../contract/resources/items.ts';
import { listStockLevels } from '../../contract/resources/stock-levels.ts';
import { type FetchPage, readCompleteList } from './complete-list.ts';
import { checkProperty } from '../../../test/support/property.ts';

interface Row {
  readonly id: string;
  readonly createdAt: string;
  readonly name: string;
  readonly updatedAt: string;
}

const toTime = (moment: number): string => new Date(1.7e12 + moment).toISOString();
const toId = (at: number): string => `r${String(at).padStart(6, '0')}`;
const KEYS: Readonly<Record<string, (row: Row) => string>> = {
  created_at: ({ createdAt }) => createdAt,
  updated_at: ({ updatedAt }) => updatedAt,
  name: ({ name }) => name,
};

/** A service with one list; `onRequest` may change it before each response. */
function createService(rows: Map<string, Row>, onRequest: (asked: number) => void): { fetch: FetchPage; requests: () => number } {
  let asked = 0;
  const fetch: FetchPage = async ({ sort = 'name', page, page_size: size }) => {
    await Promise.resolve();
    onRequest((asked += 1));
    const key = KEYS[sort.replace(/^-/u, '')]!;
    const sorted = [...rows.values()].sort((a, b) => (key(a) + a.id < key(b) + b.id ? -1 : 1));
    if (sort.startsWith('-')) sorted.reverse();
    const pagination = { page, pageSize: size, total: rows.size, totalPages: Math.ceil(rows.size / size) };
    return { data: sorted.slice((page - 1) * size, page * size), pagination };
  };
  return { fetch, requests: () => asked };
}

async function collect(fetch: FetchPage, sort: string | undefined, pageSize = 200, op = listItems): Promise<string[]> {
  const ids: string[] = [];
  for await (const { data } of readCompleteList({ op, fetch, sort, pageSize })) ids.push(...(data as Row[]).map(({ id }) => id));
  return ids;
}

const createRows = (count: number, perMoment: number): Map<string, Row> =>
  new Map(
    Array.from({ length: count }, (_, at) => {
      const created = toTime(Math.floor(at / perMoment));
      // Names in another order than that of creation.
      const row = { id: toId(at), createdAt: created, name: `n${String((at * 7919) % 10_007).padStart(5, '0')}`, updatedAt: created };
      return [row.id, row] as const;
    }),
  );

test('readCompleteList yields every row that exists throughout, and none twice, while rows are added, deleted and renamed', async () => {
  const change = fc.record({
    before: fc.integer({ min: 1, max: 30 }),
    removed: fc.array(fc.nat(), { maxLength: 30 }),
    renamed: fc.array(fc.nat(), { maxLength: 30 }),
    added: fc.nat({ max: 30 }),
  });
  await checkProperty(
    fc.asyncProperty(
      fc.nat({ max: 600 }),
      fc.constantFrom(1, 150, 5_000),
      fc.constantFrom(undefined, 'created_at', '-created_at', 'name', '-name'),
      fc.constantFrom(7, 50, 200),
      fc.array(change, { maxLength: 8 }),
      async (count, perMoment, sort, pageSize, changes) => {
        const rows = createRows(count, perMoment);
        const staying = new Set(rows.keys());
        let next = count;
        const { fetch } = createService(rows, (asked) => {
          for (const { before, removed, renamed, added } of changes.filter((each) => each.before === asked)) {
            const at = toTime(1e9 + asked);
            const pick = (index: number) => [...rows.values()][index % Math.max(1, rows.size)];
            for (const { id } of removed.flatMap((index) => pick(index) ?? [])) {
              rows.delete(id);
              staying.delete(id);
            }
            for (const row of renamed.flatMap((index) => pick(index) ?? []))
              rows.set(row.id, { ...row, name: `n${String((next * 31 + before) % 10_007).padStart(5, '0')}`, updatedAt: at });
            for (let each = 0; each < added; each += 1) {
              const id = toId((next += 1));
              rows.set(id, { id, createdAt: at, name: `n${String((next * 104_729) % 10_007).padStart(5, '0')}`, updatedAt: at });
            }
          }
        });
        const ids = await collect(fetch, sort, pageSize);
        const yielded = new Set(ids);
        expect(ids).toHaveLength(yielded.size);
        expect([...staying].filter((id) => !yielded.has(id))).toEqual([]);
      },
    ),
    { shortRuns: 30 },
  );
});

test.each([1, 2, 3, 4, 5, 6])('readCompleteList yields every row once in pages of at most %i', async (pageSize) => {
  const rows = createRows(60, 1);
  const { fetch } = createService(rows, () => undefined);
  for await (const { data } of readCompleteList({ op: listItems, fetch, pageSize })) expect(data.length).toBeLessThanOrEqual(pageSize);
  expect(await collect(fetch, undefined, pageSize)).toEqual([...rows.keys()]);
});

test.each(['created_at', '-created_at', 'name'])('readCompleteList by %s keeps the order of a list that does not change', async (sort) => {
  for (const count of [0, 1, 200, 201, 1_000]) {
    const rows = createRows(count, 7);
    const { fetch, requests } = createService(rows, () => undefined);
    const whole = await createService(rows, () => undefined).fetch({ sort, page: 1, page_size: 10_000 });
    expect(await collect(fetch, sort)).toEqual((whole.data as Row[]).map(({ id }) => id));
    // Pages overlap by a row; two more requests find out whether anything has changed.
    expect(requests()).toBeLessThanOrEqual(Math.ceil(count / 180) + 3);
  }
});

test('readCompleteList finds a row that moved to a page that was read, although as many rows were added as deleted', async () => {
  const rows = createRows(600, 1);
  const { fetch } = createService(rows, (asked) => {
    if (asked !== 3) return;
    const [moved] = [...rows.values()].filter(({ name }) => name > 'n09').slice(-1);
    rows.set(moved!.id, { ...moved!, name: 'n00000', updatedAt: toTime(1e9) });
  });
  expect(new Set(await collect(fetch, 'name'))).toEqual(new Set(rows.keys()));
});

test('readCompleteList of a list without an order of creation misses nothing when rows before a page disappear', async () => {
  const rows = createRows(900, 1);
  const kept = [...rows.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)).slice(350);
  const { fetch } = createService(rows, (asked) => {
    if (asked === 3) for (const id of rows.keys()) if (!kept.some((row) => row.id === id)) rows.delete(id);
  });
  const ids = await collect(fetch, 'name', 200, listStockLevels as unknown as typeof listItems);
  expect(kept.filter(({ id }) => !ids.includes(id))).toEqual([]);
  expect(new Set(ids)).toHaveLength(ids.length);
});

test('readCompleteList reads a list in its own order if the service has no sort, unless the caller asked for one', async () => {
  const rows = ['a', 'b', 'c'].map((id) => ({ id }));
  const fetch: FetchPage = ({ sort, page, page_size: size }) => {
    if (sort !== undefined)
      return Promise.reject(
        new ApiError({
          status: 400,
          code: 'VALIDATION_FAILED',
          message: 'sort',
          requestId: null,
          fields: [{ in: 'query', path: '/sort', code: 'unknown_field', message: 'sort' }],
          details: null,
          retryAfterSeconds: null,
        }),
      );
    const pagination = { page, pageSize: size, total: rows.length, totalPages: Math.ceil(rows.length / size) };
    return Promise.resolve({ data: rows.slice((page - 1) * size, page * size), pagination });
  };
  const ids: string[] = [];
  for await (const { data } of readCompleteList({ op: listItems, fetch, pageSize: 2, isSortOptional: true }))
    ids.push(...(data as { id: string }[]).map(({ id }) => id));
  expect(ids).toEqual(['a', 'b', 'c']);
  await expect(readCompleteList({ op: listItems, fetch, sort: 'name' }).next()).rejects.toThrow('sort');
});
